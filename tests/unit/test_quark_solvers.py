"""The Dirac operator against dense algebra, its even-odd form, solvers, and free quarks."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

from phasewise import _core
from phasewise.workloads.qcd import Links, Quarks
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.unit.quark_reference import (
    GAMMA,
    GAMMA_5,
    adjoint,
    field_strength,
    hopped_directly,
    moved,
    near_links,
    random_links,
    random_spinor,
)

ACTIONS = (
    {"mass": 0.3},
    {"mass": 0.3, "anisotropy": 2.464, "velocity": 0.95},
    {"mass": 0.3, "twisted_mass": 0.2},
    {"mass": 0.7, "clover_spatial": 0.4, "clover_temporal": 0.3, "anisotropy": 1.5},
    {"mass": 0.7, "clover_spatial": 0.4, "clover_temporal": 0.4, "twisted_mass": 0.2},
)


def flat(values):
    return np.ascontiguousarray(values).view(float)


def spinor(values):
    return np.asarray(values).view(complex).reshape(-1, 4, 3)


def quarks(box, links, **options):
    return _core.QcdQuarks(box, flat(links), **options)


def dirac_directly(box, links, psi, action):
    """D of the definition, with dense gamma matrices."""
    ratio = action.get("velocity", 1.0) / action.get("anisotropy", 1.0)
    weighted = links * np.array([ratio, ratio, ratio, 1.0])[:, None, None]
    diagonal = action["mass"] + 1 + 3 * ratio
    result = diagonal * psi - 0.5 * hopped_directly(box, weighted, psi)
    twist = action.get("twisted_mass", 0.0)
    result = result + 1j * twist * np.einsum("rs,xsa->xra", GAMMA_5, psi)
    strength = field_strength(box, links)
    plane = 0
    for mu in range(4):
        for nu in range(mu + 1, 4):
            space = action.get("clover_spatial", 0.0) / action.get("anisotropy", 1.0)
            c = action.get("clover_temporal", 0.0) if nu == 3 else space
            sigma = 0.5j * (GAMMA[mu] @ GAMMA[nu] - GAMMA[nu] @ GAMMA[mu])
            # Both orders of the plane: F and σ change sign together.
            term = np.einsum("rs,xab,xsb->xra", sigma, strength[:, plane], psi)
            result = result + c * 0.25j * 2 * term
            plane += 1
    return result


@pytest.mark.parametrize("kernel", ["fast", "plain"])
@pytest.mark.parametrize("action", ACTIONS)
def test_the_dirac_operator_is_its_definition(action, kernel):
    box = [4, 2, 6, 4]
    links, psi = random_links(box), random_spinor(box)
    found = spinor(quarks(box, links, kernel=kernel, **action).dirac(flat(psi)))
    assert np.abs(found - dirac_directly(box, links, psi, action)).max() < 1e-13


@pytest.mark.parametrize("action", ACTIONS)
def test_the_dagger_of_the_operator_is_its_adjoint(action):
    box = [4, 2, 6, 4]
    links, psi, chi = random_links(box), random_spinor(box), random_spinor(box, 3)
    operator = quarks(box, links, **action)
    left = np.vdot(chi, spinor(operator.dirac(flat(psi))))
    right = np.vdot(spinor(operator.dirac(flat(chi), dagger=True)), psi)
    assert abs(left - right) < 1e-14 * np.linalg.norm(chi) * np.linalg.norm(psi) * 16


@pytest.mark.parametrize("action", ACTIONS)
def test_a_solution_is_that_of_the_dense_matrix(action):
    box = [2, 2, 2, 2]
    links, b = random_links(box), random_spinor(box)
    operator = quarks(box, links, **action)
    basis = np.eye(b.size, dtype=complex)
    dense = np.stack([spinor(operator.dirac(flat(column))).ravel() for column in basis], axis=1)
    # The even-odd form: det D = det A_oo · det M, and A_oo is D where both sites are odd.
    parity = np.indices((2, 2, 2, 2)).sum(axis=0).ravel() % 2
    odd = np.repeat(parity == 1, 12)
    schur = np.stack(
        [spinor(operator.even_odd(flat(column))).ravel() for column in basis[~odd]], axis=1
    )[~odd]
    parts = np.linalg.slogdet(dense[np.ix_(odd, odd)])[1] + np.linalg.slogdet(schur)[1]
    assert abs(parts - np.linalg.slogdet(dense)[1]) < 1e-11
    expected = np.linalg.solve(dense, b.ravel())
    for method, precision in product(("cg", "bicgstab"), ("double", "mixed")):
        x, _, residual, converged, _, _ = operator.solve(
            flat(b), tolerance=1e-13, precision=precision, method=method
        )
        # The normal equations square the condition of the matrix, here at most some ten.
        assert converged
        assert residual < 1e-12
        assert np.abs(spinor(x).ravel() - expected).max() < 1e-11 * np.abs(expected).max()


@pytest.mark.parametrize("method", ["cg", "bicgstab"])
def test_a_solution_has_the_same_bits_with_any_kernel_and_threads(method):
    box = [4, 4, 4, 8]
    links, b = random_links(box), random_spinor(box)
    action = ACTIONS[-1]
    expected = {}
    for kernel, threads in (("plain", 1), ("fast", 1), ("fast", 2), ("plain", 2)):
        operator = quarks(box, links, kernel=kernel, threads=threads, **action)
        for precision in ("double", "single", "mixed"):
            tolerance = 1e-5 if precision == "single" else 1e-12
            x, iterations, residual, *_ = operator.solve(
                flat(b), tolerance=tolerance, precision=precision, method=method
            )
            found = (np.asarray(x).tobytes(), iterations, residual)
            assert expected.setdefault(precision, found) == found, (kernel, precision)


@pytest.mark.parametrize("method", ["cg", "bicgstab"])
def test_mixed_precision_reaches_the_residual_of_double(method):
    box = [4, 4, 4, 8]
    links, b = random_links(box), random_spinor(box)
    operator = quarks(box, links, mass=0.1)
    for precision in ("double", "mixed"):
        x, _, residual, converged, history, _ = operator.solve(
            flat(b), tolerance=1e-12, precision=precision, method=method
        )
        assert converged
        assert residual < 1e-11
        assert history[0] > 1e-2
        left = spinor(operator.dirac(x)) - b
        assert np.linalg.norm(left) < 1e-11 * np.linalg.norm(b)


L4448 = Path(__file__).resolve().parents[3] / "shared" / "data" / "lattice" / "lat.sample.l4448"


def iterations(operator):
    """Of BiCGstab in double and mixed precision, for a point source on 512 sites."""
    b = np.zeros((512, 24))
    b[0, 0] = 1
    taken = []
    for precision in ("double", "mixed"):
        _, count, residual, converged, *_ = operator.solve(
            b.ravel(), tolerance=1e-10, method="bicgstab", precision=precision
        )
        assert converged
        assert residual < 1e-10
        taken.append(count)
    return taken


CLOVER = {"clover_spatial": 1.0, "clover_temporal": 1.0, "phases": [0, 0, 0, 1]}


@pytest.mark.skipif(not L4448.exists(), reason="the field lies outside the project")
@pytest.mark.parametrize("kappa", [0.145, 0.147, 0.148])
def test_mixed_precision_takes_about_the_iterations_of_double(kappa):
    links = Links.read(L4448)
    operator = quarks(list(links.size), links.array, mass=1 / (2 * kappa) - 4, **CLOVER)
    double, mixed = iterations(operator)
    assert mixed < 1.5 * double


@pytest.mark.parametrize(("seed", "mass"), [(2, -0.36), (2, -0.44), (3, -0.4)])
def test_mixed_precision_keeps_its_directions_near_the_critical_mass(seed, mass):
    box = [4, 4, 4, 8]
    double, mixed = iterations(quarks(box, near_links(box, 0.3, seed), mass=mass, **CLOVER))
    assert double > 80
    assert mixed < 1.5 * double


def test_a_residual_is_that_of_the_links_that_were_read(tmp_path):
    box = [4, 2, 4, 4]
    exact = random_links(box).reshape(*box[::-1], 4, 3, 3)
    rounded = flat(exact.astype(np.complex64).astype(complex)).reshape(*exact.shape, 2)
    write_links(tmp_path / "field", form_of("milc"), tuple(box), rounded)
    links = Links.read(tmp_path / "field")
    operator = Quarks(links, 1 / (2 * 0.7 + 8), clover=0.4, phases=[0, 0, 0, 0])
    b = random_spinor(box).reshape(*box[::-1], 4, 3)
    x = operator.solve(b).x.reshape(-1, 4, 3)
    action = {"mass": 0.7, "clover_spatial": 0.4, "clover_temporal": 0.4}
    left = b.reshape(-1, 4, 3) - dirac_directly(box, links.array.reshape(-1, 4, 3, 3), x, action)
    assert np.linalg.norm(left) < 1e-11 * np.linalg.norm(b)


def pion(box, links, **options):
    """C(t) from a point source."""
    operator = quarks(box, links, **options)
    slices = np.zeros(box[3])
    for spin in range(4):
        for colour in range(3):
            b = np.zeros((int(np.prod(box)), 4, 3), dtype=complex)
            b[0, spin, colour] = 1
            x = spinor(operator.solve(flat(b), tolerance=1e-14)[0])
            slices += (np.abs(x) ** 2).reshape(box[3], -1).sum(axis=1)
    return slices


def unit_links(box):
    return np.broadcast_to(np.eye(3, dtype=complex), (int(np.prod(box)), 4, 3, 3)).copy()


def free_pion(box, mass, phases):
    """By the sum over momenta of the free propagator."""
    grids = np.meshgrid(
        *[(2 * np.pi * np.arange(n) + np.pi * p) / n for n, p in zip(box, phases, strict=True)],
        indexing="ij",
    )
    dirac = sum(1j * np.sin(p)[..., None, None] * GAMMA[mu] for mu, p in enumerate(grids)) + (
        mass + sum(1 - np.cos(p) for p in grids)
    )[..., None, None] * np.eye(4)
    propagator = np.fft.ifftn(np.linalg.inv(dirac), axes=(0, 1, 2, 3))
    return 3 * (np.abs(propagator) ** 2).sum(axis=(0, 1, 2, 4, 5))


def test_the_free_pion_is_its_momentum_sum_and_the_published_one():
    box, kappa, phases = [4, 4, 4, 8], 0.1, [0.2, 0.4, 0.0, 0.0]
    mass = 1 / (2 * kappa) - 4
    found = pion(box, unit_links(box), mass=mass, phases=phases)
    published = [0.5504480916, 0.0187776789, 0.00191303571, 0.000304754974, 0.000111618742]
    assert np.allclose(found[:5] / published, 1, atol=3e-8)  # theirs is in single precision
    assert np.allclose(found / free_pion(box, mass, phases), 1, atol=1e-12)


def test_a_free_quark_at_rest_has_the_logarithm_as_its_energy():
    # A source on a whole time slice, and t so long that what goes around is below rounding.
    box, mass = [2, 2, 2, 64], 0.5
    operator = quarks(box, unit_links(box), mass=mass)
    b = np.zeros((box[3], 8, 4, 3), dtype=complex)
    b[0, :, 0, 0] = b[0, :, 2, 0] = 1  # 1 + γ_t leaves it alone
    x = spinor(operator.solve(flat(b), tolerance=1e-14)[0]).reshape(box[3], 8, 4, 3)
    forward = np.abs(x[:, 0, 0, 0])
    energies = np.log(forward[2:20] / forward[3:21])
    assert np.allclose(energies, np.log(1 + mass), atol=1e-10)


def staples_directly(box, links, mu):
    """The sum of the six ways around to the neighbour along mu."""
    total = np.zeros_like(links[:, mu])
    for nu in (axis for axis in range(4) if axis != mu):
        u, v = links[:, mu], links[:, nu]
        total += v @ moved(box, u, nu, 1) @ adjoint(moved(box, v, mu, 1))
        below = adjoint(moved(box, v, nu, -1)) @ moved(box, u, nu, -1)
        total += below @ moved(box, moved(box, v, mu, 1), nu, -1)
    return total


@pytest.mark.parametrize("weight", [0.1, 0.9])
def test_stout_links_are_exponentials_of_the_staples(weight):
    box = [4, 2, 6, 4]
    links = random_links(box)
    found = np.asarray(_core.stout_links(flat(links), box, weight)).view(complex)
    found = found.reshape(links.shape)
    for mu in range(4):
        around = weight * staples_directly(box, links, mu) @ adjoint(links[:, mu])
        part = (around - adjoint(around)) / 2
        part = part - np.trace(part, axis1=1, axis2=2)[:, None, None] * np.eye(3) / 3
        expected = expm(part) @ links[:, mu]
        assert np.abs(found[:, mu] - expected).max() < 1e-13
    assert np.abs(found @ adjoint(found) - np.eye(3)).max() < 1e-13


def test_stout_links_turn_with_the_gauge():
    box = [2, 2, 4, 4]
    links, turns = random_links(box), random_links(box, 5)[:, 0]
    turned = np.stack(
        [turns @ links[:, mu] @ adjoint(moved(box, turns, mu, 1)) for mu in range(4)], axis=1
    )
    one, other = (
        np.asarray(_core.stout_links(flat(u), box, 0.15, 2)).view(complex).reshape(links.shape)
        for u in (links, turned)
    )
    for mu in range(4):
        back = adjoint(turns) @ other[:, mu] @ moved(box, turns, mu, 1)
        assert np.abs(back - one[:, mu]).max() < 1e-12

"""Quark monomials against dense algebra on 2⁴ sites: their weights are the determinants."""

import numpy as np
import pytest

from phasewise import _core as core
from tests.unit.test_qcd_quark_force import random_algebra, reals, turned

BOX = (2, 2, 2, 2)
SITES = np.indices(BOX).sum(axis=0).ravel() % 2
CASES = {
    "Wilson": {},
    "twisted mass": {"twisted_mass": 0.4},
    "clover": {"clover": 1.5},
    "clover, twisted mass": {"clover": 1.5, "twisted_mass": 0.4},
}
MASSES = [0.3, 0.9]


@pytest.fixture(scope="module")
def links() -> np.ndarray:
    random = np.random.default_rng(3)
    shape = (*BOX, 4)
    return turned(np.broadcast_to(np.eye(3), (*shape, 3, 3)), random_algebra(shape, random), 0.3)


def places(parity: int) -> np.ndarray:
    """The components of the sites of a parity."""
    return np.flatnonzero(np.repeat(parity == SITES, 12))


def dense(links: np.ndarray, **keys: float) -> np.ndarray:
    """D of all sites, from its products with unit vectors."""
    clover = keys.pop("clover", 0.0)
    quarks = core.QcdQuarks(
        BOX,
        reals(links),
        phases=(0.0, 0.0, 0.0, 1.0),
        mass=0.2,
        clover_spatial=clover,
        clover_temporal=clover,
        **keys,
    )
    columns = []
    for place in range(12 * 16):
        unit = np.zeros(12 * 16, dtype=complex)
        unit[place] = 1.0
        columns.append(quarks.dirac(reals(unit)).view(np.complex128))
    return np.array(columns).T


def even_odd(d: np.ndarray) -> np.ndarray:
    even, odd = places(0), places(1)
    inner = np.linalg.inv(d[np.ix_(odd, odd)])
    return d[np.ix_(even, even)] - d[np.ix_(even, odd)] @ inner @ d[np.ix_(odd, even)]


def monomials_on(links: np.ndarray, **keys: object) -> "core.QcdQuarkMonomials":
    monomials = core.QcdQuarkMonomials(BOX, phases=(0.0, 0.0, 0.0, 1.0), mass=0.2, **keys)
    monomials.set_links(reals(links))
    return monomials


def even_part(plain: np.ndarray) -> np.ndarray:
    return plain.view(np.complex128)[places(0)]


def log_det(matrix: np.ndarray) -> float:
    return float(np.linalg.slogdet(matrix)[1])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("hasenbusch", [[], MASSES[:1], MASSES])
def test_pseudofermions_have_the_covariance_that_their_action_asks_for(
    case: str, hasenbusch: list[float], links: np.ndarray
) -> None:
    # φ is Σ_k L_k η_k of random spinors η_k with unit covariance. The code's φ is this sum for
    # the dense L_k, and Σ L_k L_k† is the inverse of the action's matrix. Solves of a residual
    # 1e-14 and rounding leave 1e-11.
    m = even_odd(dense(links, **CASES[case]))
    x, one = m.conj().T @ m, np.eye(len(m))
    monomials = monomials_on(links, hasenbusch=hasenbusch, determinant=False, **CASES[case])
    masses = [0.0, *hasenbusch]
    total = 0.0
    for number, mu in enumerate(masses):
        name = monomials.names()[number]
        assert name == ("quarks" if number == 0 else f"hasenbusch_{number}")
        if number + 1 < len(masses):
            heavy = masses[number + 1]
            solved = np.linalg.inv(x + heavy**2 * one)
            maps = [
                solved @ x,
                np.hypot(mu, heavy) * solved @ m.conj().T,
                mu * heavy * solved,
            ]
            wanted = (x + mu**2 * one) @ solved
        else:
            maps = [m.conj().T, np.zeros_like(m), mu * one]
            wanted = x + mu**2 * one
        covariance = sum(part @ part.conj().T for part in maps)
        assert np.abs(covariance - wanted).max() < 1e-12 * np.abs(wanted).max()
        monomials.refresh(name, 9)
        phi = even_part(monomials.pseudofermion(name))
        eta = [even_part(monomials.drawn(number, k, 9)) for k in range(3)]
        expected = sum(part @ one_eta for part, one_eta in zip(maps, eta, strict=True))
        assert np.abs(phi - expected).max() < 1e-11 * np.abs(expected).max()
        action = np.vdot(phi, np.linalg.solve(wanted, phi)).real
        assert monomials.action(name) == pytest.approx(action, rel=1e-12)
        total += log_det(wanted)
    # The weights of all monomials together are that of two flavours.
    assert total == pytest.approx(log_det(x), rel=1e-12)


def action_of_the_determinant(links: np.ndarray, hasenbusch: list[float], **keys: float) -> float:
    """What the heaviest monomial has beside its pseudofermions."""
    actions = []
    for determinant in (True, False):
        monomials = monomials_on(links, hasenbusch=hasenbusch, determinant=determinant, **keys)
        name = monomials.names()[-1]
        monomials.refresh(name, 1)
        actions.append(monomials.action(name))
    return actions[0] - actions[1]


@pytest.mark.parametrize("case", ["clover", "clover, twisted mass"])
@pytest.mark.parametrize("hasenbusch", [[], MASSES[:1]])
def test_the_clover_determinant_completes_that_of_the_dirac_operator(
    case: str, hasenbusch: list[float], links: np.ndarray
) -> None:
    d = dense(links, **CASES[case])
    action = action_of_the_determinant(links, hasenbusch, **CASES[case])
    odd = places(1)
    assert action == pytest.approx(-2.0 * log_det(d[np.ix_(odd, odd)]), rel=1e-12)
    assert 2.0 * log_det(even_odd(d)) - action == pytest.approx(2.0 * log_det(d), rel=1e-12)


def test_a_clover_block_that_is_not_positive_is_inverted_with_other_pivots(
    links: np.ndarray,
) -> None:
    # A large coefficient makes blocks of both signs.
    d = dense(links, clover=30.0)
    block = d[np.ix_(places(1), places(1))]
    assert np.linalg.eigvalsh(block).min() < 0.0
    action = action_of_the_determinant(links, [], clover=30.0)
    assert action == pytest.approx(-2.0 * log_det(block), rel=1e-11)
    monomials = monomials_on(links, clover=30.0)
    monomials.refresh("quarks", 1)
    m = even_odd(d)
    phi = even_part(monomials.pseudofermion("quarks"))
    eta = even_part(monomials.drawn(0, 0, 1))
    assert np.abs(phi - m.conj().T @ eta).max() < 1e-11 * np.abs(phi).max()


def test_random_spinors_have_unit_variance_and_differ_by_vector_and_trajectory(
    links: np.ndarray,
) -> None:
    monomials = monomials_on(links)
    drawn = [even_part(monomials.drawn(0, k, t)) for k in range(4) for t in range(50)]
    # |η|² has the variance 1: four standard errors of 200 times 96 components.
    norm = np.mean([np.abs(eta) ** 2 for eta in drawn])
    assert abs(norm - 1.0) < 4.0 / np.sqrt(200 * 96)
    assert len({eta.tobytes() for eta in drawn}) == 200

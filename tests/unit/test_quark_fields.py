"""Links and quarks as arrays: the operator against its definition, sources, propagators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from phasewise.errors import RunError, StudyError
from phasewise.workloads.qcd import (
    Ensemble,
    Links,
    Noise,
    Point,
    Propagator,
    Quarks,
    Smeared,
    Wall,
    jackknife,
)
from tests.sentences import Nearest, refused
from tests.unit.quark_reference import adjoint, random_links
from tests.unit.test_quark_solvers import dirac_directly

pytest.importorskip("phasewise._core", reason="the core is not built")

SIZE = (4, 2, 4, 6)
SHAPE = SIZE[::-1]
ACTION = {"clover": 0.4, "twisted_mass": 0.2, "phases": [0, 0, 0, 0]}
KAPPA = 1 / (2 * 0.7 + 8)


def links_of(seed: int = 1) -> Links:
    return Links(random_links(SIZE, seed).reshape(*SHAPE, 4, 3, 3))


def random_field(seed: int = 2) -> Any:
    random = np.random.default_rng(seed)
    shape = (*SHAPE, 4, 3)
    return random.normal(size=shape) + 1j * random.normal(size=shape)


@pytest.fixture(scope="module")
def quarks() -> Quarks:
    return Quarks(links_of(), KAPPA, solver={"tolerance": 1e-13}, **ACTION)


def test_the_operator_is_its_definition(quarks: Quarks) -> None:
    psi, chi = random_field(), random_field(3)
    flat = {"clover_spatial": 0.4, "clover_temporal": 0.4, "twisted_mass": 0.2, "mass": 0.7}
    expected = dirac_directly(SIZE, random_links(SIZE), psi.reshape(-1, 4, 3), flat)
    assert np.abs(quarks.D(psi) - expected.reshape(psi.shape)).max() < 1e-13
    left, right = np.vdot(chi, quarks.D(psi)), np.vdot(quarks.D_dagger(chi), psi)
    assert abs(left - right) < 1e-12 * abs(left)
    assert np.array_equal(quarks.D_dagger_D(psi), quarks.D_dagger(quarks.D(psi)))


def test_a_solution_is_one_of_the_operator(quarks: Quarks) -> None:
    b = random_field()
    found = quarks.solve(b)
    left = np.linalg.norm(b - quarks.D(found.x)) / np.linalg.norm(b)
    assert left == pytest.approx(found.residual, rel=1e-2)
    assert found.residual < 1e-11
    assert len(found.residuals) == found.iterations


def test_fields_and_links_of_another_shape_are_one_sentence(quarks: Quarks) -> None:
    for wrong in (np.zeros((*SIZE, 4, 3)), np.zeros(5), np.zeros((*SHAPE, 3, 4))):
        for apply in (quarks.D, quarks.D_dagger, quarks.solve):
            with refused(str(wrong.shape), str((*SHAPE, 4, 3))):
                apply(wrong)
    for wrong in (np.zeros((*SHAPE, 4, 3)), np.zeros((*SHAPE, 5, 3, 3))):
        with refused(str(wrong.shape), "(T, Z, Y, X, 4, 3, 3)"):
            Links(wrong)
    with refused("SU(3)"):
        Links(1.1 * random_links(SIZE).reshape(*SHAPE, 4, 3, 3))
    with refused("quarks", '"klover"', Nearest("clover")):
        Quarks(links_of(), KAPPA, klover=1.0)
    with refused("after 2 iterations", "solver.limit", by=RunError):
        Quarks(links_of(), KAPPA, solver={"limit": 2}).solve(random_field())


@pytest.mark.parametrize("more", [1, 10**4])
def test_the_core_takes_no_more_links_than_the_box_has(more: int) -> None:
    from phasewise import _core

    links = np.ascontiguousarray(random_links(SIZE)).view(float).ravel()
    with pytest.raises(ValueError, match=f"{links.size} numbers, and {links.size + more}"):
        _core.QcdQuarks(SIZE, np.append(links, np.zeros(more)))
    box = _core.QcdQuarks(SIZE, links)
    for call in (box.dirac, box.even_odd, box.solve):
        with pytest.raises(ValueError, match="spinors of the box"):
            call(np.zeros(more))


def test_links_of_an_array_are_put_into_su3_and_kept(tmp_path: Path) -> None:
    exact = random_links(SIZE).reshape(*SHAPE, 4, 3, 3)
    links = Links(exact.astype(np.complex64))
    assert np.abs(links.array @ adjoint(links.array) - np.eye(3)).max() < 1e-15
    assert np.abs(links.array - exact).max() < 1e-6
    with pytest.raises(ValueError, match="read-only"):
        links.array[0] = 0
    for name in ("ildg", "nersc"):
        links.write(tmp_path / name, name)
        again = Links.read(tmp_path / name)
        assert np.array_equal(again.array, links.array)
        assert again.measure()["plaquette"] == links.measure()["plaquette"]
    u = [links.array[..., mu, :, :] for mu in range(4)]
    ahead = [[np.roll(one, -1, axis=3 - mu) for one in u] for mu in range(4)]
    xy = np.trace(u[0] @ ahead[0][1] @ adjoint(u[1] @ ahead[1][0]), axis1=-2, axis2=-1)
    cold = Links.cold(SIZE).measure()
    assert (cold["plaquette"], cold["rectangle"], cold["polyakov"][3]) == (1.0, 1.0, 1.0)
    space = links.measure()["plaquette_space"]
    assert abs(space - xy.real.mean() / 3) < 0.2  # one plane of three
    assert np.array_equal(Links.hot(SIZE, 3).array, Links.hot(SIZE, 3).array)
    assert not np.array_equal(Links.hot(SIZE, 3).array, Links.hot(SIZE, 4).array)


def laplacian(links: Links, field: Any) -> Any:
    """The covariant Laplacian of space on a field of colour vectors."""
    total = -6.0 * field
    for mu in range(3):
        u = links.array[..., mu, :, :]
        ahead = np.einsum("...ab,...b->...a", u, np.roll(field, -1, axis=3 - mu))
        behind = np.roll(np.einsum("...ba,...b->...a", u.conj(), field), 1, axis=3 - mu)
        total = total + ahead + behind
    return total


def test_sources_are_what_they_are_called() -> None:
    links = links_of()
    point = Point((1, 0, 3, 2)).field(links, 2, 1)
    assert point[2, 3, 0, 1, 2, 1] == 1
    assert np.abs(point).sum() == 1
    wall = Wall(4, (1, 0, -1)).field(links, 0, 2)
    z, _, x = np.indices(SHAPE[1:])
    expected = np.exp(2j * np.pi * (x / SIZE[0] - z / SIZE[2]))
    assert np.abs(wall[4, ..., 0, 2] - expected).max() < 1e-15
    assert np.count_nonzero(wall) == expected.size
    noise = Noise(seed=5, time=1).field(links, 3, 0)[1, ..., 3, 0]
    assert set(noise.ravel()) == {1.0, -1.0}
    assert np.array_equal(noise, Noise(5, 1).field(links, 0, 1)[1, ..., 0, 1])
    assert not np.array_equal(noise, Noise(6, 1).field(links, 3, 0)[1, ..., 3, 0])
    width, steps = 1.5, 4
    vector = point[..., 2, :]
    for _ in range(steps):
        vector = vector + width**2 / (4 * steps) * laplacian(links, vector)
    smeared = Smeared(width, steps, (1, 0, 3, 2)).field(links, 2, 1)
    assert np.abs(smeared[..., 2, :] - vector).max() < 1e-14
    with refused("(0, 0, 0, 6)", str(SIZE)):
        Point((0, 0, 0, 6)).field(links, 0, 0)


def test_a_propagator_is_kept_in_a_file(quarks: Quarks, tmp_path: Path) -> None:
    found = quarks.propagator(Point((1, 1, 2, 3)))
    column = quarks.solve(Point((1, 1, 2, 3)).field(quarks.links, 1, 2)).x
    assert np.array_equal(found.array[..., 1, 2], column)
    path = tmp_path / "s.h5"
    found.write(path)
    again = Propagator.read(path)
    assert np.array_equal(again.array, found.array)
    assert (again.part, again.site, again.phases) == (found.part, found.site, found.phases)
    with h5py.File(path) as file:
        assert file["propagator"].shape == (*SHAPE, 4, 3, 4, 3)
        assert file["propagator"].attrs["axes"].split()[4] == "sink_spin"
    path.write_bytes(b"no HDF5")
    with refused(path, "propagator"):
        Propagator.read(path)
    with refused(tmp_path / "none" / "s.h5", by=StudyError):
        Propagator.read(tmp_path / "none" / "s.h5")


def test_an_ensemble_has_the_jackknife_error_of_its_mean(tmp_path: Path) -> None:
    files = []
    for seed in range(3):
        files.append(tmp_path / f"{seed}.lime")
        links_of(seed).write(files[-1])
    samples = Ensemble(files).measure(lambda links: links.measure()["plaquette"])
    assert samples.shape == (3,)
    mean, error = jackknife(samples)
    assert mean == pytest.approx(samples.mean())
    # That of a mean is the usual one.
    assert error == pytest.approx(samples.std(ddof=1) / 3**0.5)
    many = np.random.default_rng(1).normal(3.0, 0.1, size=(400, 2))
    root, error = jackknife(many, np.sqrt, block=4)
    # dx = d(x²)/(2x) for the root of a mean.
    assert error == pytest.approx(0.1 / 20 / (2 * 3**0.5), rel=0.2)
    assert root == pytest.approx(3**0.5, abs=4 * 0.1 / 20 / (2 * 3**0.5))
    with refused("1 blocks of 3", "two"):
        jackknife(samples, block=3)
    with refused("ensemble", "file"):
        Ensemble([])

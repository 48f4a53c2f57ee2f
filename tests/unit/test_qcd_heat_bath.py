"""Heat-bath and over-relaxation on one rank: what theory gives for weak and strong coupling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_planner

core: Any = load_planner()


def field(size: tuple[int, ...], beta: float, **own: Any) -> Any:
    return core.QcdGaugeField(list(size), beta, **own)


@pytest.mark.parametrize(("beta", "expected"), [(1.0, 0.060130), (2.0, 0.128769)])
def test_the_plaquette_at_strong_coupling(beta: float, expected: float) -> None:
    """u + 4u⁵ with u of one plaquette alone (shared/validation.md)."""
    gauge = field((4, 4, 4, 4), beta)
    gauge.set_hot()
    # So strongly coupled, sweeps are independent, and so are the plaquettes: the real trace of a
    # link that is distributed at random has the variance 1/2, and a third of it 1/18.
    sweeps = 2500
    found = np.asarray(gauge.trajectories(0, 20 + sweeps, 0))[20:]
    assert found.mean() == pytest.approx(expected, abs=3 * np.sqrt(1 / 18 / 1536 / sweeps))


def test_the_plaquette_at_weak_coupling() -> None:
    """1 - 2/β - 1.2208/β² - 2.9605/β³ and 2/(βV) of the zero modes: lattice perturbation theory."""
    beta, volume, sweeps = 60.0, 8**4, 100
    gauge = field((8, 8, 8, 8), beta)
    found = np.asarray(gauge.trajectories(0, 20 + sweeps, 1))[20:]
    # To lowest order S has 24 V quadratic degrees of freedom, and a variance of 12 V; it is
    # 6 V β (1 - plaquette). With a sweep of over-relaxation τ_int stays below 1.
    single = np.sqrt(12 * volume) / (6 * volume * beta)
    assert found.std() == pytest.approx(single, rel=0.3)
    assert found.mean() == pytest.approx(0.966322, abs=3 * single * np.sqrt(2 / sweeps))


def test_over_relaxation_keeps_the_action_and_changes_the_links() -> None:
    gauge = field((4, 4, 4, 4), 5.7)
    gauge.set_hot()
    for number in range(3):
        gauge.sweep(number)
    action, links = gauge.action(), np.array(gauge.links())
    for number in range(20):
        gauge.sweep(number, over_relaxation=True)
    # Each of 20 · 1024 · 3 rotations changes a plaquette's trace by some units of rounding.
    assert gauge.action() == pytest.approx(action, rel=1e-12)
    assert np.abs(np.array(gauge.links()) - links).max() > 0.1
    assert gauge.reunitarise() == 0


def test_a_link_alone_is_distributed_as_its_action_says() -> None:
    """On cold links all staples are 6: the mean trace of an updated link is that of exp(6 β Re tr
    U/3) in SU(3), by quadrature over the eigenvalues.
    """
    beta = 0.5
    angles = 2 * np.pi * np.arange(200) / 200
    a, b = np.meshgrid(angles, angles)
    phases = np.exp(1j * np.stack([a, b, -a - b]))
    haar = np.prod(
        [np.abs(phases[i] - phases[j]) ** 2 for i, j in ((0, 1), (0, 2), (1, 2))], axis=0
    )
    trace = phases.sum(axis=0).real
    weight = haar * np.exp(6 * beta * trace / 3)
    expected = (weight * trace).sum() / weight.sum()
    variance = (weight * trace**2).sum() / weight.sum() - expected**2
    # A sweep does not give the density itself, but keeps it: links along x on even sites, the first
    # subset, are updated again and again, and all others are put back.
    size, found = (4, 4, 4, 4), []
    gauge = field(size, beta)
    cold = np.array(gauge.links()).view(np.complex128).reshape(-1, 4, 3, 3)
    t, z, y, x = np.indices(size[::-1])
    even = ((x + y + z + t) % 2 == 0).ravel()
    links = cold
    for number in range(300):
        gauge.set_links(np.ascontiguousarray(links).view(np.float64))
        gauge.sweep(number)
        moved = np.array(gauge.links()).view(np.complex128).reshape(-1, 4, 3, 3)
        links = cold.copy()
        links[even, 0] = moved[even, 0]
        if number >= 10:
            found.append(np.trace(moved[even, 0], axis1=-2, axis2=-1).real)
    # Three subgroups in turn leave little correlation from sweep to sweep: τ_int below 1.
    bound = 3 * np.sqrt(2 * variance / np.size(found))
    assert np.mean(found) == pytest.approx(expected, abs=bound)
    assert np.var(found) == pytest.approx(variance, rel=0.05)


@pytest.mark.parametrize("size", [(4, 4, 4, 4), (2, 4, 6, 2), (6, 2, 2, 8)])
def test_vectors_and_threads_keep_the_bits(size: tuple[int, ...]) -> None:
    def after(**own: Any) -> np.ndarray:
        gauge = field(size, 2.0, seed=7, **own)
        gauge.set_hot()
        gauge.trajectories(0, 2, 2)
        return np.array(gauge.links())

    expected = after(fast=False)
    for own in ({"fast": True}, {"threads": 2}, {"threads": 2, "fast": False}):
        np.testing.assert_array_equal(after(**own), expected)
    assert np.abs(after(fast=True) - np.roll(expected, 18)).max() > 0.1


def test_random_numbers_belong_to_seed_and_trajectory() -> None:
    def after(seed: int, number: int) -> np.ndarray:
        gauge = field((4, 4, 4, 4), 5.7, seed=seed)
        gauge.sweep(number)
        return np.array(gauge.links())

    assert np.abs(after(1, 0) - after(2, 0)).max() > 0.1
    assert np.abs(after(1, 0) - after(1, 1)).max() > 0.1
    np.testing.assert_array_equal(after(1, 1), after(1, 1))

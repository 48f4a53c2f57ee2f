"""Beamstrahlung: rates and spectrum of the photons, and what they do to a bunch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import CLASSICAL_ELECTRON_RADIUS, ELECTRON_MASS
from phasewise.workloads.collision.derived.beamstrahlung import passage
from phasewise.workloads.collision.derived.photon_spectrum import (
    FINE_STRUCTURE,
    exact_means,
    photons_above,
    photons_between,
)
from phasewise.workloads.collision.derived.radiated_spectrum import photons_by_share
from phasewise.workloads.collision.tables.model import collision_of
from tests.physics.machines import Floats, collide, coordinates, study

MODELS = ["strong-strong", "soft-gaussian", "weak-strong"]

EXACT = {
    0.001: (0.99908, 0.99409, 0.98608),
    0.01: (0.99109, 0.94483, 0.87586),
    0.1: (0.93030, 0.65496, 0.39447),
    1: (0.71632, 0.18208, 0.03200),
    10: (0.42356, 0.01866, 0.00049),
}
"""Υ: number, mean u and mean u² over those of the classical spectrum, to five decimals."""


@pytest.fixture(autouse=True)
def on_the_cpu(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--device") is not None:
        pytest.skip("particles radiate on a CPU only")


def electrons(
    size: tuple[float, float],
    length: float,
    gamma: float,
    population: float,
    *,
    macroparticles: int = 20_000,
    beam: Mapping[str, Any] | None = None,
    turns: int = 1,
    arc: dict[str, Any] | None = None,
    **ip: Any,
) -> phasewise.Study:
    """Two equal bunches of electrons and positrons that meet head-on; sizes and lengths in m."""
    beta = 1.0
    return study(
        beam={
            "particle": "electron",
            "energy": gamma * ELECTRON_MASS,
            "bunch_population": population,
            "macroparticles": macroparticles,
            "normalized_emittance": None,
            "geometric_emittance": [size[0] ** 2 / beta, size[1] ** 2 / beta],
            "bunch_length": length,
            "momentum_spread": 1e-6,
            **(beam or {}),
        },
        other={"particle": "positron"},
        arc=arc,
        turns=turns,
        ip={"beta": [beta, beta], "beamstrahlung": "quantum", **ip},
    )


def radiated(machine: phasewise.Study, turns: int = 1) -> tuple[Floats, Floats, Floats]:
    """Photons, loss and square of a passage of beam 1, a number for each turn."""
    simulation = phasewise.Simulation(machine)
    found = []
    for _ in range(turns):
        simulation.step()
        record = simulation.driver.record()
        found.append(
            [record[f"1/{name}"][0] for name in ("photons", "photon_loss", "photon_square")]
        )
    photons, loss, square = np.array(found).T
    return photons, loss, square


@pytest.mark.parametrize("upsilon", EXACT)
def test_the_integrals_over_the_spectrum_are_those_of_the_tables(upsilon: float) -> None:
    assert exact_means(np.array([upsilon]))[:, 0] == pytest.approx(EXACT[upsilon], abs=6e-6)


@pytest.mark.parametrize("upsilon", EXACT)
def test_the_parts_of_the_spectrum_add_up(upsilon: float) -> None:
    parts = photons_between(np.array([upsilon]), np.logspace(-30, 0, 301))
    # The last bin, up to u = 1, has an error of its rule.
    assert parts.sum() == pytest.approx(EXACT[upsilon][0], rel=2e-4)
    edges = upsilon / (2 + upsilon) * np.array([0.5, 1.0])
    above = [photons_above(np.array([upsilon]), share)[0] for share in edges]
    between = photons_between(np.array([upsilon]), edges)
    assert between[0, 0] == pytest.approx(above[0] - above[1], rel=1e-4)


# Passages in which the bunches hardly change; A, B and C are closed forms for Gaussian bunches
# (K. Yokoya, P. Chen, Lecture Notes in Physics 400 (1992) 415, with A = 2.12 and B = 0.864).
CLASSICAL = {
    1: (2.1194, 0.86564, 1.8134),
    10: (2.1361, 0.89450, 1.9553),
    100: (2.1435, 0.90780, 2.0236),
}


@pytest.mark.parametrize("aspect", CLASSICAL)
def test_a_faint_field_radiates_the_classical_means(aspect: int) -> None:
    a, b, c = CLASSICAL[aspect]
    gamma, population, length = 1e6, 1e7, 1e-4
    x = 2e-6
    y = x / aspect
    radius, wide = CLASSICAL_ELECTRON_RADIUS, x + y
    machine = electrons(
        (x, y), length, gamma, population, beamstrahlung="mean", slices=3, grid=[128, 128]
    )
    number = a * FINE_STRUCTURE * population * radius / wide
    loss = b * radius**3 * gamma * population**2 / (length * wide**2)
    square = c * radius**5 / FINE_STRUCTURE * gamma**2 * population**3 / (length**2 * wide**3)
    photons, shares, _ = radiated(machine)
    # A mesh of ten cells to a σ lacks 0.4 % of the field, 0.8 % of its square;
    # 20 000 particles of a quiet start know its mean square to 0.2 %.
    assert photons[0] == pytest.approx(number, rel=0.01)
    assert shares[0] == pytest.approx(loss, rel=0.01)
    found = passage(collision_of(machine), 1, 0)
    assert (found.photons, found.loss) == pytest.approx((number, loss), rel=5e-3)
    assert found.square == pytest.approx(square, rel=0.012)


CASE: dict[str, Any] = {"size": (1e-6, 1e-6), "length": 1e-4, "gamma": 1e6, "population": 1e10}
NUMBER, LOSS, SQUARE = 0.20979, 3.7051e-3, 2.911e-4
"""Of this case, by integrating the exact spectrum over the bunch that stays as it is."""


def test_the_quadrature_agrees_with_the_closed_integral() -> None:
    found = passage(collision_of(electrons(**CASE)), 1, 0)
    assert (found.photons, found.loss, found.square) == pytest.approx(
        (NUMBER, LOSS, SQUARE), rel=2e-3
    )


@pytest.mark.parametrize("slices", [1, 3, 15])
@pytest.mark.parametrize("model", MODELS)
def test_photons_do_not_depend_on_slices_and_models(model: str, slices: int) -> None:
    count = 40_000
    machine = electrons(**CASE, macroparticles=count, model=model, slices=slices, grid=[64, 64])
    photons, loss, square = (values[0] for values in radiated(machine))
    # Poisson numbers of photons, whose u has the mean square SQUARE/NUMBER; u⁴ is about 0.2 u² on
    # average. A mesh of five cells to a σ and the density's bins leave 1 %.
    assert abs(photons - NUMBER) < 3 * math.sqrt(NUMBER / count) + 0.01 * NUMBER
    assert abs(loss - LOSS) < 3 * math.sqrt(SQUARE / count) + 0.01 * LOSS
    assert abs(square - SQUARE) < 3 * math.sqrt(0.2 * SQUARE / count) + 0.01 * SQUARE


def test_photons_take_as_much_as_particles_lose() -> None:
    machine = electrons(**CASE, slices=3, longitudinal_kick=False, model="weak-strong")
    before, _, after, _ = collide(machine)
    _, loss, _ = radiated(machine)
    lost = -(after[5] - before[5]).mean()
    # Shares of what is left after earlier photons: n of them take u each.
    assert loss[0] == pytest.approx(lost, rel=0.02)


def test_a_photon_takes_the_same_share_of_all_momenta() -> None:
    machine = electrons(**CASE, model="weak-strong", longitudinal_kick=False)
    tables = dict(machine.given)
    tables["ip"] = {"1": {k: v for k, v in tables["ip"]["1"].items() if k != "beamstrahlung"}}
    _, _, kicked, _ = collide(phasewise.Study.from_dict(tables))
    _, _, after, _ = collide(machine)
    left = (1 + after[5]) / (1 + kicked[5])
    assert left.min() < 0.9
    for row in (1, 3):
        assert np.allclose(after[row], kicked[row] * left, rtol=1e-12, atol=0)
    assert np.array_equal(after[[0, 2, 4]], kicked[[0, 2, 4]])


def test_the_energies_of_photons_are_distributed_as_the_spectrum() -> None:
    # So few photons that hardly a particle emits two.
    few = CASE | {"population": 1e9, "gamma": 1e7}
    count = 400_000
    machine = electrons(**few, macroparticles=count, model="weak-strong", longitudinal_kick=False)
    before, _, after, _ = collide(machine)
    share = 1 - (1 + after[5]) / (1 + before[5])
    radius, gamma, sigma = CLASSICAL_ELECTRON_RADIUS, few["gamma"], few["size"][0]
    r, weight = np.polynomial.legendre.leggauss(16)
    r, weight = 3 * (r + 1), 3 * weight
    weight = weight * r * np.exp(-r * r / 2)
    bend = 2 * few["population"] * radius / gamma * -np.expm1(-r * r / 2) / r / sigma
    z, weight_z = np.polynomial.legendre.leggauss(16)
    density = np.exp(-((5 * z) ** 2) / 2) / math.sqrt(2 * math.pi) / few["length"]
    curvature = 2 * bend[:, None] * density
    upsilon = gamma**2 * radius / FINE_STRUCTURE * curvature
    each = weight[:, None] * weight_z * 5 * few["length"] / 2 * curvature
    rate = 2.5 / math.sqrt(3) * FINE_STRUCTURE * gamma * each
    for least in (0.001, 0.01, 0.1, 0.3):
        expected = (rate.ravel() * photons_above(upsilon.ravel(), least)).sum()
        found = (share > least).mean()
        assert abs(found - expected) < 3.5 * math.sqrt(expected / count) + 0.012 * expected


def test_photons_are_counted_by_the_share_that_they_take() -> None:
    count = 100_000
    machine = electrons(**CASE, macroparticles=count, model="weak-strong", slices=3)
    simulation = phasewise.Simulation(machine)
    simulation.step()
    found = simulation.driver.photon_spectrum(1, 1)
    photons = simulation.driver.record()["1/photons"][0]
    assert found.sum() == pytest.approx(photons * count, abs=0.5)
    expected = photons_by_share(collision_of(machine), 1, 0) * count
    # Those below the first edge are in the first bin.
    assert found[0] > expected[0] + found[1]
    away = found[1:] - expected[1:]
    error = np.sqrt(expected[1:] + (0.01 * expected[1:]) ** 2) + 0.5
    assert np.abs(away / error).max() < 4
    assert (away**2 / error**2).sum() < 79 + 4 * math.sqrt(2 * 79)


def test_the_mean_loss_shifts_the_bunch_ahead() -> None:
    # β_z δ rotates by 2πQs a turn and falls by U: at rest z is β_z U cot(πQs)/2.
    tune, length, spread = 0.05, 1e-3, 1e-3
    arc = {"tune": [0.31, 0.32], "synchrotron_tune": tune, "damping_turns": [0, 0, 30]}
    machine = electrons(
        (2e-5, 2e-5), length, 3e5, 1e11, beamstrahlung="mean", model="weak-strong",
        macroparticles=4000, arc=arc, beam={"momentum_spread": spread}, longitudinal_kick=False,
    )  # fmt: skip
    simulation = phasewise.Simulation(machine)
    means, losses = [], []
    for turn in range(240):
        simulation.step()
        if turn >= 180:
            record = simulation.driver.record()
            means.append(record["1/mean"][4])
            losses.append(record["1/photon_loss"][0])
    found, loss = np.mean(means), np.mean(losses)
    expected = length / spread * loss / math.tan(math.pi * tune) / 2
    # The loss of all particles alike; the mean of 4000 particles scatters by 1.6 % of σz, and less
    # over some damping times.
    assert abs(found) == pytest.approx(expected, abs=0.01 * length)
    assert expected > 0.05 * length


def test_photons_and_damping_make_the_momentum_spread_of_the_quadrature() -> None:
    size, beta = 2e-5, 0.05  # a small β*, so that the lens of the other bunch is faint
    arc = {"tune": [0.31, 0.32], "synchrotron_tune": 0.05, "damping_turns": [40, 40, 40]}
    common: dict[str, Any] = {
        "arc": arc,
        "beam": {"momentum_spread": 1e-3, "geometric_emittance": [size**2 / beta] * 2},
        "beta": [beta] * 2,
        "macroparticles": 8000,
        "slices": 1,
    }
    both, weak = (
        electrons((size, size), 1e-3, 3e5, 1e11, model=model, **common)
        for model in ("soft-gaussian", "weak-strong")
    )
    # σδ² = σδ0² + τ⟨Σu²⟩/4 by iterating the integral over the bunches' lengths.
    for machine, spread in ((both, 1.1957e-3), (weak, 1.2700e-3)):
        found = machine.derived()["ips"][0]["beamstrahlung"]["equilibrium"]
        assert found["momentum_spread"][0] == pytest.approx(spread, rel=1e-3)
    simulation = phasewise.Simulation(weak)
    squares = []
    for turn in range(300):
        simulation.step()
        if turn >= 150:
            squares.append(np.diag(simulation.driver.record()["1/covariance"])[4:])
    length, spread = np.mean(squares, axis=0)
    # A sample of 8000 knows σ to 0.8 %, and seven that hardly depend on each other to 0.3 %.
    assert math.sqrt(length) == pytest.approx(1.2700e-3, rel=0.01)
    # Before the photons of a turn and behind its damping: 2/τ less of what is added.
    less = 2 / 40 * (1.27**2 - 1) * 1e-6
    assert math.sqrt(spread + less) == pytest.approx(1.2700e-3, rel=0.01)


@pytest.mark.parametrize("kind", ["quantum", "mean"])
def test_at_an_angle_particles_lose_what_the_quadrature_says(kind: str) -> None:
    machine = electrons(
        (2e-5, 2e-6), 5e-3, 2e5, 1e11, model="weak-strong", half_crossing_angle=0.02,
        slices=60, macroparticles=20_000, beamstrahlung=kind,
    )  # fmt: skip
    photons, loss, _ = radiated(machine)
    found = passage(collision_of(machine), 1, 0)
    tolerance = 0.01 + (3 / math.sqrt(20_000 * found.photons) * 2 if kind == "quantum" else 0)
    assert photons[0] == pytest.approx(found.photons, rel=tolerance)
    assert loss[0] == pytest.approx(found.loss, rel=tolerance)


def test_a_large_angle_shortens_what_a_particle_meets() -> None:
    # In the frame in which the bunches meet head-on γ and the density are cos φ times as large,
    # as for a passage whose sizes are so much larger than tan φ σz that the angle does not matter.
    sizes = (1e-2, 1e-2)
    common: dict[str, Any] = {"model": "weak-strong", "beamstrahlung": "mean", "slices": 5}
    losses = [
        radiated(electrons(sizes, 1e-4, 1e6, 1e12, half_crossing_angle=phi, **common))[1][0]
        for phi in (0.0, 0.4)
    ]
    assert losses[1] / losses[0] == pytest.approx(math.cos(0.4) ** 2, rel=2e-3)


def test_a_particle_that_has_lost_its_energy_is_lost() -> None:
    machine = electrons(
        (1e-7, 1e-7), 1e-5, 1e7, 1e11, macroparticles=2000, model="soft-gaussian", slices=2, turns=3
    )
    simulation = phasewise.Simulation(machine)
    lost = 0
    for _ in range(3):
        simulation.step()
        record = simulation.driver.record()
        # Of a turn, those of the turns before.
        assert record["1/losses"] == lost
        assert record["1/losses"] + record["1/particles"] == 2000
        lost += int(record["1/lost_by_energy"][0])
    assert lost > 100
    assert np.isfinite(coordinates(simulation)).all(axis=0).sum() == 2000 - lost


def test_hundreds_of_photons_of_a_particle_are_counted() -> None:
    machine = electrons(
        (1e-7, 1e-7), 1e-2, 2e6, 2e12, macroparticles=1000, model="weak-strong", slices=1,
        beamstrahlung="mean",
    )  # fmt: skip
    photons, _, _ = radiated(machine)
    expected = passage(collision_of(machine), 1, 0).photons
    # 1000 particles know the mean field to 1.5 %, and two densities stand for all of the slice.
    assert expected > 100
    assert photons[0] == pytest.approx(expected, rel=0.04)

"""Radiative Bhabha scattering: cross sections, and events that are drawn, in all models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.workloads.collision.derived.bhabha import missing_photons
from tests.physics.machines import collide, study

BARN = 1e-28
CASES = {
    "FCC-ee": ((8.84e-6, 36.5e-9), 0.013, 0.29624, 0.15576),
    "LEP": ((200e-6, 5e-6), 0.012, 0.3031, 0.2167),
}
"""At 45.6 GeV: sizes [m], least loss, cross sections [b] without and with the beam-size effect."""


@pytest.fixture(autouse=True)
def on_the_cpu(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--device") is not None:
        pytest.skip("particles are scattered on a CPU only")


def bunches(case: str, bhabha: dict[str, Any], **ip: Any) -> phasewise.Study:
    """Faint bunches, which do not change each other."""
    (x, y), least, _, _ = CASES[case]
    return study(
        beam={
            "particle": "electron",
            "energy": 45.6e9,
            "bunch_population": 1e5,
            "macroparticles": 20_000,
            "normalized_emittance": None,
            "geometric_emittance": [x * x, y * y],
            "bunch_length": 1e-3,
            "momentum_spread": 1e-6,
        },
        other={"particle": "positron"},
        ip={"beta": [1.0, 1.0], "bhabha": {"least": least} | bhabha, **ip},
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("beam_size", [False, True])
def test_the_cross_sections_are_those_of_the_literature(case: str, beam_size: bool) -> None:
    point = bunches(case, {"beam_size": beam_size}).derived()["ips"][0]
    expected = CASES[case][3 if beam_size else 2]
    assert point["bhabha_cross_section"] / BARN == pytest.approx(expected, rel=5e-4)


def test_narrow_beams_miss_the_photons_of_the_closed_form() -> None:
    v = np.array([1e-7, 1e-4, 1e-2])
    closed = -np.log(v) + (math.log(2) - np.euler_gamma - 1) / 2
    # Up to v² ln v.
    assert missing_photons(v) == pytest.approx(closed, rel=2e-4)


@pytest.mark.parametrize("beam_size", [False, True])
@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian", "weak-strong"])
def test_as_many_events_are_drawn_as_the_cross_section_says(model: str, beam_size: bool) -> None:
    wanted, case = 50_000, "FCC-ee"
    (x, y), _, _, _ = CASES[case]
    sigma = CASES[case][3 if beam_size else 2] * BARN
    # N² σ/4πσxσy events a crossing, of which a macroparticle's share is drawn.
    one = 1e5 * 20_000 * sigma / (4 * math.pi * x * y)
    machine = bunches(
        case, {"beam_size": beam_size, "scale": wanted / one}, model=model, slices=3, grid=[96, 96]
    )
    simulation = phasewise.Simulation(machine)
    simulation.step()
    record = simulation.driver.record()
    cross_section = record["1/bhabha_expected"][0] / record["luminosity"][0]
    assert cross_section == pytest.approx(sigma, rel=2e-3)
    # Three standard errors of the events, and 0.5 % of a sample of 20 000 particles.
    assert record["1/bhabha_events"][0] == pytest.approx(wanted, rel=0.005 + 3 / wanted**0.5)
    # Hardly one of `scale` events is applied.
    assert record["1/losses"] == 0


def test_an_event_loses_the_particle_beyond_the_momentum_aperture() -> None:
    # Such energies that bunches as small as this hardly kick each other.
    size, least, aperture = 1e-9, 0.01, 0.5
    machine = study(
        beam={
            "particle": "electron",
            "energy": 5e14,
            "bunch_population": 1e10,
            "macroparticles": 20_000,
            "normalized_emittance": None,
            "geometric_emittance": [size**2, size**2],
            "bunch_length": 1e-9,
            "momentum_spread": 1e-6,
        },
        other={"particle": "positron"},
        arc={"matrix": np.eye(6).tolist(), "momentum_aperture": aperture},
        ip={
            "beta": [1.0, 1.0],
            "model": "weak-strong",
            "bhabha": {"least": least, "beam_size": False},
        },
    )
    before, _, after, _ = collide(machine)
    lost = np.isnan(after[0])
    share = np.where(lost, 1, before[5] - after[5])
    events = (share > 0.9 * least).sum()
    sigma = machine.derived()["ips"][0]["bhabha_cross_section"]
    expected = 20_000 * 1e10 * sigma / (4 * math.pi * size**2)
    assert abs(events - expected) < 3 * math.sqrt(expected)
    # 1/k dk with a logarithm that hardly changes: ∫(4/3k - 4/3 + k) from 0.5 over that from 0.01.
    above = [-4 / 3 * math.log(k) - 4 / 3 * (1 - k) + (1 - k * k) / 2 for k in (aperture, least)]
    beyond = expected * above[0] / above[1]
    assert abs(lost.sum() - beyond) < 3 * math.sqrt(beyond) + 0.05 * beyond


def test_the_lifetime_by_scattering_follows_from_the_luminosity() -> None:
    machine = bunches("FCC-ee", {"least": 0.001}, model="weak-strong", slices=3)
    beyond = machine.replace(
        arc={"matrix": np.eye(6).tolist(), "momentum_aperture": 0.013}, turns=3
    )
    simulation = phasewise.Simulation(beyond)
    simulation.step()
    record = simulation.driver.record()
    expected = CASES["FCC-ee"][3] * BARN * record["luminosity"][0]
    assert record["1/bhabha_losses_expected"][0] == pytest.approx(expected, rel=2e-3)

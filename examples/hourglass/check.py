"""The hourglass reduction, derived and simulated, against closed forms and their digits."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scipy.special import erfcx, k0e

import phasewise

STUDY = Path(__file__).parent / "study.toml"
BETA = 0.01
FLAT = {0.25: 0.985353, 0.5: 0.949608, 1.0: 0.859887, 2.0: 0.705757}
ROUND = {0.25: 0.971301, 0.5: 0.905354, 1.0: 0.757872, 2.0: 0.545641}
CASES = [("flat", r) for r in FLAT] + [("round", r) for r in ROUND]


def closed_form(shape: str, ratio: float) -> float:
    """The reduction at σz/β* = ratio."""
    if shape == "round":
        return math.sqrt(math.pi) / ratio * float(erfcx(1 / ratio))
    square = 1 / (2 * ratio**2)
    return math.sqrt(2 / math.pi * square) * float(k0e(square))


def study(shape: str, ratio: float) -> phasewise.Study:
    """The example with other bunches."""
    beta = 10.0 if shape == "flat" else BETA
    emittance = [1e-8, 1e-10] if shape == "flat" else [1e-10, 1e-10]
    return phasewise.load(
        STUDY,
        [
            f"ip.1.beta=[{beta}, {BETA}]",
            f"beam.1.bunch_length={ratio * BETA}",
            f"beam.1.geometric_emittance={emittance}",
        ],
    )


@pytest.mark.parametrize(("shape", "ratio"), CASES)
def test_the_derived_reduction_is_the_closed_form(shape: str, ratio: float) -> None:
    derived = study(shape, ratio).derived()["ips"][0]["hourglass_reduction"]
    table = FLAT if shape == "flat" else ROUND
    # Six digits are given.
    assert closed_form(shape, ratio) == pytest.approx(table[ratio], abs=5e-7)
    # Flat beams here have β*x = 1000 β*y, which still loses ½ (σz/β*x)² ≤ 2e-6.
    assert derived == pytest.approx(closed_form(shape, ratio), abs=3e-6)


@pytest.mark.parametrize(("shape", "ratio"), CASES)
def test_the_simulated_luminosity_has_the_reduction_of_theory(shape: str, ratio: float) -> None:
    machine = study(shape, ratio)
    simulation = phasewise.Simulation(machine)
    simulation.step()
    found = simulation.record()["luminosity"][0]
    found /= machine.derived()["ips"][0]["luminosity_head_on"]
    expected = closed_form(shape, ratio)
    slices = machine.ips[0].slices[0]
    # Two samples of N overlap to √(2/3N). Slices: equal parts of the charge place the overlap to
    # their length, which enters squared: the loss times (2/S)².
    sampling = math.sqrt(2 / (3 * machine.beam(1).macroparticles))
    slicing = (1 / expected - 1) * (2 / slices) ** 2
    # The mesh holds 4 rms at the largest distance, 2.4 σz for 25 slices, on 123 cells (rounded up
    # by at most 4.4 %), and smears each plane that opens by h²/6 at the waist, of which the square
    # is left; in y it is finer there.
    cell = 1.044 * 8 * math.sqrt(1 + (2.4 * ratio) ** 2) / 123
    smearing = (cell**2 / 6) ** 2
    assert found == pytest.approx(expected, rel=sampling + slicing + smearing)
    # Small enough to tell this ratio from the next.
    assert sampling + slicing + smearing < 0.035

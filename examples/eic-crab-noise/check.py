"""Two crab systems: their waves are straight together, and their noise drives the protons."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.constants import SPEED_OF_LIGHT
from phasewise.workloads.collision.derived.crabs import crab_shift, crab_waves
from phasewise.workloads.collision.tables.model import collision_of

STUDY = Path(__file__).parent / "study.toml"
PLAIN = Path(__file__).parents[1] / "eic" / "study.toml"


def test_both_waves_together_leave_a_fifth_order() -> None:
    model = collision_of(phasewise.load(STUDY))
    z = np.linspace(-0.12, 0.12, 25)
    left = crab_shift(z, crab_waves(model, model.beam(1), 0))
    # z - 4/3 sin(kz)/k + 1/3 sin(2kz)/2k = k⁴z⁵/30 + …, of which the next is (kz)² 5/42 of it.
    k = 2 * math.pi * 197e6 / SPEED_OF_LIGHT
    assert np.allclose(left, k**4 * z**5 / 30, rtol=0.05, atol=1e-15)


def test_the_second_system_gains_luminosity() -> None:
    both, one = (phasewise.load(path).derived()["ips"][0]["luminosity"] for path in (STUDY, PLAIN))
    assert 1 < both / one < 1.1


def test_the_emittance_grows_by_what_the_formula_says() -> None:
    turns = 4000
    # Without electrons, and with tunes that spread by some 0.1, so that each kick of the whole
    # bunch soon ends in its emittance.
    study = phasewise.load(
        STUDY,
        [
            f"turns={turns}",
            'ip.1.model="none"',
            "arc.1.amplitude_detuning=[[6e6, 0], [0, 0]]",
            "beam.1.macroparticles=1500",
            "beam.2.macroparticles=20",
        ],
    )
    emittance = phasewise.run(study).beam(1).emittance[:, 0]
    # tan²φ s²σ²(1 ± exp(-2k²σz²))/(2k²β*) of either system; phase and amplitude have the same σ.
    growth = 0.0
    for strength, frequency, noise in ((4 / 3, 197e6, 2e-4), (1 / 3, 394e6, 4e-4)):
        k = 2 * math.pi * frequency / SPEED_OF_LIGHT
        growth += (math.tan(12.5e-3) * strength * noise) ** 2 / (k**2 * 0.80)
    found = (emittance[-200:].mean() - emittance[0]) / (turns - 100)
    # Ten seeds scattered by 8 % about the formula: a sum of as many kicks as are forgotten, and
    # what they find in a sample of the bunch.
    assert found == pytest.approx(growth, rel=0.24)

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
CAVITIES = "ip.1.beam.1.crab_cavities"


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


def test_the_noise_drives_the_protons_as_far_as_it_should() -> None:
    faint = [f"beam.{k}.bunch_population=1e5" for k in (1, 2)]
    small = [f"beam.{k}.macroparticles=500" for k in (1, 2)]
    study = phasewise.load(STUDY, ["turns=200", "ip.1.slices=1", *faint, *small])
    quiet = phasewise.load(
        STUDY,
        [
            *(
                f"{CAVITIES}.{n}.{noise}_noise=0"
                for n in (0, 1)
                for noise in ("phase", "amplitude")
            ),
            "turns=200",
            "ip.1.slices=1",
            *faint,
            *small,
        ],
    )
    moved = phasewise.run(study).beam(1).mean[:, 0] - phasewise.run(quiet).beam(1).mean[:, 0]
    # A random walk of the oscillation: <x²> of the centroid is T/2 times the squares of both
    # sides' kicks, tan φ s σ exp(-k²σz²/2)/k from each system.
    tilt, length = math.tan(12.5e-3), 0.06
    kicks = 0.0
    for strength, frequency, noise in ((4 / 3, 197e6, 2e-4), (1 / 3, 394e6, 4e-4)):
        k = 2 * math.pi * frequency / SPEED_OF_LIGHT
        kicks += 2 * (tilt * strength * noise / k * math.exp(-((k * length) ** 2) / 2)) ** 2
    # One walk of 200 turns, averaged over them: within a factor of four.
    assert math.sqrt(np.mean(moved**2)) == pytest.approx(math.sqrt(50 * kicks), rel=0.75)

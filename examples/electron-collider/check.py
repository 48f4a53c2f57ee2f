"""The electron-positron collider, with fewer particles and turns than the study."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.runs.results import Results

STUDY = Path(__file__).parent / "study.toml"
PARTICLES = 10_000
SMALL = [
    f"beam.1.macroparticles={PARTICLES}",
    "records.moments_order=2",
    "records.field=false",
    "records.slices_every=0",
]


@pytest.fixture(scope="module")
def results() -> Results:
    """A run of about five seconds."""
    return phasewise.run(phasewise.load(STUDY, ["turns=300", *SMALL]))


def test_the_parameters_are_those_of_the_design() -> None:
    point = phasewise.load(STUDY).derived()["ips"][0]
    assert point["attractive"]
    # Design report: 1.0e34 cm⁻² s⁻¹ and sizes of 77 and 1.9 µm, two digits.
    assert point["luminosity_per_second"] == pytest.approx(1.0e34, rel=0.06)
    assert point["beams"][0]["size"] == pytest.approx([77e-6, 1.9e-6], rel=0.01)


def test_the_first_crossing_has_the_luminosity_of_the_unperturbed_bunches() -> None:
    # Faint bunches do not pinch each other as they pass.
    faint = ["beam.1.bunch_population=1e5", "beam.2.bunch_population=1e5", "turns=1"]
    machine = phasewise.load(STUDY, faint + SMALL)
    nominal = machine.derived()["ips"][0]["luminosity"]
    luminosity = phasewise.run(machine).luminosity[0, 0]
    # Two samples of N overlap to √(2/3N) = 0.8 %; five slices take the loss of 15 % times (1/S)².
    assert luminosity == pytest.approx(nominal, rel=0.008 + 0.006)


def test_the_other_beams_lens_narrows_the_bunches(results: Results) -> None:
    for beam in (1, 2):
        xi = results.derived["ips"][0]["beams"][beam - 1]["xi"][0]
        tune = 2 * math.pi * results.study["arc"][str(beam)]["tune"][0]
        lens = math.cos(tune) - 2 * math.pi * xi * math.sin(tune)
        ratio = abs(math.sin(tune)) / math.sqrt(1 - lens**2)
        size = results.beam(beam).size[-100:, 0].mean() / results.beam(beam).size[0, 0]
        # Not below the linear lens at full strength, whose filamented size is this; and well below
        # the unperturbed one: half of the linear change, as the lens falls off beyond 1 σ.
        linear = math.sqrt((1 + ratio**2) / 2)
        assert linear < size < (1 + linear) / 2


def test_the_pinch_raises_the_luminosity(results: Results) -> None:
    nominal = results.derived["ips"][0]["luminosity"]
    # Both planes focused; the horizontal size alone gives 1/0.85.
    assert results.luminosity[20:, 0].mean() > 1.1 * nominal


def test_no_particle_is_lost_and_hardly_any_leaves_the_mesh(results: Results) -> None:
    for beam in (1, 2):
        assert results.beam(beam).losses[-1] == 0
        # Five slices meet five, each seen at two planes: 50 · N deposits a turn.
        assert results.beam(beam).outside.max() < 1e-3 * 50 * PARTICLES


def test_without_collision_the_bunches_keep_their_equilibrium() -> None:
    # Damping 100 times as fast, to let the excitation renew the bunch several times over.
    fast = ["arc.1.damping_turns=[43, 43, 21]", "arc.2.damping_turns=[46, 46, 23]", "turns=200"]
    alone = phasewise.run(phasewise.load(STUDY, ['ip.1.model="none"', *fast, *SMALL]))
    for beam in (1, 2):
        emittance = alone.beam(beam).emittance
        design = phasewise.load(STUDY).beam(beam)
        expected = [*design.geometric_emittance, design.bunch_length * design.momentum_spread]
        # Known to 1/√N at any time, and four of these for 600 values.
        error = np.abs(emittance / np.array(expected) - 1).max()
        assert error < 4 / math.sqrt(PARTICLES)

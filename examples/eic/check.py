"""The EIC: parameters against the report, a first crossing against the integral, no modes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import phasewise
from phasewise.workloads.collision.analysis import coherent_modes
from tests.sentences import says

STUDY = Path(__file__).parent / "study.toml"
PARTICLES = 20_000
SMALL = [f"beam.{k}.macroparticles={PARTICLES}" for k in (1, 2)]


def test_luminosity_and_head_on_parameters_are_those_of_the_report() -> None:
    derived = phasewise.load(STUDY).derived()
    # BNL-221006-2021-FORE, table 3.3: 1.00e34 cm⁻² s⁻¹ with both crab systems of the protons, of
    # which the study has one.
    assert derived["ips"][0]["luminosity_per_second"] == pytest.approx(1.0e34, rel=0.06)
    report = ((0.012, 0.012), (0.072, 0.1))
    for beam, expected in zip(derived["beams"], report, strict=True):
        assert beam["xi"]["head_on"]["sum"] == pytest.approx(expected, rel=0.05)


def test_the_first_crossing_has_the_luminosity_of_the_integral() -> None:
    faint = [f"beam.{k}.bunch_population=1e5" for k in (1, 2)]
    machine = phasewise.load(STUDY, ["turns=1", *faint, *SMALL])
    derived = machine.derived()
    # Two samples of N overlap to √(2/3N); of what the mesh smears, h²/6 in
    # each plane, the square is left; slices of length L sample a bell of width w to L²/24w².
    cells, length = (derived["resolution"][k] for k in ("cells_per_sigma", "slice_over_beta"))
    tolerance = math.sqrt(2 / 3 / PARTICLES) + (1 / (6 * cells**2)) ** 2 + length**2 / 24
    found = phasewise.run(machine).luminosity[0, 0] / derived["ips"][0]["luminosity"]
    assert found == pytest.approx(1, abs=tolerance)


def test_beams_that_differ_have_no_modes_and_the_reason_is_given() -> None:
    small = [f"beam.{k}.macroparticles=200" for k in (1, 2)]
    results = phasewise.run(phasewise.load(STUDY, ["turns=70", "ip.1.slices=3", *small]))
    modes = coherent_modes(results)
    for plane in (modes.x, modes.y):
        assert plane.yokoya is None
        says(plane.why, "beams", "ξ")

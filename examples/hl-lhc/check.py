"""The HL-LHC: parameters against the design report, a first crossing against the integral."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import phasewise
from tests.sentences import missing

STUDY = Path(__file__).parent / "study.toml"
PARTICLES = 20_000


def test_the_parameters_are_those_of_the_design_report() -> None:
    derived = phasewise.load(STUDY).derived()
    point = derived["ips"][0]
    # CERN-2020-010, table 2.1: 1.7e35 cm⁻² s⁻¹, two digits.
    assert point["luminosity_per_second"] == pytest.approx(1.7e35, rel=0.03)
    assert point["piwinski_angle"] == pytest.approx(2.66, rel=0.02)
    head_on, effective = (derived["beams"][0]["xi"][k]["sum"] for k in ("head_on", "effective"))
    assert all(0 < e < h for e, h in zip(effective, head_on, strict=True))


def test_a_gaussian_bunch_reaches_beyond_its_bucket_and_check_says_so() -> None:
    derived = phasewise.load(STUDY).derived()
    outside = derived["beams"][0]["bucket"]["debunched"]
    # Beyond 3.4e-4/1.1e-4 = 3.1 rms in δ, less in the bucket's ends: more than P(|δ| > 3.1 σ), and
    # less than all amplitudes beyond that, exp(-3.1²/2).
    assert math.erfc(3.1 / math.sqrt(2)) < outside < math.exp(-(3.1**2) / 2)
    share = (f"{100 * outside:.2g} %", "beam 1", "RF bucket")
    assert any(not missing(warning, *share) for warning in derived["warnings"])
    cut = phasewise.load(STUDY, ["beam.1.cut=[0, 0, 2.9]"]).derived()
    assert not any("RF bucket" in warning for warning in cut["warnings"])


def test_the_first_crossing_has_the_luminosity_of_the_integral() -> None:
    # Faint bunches do not pinch each other as they pass.
    small = ["turns=1", "beam.1.bunch_population=1e5", f"beam.1.macroparticles={PARTICLES}"]
    machine = phasewise.load(STUDY, small)
    derived = machine.derived()
    # Two samples of N overlap to √(2/3N); of what the mesh smears, h²/6 in
    # each plane, the square is left; slices of length L sample a bell of width w to L²/24w².
    cells, length = (derived["resolution"][k] for k in ("cells_per_sigma", "slice_over_beta"))
    tolerance = math.sqrt(2 / 3 / PARTICLES) + (1 / (6 * cells**2)) ** 2 + length**2 / 24
    found = phasewise.run(machine).luminosity[0, 0] / derived["ips"][0]["luminosity"]
    assert found == pytest.approx(1, abs=tolerance)

"""SuperKEKB: parameters against the design, a first crossing against the integral."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import phasewise
from tests.sentences import says

STUDY = Path(__file__).parent / "study.toml"
PARTICLES = 20_000


def test_luminosity_and_effective_parameters_are_those_of_the_design() -> None:
    derived = phasewise.load(STUDY).derived()
    assert derived["ips"][0]["luminosity_per_second"] == pytest.approx(8.0e35, rel=0.02)
    # Prog. Theor. Exp. Phys. 2013, 03A011, table 1: two to three digits, without hourglass.
    design = ((0.0028, 0.0881), (0.0012, 0.0807))
    for beam, expected in zip(derived["beams"], design, strict=True):
        assert beam["xi"]["effective"]["sum"] == pytest.approx(expected, rel=0.03)
        assert beam["xi"]["head_on"]["sum"][0] > 0.5


def test_no_tune_lies_in_a_stop_band_of_the_effective_parameter() -> None:
    warnings = phasewise.load(STUDY).derived()["warnings"]
    assert not any("stop band" in warning for warning in warnings)


def test_few_slices_are_warned_of() -> None:
    (warning,) = [
        warning
        for warning in phasewise.load(STUDY, ["ip.1.slices=3"]).derived()["warnings"]
        if "ip.1.slices = 3" in warning
    ]
    # 0.27 mm of β*, which is shorter than the overlap of 0.35 mm, against slices of 5 mm.
    says(warning, "slices", "β*")


def test_the_first_crossing_has_the_luminosity_of_the_integral() -> None:
    faint = [f"beam.{k}.bunch_population=1e5" for k in (1, 2)]
    machine = phasewise.load(STUDY, ["turns=1", *faint])
    derived = machine.derived()
    # Two samples of N overlap to √(2/3N); the sizes of a slice of n particles are biased by 1/n;
    # slices of length L sample a bell of width w to L²/24w².
    sizes = 1 / derived["resolution"]["particles_per_slice"]
    along = derived["resolution"]["slice_over_beta"] ** 2 / 24
    found = phasewise.run(machine).luminosity[0, 0] / derived["ips"][0]["luminosity"]
    assert found == pytest.approx(1, abs=math.sqrt(2 / 3 / PARTICLES) + sizes + along)

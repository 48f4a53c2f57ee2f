"""The arithmetic of the side-by-side comparison; neither xfields nor a network is needed."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.comparison import (
    CASES,
    HALF_LENGTH,
    LARGEST_DIFFERENCE,
    Case,
    Timing,
    agreement,
    check_agreement,
    flat_values,
    ratios,
    slice_extent,
    summary,
    table_row,
    without_arc,
    xfields_case,
)
from benchmarks.phasewise_side import VARIANTS, study
from phasewise.errors import RunError
from tests.sentences import refused

PIC_SMALL, SOFT_SMALL = CASES["small"]


def timings(*seconds: float) -> list[Timing]:
    """Turns that took so long, the processor half of it."""
    return [Timing(value, value / 2) for value in seconds]


def test_an_encounter_is_one_particle_of_either_beam_meeting_one_slice() -> None:
    assert Case("pic", 10, 3, 64).encounters == 60


def test_nanoseconds_per_encounter_come_from_the_median_turn() -> None:
    result = summary(Case("pic", 1000, 5, 64), timings(1.0, 9.0, 2.0))
    assert result["seconds_per_turn"] == 2.0
    assert result["processor_seconds_per_turn"] == 1.0
    assert (result["fastest_turn"], result["slowest_turn"]) == (1.0, 9.0)
    assert result["core_ns_per_encounter"] == pytest.approx(2.0 / 10_000 * 1e9, rel=1e-15)


def test_a_disturbance_that_slows_both_codes_alike_does_not_change_the_ratio() -> None:
    found = ratios(timings(8.0, 80.0, 8.0), timings(2.0, 20.0, 2.0))
    assert found == {"times_faster": 4.0, "times_faster_processor": 4.0}


def test_ratios_refuse_codes_that_ran_different_numbers_of_turns() -> None:
    with pytest.raises(ValueError):
        ratios(timings(1.0, 2.0), timings(1.0))


def test_equal_kicks_agree_and_a_larger_kick_shows_in_the_scale() -> None:
    kick = {"px": np.array([1.0, -2.0, 0.5]), "py": np.array([0.0, 3.0, -1.0])}
    assert agreement(kick, kick) == {"scale": 1.0, "difference": 0.0}
    found = agreement({name: 1.01 * value for name, value in kick.items()}, kick)
    # one product and one sum of six terms: rounding stays below 1e-14
    assert found["scale"] == pytest.approx(1.01, rel=1e-14)
    assert found["difference"] == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize("difference", [1.01 * LARGEST_DIFFERENCE, float("nan")])
def test_codes_whose_kicks_differ_are_not_compared(difference: float) -> None:
    with refused("2 planes", "xfields", f"{difference:.2g}", LARGEST_DIFFERENCE, by=RunError):
        check_agreement("2 planes", {"scale": 1.0, "difference": difference})


def test_kicks_within_the_mesh_error_are_accepted() -> None:
    check_agreement("2 planes", {"scale": 1.0, "difference": 0.99 * LARGEST_DIFFERENCE})


def test_inner_slices_are_as_wide_as_the_spacing_of_the_longitudinal_mesh() -> None:
    nodes = 15
    width = 2 * slice_extent(nodes) / nodes
    assert width == pytest.approx(2 * HALF_LENGTH / (nodes - 1), rel=1e-15)


def test_flat_values_ignore_comments_and_blank_lines() -> None:
    text = "# all\n\nbeam.1.energy = 7e12   # eV\nip.1.grid = 64 64\n"
    assert flat_values(text) == {"beam.1.energy": "7e12", "ip.1.grid": "64 64"}


def test_without_its_arc_a_study_keeps_everything_but_the_lines() -> None:
    parameters = study(PIC_SMALL, "2 planes").parameters()
    full, bare = flat_values(parameters), flat_values(without_arc(parameters))
    assert {key: value for key, value in full.items() if not key.startswith("line.")} == {
        key: value for key, value in bare.items() if not key.startswith("line.")
    }
    lines = {key: value for key, value in bare.items() if key.startswith("line.")}
    assert lines == {"line.1.1.count": "0", "line.2.1.count": "0"}


def test_both_codes_get_the_same_numbers() -> None:
    parameters = study(PIC_SMALL, "2 planes").parameters()
    flat, case = flat_values(parameters), xfields_case(PIC_SMALL, parameters)
    assert case["energy"] == float(flat["beam.1.energy"]) == float(flat["beam.2.energy"])
    assert case["macroparticles"] == int(flat["beam.1.macroparticles"])
    assert case["slices"] == int(flat["ip.1.slices"])
    assert [case["nodes"]] * 2 == [int(word) for word in flat["ip.1.grid"].split()]
    emittance = float(flat["beam.1.geometric_emittance"].split()[0])
    assert case["mesh_half_width"][0] == pytest.approx(6 * (emittance * 0.55) ** 0.5, rel=1e-12)
    assert case["half_length"] == pytest.approx(3.5 * 0.0755, rel=1e-15)
    assert case["tune"] == [64.31, 59.32]
    assert case["synchrotron_tune"] == 0.0019


def test_every_variant_of_every_case_is_a_valid_study() -> None:
    models = {
        flat_values(study(case, name).parameters())["ip.1.model"]
        for cases in CASES.values()
        for case in cases
        for name in VARIANTS[case.model]
    }
    assert models == {"strong-strong", "soft-gaussian"}


def test_the_soft_gaussian_study_kicks_along_z_as_xfields_does() -> None:
    flat = flat_values(study(SOFT_SMALL, "soft-Gaussian").parameters())
    assert flat["ip.1.longitudinal_kick"] == "1"
    assert flat["ip.1.slicing"] == "equal-charge"


def test_a_row_of_the_reference_has_no_kicks_to_compare() -> None:
    result = summary(PIC_SMALL, timings(0.3)) | ratios(timings(0.3), timings(0.3))
    row = table_row("xfields", result)
    assert row == ["xfields", "0.300", "0.150", "100.0", "1.0", "1.0", "", ""]


def test_every_package_of_the_environment_is_pinned(repository: Path) -> None:
    lines = (repository / "benchmarks/requirements-xfields.txt").read_text().splitlines()
    packages = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in packages)
    names = {line.split("==")[0] for line in packages}
    assert {"xfields", "xtrack", "xpart", "xobjects", "xsuite", "numpy"} <= names

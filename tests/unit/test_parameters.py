"""The flat parameter text: each mistake is one sentence that says where and what is accepted."""

from __future__ import annotations

import re

import pytest

import phasewise._core as core
from phasewise.study import Study
from tests.unit.study_tables import tables

PARAMETERS = Study.from_dict(tables()).parameters()

GOOD = """
# a line of one element
seed = 1
line.1.1.count = 1            # elements
line.1.1.1.element = aperture
line.1.1.1.shape = ellipse
line.1.1.1.half_width = 1e-3 2e-3
"""


def check(text: str) -> None:
    core.check_line_parameters(text, 1, 1)


def test_comments_blanks_and_windows_line_ends_are_accepted() -> None:
    check(GOOD)
    check(GOOD.replace("\n", "\r\n").replace(" = ", "="))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1e-3 2e-3", "1e-3", "line 7: .*half_width = 1e-3: 2 values are accepted here, not 1"),
        ("1e-3 2e-3", "1e-3 2mm", "'2mm' is not a finite number"),
        ("1e-3 2e-3", "1e-3 nan", "'nan' is not a finite number"),
        ("1e-3 2e-3", "1e-3 -1", "numbers above 0 are accepted"),
        ("= ellipse", "= elipse", "shape = elipse: accepted are ellipse, rectangle"),
        ("= aperture", "= apperture", "accepted are twiss, synchrotron, rf, damping, aperture"),
        ("count = 1", "count = 1.5", "'1.5' is not an integer"),
        ("count = 1", "count = -1", "0 to 4096 are accepted"),
        ("half_width", "halfwidth", "half_width' is missing\\."),
        ("seed = 1", "seed = 1\nsede = 2", "line 4: 'sede' is not a key that this study reads"),
        ("seed = 1", "seed = 1\nseed = 2", "line 4: 'seed' is given a second time"),
        ("seed = 1", "seed 1", "line 3: 'seed 1' is not of the form key = value"),
        ("seed = 1", "seed =", "line 3: 'seed' has no value"),
        ("seed = 1", "= 1", "line 3: '= 1' is not of the form key = value"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(GOOD.replace(old, new))


def test_an_unsymmetric_detuning_is_refused_because_the_map_would_not_be_symplectic() -> None:
    text = """
seed = 1
line.1.1.count = 1
line.1.1.1.element = twiss
line.1.1.1.beta0 = 1 1
line.1.1.1.beta1 = 1 1
line.1.1.1.phase = 0.1 0.2
line.1.1.1.detuning = 1 2 3 4
"""
    with pytest.raises(ValueError, match="axy and ayx are accepted only when equal"):
        check(text)


def test_an_energy_below_the_rest_mass_is_refused() -> None:
    text = """
seed = 1
beam.1.charge = 1
beam.1.mass = 938272088.16
beam.1.energy = 9e8
line.1.1.count = 1
line.1.1.1.element = rf
line.1.1.1.voltage = 1e6
line.1.1.1.frequency = 4e8
line.1.1.1.phase = 0
line.1.1.1.slip = 1e-3
line.1.1.1.circumference = 1000
"""
    with pytest.raises(ValueError, match=r"beam.1.energy = 9e8: it must exceed the rest mass"):
        check(text)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        # 65536 · 65536 is 0 in 32 bits, as if nothing had been asked for.
        ("process_grid", "65536 65536 1 1", "1 to 1000000 ranks of each beam are accepted"),
        ("process_grid", "1 1 1000000 2", "1 to 1000000 ranks of each beam are accepted"),
        ("process_grid", "0 2 1 1", "1 to 1000000 ranks of each beam are accepted"),
        ("process_grid", "2 1 0 0", "1 to 1000000 ranks of each beam are accepted"),
        ("process_grid", "1e300 1 1 1", "give Prow and Pcol of beam 1, then of beam 2"),
        ("process_grid", "1.5 1 1 1", "give Prow and Pcol of beam 1, then of beam 2"),
        ("layout", "file\ncommunication.places = 1 0 1e99", "give beam, column and row"),
        ("layout", "file\ncommunication.places = 1 0", "give beam, column and row"),
        ("node_size", "1000001", "give the ranks of a node"),
    ],
)
def test_absurd_places_of_ranks_are_refused(key: str, value: str, message: str) -> None:
    text = re.sub(f"(?m)^communication.{key} = .*$", f"communication.{key} = {value}", PARAMETERS)
    with pytest.raises(ValueError, match=message):
        core.plan(text, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("0", "give 1 to 255 slices"),
        ("3 256", "give 1 to 255 slices"),
        ("2.5", "give 1 to 255 slices"),
        ("3 1 1", "2 values are accepted here, not 3"),
    ],
)
def test_slices_that_no_beam_can_have_are_refused(given: str, message: str) -> None:
    text = re.sub(r"(ip\.1\.slices = ).*", rf"\g<1>{given}", PARAMETERS)
    with pytest.raises(ValueError, match=rf"ip\.1\.slices = {given}: {message}"):
        core.plan(text, 2)


def test_one_number_of_slices_holds_for_both_beams() -> None:
    text = re.sub(r"(ip\.1\.slices = )(\d+)", r"\g<1>\g<2> \g<2>", PARAMETERS)
    assert text != PARAMETERS
    assert core.plan(text, 6) == core.plan(PARAMETERS, 6)


def test_each_beam_has_the_usual_process_grid_of_its_own_slices() -> None:
    text = re.sub(r"(ip\.1\.slices = ).*", r"\g<1>8 2", PARAMETERS)
    assert core.plan(text, 16)["process_grid"] == [[8, 1], [2, 4]]


def test_a_process_grid_for_other_ranks_is_refused_with_the_number_that_it_needs() -> None:
    wanted = "communication.process_grid = 1000000 1 1 1000000"
    text = PARAMETERS.replace("communication.process_grid = 0 0 0 0", wanted)
    with pytest.raises(ValueError, match="1000000x1 and 1x1000000 needs 2000000 ranks, not 2"):
        core.plan(text, 2)

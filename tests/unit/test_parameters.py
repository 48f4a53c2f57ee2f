"""The flat parameter text: each mistake is one sentence that says where and what is accepted."""

from __future__ import annotations

import re

import pytest

import phasewise._core as core
from phasewise.study import Study
from tests.sentences import refused
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
    ("old", "new", "facts"),
    [
        ("1e-3 2e-3", "1e-3", ("line 7", "line.1.1.1.half_width", "1e-3", 2, 1)),
        ("1e-3 2e-3", "1e-3 2mm", ("line 7", "line.1.1.1.half_width", "2mm", "finite")),
        ("1e-3 2e-3", "1e-3 nan", ("line 7", "line.1.1.1.half_width", "nan", "finite")),
        ("1e-3 2e-3", "1e-3 -1", ("line 7", "line.1.1.1.half_width", -1, 0)),
        ("= ellipse", "= elipse", ("line 6", "line.1.1.1.shape", "elipse", "ellipse", "rectangle")),
        (
            "= aperture",
            "= apperture",
            ("line 5", "line.1.1.1.element", "apperture", "twiss", "rf", "aperture"),
        ),
        ("count = 1", "count = 1.5", ("line 4", "line.1.1.count", 1.5, "integer")),
        ("count = 1", "count = -1", ("line 4", "line.1.1.count", -1, 0, 4096)),
        ("half_width", "halfwidth", ("line.1.1.1.half_width", "missing")),
        ("seed = 1", "seed = 1\nsede = 2", ("line 4", "sede", "key")),
        ("seed = 1", "seed = 1\nseed = 2", ("line 4", "seed", "second")),
        ("seed = 1", "seed 1", ("line 3", "seed 1", "key = value")),
        ("seed = 1", "seed =", ("line 3", "seed", "no value")),
        ("seed = 1", "= 1", ("line 3", "= 1", "key = value")),
    ],
)
def test_a_mistake_is_named(old: str, new: str, facts: tuple[object, ...]) -> None:
    with refused(*facts, by=ValueError):
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
    with refused("line 8", "line.1.1.1.detuning", "axy", "ayx", "symplectic", by=ValueError):
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
    with refused("line 5", "beam.1.energy", "9e8", "rest mass", by=ValueError):
        check(text)


GRID_RANKS = ("communication.process_grid", "ranks", 1, 1000000)
GRID_NUMBERS = ("communication.process_grid", "Prow", "Pcol", "whole")
PLACES = ("communication.places", "beam", "column", "row")


@pytest.mark.parametrize(
    ("key", "value", "facts"),
    [
        # 65536 · 65536 is 0 in 32 bits, as if nothing had been asked for.
        ("process_grid", "65536 65536 1 1", GRID_RANKS),
        ("process_grid", "1 1 1000000 2", GRID_RANKS),
        ("process_grid", "0 2 1 1", GRID_RANKS),
        ("process_grid", "2 1 0 0", GRID_RANKS),
        ("process_grid", "1e300 1 1 1", GRID_NUMBERS),
        ("process_grid", "1.5 1 1 1", GRID_NUMBERS),
        ("layout", "file\ncommunication.places = 1 0 1e99", PLACES),
        ("layout", "file\ncommunication.places = 1 0", PLACES),
        ("node_size", "1000001", ("communication.node_size", "ranks", 0)),
    ],
)
def test_absurd_places_of_ranks_are_refused(
    key: str, value: str, facts: tuple[object, ...]
) -> None:
    text = re.sub(f"(?m)^communication.{key} = .*$", f"communication.{key} = {value}", PARAMETERS)
    with refused(value.rpartition("= ")[2], *facts, by=ValueError):
        core.plan(text, 2)


@pytest.mark.parametrize(
    ("given", "accepted"),
    [("0", (1, 255)), ("3 256", (1, 255)), ("2.5", (1, 255)), ("3 1 1", (2, 3))],
)
def test_slices_that_no_beam_can_have_are_refused(given: str, accepted: tuple[int, int]) -> None:
    text = re.sub(r"(ip\.1\.slices = ).*", rf"\g<1>{given}", PARAMETERS)
    with refused("ip.1.slices", given, *accepted, by=ValueError):
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
    with refused("communication.process_grid", "1000000x1", "1x1000000", 2000000, 2, by=ValueError):
        core.plan(text, 2)

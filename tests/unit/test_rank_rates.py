"""What a rank of a measured machine can do: read, written, and in the machine's file."""

from __future__ import annotations

import json

import pytest

from phasewise.errors import StudyError
from phasewise.machines.machine import parse_machine
from phasewise.machines.machine_file import hardware_description
from phasewise.machines.rank_rates import (
    CallCosts,
    RankRates,
    StridedCopies,
    read_rank_rates,
)
from tests.unit.test_curves import curve


def test_a_measured_machine_has_the_costs_of_calls_and_of_words_that_lie_apart() -> None:
    alone = curve(benchmark="ping-pong", level="node")
    copies = StridedCopies((128, 2048, 32768), (1e-9, 5e-10, 2e-9))
    rates = RankRates(1e10, 5e9, CallCosts((1e-7, 2e-7, 0.0, 3e-7, 0.0), 5e-8), copies)
    found = parse_machine(hardware_description("here", 2, 1, rates, [alone], {}), "file.toml")
    assert found.memory is not None and found.memory.rank_shares
    assert found.copies == copies
    # What was not measured costs as a two-sided message, and co-arrays as a put.
    assert found.overhead is not None
    assert found.overhead.kinds == (1e-7, 2e-7, 1e-7, 3e-7, 3e-7)
    assert found.overhead.round == 5e-8
    across = [curve(benchmark="ping-pong"), curve()]
    several = hardware_description("here", 2, 2, rates, [alone, *across], {})
    memory = parse_machine(several, "file.toml").memory
    assert memory is not None and not memory.rank_shares


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("spans = [1, 2]\nseconds = [1e-9]", "must increase, and copies.seconds have a time"),
        ("spans = [2, 1]\nseconds = [1e-9, 1e-9]", "copies.spans must increase"),
        ("spans = 1\nseconds = [1e-9]", "copies.spans must be a list of"),
        ("spans = [1]", "copies.seconds must be a list of"),
        ("spans = [1]\nseconds = [0]", r"copies.seconds = 0 must be"),
        ("span = [1]\nseconds = [1]", 'unknown key "span"; did you mean "spans"?'),
    ],
)
def test_copies_that_make_no_sense_are_one_sentence(table: str, sentence: str) -> None:
    text = hardware_description(
        "here", 2, 1, RankRates(1e10, 5e9), [curve(benchmark="ping-pong", level="node")], {}
    )
    with pytest.raises(StudyError) as caught:
        parse_machine(f"{text}\n[copies]\n{table}\n", "file.toml")
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_rates_are_read_as_they_are_written() -> None:
    copies = StridedCopies((128, 2048), (1e-9, 5e-10))
    for rates in (RankRates(1e10, 5e9), RankRates(1.5, 2.5, CallCosts((1.0,) * 5, 0.1), copies)):
        assert read_rank_rates(json.loads(json.dumps(rates.to_dict()))) == rates

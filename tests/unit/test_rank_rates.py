"""What a rank of a measured machine can do: read, written, and in the machine's file."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.machine_file import hardware_description
from phasewise.machines.rank_rates import (
    CallCosts,
    Copies,
    RankRates,
    Streams,
    Types,
    read_rank_rates,
)
from phasewise.models import contention
from phasewise.models.model import Case
from phasewise.study import Study
from tests.sentences import Nearest, refused
from tests.unit.test_curves import curve


def test_a_measured_machine_has_the_costs_of_calls_and_of_words_that_lie_apart() -> None:
    alone = curve(benchmark="ping-pong", level="node")
    copies = Copies((128, 2048, 32768), (1e-9, 5e-10, 2e-9))
    calls = CallCosts((1e-7, 2e-7, 0.0, 3e-7, 0.0, 0.0), 5e-8, collective=7e-8, threads=4e-8)
    rates = RankRates(1e10, 5e9, calls, copies)
    found = parse_machine(hardware_description("here", 2, 1, rates, [alone], {}), "file.toml")
    assert found.memory is not None and found.memory.rank_shares
    assert found.copies == copies
    # What was not measured costs as a two-sided message, and co-arrays and OpenSHMEM as a put.
    assert found.overhead is not None
    assert found.overhead.kinds == (1e-7, 2e-7, 1e-7, 3e-7, 3e-7, 3e-7)
    assert (found.overhead.round, found.overhead.collective) == (5e-8, 7e-8)
    across = [curve(benchmark="ping-pong"), curve()]
    several = hardware_description("here", 2, 2, rates, [alone, *across], {})
    memory = parse_machine(several, "file.toml").memory
    assert memory is not None and not memory.rank_shares


def test_threads_cost_mpis_own_messages_something_at_either_end() -> None:
    alone = replace(curve(benchmark="ping-pong", level="node"), latency=1e-6)
    calls = CallCosts((1e-7, 2e-7, 0.0, 3e-7, 0.0, 0.0), threads=4e-8)
    streams = Streams((8, 64), (1e-7, 2e-7), (3e-7, 4e-7))
    rates = RankRates(1e10, 5e9, calls, streams=streams)
    text = hardware_description("here", 2, 1, rates, [alone], {})
    usual = replace(parse_machine(text, "file.toml"), curves=(alone,))
    there, without = usual.of_program(True), usual.of_program(False)
    assert there.overhead is not None and there.streams is not None
    expected = (1.4e-7, 2.4e-7, 1.4e-7, 3e-7, 3e-7, 3e-7)
    assert there.overhead.kinds == pytest.approx(expected)
    (both,) = there.curves
    for longer, one in zip(both.seconds, alone.seconds, strict=True):
        assert longer == pytest.approx(one + 8e-8)
    assert both.latency == pytest.approx(1.08e-6)
    assert there.streams.messages == pytest.approx((1.4e-7, 2.4e-7))
    assert there.streams.puts == streams.puts
    assert without.curves == usual.curves and without.streams == streams
    # What was taken in is not taken in again.
    assert there.of_program(True) == there and without.of_program(True) == without


@pytest.mark.parametrize(
    ("table", "facts"),
    [
        ("spans = [1, 2]\nseconds = [1e-9]", ("copies.spans", "copies.seconds")),
        ("spans = [2, 1]\nseconds = [1e-9, 1e-9]", ("copies.spans", "copies.seconds")),
        ("spans = 1\nseconds = [1e-9]", ("copies.spans", "list", "integers")),
        ("spans = [1]", ("copies.seconds", "list", "numbers")),
        ("spans = [1]\nseconds = [0]", ("copies.seconds", 0, "(s)")),
        (
            "spans = [1]\nseconds = [1e-9]\nsizes = [1, 2]\nwithin = [1e-9, 1e-9]",
            ("copies.across", "list", "numbers"),
        ),
        (
            "spans = [1]\nseconds = [1e-9]\nsizes = [1, 2]\nwithin = [1e-9]\nacross = [1, 1]",
            ("copies.sizes", "copies.within"),
        ),
        ("span = [1]\nseconds = [1]", ("copies", '"span"', Nearest("spans"))),
    ],
)
def test_copies_that_make_no_sense_are_one_sentence(table: str, facts: tuple[object, ...]) -> None:
    text = hardware_description(
        "here", 2, 1, RankRates(1e10, 5e9), [curve(benchmark="ping-pong", level="node")], {}
    )
    with refused("file.toml", *facts):
        parse_machine(f"{text}\n[copies]\n{table}\n", "file.toml")


def test_rates_are_read_as_they_are_written() -> None:
    blocks = Copies((128, 2048), (1e-9, 5e-10), (256, 1024), (1e-8, 2e-8), (5e-8, 3e-7))
    for rates in (
        RankRates(1e10, 5e9),
        RankRates(1.5, 2.5, CallCosts((1.0,) * 6, 0.1, (2.0,) * 19, (3.0,) * 19, 0.2, 0.4), blocks),
        RankRates(1.5, 2.5, types=Types((128, 2048), (1e-9, 5e-10), 2e-7)),
        RankRates(1.5, 2.5, streams=Streams((8, 64), (1e-8, 2e-8), (3e-8, 4e-8))),
    ):
        assert read_rank_rates(json.loads(json.dumps(rates.to_dict()))) == rates


def machine_of_two(rates: RankRates, extra: str = "") -> Machine:
    """A node of two ranks whose messages take 1 µs and a byte in a nanosecond."""
    text = hardware_description(
        "here", 2, 1, rates, [curve(benchmark="ping-pong", level="node")], {}
    )
    return parse_machine(text + extra, "file.toml")


def turn_of(machine: Machine, protocol: str, words: int) -> float:
    """Seconds of an exchange of the halo of a square on two ranks, as `contention` follows it."""
    tables = {
        "workload": "halo", "exchanges": 1, "halo": {"words": words},
        "communication": {"protocol": protocol, "process_grid": "2x1"},
    }  # fmt: skip
    case = Case(Study.from_dict(tables), machine, 2, agreed=True)
    return contention.follow(case).seconds


CALLS = CallCosts((0.0,) * 6)


def test_a_rank_takes_the_time_of_blocks_of_their_size_for_its_copies_and_puts() -> None:
    plain = Copies((128, 2**31), (1e-12, 1e-12))
    quick = replace(plain, sizes=(1024, 2**24), within=(1e-9, 1e-6), across=(2e-9, 2e-6))
    slow = replace(quick, across=(1e-3, 1e-3 * 2**14))
    none, copied, waited = (
        machine_of_two(RankRates(1e10, 5e9, CALLS, copies)) for copies in (plain, quick, slow)
    )
    for protocol in ("put", "fence", "shared", "get"):
        assert turn_of(copied, protocol, 16384) < turn_of(none, protocol, 16384)
        # Two messages of a word's 8 bytes, each put at a millisecond for 1024 bytes.
        longer = turn_of(waited, protocol, 16384) - turn_of(copied, protocol, 16384)
        assert longer == pytest.approx(2 * 16384 * 8 / 1024 * 1e-3, rel=1e-3)
    assert turn_of(waited, "irecv-isend", 64) == turn_of(copied, "irecv-isend", 64)


def test_a_round_takes_what_the_measured_exchange_took_beyond_the_followed_one() -> None:
    rates = RankRates(1e10, 5e9, CALLS, Copies((128,), (1e-12,)))
    # Where exchanges were timed, the sums in a turn take other times too.
    usual = machine_of_two(rates, "\n[exchanges]\nfence = 1e-9\n")
    charged = machine_of_two(rates, "\n[exchanges]\nirecv-isend = 5e-6\nfence = 1e-9\n")
    alone = usual.memory.latency if usual.memory else 0.0
    once = turn_of(charged, "irecv-isend", 2) - turn_of(usual, "irecv-isend", 2)
    # Along y a rank is its own neighbour and copies, without an exchange.
    assert once == pytest.approx(5e-6 - alone, rel=0.02)
    # One that took less costs nothing; one that was not measured costs as the first.
    assert turn_of(charged, "fence", 2) == turn_of(usual, "fence", 2)
    assert turn_of(charged, "put", 2) - turn_of(usual, "put", 2) == pytest.approx(once)

"""What model `contention` takes from a measured node: messages that meet, rounds one way, the
library's types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from phasewise.machines.curves import Curve
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.machine_file import hardware_description
from phasewise.machines.rank_rates import CallCosts, Copies, RankRates, Streams, Types
from phasewise.models import contention
from phasewise.models.model import Case
from phasewise.study import Study
from tests.sentences import Nearest, refused
from tests.unit.test_curves import curve

pytest.importorskip("phasewise._core", reason="the core is not built")

SIZES = (8, 2**24)
PLAIN = Copies((128, 2**31), (1e-12, 1e-12))
RATES = RankRates(1e12, 1e12, CallCosts((0.0,) * 6), PLAIN)
SIZE = 65536


def timed(benchmark: str, byte: float) -> Curve:
    """Messages that take 1 µs, and so long for each byte [s]."""
    seconds = tuple(1e-6 + byte * size for size in SIZES)
    return curve(
        benchmark=benchmark, level="node", sizes=SIZES, seconds=seconds, low=seconds,
        high=seconds, latency=1e-6, bandwidth=1 / byte, bends=(),
    )  # fmt: skip


def machine(rates: RankRates = RATES, both: float = 1e-9) -> Machine:
    """Two ranks of a node: a byte takes a nanosecond, and `both` where messages meet."""
    return machine_of(rates, [timed("ping-pong", 1e-9), timed("ping-ping", both)])


def machine_of(rates: RankRates, curves: Sequence[Curve]) -> Machine:
    text = hardware_description("here", 2, 1, rates, curves, {})
    found = parse_machine(text.replace("\nbandwidth = ", "\nbandwidth = 2", 1), "file.toml")
    return replace(found, curves=tuple(curves), exchanges={"irecv-isend": 1e-9})


def seconds(one: Machine, workload: str, protocol: str = "irecv-isend", **own: object) -> float:
    tables = {
        "workload": workload, "exchanges": 1, workload: {"verify": False, **own},
        "communication": {"protocol": protocol},
    }  # fmt: skip
    return contention.follow(Case(Study.from_dict(tables), one, 2, agreed=True)).seconds


def pair(one: Machine, operator: str, protocol: str = "irecv-isend", size: int = SIZE) -> float:
    return seconds(one, "commtest", protocol, operator=operator, bytes=size)


@pytest.mark.parametrize("streams", [None, Streams(SIZES, (1e-8, 1e-2), (1e-8, 1e-2))])
@pytest.mark.parametrize("both", [1e-9, 3e-9])
def test_messages_that_meet_take_the_time_of_ping_ping(
    both: float, streams: Streams | None
) -> None:
    found = machine(replace(RATES, streams=streams), both)
    assert pair(found, "swap") == pytest.approx(1e-6 + both * SIZE, rel=0.01)
    assert pair(found, "echo") == pytest.approx(2e-6 + 2e-9 * SIZE, rel=0.01)
    # One after another, they do not meet.
    assert pair(found, "swap", "ordered") == pytest.approx(2e-6 + 2e-9 * SIZE, rel=0.01)


def test_of_several_messages_that_meet_only_the_handshakes_overlap() -> None:
    """A halo of a grid that is two ranks wide has two messages each way; there a message of a new
    protocol takes long to set off, which is the work of its ranks.
    """
    sizes, long = (8, 512, 1024, 2**24), 1e-4
    times = (1e-6, 1e-6, long, long)
    curves = [
        curve(
            benchmark=name, level="node", sizes=sizes, seconds=times, low=times, high=times,
            latency=1e-6, bandwidth=1e11, bends=(1024,),
        )
        for name in ("ping-pong", "ping-ping")
    ]  # fmt: skip
    streams = Streams(sizes, (1e-8, 1e-8, 0.6 * long, 0.6 * long), (1e-8,) * 4)
    two = machine_of(replace(RATES, streams=streams), curves)
    assert pair(two, "swap") == pytest.approx(long, rel=0.01)
    handshake = 2e-6
    both = seconds(two, "halo", words=SIZE // 8)
    assert both == pytest.approx(handshake + 2 * (long - handshake), rel=0.02)


def test_a_round_one_way_takes_what_the_measured_echo_took_beyond_the_followed_one() -> None:
    usual = machine()
    given = {"irecv-isend": 7e-6, "put": 1e-9}
    charged = replace(usual, echoes=given)
    for operator, rounds in (("echo", 2), ("swap", 0)):
        longer = pair(charged, operator, size=8) - pair(usual, operator, size=8)
        assert longer == pytest.approx(rounds * 0.5 * (7e-6 - 2e-6), rel=0.02)
    # A put that took less costs nothing more; what was not measured costs as the first.
    assert pair(charged, "echo", "put") == pytest.approx(pair(usual, "echo", "put"))
    longer = pair(charged, "echo", "ordered", 8) - pair(usual, "echo", "ordered", 8)
    assert longer == pytest.approx(5e-6, rel=0.02)


@pytest.mark.parametrize("share", [0.25, 0.8, 1.0, 2.0, 4.0])
def test_a_stream_in_calls_that_block_takes_the_slower_side_however_long_that_is(
    share: float,
) -> None:
    size, window = 2**20, 16
    further = tuple(share * 1e-9 * one for one in SIZES)
    found = machine(replace(RATES, streams=Streams(SIZES, further, further)))
    # The first message and the answer have latencies of their own; those behind hide theirs, but
    # for the handshake, two latencies at most.
    once = share * size * 1e-9
    expected = size * 1e-9 + (window - 1) * once
    own = {"operator": "stream", "bytes": size, "window": window}
    assert seconds(found, "commtest", "ordered", **own) == pytest.approx(expected, rel=0.05)


def test_the_librarys_types_take_a_message_and_its_words_beyond_those_in_one_piece() -> None:
    words, message, word = 512, 4e-6, 3e-9
    typed = machine(replace(RATES, types=Types((128, 2**31), (word, word), message)))
    plain = machine()
    # Two columns are sent, two arrive, and each end takes the time; rows are in one piece.
    expected = 4 * (message + words * word)
    for protocol in ("derived", "neighbour"):
        longer = seconds(typed, "halo", protocol, words=words) - seconds(
            plain, "halo", protocol, words=words
        )
        assert longer == pytest.approx(expected, rel=0.01)
        assert pair(typed, "swap", protocol) == pytest.approx(pair(plain, "swap", protocol))
    assert seconds(typed, "halo", words=words) == seconds(plain, "halo", words=words)


@pytest.mark.parametrize(
    ("table", "facts"),
    [
        ("[types]\nspans = [1, 2]\nseconds = [1e-9]", ("types.spans", "types.seconds")),
        ("[types]\nspans = [1]\nseconds = [1e-9]\nmessage = -1", ("types.message", -1, 0, "(s)")),
        ("[types]\nspan = [1]\nseconds = [1e-9]", ("types", '"span"', Nearest("spans"))),
        ("[echoes]\nput = -1", ("echoes.put", -1, 0, "(s)")),
        ("[echoes]\nputt = 1e-6", ("echoes", '"putt"', Nearest("put"))),
    ],
)
def test_wrong_tables_of_types_and_echoes_are_one_sentence(
    table: str, facts: tuple[object, ...]
) -> None:
    text = hardware_description("here", 2, 1, RATES, [timed("ping-pong", 1e-9)], {})
    with refused("file.toml", *facts):
        parse_machine(f"{text}\n{table}\n", "file.toml")


def test_a_file_keeps_the_types_and_the_echoes_that_were_measured() -> None:
    calls = CallCosts((1e-7,) * 6, 0.0, (1e-6,) * 18, (2e-6,) * 18)
    types = Types((128, 2**31), (1e-9, 2e-9), 1e-7)
    rates = replace(RATES, calls=calls, types=types)
    text = hardware_description("here", 2, 1, rates, [timed("ping-pong", 1e-9)], {})
    found = parse_machine(text, "file.toml")
    assert found.types == types
    assert set(found.exchanges.values()) == {1e-6} and set(found.echoes.values()) == {2e-6}
    assert found.exchanges.keys() == found.echoes.keys()

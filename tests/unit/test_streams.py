"""Messages one behind another in one direction, as the model `contention` follows them."""

from __future__ import annotations

import pytest

from phasewise.machines.curves import Curve
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.machine_file import hardware_description
from phasewise.machines.rank_rates import CallCosts, Copies, RankRates, Streams
from phasewise.models import contention
from phasewise.models.model import Case
from phasewise.study import Study
from tests.sentences import Nearest, refused
from tests.unit.test_curves import curve

pytest.importorskip("phasewise._core", reason="the core is not built")

BYTE = 1e-9
"""Seconds of a byte of a message alone [s]."""
SIZE, WINDOW = 1 << 20, 16
COPIES = Copies((128,), (1e-12,), (1024, 2**24), (1e-12, 1e-8), (1024 * BYTE, 2**24 * BYTE))


def machine(share: float | None) -> Machine:
    """Two ranks whose messages take 1 µs and a byte in a nanosecond, those behind others this share
    of it.
    """
    times = None
    if share is not None:
        seconds = tuple(share * BYTE * size for size in (8, 2**24))
        times = Streams((8, 2**24), seconds, seconds)
    rates = RankRates(1e12, 1e12, CallCosts((0.0,) * 6), COPIES, times)
    text = hardware_description("here", 2, 1, rates, [ping_pong()], {})
    # The node carries the messages of both ranks at once.
    return parse_machine(text.replace("\nbandwidth = ", "\nbandwidth = 2", 1), "file.toml")


def ping_pong() -> Curve:
    return curve(benchmark="ping-pong", level="node")


def seconds(operator: str, share: float | None, protocol: str = "irecv-isend") -> float:
    tables = {
        "workload": "commtest", "exchanges": 1, "communication": {"protocol": protocol},
        "commtest": {"operator": operator, "bytes": SIZE, "window": WINDOW, "verify": False},
    }  # fmt: skip
    case = Case(Study.from_dict(tables), machine(share), 2, agreed=True)
    return contention.follow(case).seconds


def alone() -> float:
    """A message with nothing else under way."""
    return seconds("echo", None) / 2


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8, 1.0])
def test_each_message_of_a_stream_takes_the_slower_sides_work(share: float) -> None:
    # A message and the answer have a latency of a microsecond each.
    once = share * SIZE * BYTE
    assert seconds("stream", share) == pytest.approx(WINDOW * once, rel=0.02)
    puts = SIZE * BYTE + (WINDOW - 1) * once
    assert seconds("stream", share, "put") == pytest.approx(puts, rel=0.05)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8, 1.0])
def test_messages_both_ways_take_what_one_alone_does(share: float) -> None:
    for operator, times in (("swap", 1.0), ("echo", 2.0)):
        assert seconds(operator, share) == pytest.approx(times * alone(), rel=0.04)


def test_calls_that_block_wait_for_the_slower_side_alone() -> None:
    for protocol in ("ordered", "irecv-send"):
        # The first message is alone with its latency; then the answer.
        assert seconds("stream", 0.5, protocol) == pytest.approx(
            alone() + (WINDOW - 1) * 0.5 * SIZE * BYTE, rel=0.05
        )


def test_without_streams_messages_one_way_share_the_bandwidth_of_one() -> None:
    assert seconds("stream", None) == pytest.approx(WINDOW * alone(), rel=0.02)


@pytest.mark.parametrize(
    ("table", "facts"),
    [
        ("sizes = [8]\nmessages = [1e-7]", ("streams.puts", "list", "numbers")),
        (
            "sizes = [8, 4]\nmessages = [1e-7, 1e-7]\nputs = [1e-7, 1e-7]",
            ("streams.sizes", "increase", "streams.messages"),
        ),
        ("sizes = [8]\nmessages = [1e-7]\nputs = [-1.0]", ("streams.puts", -1, 0, "(s)")),
        ("size = [8]", ("streams", '"size"', Nearest("sizes"))),
    ],
)
def test_a_wrong_table_of_streams_is_one_sentence(table: str, facts: tuple[object, ...]) -> None:
    rates = RankRates(1e12, 1e12, CallCosts((0.0,) * 6), COPIES)
    text = hardware_description("here", 2, 1, rates, [ping_pong()], {})
    with refused("file.toml", *facts):
        parse_machine(f"{text}\n[streams]\n{table}\n", "file.toml")

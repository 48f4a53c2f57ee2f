"""Messages that a program posts one by one, followed in time against closed forms."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from phasewise.driver import load_planner
from phasewise.machines import load_machine, make_twin
from phasewise.models.model import Turn, turn_from
from phasewise.workload.protocols import PROTOCOLS
from phasewise.workloads.recorded.acts import RECEIVE, SEND, SYNCHRONOUS, WAIT, Acts, RankActs
from phasewise.workloads.recorded.program_file import content_of
from phasewise.workloads.recorded.rows import FIRST_COLLECTIVE

MS = 1_000_000
"""Nanoseconds of a millisecond."""
Act = tuple[int, int, int, int, Sequence[int]]
"""Computing before it [ns], kind, peer, request (-1: the call waits), requests that it awaits."""
MACHINE = load_machine("bassi")
assert MACHINE.memory is not None
LATENCY = MACHINE.memory.latency


CALL, ENTERING, MET = 1e-5, 7e-5, 4e-4
"""Of a measured machine [s]: a call at either end of a message, a collective call, and a message
that meets another one.
"""
MEASURED = {
    "overheads": [CALL] * 6,
    "collective": ENTERING,
    "rounds": [0.0] * len(PROTOCOLS),
    "swaps": {"sizes": [0.0, 1e3], "seconds": [MET, MET]},
}


def followed(
    folder: Path,
    *programs: Sequence[Act],
    eager: int = 0,
    machine: Mapping[str, Any] = MappingProxyType({}),
) -> Turn:
    """The turn of empty messages on a node, which take its memory's latency alone but for the calls
    of a measured machine.
    """
    ranks = []
    for program in programs:
        lists = [list(act[4]) for act in program]
        rows = [
            [kind, 0, peer, 0, 0, request, k, -1, 0 if kind >= FIRST_COLLECTIVE else -1]
            for k, (_, kind, peer, request, _) in enumerate(program)
        ]
        ranks.append(RankActs(np.array(rows), np.array([act[0] for act in program]), lists))
    path = folder / "program"
    path.write_bytes(content_of(Acts(ranks, ["messages"], [tuple(range(len(ranks)))])))
    text = "workload = recorded\nturns = 1\nseed = 1\nrecorded.compute = 1.0\n"
    platform = make_twin(MACHINE, "plain", len(ranks)).platform
    rates = {"flop": 1e-9, "byte": 1e-9, "kernels": [], **machine}
    given = (f"{text}recorded.file = {path}\n", len(ranks), platform, eager, [], [], [], {}, rates)
    return turn_from(load_planner().contend(*given))


def test_a_receive_waits_for_a_late_sender(tmp_path: Path) -> None:
    turn = followed(tmp_path, [(MS, SEND, 1, -1, ())], [(0, RECEIVE, 0, -1, ())])
    assert turn.seconds == pytest.approx(1e-3 + LATENCY)
    # One of two ranks waits for 1 ms until the message is sent; both wait until it is there.
    assert turn.waiting == pytest.approx(0.5e-3)
    assert turn.communicating == pytest.approx(0.5 * (1e-3 + 2 * LATENCY))
    assert turn.computing == pytest.approx(0.5e-3)


def test_a_short_send_waits_for_nobody_unless_it_is_synchronous(tmp_path: Path) -> None:
    receives = [(MS, RECEIVE, 0, -1, ())]
    short = followed(tmp_path, [(0, SEND, 1, -1, ())], receives, eager=1)
    # The message has long arrived when it is received.
    assert short.seconds == pytest.approx(1e-3)
    assert short.communicating == 0.0
    held = followed(tmp_path, [(0, SYNCHRONOUS, 1, -1, ())], receives, eager=1)
    assert held.seconds == pytest.approx(1e-3 + LATENCY)


def test_computing_hides_what_was_posted_before(tmp_path: Path) -> None:
    turn = followed(
        tmp_path,
        [(0, SEND, 1, 0, ()), (2 * MS, WAIT, 0, -1, (0,))],
        [(MS, RECEIVE, 0, 3, ()), (0, WAIT, 0, -1, (3,))],
    )
    assert turn.seconds == pytest.approx(2e-3)
    assert turn.communicating == pytest.approx(0.5 * LATENCY)


def test_a_wait_is_for_the_requests_that_it_names(tmp_path: Path) -> None:
    """Rank 0 receives from rank 1 after 1 ms, computes 1 ms, and waits for rank 2 until 5 ms."""
    turn = followed(
        tmp_path,
        [
            (0, RECEIVE, 1, 0, ()),
            (0, RECEIVE, 2, 1, ()),
            (0, WAIT, 0, -1, (0,)),
            (MS, WAIT, 0, -1, (1,)),
        ],
        [(MS, SEND, 0, -1, ())],
        [(5 * MS, SEND, 0, -1, ())],
    )
    assert turn.seconds == pytest.approx(5e-3 + LATENCY)
    # 1 ms and a latency for the first, the rest but 1 ms of computing for the second.
    own = 1e-3 + LATENCY + (5e-3 + LATENCY - (2e-3 + LATENCY))
    assert turn.communicating == pytest.approx((own + 2 * LATENCY) / 3)


def test_a_message_that_nobody_awaits_arrives(tmp_path: Path) -> None:
    turn = followed(tmp_path, [(0, SEND, 1, -2, ())], [(MS, RECEIVE, 0, -1, ())])
    assert turn.seconds == pytest.approx(1e-3 + LATENCY)


def test_ranks_that_wait_for_each_other_are_told(tmp_path: Path) -> None:
    core = load_planner()
    with pytest.raises(core.WaitsForEver) as sends:
        followed(
            tmp_path,
            [(0, SEND, 1, -1, ()), (0, RECEIVE, 1, -1, ())],
            [(0, SEND, 0, -1, ()), (0, RECEIVE, 0, -1, ())],
        )
    assert str(sends.value) == (
        "rank 0 waits for ever in messages until rank 1 receives 0 bytes, rank 1 waits in messages "
        "until rank 0 receives 0 bytes; a send of 0 bytes or more returns when it is received"
    )
    # Rank 0 waits for rank 2, which has ended; nobody waits for a send.
    with pytest.raises(core.WaitsForEver) as receives:
        followed(
            tmp_path,
            [(0, RECEIVE, 2, 0, ()), (0, WAIT, 0, -1, (0,))],
            [(0, RECEIVE, 0, -1, ())],
            [(MS, SEND, 2, -2, ())],
        )
    assert str(receives.value) == (
        "rank 0 waits for ever in messages for a message from rank 2, rank 2 has ended"
    )


def test_messages_of_one_end_are_told(tmp_path: Path) -> None:
    with pytest.raises(load_planner().OneEnd, match="nobody posts the other end: 2"):
        followed(tmp_path, [(0, SEND, 1, -2, ())], [(MS, SEND, 1, -2, ())])


SUM = FIRST_COLLECTIVE + 2


@pytest.mark.parametrize("first", [(SEND, RECEIVE), (RECEIVE, SEND)])
def test_messages_between_two_ranks_that_meet_take_longer(
    tmp_path: Path, first: tuple[int, int]
) -> None:
    exchange = [[(0, kind, 1 - me, k, ()) for k, kind in enumerate(first)] for me in range(2)]
    both = [[*one, (0, WAIT, 0, -1, (0, 1))] for one in exchange]
    turn = followed(tmp_path, *both, eager=1, machine=MEASURED)
    # Each rank spends a call on its send and one on its receive.
    assert turn.seconds == pytest.approx(CALL + MET + CALL)
    assert followed(tmp_path, *both, eager=1).seconds == pytest.approx(LATENCY)


def test_a_message_and_its_answer_do_not_meet(tmp_path: Path) -> None:
    turn = followed(
        tmp_path,
        [(0, SEND, 1, -1, ()), (0, RECEIVE, 1, -1, ())],
        [(0, RECEIVE, 0, -1, ()), (0, SEND, 0, -1, ())],
        eager=1,
        machine=MEASURED,
    )
    assert turn.seconds == pytest.approx(2 * (CALL + LATENCY + CALL))


@pytest.mark.parametrize(
    ("kind", "sizes"), [(FIRST_COLLECTIVE, ()), (SUM, (8,))], ids=["barrier", "sum"]
)
def test_the_library_calls_too_where_exchanges_were_measured(
    tmp_path: Path, kind: int, sizes: tuple[int, ...]
) -> None:
    """A barrier or a short sum of two ranks is a message each way, which meet."""
    collective = [[(0, kind, 0, -1, sizes)]] * 2
    turn = followed(tmp_path, *collective, eager=9, machine=MEASURED)
    assert turn.seconds == pytest.approx(ENTERING + CALL + MET + CALL)


def test_the_library_calls_in_no_time_on_described_machines(tmp_path: Path) -> None:
    described = {"overheads": MEASURED["overheads"]}
    barrier = [[(0, FIRST_COLLECTIVE, 0, -1, ())]] * 2
    assert followed(tmp_path, *barrier, eager=1, machine=described).seconds == LATENCY

"""Messages that a program posts one by one, followed in time against closed forms."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from phasewise.driver import load_planner
from phasewise.machines import load_machine, make_twin
from phasewise.models.model import Turn, turn_from
from phasewise.workloads.recorded.acts import RECEIVE, SEND, SYNCHRONOUS, WAIT, Acts, RankActs
from phasewise.workloads.recorded.program_file import content_of

MS = 1_000_000
"""Nanoseconds of a millisecond."""
Act = tuple[int, int, int, int, Sequence[int]]
"""Computing before it [ns], kind, peer, request (-1: the call waits), requests that it awaits."""
MACHINE = load_machine("bassi")
assert MACHINE.memory is not None
LATENCY = MACHINE.memory.latency


def followed(folder: Path, *programs: Sequence[Act], eager: int = 0) -> Turn:
    """The turn of empty messages on a node, which take its memory's latency alone."""
    ranks = []
    for program in programs:
        lists = [list(act[4]) for act in program]
        rows = [
            [kind, 0, peer, 0, 0, request, k, -1, -1]
            for k, (_, kind, peer, request, _) in enumerate(program)
        ]
        ranks.append(RankActs(np.array(rows), np.array([act[0] for act in program]), lists))
    path = folder / "program"
    path.write_bytes(content_of(Acts(ranks, ["messages"], [])))
    text = "workload = recorded\nturns = 1\nseed = 1\nrecorded.compute = 1.0\n"
    platform = make_twin(MACHINE, "plain", len(ranks)).platform
    rates = {"flop": 1e-9, "byte": 1e-9, "kernels": []}
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

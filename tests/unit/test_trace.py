"""A trace holds every event of a run, in order, and an arrow for every message."""

import json
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.traces.chrome import write_chrome
from phasewise.traces.records import EVENT
from tests.sentences import command_refused, refused, says
from tests.unit.synthetic_communication import TURN, write_communication

# Events of a rank in a turn of the synthetic run on 8 ranks: 3 of kernels and sums, 2 phases, and
# the ends of 1 + 2 messages sent and as many received.
EVENTS = 3 + 2 + 2 * 3
MESSAGES = 3


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The trace of a run on 8 ranks over 3 turns, read, and what was said of it."""
    folder = tmp_path_factory.mktemp("run")
    write_communication(folder, node_size=4)
    trace = write_chrome(folder, folder / "trace.json")
    return json.loads(trace.path.read_text(encoding="utf-8")), trace


def of_kind(content, *kinds):
    return [event for event in content["traceEvents"] if event["ph"] in kinds]


def ns(event, *keys):
    """Sum of times of an event in whole ns, as they are written."""
    return sum(round(1000 * event[key]) for key in keys)


def test_every_event_and_every_message_is_there_and_counted(traced):
    content, trace = traced
    assert trace.events == len(of_kind(content, "X")) == 8 * 3 * EVENTS
    assert trace.flows == len(of_kind(content, "s")) == len(of_kind(content, "f"))
    assert trace.flows == 8 * 3 * MESSAGES and trace.dropped == 0


def test_processes_are_nodes_and_threads_are_ranks_by_name(traced):
    named = {}
    for event in of_kind(traced[0], "M"):
        if event["name"] in ("process_name", "thread_name"):
            named[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
    for rank in range(8):
        assert named["thread_name", rank // 4, rank] == f"rank {rank}"
    assert [named["process_name", node, 0] for node in (0, 1)] == ["node 0", "node 1"]
    threads = {(event["pid"], event["tid"]) for event in of_kind(traced[0], "X")}
    assert all(("thread_name", *thread) in named for thread in threads)


def test_events_stand_in_the_order_of_their_times(traced):
    times = [ns(event, "ts") for event in of_kind(traced[0], "X", "s", "f")]
    assert times == sorted(times) and times[0] == 0
    last = max(ns(event, "ts", "dur") for event in of_kind(traced[0], "X"))
    assert last == round(1e9 * 3 * TURN)


def test_events_of_a_thread_lie_within_each_other_or_apart(traced):
    threads = {}
    for event in of_kind(traced[0], "X"):
        threads.setdefault(event["tid"], []).append((ns(event, "ts"), ns(event, "ts", "dur")))
    for spans in threads.values():
        around = []
        for start, end in spans:
            while around and around[-1] <= start:
                around.pop()
            assert not around or end <= around[-1]
            around.append(end)


def test_an_arrow_leads_from_each_send_to_its_receive(traced):
    content, _ = traced
    slices = {}
    for event in of_kind(content, "X"):
        slices.setdefault(event["tid"], []).append(event)

    def bound(arrow):
        """The slice that the end of an arrow lies in; there is but one."""
        around = [
            event
            for event in slices[arrow["tid"]]
            if ns(event, "ts") <= ns(arrow, "ts") < ns(event, "ts", "dur")
        ]
        assert len(around) == 1
        return around[0]

    ends = {event["id"]: event for event in of_kind(content, "f")}
    starts = of_kind(content, "s")
    assert len(ends) == len(starts) == len({event["id"] for event in starts})
    for start in starts:
        end = ends[start["id"]]
        assert end["bp"] == "e" and (start["name"], start["cat"]) == (end["name"], end["cat"])
        sent, received = bound(start), bound(end)
        assert (sent["cat"], received["cat"]) == ("send", "receive")
        assert sent["args"]["to"] == received["tid"] % 8
        assert received["args"]["from"] == sent["tid"] % 8
        for key in ("bytes", "number"):
            assert sent["args"][key] == received["args"][key]
        assert ns(start, "ts") <= ns(end, "ts")


def test_messages_under_way_at_the_same_time_have_threads_of_their_own(tmp_path):
    write_communication(tmp_path, prow=1, pcol=1)
    events = np.fromfile(tmp_path / "events.bin", dtype=EVENT)
    sends = events[events["kind"] == 2]
    # The second turn's message of each rank begins while that of the first is still under way.
    sends["end"] += 1.2 * TURN
    events[events["kind"] == 2] = sends
    events.tofile(tmp_path / "events.bin")
    write_chrome(tmp_path, tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    threads = {
        e["tid"]: e["args"]["name"] for e in of_kind(content, "M") if "thread_n" in e["name"]
    }
    assert [threads[tid] for tid in (2, 6)] == ["rank 0 sends", "rank 0 sends 2"]
    used = [e["tid"] for e in of_kind(content, "X") if e["cat"] == "send" and e["tid"] % 2 == 0]
    # The third one finds the first thread free again only if the first message is over: at 8 ms
    # of the third turn the first, until 1.2 turns after 9.5 ms, is; the second is not.
    assert used == [2, 6, 2]


def test_an_end_that_was_not_kept_has_no_arrow(tmp_path):
    write_communication(tmp_path, capacity=2)
    trace = write_chrome(tmp_path, tmp_path / "trace.json")
    content = json.loads(trace.path.read_text())
    # Of each rank the kernel and the first send were kept.
    assert trace.events == 16 and trace.flows == 0 and not of_kind(content, "s", "f")
    assert trace.dropped == 8 * (3 * EVENTS - 2) == content["otherData"]["dropped_events"]


def test_the_command_says_what_was_written_and_dropped(tmp_path, capsys):
    write_communication(tmp_path, capacity=5)
    target = tmp_path / "out.json"
    words = ["trace", str(tmp_path), "--chrome", str(target)]
    assert main(words) == 0
    said = capsys.readouterr().err
    says(said, target, "40 events", "8 messages", f"{8 * (3 * EVENTS - 5)} events", "--events")
    assert main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {
        "trace": str(target), "events": 40, "flows": 8, "dropped": 8 * (3 * EVENTS - 5)
    }  # fmt: skip
    assert not list(tmp_path.glob("*.partial"))


def test_a_run_without_events_is_told_how_to_keep_them(tmp_path, capsys):
    write_communication(tmp_path, capacity=0)
    words = ["trace", tmp_path, "--chrome", tmp_path / "x.json"]
    command_refused(capsys, words, tmp_path, "no events", "--events", status=1)


def test_a_trace_of_a_simulator_says_so(tmp_path):
    write_communication(tmp_path, machine="bassi", turns=1)
    write_chrome(tmp_path, tmp_path / "trace.json")
    about = json.loads((tmp_path / "trace.json").read_text())["otherData"]
    says(about["source"], "simulated", "bassi", "hardware")


def test_what_cannot_be_written_is_named_and_leaves_nothing(tmp_path):
    write_communication(tmp_path, turns=1)
    with refused(tmp_path / "absent" / "trace.json", "written", by=RunError):
        write_chrome(tmp_path, tmp_path / "absent" / "trace.json")
    path = tmp_path / "events.bin"
    path.write_bytes(path.read_bytes()[:40] * (path.stat().st_size // 40 - 1) + b"\xff" * 40)
    with refused(tmp_path / "events.bin", "damaged", "rank 7", by=RunError):
        write_chrome(tmp_path, tmp_path / "trace.json")
    left = sorted(Path(entry).name for entry in tmp_path.iterdir())
    assert left == ["communication.json", "events.bin"]

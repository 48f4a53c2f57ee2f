"""The critical path and the waiting of recorded programs, against hand-made and kept ones."""

import json
import random
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.recorder.activity import Activity, Label, activity_of
from phasewise.recorder.collective_groups import GIVES, NEEDS, Groups
from phasewise.recorder.critical_path import critical_path, ends_without
from phasewise.recorder.culprits import Culprits
from phasewise.recorder.dependences import AT_COLLECTIVE, LATE_SENDER, Dependences
from phasewise.recorder.phases import Sites
from phasewise.recorder.recording import read_recording
from phasewise.report.recorded import seen_of

SEND, RECEIVE, SUM = (Label(name, f"MPI_{name}") for name in ("Send", "Recv", "Allreduce"))


def by_hand() -> tuple[Activity, Dependences]:
    """Rank 0 computes 3 s and sends for 1 s; rank 1 computes 1 s and receives until 4.5 s. Then
    rank 0 sums up from 5 s on, rank 1 from 7 s on, both to 7.5 s, and both end at 8 s.
    """
    start, end = np.array([3.0, 5.0, 1.0, 7.0]), np.array([4.0, 7.5, 4.5, 7.5])
    none = np.empty(0, np.int64)
    activity = Activity(
        first=np.array([0, 2, 4]),
        rank=np.array([0, 1]),
        began=np.zeros(2),
        ended=np.array([8.0, 7.9]),
        call=np.arange(4),
        lane=np.array([0, 0, 1, 1]),
        start=start,
        end=end,
        wait=np.array([0.0, 2.0, 2.0, 0.0]),
        cause=np.array([0, AT_COLLECTIVE, LATE_SENDER, 0], np.int8),
        other=np.array([-1, 3, 0, -1]),
        label=np.array([0, 2, 1, 2], np.int32),
        labels=(SEND, RECEIVE, SUM),
    )
    groups = Groups(np.array([1, 3]), none, np.full(2, GIVES | NEEDS, np.uint8), np.array([3, 3]))
    groups = Groups(groups.call, np.zeros(2, np.int64), groups.role, groups.last)
    cause = np.array([LATE_SENDER], np.int8)
    first = activity.first
    return activity, Dependences(first, start, end, np.array([2]), np.array([0]), cause, groups)


def test_a_critical_path_is_that_found_by_hand() -> None:
    activity, found = by_hand()
    path = critical_path(activity, found)
    # Back from 8 s: rank 0's end and sum to 7 s; rank 1's computing to 4.5 s and receive to 3 s;
    # rank 0's computing before it sends.
    steps = {(step.label.call, step.part): step.seconds for step in path.steps}
    assert steps == pytest.approx(
        {
            ("MPI_Send", "computing"): 3.0,
            ("MPI_Allreduce", "computing"): 2.5,
            ("MPI_Recv", "in the call"): 1.5,
            ("MPI_Allreduce", "in the call"): 0.5,
            ("MPI_Finalize", "computing"): 0.5,
        }
    )
    assert path.by_lane.tolist() == pytest.approx([4.0, 4.0])
    shorter = {(step.label.call, step.part): step.shorter for step in path.steps}
    # Without the first computing rank 1 receives from 1 s on: 2 s are saved, not 3.
    assert shorter["MPI_Send", "computing"] == pytest.approx(2.0)
    # Without computing before the sum, rank 0 is there at 4 s, rank 1 at 4.5 s.
    assert shorter["MPI_Allreduce", "computing"] == pytest.approx(2.5)
    # Without the receive's own time rank 1 is at the sum at 5.5 s, rank 0 at 5 s.
    assert shorter["MPI_Recv", "in the call"] == pytest.approx(1.5)
    assert ends_without(activity, found, [(-1, False)]) == pytest.approx([8.0])


def test_a_picture_of_a_long_path_keeps_every_corner_that_is_seen() -> None:
    # Rank 3 for 1 s, a thousand changes between ranks 0 and 7 in 1 ms, and rank 3 for another 1 s.
    changes = 1.0 + np.linspace(0.0, 1e-3, 1001)
    times = np.concatenate([[0.0, 1.0], np.repeat(changes, 2)[1:-1], [1.001, 2.001]])
    ranks = np.repeat([3, *[0, 7] * 500, 3], 2)
    assert len(times) == len(ranks)
    seen = seen_of(times, ranks, 2e-3)
    corners = list(zip(times[seen].tolist(), ranks[seen].tolist(), strict=True))
    assert len(corners) < 12
    assert (corners[0], corners[-1]) == ((0.0, 3), (2.001, 3))
    assert (1.0, 3) in corners and (1.001, 3) in corners
    assert {rank for _, rank in corners} == {0, 3, 7}


def test_waiting_is_caused_by_what_was_done_meanwhile() -> None:
    activity, _ = by_hand()
    found = {
        (one.cause, one.label.call, one.rank, one.by.call, one.part): one.seconds
        for one in Culprits(activity, 2).rows([0, 1])
    }
    assert found == pytest.approx(
        {
            ("late sender", "MPI_Recv", 0, "MPI_Send", "computing"): 2.0,
            ("wait at a collective", "MPI_Allreduce", 1, "MPI_Allreduce", "computing"): 2.0,
        }
    )


def test_schedules_that_do_not_fit_are_refused() -> None:
    core = import_module("phasewise._core")
    some, none = np.zeros(1), np.empty(0, np.int32)
    with pytest.raises(ValueError, match="do not fit"):
        core.ends_without(
            np.array([0, 2]), some, some, some, some, np.array([0, 0]), none,
            np.full(1, -1, np.int32), np.zeros(1, np.uint8), np.zeros(1, np.int32), [],
        )  # fmt: skip


@pytest.fixture
def kept(repository: Path, tmp_path: Path) -> Path:
    """A kept record of two ranks in a ring."""
    trace = tmp_path / "run" / "recording"
    trace.mkdir(parents=True)
    for path in (repository / "tests/data/record/ring/recording").glob("*.rank"):
        (trace / path.name).write_bytes(path.read_bytes())
    return tmp_path / "run"


def test_an_archive_of_otf2_is_read_back(kept: Path, tmp_path: Path) -> None:
    otf2 = pytest.importorskip("otf2")
    assert main(["trace", str(kept), "--export", "otf2", "-o", str(tmp_path / "otf2")]) == 0
    recording = read_recording(kept)
    entered, sent, received = 0, [], []
    locations = set()
    with otf2.reader.open(str(tmp_path / "otf2" / "traces.otf2")) as archive:
        for location, event in archive.events:
            entered += isinstance(event, otf2.events.Enter)
            name = str(location.name)
            locations.add(name)
            if isinstance(event, otf2.events.MpiSend):
                sent.append((name, event.receiver, event.msg_length))
            if isinstance(event, otf2.events.MpiRecv):
                received.append((name, event.sender, event.msg_length))
    # Threads are numbered within their rank.
    assert locations == {"rank 0, thread 0", "rank 1, thread 0"}
    assert entered == sum(len(calls) for calls in recording.matching.calls)
    sends, chosen = recording.matching.all[0], recording.matching.matched.send
    columns = (getattr(sends, name)[chosen].tolist() for name in ("rank", "peer", "bytes"))
    expected = sorted(zip(*columns, strict=True))
    assert sorted((int(name.split()[1][:-1]), to, n) for name, to, n in sent) == expected
    assert sorted((of, int(name.split()[1][:-1]), n) for name, of, n in received) == expected


def test_a_schedule_for_loggopsim_has_both_ends_of_each_message(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "ring.goal"
    assert main(["trace", str(kept), "--export", "goal", "-o", str(path)]) == 0
    ranks = re.split(r"\nrank \d+ {\n", path.read_text())
    assert ranks[0] == "num_ranks 2\n"
    found: dict[str, list[tuple[int, ...]]] = {"send": [], "recv": []}
    for rank, text in enumerate(ranks[1:]):
        labels: set[str] = set()
        for line in text.splitlines():
            if (made := re.match(r"(l\d+): (.+)", line)) is not None:
                labels.add(made[1])
                told = re.match(r"(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)", made[2])
                if told is not None:
                    size, peer, tag = (int(word) for word in told.groups()[1:])
                    ends = (rank, peer) if told[1] == "send" else (peer, rank)
                    found[told[1]].append((*ends, size, tag))
            elif " requires " in line:
                # What an operation needs stands before it, so that nothing waits for ever.
                assert set(line.split(" requires ")) <= labels
    assert sorted(found["send"]) == sorted(found["recv"])
    assert len([tag for *_, tag in found["send"] if tag < 1 << 24]) == 2 * 11


def test_waiting_is_the_sum_of_what_causes_it(kept: Path) -> None:
    recording = read_recording(kept)
    activity = activity_of(recording, Sites(recording.files))
    culprits = Culprits(activity, 2)
    total = float(recording.waits.seconds.sum())
    assert culprits.matrix.sum() == pytest.approx(total, rel=1e-6)
    assert sum(one.seconds for one in culprits.rows([0, 1])) == pytest.approx(total, rel=1e-6)


def test_mutated_records_end_in_a_sentence(kept: Path, tmp_path: Path, capsys: object) -> None:
    assert isinstance(capsys, pytest.CaptureFixture)
    path, chance = kept / "recording" / "0.rank", random.Random(2)
    whole = path.read_bytes()
    used = [place for place, byte in enumerate(whole) if byte]
    for _ in range(60):
        changed = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            changed[chance.choice(used)] = chance.randrange(256)
        path.write_bytes(changed)
        status = main(["trace", str(kept), "--export", "goal", "-o", str(tmp_path / "a"), "--json"])
        said = capsys.readouterr()
        if status:
            assert said.err.startswith("phasewise: ") and said.err.count("\n") == 1
            assert "Error" not in said.err
        else:
            assert json.loads(said.out)["calls"] >= 0


def test_recorded_programs_are_compared_alone(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(kept), str(kept), "--json"]) == 0
    one, other = json.loads(capsys.readouterr().out)["recorded"]
    assert one == other and (one["ranks"], one["messages"]) == (2, 2 * 11)
    assert main(["compare", str(kept), str(tmp_path)]) != 0
    assert "holds no recorded program, and the others do" in capsys.readouterr().err

"""A recorded program as a schedule for LogGOPSim, which a small simulator follows to its end."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.recorder.analysis import Analysis
from tests.mpi.recorded import LIBRARIES, built, ranks_of, record

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no MPI library with a compiler is here")
RANKS = 4
LINE = re.compile(r"(l\d+): (calc|send|recv) (\d+)b?(?: (?:to|from) (\d+) tag (\d+))?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of tests/data/record/replayed.c on four ranks."""
    folder = tmp_path_factory.mktemp("schedule")
    program = built(folder, "replayed.c", LIBRARIES[0])
    record(folder / "run", ranks_of(LIBRARIES[0], RANKS, program))
    return folder / "run"


class Rank:
    """The operations of a rank: label, kind, size or ns, peer and tag; and what each requires."""

    def __init__(self, text: str) -> None:
        self.operations = {m[0]: m[1:] for m in LINE.findall(text)}
        self.needs: dict[str, set[str]] = defaultdict(set)
        self.next: dict[str, list[str]] = defaultdict(list)
        for label, other in re.findall(r"(l\d+) requires (l\d+)", text):
            self.needs[label].add(other)
            self.next[other].append(label)


def ranks_in(path: Path) -> list[Rank]:
    return [Rank(text) for text in re.split(r"\nrank \d+ {\n", path.read_text())[1:]]


def followed(ranks: list[Rank]) -> list[float]:
    """When each rank ends [ns], if a message takes no time and a send ends when it is received. A
    send must have the bytes of its receive, and nothing may wait for ever.
    """
    left = [{label: set(one.needs[label]) for label in one.operations} for one in ranks]
    ready = [(k, label) for k, own in enumerate(left) for label in own if not own[label]]
    began: list[dict[str, float]] = [defaultdict(float) for _ in ranks]
    ended: list[dict[str, float]] = [{} for _ in ranks]
    waiting: dict[tuple[int, int, int, bool], list[tuple[int, str, str]]] = defaultdict(list)

    def end(number: int, label: str, time: float) -> None:
        ended[number][label] = time
        for following in ranks[number].next[label]:
            began[number][following] = max(began[number][following], time)
            left[number][following].remove(label)
            if not left[number][following]:
                ready.append((number, following))

    while ready:
        number, label = ready.pop()
        kind, size, peer, tag = ranks[number].operations[label]
        if kind == "calc":
            end(number, label, began[number][label] + int(size))
            continue
        sends = kind == "send"
        ends = (number, int(peer)) if sends else (int(peer), number)
        met = waiting[*ends, int(tag), not sends]
        if not met:
            waiting[*ends, int(tag), sends].append((number, label, size))
            continue
        other, name, expected = met.pop(0)
        assert size == expected
        both = max(began[number][label], began[other][name])
        end(number, label, both)
        end(other, name, both)
    assert [len(one) for one in ended] == [len(rank.operations) for rank in ranks]
    return [max(one.values()) for one in ended]


def test_a_schedule_ends_and_has_all_computing_and_all_waits(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "replayed.goal"
    assert main(["trace", str(folder), "--export", "goal", "-o", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["missing"] == ["the schedule leaves out nonblocking collectives (32 calls)"]
    ranks = ranks_in(path)
    took = followed(ranks)
    one = Analysis(folder).activity
    for lane, rank in enumerate(ranks):
        inside = (one.end - one.start)[one.lane == lane].sum()
        computed = float(one.ended[lane] - one.began[lane] - inside)
        shown = sum(int(size) for kind, size, *_ in rank.operations.values() if kind == "calc")
        assert shown == pytest.approx(1e9 * computed, abs=len(rank.operations))
        assert took[lane] >= shown
        # Each send is waited for: by its own call, or by that which completes its request.
        sends = {label for label, (kind, *_) in rank.operations.items() if kind == "send"}
        assert sends <= {one for needed in rank.needs.values() for one in needed}


def test_a_trace_that_is_cut_off_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = built(tmp_path, "ends.c", LIBRARIES[0])
    command = ranks_of(LIBRARIES[0], 2, program)
    found = record(tmp_path / "run", command, "--limit", "0.1")
    path = tmp_path / "ends.goal"
    assert main(["trace", str(tmp_path / "run"), "--export", "goal", "-o", str(path)]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert f"after the first {found['traced_until']:.3g} s is not in every rank's trace" in said
    followed(ranks_in(path))

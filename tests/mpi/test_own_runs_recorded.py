"""Runs of our own workloads, recorded as any MPI program is, have the messages of their own records
and of their plans, phase by phase.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from phasewise.machines.targets import find_driver
from phasewise.models.plan import plan
from phasewise.recorder.recording import Recording, read_recording
from phasewise.study import Study, load
from phasewise.traces.records import SEND, CommunicationRecord, Events, read_communication
from tests.mpi.recorded import LIBRARIES, checked, library_of_core, ranks_of, record

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no MPI library with a compiler is here")

RUNS = {
    "halo": (4, "halo", ["exchanges=20"]),
    "collision": (4, "yokoya-round", ["turns=2", "beam.1.macroparticles=200"]),
    "spacecharge": (2, "kv-fodo", ["turns=1", "bunch.macroparticles=1000", "solver.grid=[8,8,8]"]),
    "qcd": (2, "free-pion", ["lattice.size=[4,4,4,4]"]),
}
"""Ranks, example and changes for each workload."""

BUSY = 0.1
"""Seconds that an exchange may take where other processes have the processor meanwhile."""

Message = tuple[int, int]
"""The rank that receives it, and its bytes."""


def told(own: CommunicationRecord, rank: int) -> list[tuple[Message, str]]:
    """The messages that a rank sent by its own record, each with its phase."""
    events = Events(own)
    sent = events.of(rank)
    sent = sent[sent["kind"] == SEND]
    rows = zip(sent["peer"].tolist(), sent["bytes"].tolist(), sent["phase"].tolist(), strict=True)
    return [((peer, size), events.names[phase]) for peer, size, phase in rows]


def seen(recording: Recording, rank: int) -> list[Message]:
    """The messages that the recorder saw a rank send. Our exchanges post them; clocks and records
    go by MPI_Send outside of all phases.
    """
    calls, sends = recording.matching.calls[rank], recording.matching.ends[0][rank]
    posted = calls.among(sends.call, {"Isend"})
    return list(zip(sends.peer[posted].tolist(), sends.bytes[posted].tolist(), strict=True))


Sums = dict[str, tuple[int, int]]
"""Messages and bytes by phase."""


def summed(rows: Iterable[tuple[str, int, int]]) -> Sums:
    """The sums over rows of a phase, messages and bytes; without phases that send nothing."""
    found: Sums = {}
    for phase, messages, size in rows:
        before = found.get(phase, (0, 0))
        found[phase] = before[0] + int(messages), before[1] + int(size)
    return {phase: both for phase, both in found.items() if both[0]}


def planned(study: Study, own: CommunicationRecord, rank: int) -> Sums:
    """What a rank sends in each phase by its plan, and pieces as often as they came."""
    phases = plan(study, own.ranks, rank, pieces=own.pieces)["phases"]
    rows = ((one, own.turns * one.get("times", 1)) for one in phases if not one["library"])
    return summed(
        (one["name"], round(times * one["messages"]), round(times * one["bytes_per_rank"]))
        for one, times in rows
    )


@pytest.mark.parametrize("workload", RUNS)
def test_a_recorded_run_of_ours_has_the_messages_of_its_own_record_and_its_plan(
    workload: str, repository: Path, tmp_path: Path
) -> None:
    ranks, example, changes = RUNS[workload]
    path = repository / "examples" / example / "study.toml"
    sets = [word for change in changes for word in ("--set", change)]
    run = [sys.executable, "-m", "phasewise", "run", path, "--quiet", *sets]
    run += ["--out", tmp_path / "own", "--events", 100_000]
    record(tmp_path / "run", ranks_of(library_of_core(), ranks, *run))
    found, own = checked(tmp_path / "run"), read_communication(tmp_path / "own")
    study = load(path, changes)
    assert study.workload.name == workload
    for rank in range(ranks):
        messages = told(own, rank)
        # Message by message, so that the phases of ours are those of what the recorder saw.
        for peer in range(ranks):
            to_peer = [message for message, _ in messages if message[0] == peer]
            assert [message for message in seen(found, rank) if message[0] == peer] == to_peer
        by_phase = summed((phase, 1, size) for (_, size), phase in messages)
        ours = [one for one in own.phases if not one.library]
        kept = ((one.name, one.messages[rank], one.bytes[rank]) for one in ours)
        assert by_phase and by_phase == summed(kept) == planned(study, own, rank)


@pytest.mark.parametrize(("script", "level"), [("bare\n", False), ("threads\nbare\n", True)])
def test_messages_are_measured_in_a_program_of_one_thread_unless_the_script_says_otherwise(
    script: str, level: bool, tmp_path: Path
) -> None:
    (tmp_path / "script").write_text(script)
    probe = [find_driver(), "--probe", tmp_path / "script", "--out", tmp_path]
    # A rank that takes no part waits for the others.
    record(tmp_path / "run", ranks_of(library_of_core(), 3, *probe))
    assert read_recording(tmp_path / "run").in_threads is level
    last = (tmp_path / "samples.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    assert 1e-8 < json.loads(last)["bare"] < BUSY

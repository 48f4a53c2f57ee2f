"""What a run does with its records of the communication: written once, whole, and summed up."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

import phasewise
from phasewise.commands.run import _show
from phasewise.errors import RunError
from phasewise.mpi.ranks import together
from phasewise.runs import communication_file as communication
from phasewise.runs import folder as run_folder
from phasewise.runs.folder import RunFolder
from phasewise.runs.recording import Recording
from phasewise.runs.simulation import Simulation
from phasewise.study import Study
from phasewise.traces.records import Events, read_communication
from phasewise.traces.summary import communication_summary, show_communication
from phasewise.workloads.collision.laboratory import process_grids
from tests.sentences import one_sentence, refused, says
from tests.unit.fake_core import FakeRank, World, tables

FILES = ("communication.json", "events.bin")


def study(**changes):
    return Study.from_dict(tables(checkpoint_every=4) | changes)


def run(folder, ranks, plan=None, **options):
    plan = plan or study()
    World(ranks).run(lambda rank: phasewise.run(plan, folder, core=rank, **options).close())
    return folder


def test_the_record_holds_every_rank_and_what_they_have_in_common(tmp_path):
    content = json.loads((run(tmp_path, 3) / "communication.json").read_text())
    assert [entry["rank"] for entry in content["rank"]] == [0, 1, 2]
    assert (content["version"], content["kind"], content["machine"]) == (1, "run", None)
    assert (content["ranks"], content["turns"], content["first_turn"]) == (3, 10, 0)
    assert content["seconds"] == 10.0
    # Beam 1 has the larger half.
    assert content["process_grid"] == [[2, 1], [1, 1]]
    assert content["rank"][1]["phases"]["reduce_row"]["sent_to"] == {"2": [40, 40000]}
    assert not (tmp_path / "events.bin").exists()


def test_the_record_is_what_the_reader_expects(tmp_path):
    record = read_communication(run(tmp_path, 4))
    assert (record.ranks, record.turns, record.simulated) == (4, 10, False)
    assert record.grid_text == "2x1"
    assert record.traffic.matrix(4)[3].tolist() == [40000, 0, 0, 0]


def test_the_shape_of_each_beam_follows_from_the_places_of_its_ranks():
    places = [(1, column, row) for column in range(3) for row in range(2)] + [(2, 0, 4)]
    assert process_grids(study().model, places) == [[3, 2], [1, 5]]
    assert process_grids(study().model, [(1, 0, 0)]) == [[1, 1], [1, 1]]


def test_layout_and_algorithms_are_those_of_the_study(tmp_path):
    chosen = {"reduce": "mpi", "crossing": "4b", "phase": {"green": {"algorithm": "bruck"}}}
    plan = study(communication=chosen | {"aggregate": False, "layout": "random"})
    content = json.loads((run(tmp_path, 2, plan) / "communication.json").read_text())
    assert content["layout"] == "random"
    assert content["algorithms"] == {
        "reduce": "mpi",
        "broadcast": "hypercube",
        "schedule": "ring",
        "transpose": "pairwise",
        "aggregate": False,
        "crossing": "4b",
        "overlap": False,
        "green.algorithm": "bruck",
    }


@pytest.mark.parametrize("block", [1, 1 << 28])
def test_events_of_all_ranks_are_kept_one_rank_after_another(tmp_path, monkeypatch, block):
    monkeypatch.setattr(communication, "BLOCK", block)
    record = read_communication(run(tmp_path, 3, events=30))
    assert record.events.tolist() == [30, 30, 30]
    assert record.dropped_events.tolist() == [10, 10, 10]
    events = Events(record)
    assert len(events) == 90
    for rank in range(3):
        assert events.of(rank)["peer"].tolist() == [(rank + 1) % 3] * 30
        assert events.of(rank)["number"].tolist() == list(range(30))


def test_a_run_that_is_stopped_keeps_what_its_turns_recorded(tmp_path):
    def body(rank):
        folder = RunFolder(tmp_path)
        if rank.rank() == 0:
            folder.prepare(study(), None, False)
        simulation = Simulation(study(), core=rank)
        recording = Recording(simulation, folder, rank, False)
        for _ in range(3):
            simulation.step()
            recording.turn_done()
        recording.finish(complete=False)
        if rank.rank() == 0:
            folder.release()

    World(2).run(body)
    record = read_communication(tmp_path)
    assert record.turns == 3
    assert record.phase("reduce_row").messages.tolist() == [12, 12]


def test_after_a_resume_the_records_are_those_of_the_last_part(tmp_path):
    run(tmp_path, 2, study(turns=8), events=5)
    run(tmp_path, 3, resume=True)
    content = json.loads((tmp_path / "communication.json").read_text())
    assert (content["ranks"], content["first_turn"], content["turns"]) == (3, 8, 2)
    # The earlier time line belongs to other turns.
    assert not (tmp_path / "events.bin").exists()


def test_resuming_a_finished_run_leaves_its_record(tmp_path):
    run(tmp_path, 2, events=5)
    before = [(tmp_path / name).read_bytes() for name in FILES]
    run(tmp_path, 3, resume=True)
    assert [(tmp_path / name).read_bytes() for name in FILES] == before


@pytest.mark.parametrize("failing", [0, 1])
def test_a_record_that_the_disk_refuses_leaves_none(tmp_path, monkeypatch, failing):
    """The first file synced at the end is that of the events, the second that of the record."""
    run(tmp_path, 2, study(turns=8), events=5)
    synced = []

    def fsync(descriptor):
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        if name in ("events.bin.partial", "communication.json.partial"):
            synced.append(name)
            if len(synced) > failing:
                raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with refused("communication", tmp_path, "disk", "full", by=RunError):
        run(tmp_path, 2, resume=True, events=5)
    monkeypatch.undo()
    # The earlier pair, or no record: never one with another's events.
    assert (tmp_path / "communication.json").exists() == (failing == 0)
    if failing == 0:
        assert len(Events(read_communication(tmp_path))) == 10


def test_halves_that_a_killed_run_left_are_gone_after_the_next(tmp_path):
    run(tmp_path, 1, study(turns=8))
    halves = [tmp_path / "events.bin.partial", tmp_path / "checkpoint" / "turn-9.partial"]
    others = tmp_path / "mine.partial"
    for path in (*halves, others):
        path.write_bytes(b"half")
    run(tmp_path, 1, resume=True)
    assert [path.exists() for path in (*halves, others)] == [False, False, True]


@pytest.mark.parametrize("busy", [False, True])
def test_the_launcher_removes_the_halves_of_a_dead_run_and_of_no_other(tmp_path, monkeypatch, busy):
    monkeypatch.setattr(run_folder, "DYING_SECONDS", 0.1)
    folder = RunFolder(tmp_path)
    folder.prepare(study(), None, False)
    half = tmp_path / "communication.json.partial"
    half.write_bytes(b"half")
    if not busy:
        folder.release()  # as the system does for a dead process
    RunFolder(tmp_path).tidy()
    assert half.exists() == busy
    folder.release()


DYING = """
import fcntl, sys, time
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(0.3)
"""
"""A process that holds a lock for 0.3 s more, as a rank does that was killed and is not gone."""


def test_the_launcher_waits_for_the_lock_of_a_rank_that_is_still_dying(tmp_path, monkeypatch):
    # Much longer than a busy machine takes to end a process; the wait ends with the process.
    monkeypatch.setattr(run_folder, "DYING_SECONDS", 60.0)
    half = tmp_path / "summary.json.partial"
    half.write_bytes(b"half")
    command = [sys.executable, "-c", DYING, str(tmp_path / ".lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as rank:
        assert rank.stdout.readline() == "locked\n"
        RunFolder(tmp_path).tidy()
    assert not half.exists()


def test_a_folder_that_no_run_has_used_is_left_alone(tmp_path):
    half = tmp_path / "summary.json.partial"
    half.write_bytes(b"of somebody else")
    RunFolder(tmp_path).tidy()
    RunFolder(tmp_path / "absent").tidy()
    assert list(tmp_path.iterdir()) == [half]


def test_the_summary_gives_means_over_the_ranks_for_all_turns(tmp_path):
    # The fake core: 1 s a turn, of which 0.5 computing, 0.25 communicating, half of that waiting.
    assert communication_summary(read_communication(run(tmp_path, 2))) == {
        "seconds": 2.5,
        "share": 0.25,
        "phases": {
            "reduce_row": {
                "seconds": 2.5,
                "share": 0.25,
                "waiting": 1.25,
                "messages": 40.0,
                "bytes": 40000.0,
                "library": False,
            }
        },
        "load_balance": 1.0,
        "communication_efficiency": 0.5,
    }


def test_one_rank_alone_communicates_for_no_time(tmp_path):
    found = communication_summary(read_communication(run(tmp_path, 1)))
    assert (found["seconds"], found["share"]) == (0.0, 0.0)
    assert all(phase["messages"] == 0 for phase in found["phases"].values())


def shown(folder, capsys, **options):
    with phasewise.open_results(folder) as results:
        _show(results, argparse.Namespace(**({"json": False, "quiet": False} | options)))
    return capsys.readouterr().out


def test_a_run_on_several_ranks_ends_with_a_table_of_its_communication(tmp_path, capsys):
    text = shown(run(tmp_path, 2), capsys)
    says(text, "Communication", "25.0 %", "10 s", "10 turns", "2 ranks", "1x1", "column-first")
    (row,) = [line.split() for line in text.splitlines() if "reduce_row" in line]
    # Share of the run; least, mean, most and waiting [s]; messages and MB of a turn.
    assert row == ["reduce_row", "25.0", "2.5", "2.5", "2.5", "1.25", "4", "0.004"]
    says(text, "min, mean, max, wait: in s")
    last = text.splitlines()[-1]
    says(last, "balance 1.00", "communication efficiency 0.50", "parallel efficiency 0.50")


def test_what_the_library_does_is_marked(tmp_path, capsys):
    path = run(tmp_path, 2) / "communication.json"
    path.write_text(path.read_text().replace('"library": false', '"library": true'))
    text = shown(tmp_path, capsys)
    says(text, "reduce_row*")
    (note,) = (line for line in text.splitlines() if line.startswith("*"))
    says(note, "MPI", "calls", "volume")


@pytest.mark.parametrize("factor", [1e-6, 1.0, 1234.5])
def test_the_table_fits_eighty_columns(tmp_path, capsys, factor):
    path = run(tmp_path, 2) / "communication.json"
    content = json.loads(path.read_text())
    for rank in content["rank"]:
        phase = rank["phases"].pop("reduce_row")
        phase |= {"library": True, "messages": 999_990, "bytes": 987_654_321_012}
        times = {name: phase[name] * factor * 1.2345 for name in ("communicating", "waiting")}
        rank["phases"]["broadcast_column"] = phase | times
    path.write_text(json.dumps(content))
    show_communication(read_communication(tmp_path))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert "…" not in "".join(lines)
    assert max(len(line) for line in lines if "broadcast_column" in line or "% run" in line) <= 80


def test_one_rank_alone_has_no_table(tmp_path, capsys):
    assert "Communication" not in shown(run(tmp_path, 1), capsys)


def test_quiet_prints_nothing_and_json_one_object(tmp_path, capsys):
    run(tmp_path, 2)
    assert shown(tmp_path, capsys, quiet=True) == ""
    found = json.loads(shown(tmp_path, capsys, json=True))
    assert found["communication"]["phases"]["reduce_row"]["messages"] == 40
    assert json.loads((tmp_path / "summary.json").read_text()) == found


def test_a_folder_without_the_record_still_has_its_summary(tmp_path, capsys):
    (run(tmp_path, 2) / "communication.json").unlink()
    assert json.loads(shown(tmp_path, capsys, json=True))["communication"] is None


@pytest.mark.parametrize("phase", ["", "reduce_row"])
def test_a_rank_that_fails_says_in_which_phase(capsys, monkeypatch, phase):
    def body(rank):
        def action():
            if rank.rank() == 1:
                raise RunError("no memory")

        with pytest.raises(SystemExit) if rank.rank() == 1 else nullcontext():
            together(rank, action)

    monkeypatch.setattr(FakeRank, "current_phase", lambda _: phase)
    World(3).run(body)
    said = capsys.readouterr().err
    assert said.startswith("phasewise: ") and ("phase" in said.split()) == bool(phase)
    one_sentence(said, "rank 1", phase, "no memory")

"""How much of a core ranks had: recorded, told in a sentence, and what is compared without them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.machines.curves import Measured
from phasewise.models.causes import likely_cause
from phasewise.runs.core_share import QUIET as QUIET_SHARE
from phasewise.runs.core_share import CoreShare, ProcessorTimes, core_share_of
from phasewise.study import Study, load
from phasewise.tables.writing import document
from phasewise.traces.records import read_communication
from tests.unit.study_tables import tables
from tests.unit.synthetic_communication import write_communication

QUIET = CoreShare(0.98, 3.0, 8)
BUSY = CoreShare(0.2, 1234.0, 4, crowd=2, cores=2, load=10.4)


def record(folder: Path, share: Any, **head: Any) -> Path:
    """A folder with a record of 8 ranks that had this share of a core each."""
    write_communication(folder, machine="bassi")
    path = folder / "communication.json"
    content = json.loads(path.read_text()) | head
    for rank in content["rank"]:
        rank |= {"cpu_seconds": 0.006, "core_share": share, "involuntary_switches": 3}
    path.write_text(json.dumps(content))
    return folder


def runs(repository: Path, folder: Path, *shares: Any) -> list[str]:
    """Folders of runs whose ranks had these shares."""
    study = load(repository / "examples/paper/study.toml", []).resolved()
    folders = [record(folder / f"run{number}", share) for number, share in enumerate(shares)]
    for each in folders:
        (each / "study.json").write_text(json.dumps(study))
    return [str(each) for each in folders]


def test_a_busy_thread_has_cpu_time_and_a_sleeping_one_has_none() -> None:
    busy, asleep = ProcessorTimes(), ProcessorTimes()
    with busy.counted():
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
    with asleep.counted():
        time.sleep(0.3)
    # On a busy computer the wall time of 20 ms of work is long, but its CPU time is the same.
    assert 0.02 <= busy.own_seconds <= busy.seconds * 1.01
    assert busy.cpu_seconds >= busy.own_seconds * 0.99
    assert asleep.to_dict()["core_share"] < 0.1
    assert ProcessorTimes().to_dict()["core_share"] is None


YIELDS = "import os\nos.sched_setaffinity(0, {0})\nprint(flush=True)\nwhile True: os.sched_yield()"


def test_switches_count_the_yields_of_a_rank_that_waits() -> None:
    """Taken from it, in slices of milliseconds, the core would be lost some hundred times here."""
    before = os.sched_getaffinity(0)
    core = min(before)
    words = [sys.executable, "-c", YIELDS.replace("0}", f"{core}}}")]
    times = ProcessorTimes()
    with subprocess.Popen(words, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        try:
            os.sched_setaffinity(0, {core})
            with times.counted():
                for _ in range(2000):
                    os.sched_yield()
        finally:
            os.sched_setaffinity(0, before)
            other.kill()
    assert times.switches > 1000


def test_the_share_of_a_record_is_the_mean_over_its_ranks() -> None:
    ranks = [
        {"seconds": 2.0, "node": 0, "core_share": share, "involuntary_switches": 100 * number}
        for number, share in enumerate((0.1, 0.2, 0.6))
    ]
    found = core_share_of({"threads": 2, "cores": 4, "load_average": 7.5}, ranks)
    # 0, 100 and 200 switches in 2 s, and 3 ranks with 2 threads each on one node.
    assert found == CoreShare(pytest.approx(0.3), 50.0, 3, crowd=6, cores=4, load=7.5)
    assert core_share_of({}, [{"seconds": 2.0, "core_share": None}]) is None
    assert core_share_of({}, [{"seconds": 2.0}]) is None
    for wrong in (-0.1, 1.5, float("nan"), "much"):
        with pytest.raises(ValueError, match=r"cannot be|convert"):
            core_share_of({}, [{"seconds": 2.0, "core_share": wrong}])


def test_disturbed_ranks_are_told_in_a_sentence_with_the_cause() -> None:
    assert not QUIET.disturbed
    assert BUSY.disturbed
    assert BUSY.sentence == (
        "ranks had 20 % of a core (CPU time over wall time); another thread got it, yields of "
        "waiting ranks included, 1234 times a second: "
        "other work had the rest (load average 10.4 on 2 cores); times are not those of a quiet "
        "machine"
    )
    crowded = replace(BUSY, crowd=4)
    assert "4 ranks share 2 cores with other work (load average 10.4" in crowded.sentence
    assert "a second: 4 ranks share 2 cores; times" in replace(crowded, share=0.49).sentence
    assert "8 threads share 2 cores; times" in replace(crowded, share=0.24, crowd=8).sentence
    assert "other work or more ranks than cores" in replace(BUSY, cores=0).sentence
    assert replace(BUSY, ranks=1).sentence.startswith("the rank had 20 %")


def test_a_record_has_the_share_that_its_ranks_state(tmp_path: Path) -> None:
    found = read_communication(record(tmp_path / "new", 0.5, cores=4, threads=1))
    assert found.core_share is not None
    assert (found.core_share.share, found.core_share.cores) == (0.5, 4)
    write_communication(tmp_path / "old")
    assert read_communication(tmp_path / "old").core_share is None


def test_compare_flags_disturbed_runs_and_leaves_them_out_of_the_errors(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = runs(repository, tmp_path, 0.97, 0.2, None)
    assert main(["compare", "--json", "--model", "3", *folders]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [point["core_share"] for point in found["points"]] == [
        pytest.approx(0.97),
        pytest.approx(0.2),
        None,
    ]
    assert [point["disturbed"] for point in found["points"]] == [False, True, False]
    assert found["excluded"] == [folders[1]]
    kept = [abs(found["points"][number]["ratio"] - 1) for number in (0, 2)]
    assert found["mean_error"] == pytest.approx(sum(kept) / 2)
    assert main(["compare", "--model", "3", *folders]) == 0
    said = capsys.readouterr().out
    assert "run1*" in said and "run0*" not in said
    assert "* run1: ranks had 20 % of a core" in said and "it is not in the errors" in said


def test_without_an_undisturbed_run_there_is_no_error(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = runs(repository, tmp_path, 0.2)
    assert main(["compare", "--json", "--model", "3", *folders]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mean_error"] is None and found["points"][0]["ratio"] > 0


def test_a_prediction_off_by_more_than_its_interval_is_wrong(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The record's turn of 10 ms has nothing to do with the study's.
    folders = runs(repository, tmp_path, 0.97, 0.2)
    assert main(["compare", "--json", "--model", "3", *folders]) == 0
    first, second = json.loads(capsys.readouterr().out)["points"]
    assert first["turn_inside"] is False
    assert "the prediction of run0 by model 3 is wrong: a turn took 10 ms" in first["wrong"]
    assert first["wrong"].endswith("likely cause: the model")
    assert "likely cause: ranks had 20 % of a core" in second["wrong"]


def test_the_likely_cause_is_the_first_that_holds() -> None:
    bassi = load_machine("bassi")
    assert likely_cause(bassi, QUIET, "2026-01-02") == "the model"
    here = replace(bassi, measured=Measured("hardware", 8, "2026-01-01", "here"), curves=())
    assert likely_cause(here, QUIET, "2026-01-01", turns=9) == "the model"
    assert "measured on 2026-01-01, another day" in likely_cause(here, None, "2026-01-02")
    assert "the first turn" in likely_cause(here, None, "2026-01-02", turns=1)
    loaded = replace(here, measured=replace(here.measured, load=100.0))
    assert "load average of 100" in likely_cause(loaded, QUIET, "2026-01-02")
    assert likely_cause(loaded, BUSY, "2026-01-02") == BUSY.sentence


def test_a_run_records_the_share_and_its_summary_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.toml").write_text(document(Study.from_dict(tables()).resolved()))
    words = [str(tmp_path / "study.toml"), "--json", "--out", str(tmp_path / "run")]
    assert main(["run", *words]) == 0
    said = capsys.readouterr()
    content = json.loads((tmp_path / "run/communication.json").read_text())
    (rank,) = content["rank"]
    assert 0 < rank["core_share"] <= 1 and rank["cpu_seconds"] > 0
    assert content["cores"] >= 1 and content["threads"] == 1
    assert json.loads(said.out)["core_share"] == rank["core_share"]
    assert ("the rank had" in said.err) == (rank["core_share"] < QUIET_SHARE)

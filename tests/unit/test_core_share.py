"""How much of a core ranks had: recorded, told in a sentence, and what is compared without them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import phasewise
from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.machines.curves import Measured
from phasewise.models.causes import likely_cause
from phasewise.runs import core_share, memory_stream
from phasewise.runs.core_share import QUIET as QUIET_SHARE
from phasewise.runs.core_share import CoreShare, ProcessorTimes, core_share_of
from phasewise.study import Study, load
from phasewise.tables.writing import document
from phasewise.traces.records import read_communication
from tests.sentences import missing, one_sentence, says
from tests.unit.study_tables import tables
from tests.unit.synthetic_communication import write_communication

QUIET = CoreShare(0.98, 8)
BUSY = CoreShare(0.2, 4, crowd=2, cores=2, load=10.4)
OTHER = "other work"


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


class Clocks:
    """What the system tells a rank of its time [s]; it passes when a test says so."""

    wall = thread = process = 0.0
    switches = 0

    def pass_(self, wall: float, thread: float, process: float, switches: int) -> None:
        self.wall += wall
        self.thread += thread
        self.process += process
        self.switches += switches


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    """The clocks that ranks of a test read."""
    found = Clocks()
    clock = {"perf_counter": "wall", "thread_time": "thread", "process_time": "process"}
    read = {name: partial(getattr, found, told) for name, told in clock.items()}
    usage = partial(lambda _who: SimpleNamespace(ru_nivcsw=found.switches))
    monkeypatch.setattr(core_share, "time", SimpleNamespace(**read))
    monkeypatch.setattr(core_share, "resource", SimpleNamespace(RUSAGE_SELF=0, getrusage=usage))
    return found


def test_the_share_is_the_cpu_time_of_the_own_thread_in_the_wall_time_of_the_turns(
    clocks: Clocks,
) -> None:
    times = ProcessorTimes()
    assert times.to_dict()["core_share"] is None
    with times.counted():
        clocks.pass_(wall=0.5, thread=0.25, process=1.5, switches=7)
    clocks.pass_(wall=10.0, thread=5.0, process=5.0, switches=100)  # between the turns
    with pytest.raises(ZeroDivisionError), times.counted():
        clocks.pass_(wall=0.5, thread=0.125, process=0.25, switches=3)
        raise ZeroDivisionError
    assert (times.seconds, times.own_seconds, times.cpu_seconds) == (1.0, 0.375, 1.75)
    assert times.to_dict() == {
        "cpu_seconds": 1.75,
        "core_share": 0.375,
        "involuntary_switches": 10,
        "memory_bandwidths": [],
    }


def test_a_share_is_at_most_a_whole_core(clocks: Clocks) -> None:
    """Both clocks have ticks of their own, so that the thread's may be ahead."""
    times = ProcessorTimes()
    with times.counted():
        clocks.pass_(wall=0.5, thread=0.625, process=0.625, switches=0)
    assert times.to_dict()["core_share"] == 1.0


def test_the_share_of_a_record_is_the_mean_over_its_ranks() -> None:
    ranks = [
        {"seconds": 2.0, "node": 0, "core_share": share, "involuntary_switches": 100 * number}
        for number, share in enumerate((0.1, 0.2, 0.6))
    ]
    found = core_share_of({"threads": 2, "cores": 4, "load_average": 7.5}, ranks)
    # 3 ranks with 2 threads each on one node.
    assert found == CoreShare(pytest.approx(0.3), 3, crowd=6, cores=4, load=7.5)
    assert core_share_of({}, [{"seconds": 2.0, "core_share": None}]) is None
    assert core_share_of({}, [{"seconds": 2.0}]) is None
    for wrong in (-0.1, 1.5, float("nan"), "much"):
        with pytest.raises(ValueError):
            core_share_of({}, [{"seconds": 2.0, "core_share": wrong}])


def test_disturbed_ranks_are_told_in_a_sentence_with_the_cause() -> None:
    assert not QUIET.disturbed
    assert BUSY.disturbed
    one_sentence(BUSY.sentence, "ranks", "20 %", "core", OTHER, "load average", 10.4, "2 cores")
    crowded = replace(BUSY, crowd=4)
    one_sentence(crowded.sentence, "4 ranks", "2 cores", OTHER, 10.4)
    # Half a core for each of 4 ranks on 2 cores: nothing else took any.
    for alone, crowd in (
        (replace(crowded, share=0.49), "4 ranks"),
        (replace(crowded, share=0.24, crowd=8), "8 threads"),
    ):
        one_sentence(alone.sentence, crowd, "2 cores")
        assert missing(alone.sentence, OTHER, 10.4) == [OTHER, "10.4"]
    unknown = replace(BUSY, cores=0).sentence
    one_sentence(unknown, OTHER, "cores")
    assert missing(unknown, "2 cores")
    one_sentence(replace(BUSY, ranks=1).sentence, "rank", "20 %")


def test_bandwidth_that_other_work_takes_is_told_beside_that_of_the_machine() -> None:
    assert QUIET.shortage(13.6e9) is None
    assert replace(QUIET, bandwidth=12.5e9).shortage(13.6e9) is None
    slowed = replace(QUIET, bandwidth=7.5e9).shortage(13.6e9)
    one_sentence(slowed or "", "7.5 GB/s", "13.6 GB/s", OTHER)
    # Ranks without their cores explain more than what is left to them of the memory.
    assert replace(BUSY, bandwidth=7.5e9).shortage(13.6e9) == BUSY.sentence


def test_a_long_run_measures_its_bandwidth_at_both_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    short = Study.from_dict(tables() | {"turns": 2})
    phasewise.run(short, tmp_path / "short")
    assert bandwidths(tmp_path / "short") == []
    monkeypatch.setattr(memory_stream, "LONG", 0.0)
    phasewise.run(short, tmp_path / "long")
    both = bandwidths(tmp_path / "long")
    assert len(both) == 2 and all(1e8 < one < 1e13 for one in both)
    found = read_communication(tmp_path / "long").core_share
    assert found is not None and found.bandwidth == pytest.approx(sum(both) / 2)


def bandwidths(folder: Path) -> list[float]:
    (rank,) = json.loads((folder / "communication.json").read_text())["rank"]
    return list(rank["memory_bandwidths"])


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
    (note,) = (line for line in said.splitlines() if line.startswith("* "))
    one_sentence(note, "run1", "20 %", "core", "errors")


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
    one_sentence(first["wrong"], "run0", "model 3", "10 ms")
    assert missing(first["wrong"], "core")
    one_sentence(second["wrong"], "run1", "model 3", "10 ms", "20 %", "core")


def test_the_likely_cause_is_the_first_that_holds() -> None:
    bassi = load_machine("bassi")
    the_model = likely_cause(bassi, QUIET, "2026-01-02")
    says(the_model, "model")
    here = replace(bassi, measured=Measured("hardware", 8, "2026-01-01", "here"), curves=())
    assert likely_cause(here, QUIET, "2026-01-01", turns=9) == the_model
    says(likely_cause(here, None, "2026-01-02"), "2026-01-01", "2026-01-02")
    says(likely_cause(here, None, "2026-01-02", turns=1), "first turn")
    loaded = replace(here, measured=replace(here.measured, load=100.0))
    says(likely_cause(loaded, QUIET, "2026-01-02"), "load average", 100)
    assert likely_cause(loaded, BUSY, "2026-01-02") == BUSY.sentence
    slow = replace(QUIET, bandwidth=0.5 * loaded.processor.bandwidth)
    says(likely_cause(loaded, slow, "2026-01-02"), "stream")


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
    told = [line for line in said.err.splitlines() if not missing(line, "rank", "% of a core")]
    assert bool(told) == (rank["core_share"] < QUIET_SHARE)

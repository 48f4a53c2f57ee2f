"""`phasewise compare`: recorded times over predicted ones, and folders that it cannot use.

The record is that of tests/unit/synthetic_communication.py: 8 ranks, of a turn's 10 ms on average
3 ms in reduce_column, 1.5 ms in broadcast_row and 0.5 ms in moments.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.models import Case, predict
from phasewise.models.comparison import compare, machine_of
from phasewise.models.recorded_run import read_run
from phasewise.study import load
from phasewise.workloads.collision.tables.communication import BeamCommunication
from tests.commands import printed
from tests.sentences import command_refused, says
from tests.unit.synthetic_communication import write_communication

RECORDED = {"reduce_column": 3e-3, "broadcast_row": 1.5e-3, "moments": 0.5e-3}


@pytest.fixture
def folder(repository: Path, tmp_path: Path) -> Path:
    return recorded(repository, tmp_path / "run", machine="bassi")


def recorded(repository: Path, folder: Path, *overrides: str, **shape: Any) -> Path:
    """A folder with a record and its study, in which no process grid is given."""
    write_communication(folder, **shape)
    study = load(repository / "examples/paper/study.toml", list(overrides)).resolved()
    (folder / "study.json").write_text(json.dumps(study))
    edit(
        folder,
        algorithms={key: study["communication"][key] for key in BeamCommunication.ALGORITHMS},
    )
    return folder


def edit(folder: Path, **values: Any) -> None:
    path = folder / "communication.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def compared(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return printed(capsys, "compare", *words)


def test_the_ratio_is_recorded_over_predicted(
    folder: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compared(capsys, str(folder), "--model", "3")
    study = load(repository / "examples/paper/study.toml", ['communication.process_grid="2x2"'])
    expected = predict(Case(study, load_machine("bassi"), 8), "3")
    (point,) = found["points"]
    assert point["measured_seconds"] == pytest.approx(5e-3)
    assert point["predicted_seconds"] == expected.communication_seconds
    assert point["ratio"] == pytest.approx(5e-3 / expected.communication_seconds)
    for name, seconds in RECORDED.items():
        assert point["phases"][name] == pytest.approx(seconds / expected.phases[name])
    assert set(point["phases"]) == set(RECORDED)
    assert found["mean_error"] == pytest.approx(abs(point["ratio"] - 1))
    assert found["reference"] == "simulator"


def test_errors_are_of_the_totals_over_all_runs(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [
        recorded(repository, tmp_path / f"run{pcol}", machine="bassi", pcol=pcol) for pcol in (2, 4)
    ]
    found = compared(capsys, *map(str, folders), "--model", "3,1a")
    errors = [abs(point["ratio"] - 1) for point in found["points"]]
    assert len(errors) == 4
    assert found["mean_error"] == pytest.approx(sum(errors) / 4)
    assert found["worst_error"] == max(errors)
    assert set(found["models"]) == {"3", "1a"}
    own = [abs(p["ratio"] - 1) for p in found["points"] if p["model"] == "1a"]
    assert found["models"]["1a"]["worst_error"] == max(own)


def test_a_time_in_the_interval_is_inside(folder: Path) -> None:
    run = read_run(folder)
    (point,) = compare(run, load_machine("bassi"), "3")
    one = point.predicted
    for low, high, inside in ((4e-3, 6e-3, True), (1e-3, 4e-3, False), (6e-3, 9e-3, False)):
        values = {**one.to_dict(), "low": low, "high": high}
        assert replace(point, predicted=type(one)(**values)).inside == inside


def test_layout_and_process_grid_are_those_of_the_record(repository: Path, tmp_path: Path) -> None:
    shape = {"prow": 4, "pcol": 2, "machine": "bassi"}
    by_word = recorded(repository, tmp_path / "word", **shape, layout="row-first")
    by_file = recorded(repository, tmp_path / "file", **shape, layout="row-first")
    # The file of a layout may be gone: the record has the places.
    tables = json.loads((by_file / "study.json").read_text())
    tables["communication"]["layout"] = "/gone/places.txt"
    (by_file / "study.json").write_text(json.dumps(tables))
    edit(by_file, layout="/gone/places.txt")
    runs = [read_run(path) for path in (by_word, by_file)]
    assert runs[0].study.communication.process_grid == ((4, 2), (4, 2))
    points = [compare(run, load_machine("seaborg"), "3")[0] for run in runs]
    assert points[0].predicted.phases == points[1].predicted.phases


def test_algorithms_are_those_of_the_record_after_tuning(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = recorded(repository, tmp_path / "run")
    # As `tune = "auto"` leaves them: the study has what it began with, the record what it chose.
    chosen = {"reduce": "hypercube", "broadcast": "mesh", "crossing": "4a", "aggregate": False}
    edit(folder, algorithms=chosen | {"reduce_row.algorithm": "direct"}, tuned_turns=2)
    given = ('process_grid="2x2"', *(f"{key}={json.dumps(v)}" for key, v in chosen.items()))
    given = (*given, 'phase.reduce_row.algorithm="direct"')
    study = load(
        repository / "examples/paper/study.toml", [f"communication.{text}" for text in given]
    )
    assert read_run(folder).study.communication == study.communication
    expected = predict(Case(study, load_machine("bassi"), 8), "3").phases
    (point,) = compare(read_run(folder), load_machine("bassi"), "3")
    assert point.predicted.phases == expected
    words = (str(folder), "--machine", "bassi", "--model", "3")
    assert compared(capsys, *words)["points"][0]["tuned_turns"] == 2
    assert main(["compare", *words]) == 0
    says(capsys.readouterr().out, "2 of 3 turns", "algorithms")


def test_a_simulation_did_as_its_study_says(repository: Path, tmp_path: Path) -> None:
    given = ("communication.aggregate=false", 'communication.phase.reduce_row.algorithm="direct"')
    folder = recorded(repository, tmp_path / "run", *given, machine="bassi")
    # The driver records words, and nothing of single phases.
    edit(folder, algorithms={"reduce": "mesh", "aggregate": "0"})
    own = load(repository / "examples/paper/study.toml", list(given)).communication
    found = read_run(folder).study.communication
    assert (found.aggregate, found.phases) == (False, own.phases)


def test_data_dependent_pieces_come_as_often_as_on_the_rank_with_most(folder: Path) -> None:
    content = json.loads((folder / "communication.json").read_text())
    for rank in content["rank"]:
        rank["pieces"] = {"green": rank["rank"]}
    (folder / "communication.json").write_text(json.dumps(content))
    run = read_run(folder)
    assert run.pieces == {"green": (run.record.ranks - 1) / run.record.turns}


def test_a_simulated_run_is_compared_with_its_own_machine(folder: Path) -> None:
    edit(folder, machine={"name": "seaborg", "twin": "plain"}, kind="simulated")
    run = read_run(folder)
    assert (machine_of(run, None).name, run.twin) == ("seaborg", "plain")
    assert machine_of(run, "bassi").name == "bassi"


def test_a_run_of_some_steps_is_compared_with_what_these_may_be_off(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (whole,) = compare(read_run(folder), load_machine("bassi"), "3")
    edit(folder, sampled_steps=[4, 15])
    (few,) = compare(read_run(folder), load_machine("bassi"), "3")
    for low, high, part in (("low", "high", 1.02), ("turn_low", "turn_high", 1.1)):
        ends = [(getattr(one.predicted, low), getattr(one.predicted, high)) for one in (whole, few)]
        half = [math.log(above / below) / 2 for below, above in ends]
        assert half[1] == pytest.approx(math.hypot(half[0], math.log(part)))
    found = compared(capsys, str(folder), "--model", "3")
    assert found["excluded"] == [str(folder)]
    assert main(["compare", str(folder), "--model", "3"]) == 0
    says(capsys.readouterr().out, "4 of 15 steps", "within 2 %", "within 10 %")


def test_turns_are_compared_where_computation_took_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    point = compared(capsys, str(folder), "--model", "3")["points"][0]
    assert point["measured_turn_seconds"] == pytest.approx(10e-3)
    assert point["turn_ratio"] == pytest.approx(10e-3 / point["predicted_turn_seconds"])
    edit(folder, computation=False)
    point = compared(capsys, str(folder), "--model", "3")["points"][0]
    assert point["measured_turn_seconds"] is point["turn_ratio"] is None


def test_the_table_shows_ratios_errors_and_the_source(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(folder), "--model", "3"]) == 0
    shown = capsys.readouterr().out
    says(shown, "reduce_column", "ratio", "simulated", "bassi", "simulator")


def test_a_picture_is_drawn(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "ratios.png"
    words = (str(folder), str(folder), "--model", "3,1a", "--picture", str(target))
    compared(capsys, *words)
    assert target.read_bytes().startswith(b"\x89PNG")


def test_a_run_on_hardware_needs_its_machine(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(repository, tmp_path / "real")
    command_refused(capsys, ["compare", path], path, "--machine")
    found = compared(capsys, str(path), "--machine", "bassi", "--model", "3")
    assert (found["machine"], found["reference"]) == ("bassi", "hardware")


def test_folders_that_are_no_runs_are_refused_in_a_sentence(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = tmp_path / "absent"
    command_refused(capsys, ["compare", absent], absent, "folder of a run", status=1)
    (folder / "study.json").rename(folder / "other.json")
    command_refused(capsys, ["compare", folder], folder, "study.json", status=1)
    (folder / "study.json").write_text('{"turns": "many"}')
    facts = (folder / "study.json", "turns", '"many"')
    command_refused(capsys, ["compare", folder], *facts, status=1)
    (folder / "study.json").write_text("[1")
    command_refused(capsys, ["compare", folder], folder / "study.json", "damaged", status=1)
    edit(folder, machine="nowhere")
    (folder / "other.json").rename(folder / "study.json")
    command_refused(capsys, ["compare", folder], folder, '"nowhere"')
    edit(folder, machine="bassi", turns=0)
    command_refused(capsys, ["compare", folder], folder, "turn", status=1)

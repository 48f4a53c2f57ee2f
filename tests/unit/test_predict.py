"""`phasewise predict`: its JSON, tables, pictures and files for Extra-P, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.models import Prediction
from phasewise.models.extrap import export_extrap
from phasewise.tuning import automatic
from tests.sentences import Nearest, command_refused, says

POINT = {"ranks", "model", "communication_seconds", "low", "high", "exchange_seconds",
         "computation_seconds", "waiting_seconds", "turn_seconds", "turn_low", "turn_high",
         "phases", "variation", "of_rates"}  # fmt: skip


@pytest.fixture
def study(repository: Path) -> str:
    return str(repository / "examples/paper/study.toml")


@pytest.fixture(autouse=True)
def quick_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Process grids are chosen by the cheap model alone: the choice has tests of its own."""
    monkeypatch.setattr(automatic, "MOST_FOLLOWED", 0)


def predicted(capsys: pytest.CaptureFixture[str], study: str, *words: str) -> dict[str, Any]:
    assert main(["predict", study, "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_a_point_for_each_model_and_number_of_ranks(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--machine", "bassi", "--ranks", "32,64,32", "--model", "3,1a")
    found = predicted(capsys, study, *words)
    assert (found["machine"], found["model"], found["models"]) == ("bassi", "3", ["3", "1a"])
    pairs = [(point["model"], point["ranks"]) for point in found["points"]]
    assert pairs == [("3", 32), ("3", 64), ("1a", 32), ("1a", 64)]
    for point in found["points"]:
        assert set(point) == POINT
        assert point["low"] < point["communication_seconds"] < point["high"]
        messages = sum(point["phases"].values())
        assert point["communication_seconds"] == pytest.approx(messages + point["waiting_seconds"])
        assert point["turn_low"] < point["turn_seconds"] < point["turn_high"]


def test_every_output_of_a_described_machine_says_that_it_is_no_hardware(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--machine", "jaguar", "--ranks", "32", "--model", "1b")
    assert predicted(capsys, study, *words)["reference"] == "simulator"
    assert main(["predict", study, *words]) == 0
    says(capsys.readouterr().out, "simulator", "hardware")


def test_the_table_shows_totals_intervals_and_phases(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", study, "--machine", "bassi", "--ranks", "32,64", "--model", "3"]) == 0
    shown = capsys.readouterr().out
    says(shown, "32 ranks", "64 ranks", "broadcast_column", "90 %", "model 3")


def test_layout_and_algorithm_are_those_asked_for(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--machine", "bassi", "--ranks", "64", "--model", "3")
    base = predicted(capsys, study, *words)["points"][0]
    other = predicted(capsys, study, *words, "--layout", "column-first")
    assert other["layout"] == "column-first"
    assert other["points"][0]["exchange_seconds"] < base["exchange_seconds"]
    cube = predicted(capsys, study, *words, "--algorithm", "hypercube")["points"][0]
    keys = [f'communication.{key}="hypercube"' for key in ("reduce", "broadcast")]
    assert cube == predicted(capsys, study, *words, "--set", keys[0], "--set", keys[1])["points"][0]
    assert cube["exchange_seconds"] < base["exchange_seconds"]


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("--algorithm", "hypercub"), ("--algorithm", '"hypercub"', Nearest("hypercube"))),
        (("--algorithm", "mpi-gatherv"), ("--algorithm", '"mpi-gatherv"', "mesh", "node-aware")),
        (("--process-grid", "2x16"), ("communication.process_grid", '"2x16"', 64, 32, "4x4")),
        (("--model", "7"), ("model", '"7"', "1a", "contention", "measured")),
        (("--model", "4"), ("model 4", "phasewise machine measure --machine bassi")),
        (("--fit", "runs/a"), ("--fit", "measured", "--model")),
        (("--picture", "a.txt"), ("--picture", "a.txt", ".svg, .png, .pdf")),
        (("--export", "csv", "a.csv"), ("--export", '"csv"', "extrap")),
    ],
)
def test_what_cannot_be_predicted_is_refused_in_a_sentence(
    words: tuple[str, ...],
    facts: tuple[object, ...],
    study: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ["--machine", "bassi", "--ranks", "64,32"]
    if "--model" not in words:
        given += ["--model", "3"]
    command_refused(capsys, ["predict", study, *given, *words], *facts)


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_picture_is_written_whole(
    suffix: str, study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / f"turn{suffix}"
    words = ("--machine", "bassi", "--ranks", "32,64", "--model", "3,2,1a")
    predicted(capsys, study, *words, "--picture", str(target))
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    start = target.read_bytes()[:100]
    assert start.startswith(b"\x89PNG") if suffix == ".png" else b"<?xml" in start


def test_a_picture_that_cannot_be_written_ends_in_a_sentence(
    study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "absent" / "turn.svg"
    words = ["--machine", "bassi", "--ranks", "32", "--model", "3", "--picture", str(target)]
    command_refused(capsys, ["predict", study, *words], target, "written", status=1)


def point(ranks: int, model: str = "3", **phases: float) -> Prediction:
    total = sum(phases.values())
    return Prediction(
        ranks=ranks,
        model=model,
        communication_seconds=total,
        waiting_seconds=0.0,
        low=total / 2,
        high=2 * total,
        exchange_seconds=total,
        computation_seconds=1.0,
        turn_seconds=1.0 + total,
        turn_low=1.0,
        turn_high=2.0 + total,
        phases=phases,
    )


def test_the_text_for_extra_p_has_as_many_values_as_points(tmp_path: Path) -> None:
    target = tmp_path / "turn.txt"
    export_extrap(target, [point(32, solve=1.5e-7), point(64, solve=0.25, reduce_row=0.5)])
    assert target.read_text().splitlines() == [
        "PARAMETER p",
        "POINTS 32 64",
        "METRIC time",
        "REGION turn", "DATA 1.00000015", "DATA 1.75",
        "REGION turn->computation", "DATA 1.0", "DATA 1.0",
        "REGION turn->communication", "DATA 0.00000015", "DATA 0.75",
        "REGION turn->communication->solve", "DATA 0.00000015", "DATA 0.25",
        "REGION turn->communication->reduce_row", "DATA 0.0", "DATA 0.5",
    ]  # fmt: skip


MODELS = (("3", 1.0), ("1a", 0.5))


def test_json_for_extra_p_keeps_models_apart(tmp_path: Path) -> None:
    target = tmp_path / "turn.json"
    points = [point(p, model, solve=p * factor) for model, factor in MODELS for p in (32, 64)]
    export_extrap(target, points)
    found = json.loads(target.read_text())
    assert found["parameters"] == ["p"]
    assert found["measurements"]["turn->communication->solve"] == {
        "time (model 3)": [
            {"point": [32.0], "values": [32.0]},
            {"point": [64.0], "values": [64.0]},
        ],
        "time (model 1a)": [
            {"point": [32.0], "values": [16.0]},
            {"point": [64.0], "values": [32.0]},
        ],
    }


def test_the_command_exports_what_it_predicts(
    study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "turn.json"
    words = ("--machine", "bassi", "--ranks", "32,64", "--model", "3")
    found = predicted(capsys, study, *words, "--export", "extrap", str(target))
    rows = json.loads(target.read_text())["measurements"]["turn->communication"]["time"]
    assert [row["values"] for row in rows] == [
        [point["communication_seconds"]] for point in found["points"]
    ]

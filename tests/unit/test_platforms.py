"""`phasewise platforms`: its JSON, table and picture, the best grid, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.models import Prediction
from phasewise.models.platforms import PlatformPoint, communication_bound
from phasewise.study import Study, load
from tests.sentences import Nearest, command_refused, one_sentence, says

pytest.importorskip("phasewise._core", reason="the core is not built")

POINT = {"machine", "ranks", "process_grid", "rate", "unit", "step_seconds",
         "communication_share", "phases"}  # fmt: skip


@pytest.fixture
def study(repository: Path) -> str:
    return str(repository / "examples/paper/study.toml")


def compared(capsys: pytest.CaptureFixture[str], study: str, *words: str) -> dict[str, Any]:
    assert main(["platforms", study, "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_there_is_a_point_for_each_machine_and_number_of_ranks(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--machine", "bassi,jaguar", "--ranks", "64,32", "--model", "3")
    # The paper's model 3 has no row of Jaguar's, which has one rank a node: as 1b.
    found = compared(capsys, study, *words)
    pairs = [(point["machine"], point["ranks"]) for point in found["points"]]
    assert pairs == [("bassi", 32), ("bassi", 64), ("jaguar", 32), ("jaguar", 64)]
    for point in found["points"]:
        assert set(point) == POINT
        assert point["unit"] == "turns/s"
        assert point["rate"] == pytest.approx(1 / point["step_seconds"])
        assert 0 < sum(point["phases"].values()) <= point["communication_share"] * (1 + 1e-12) < 1
    assert set(found["communication_bound"]) == {"bassi", "jaguar"}
    assert found["reference"] == "simulator"


def halo_study(folder: Path) -> str:
    path = folder / "study.toml"
    path.write_text('workload = "halo"\nexchanges = 1\n[halo]\nwords = 256\n')
    return str(path)


def test_the_process_grid_is_the_fastest_of_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = halo_study(tmp_path)
    words = ("--machine", "bassi", "--ranks", "16")
    best = compared(capsys, written, *words)["points"][0]
    given = [
        compared(capsys, written, *words, "--set", f'communication.process_grid="{grid}"')
        for grid in ("16x1", "8x2", "4x4", "2x8", "1x16")
    ]
    rates = {found["points"][0]["process_grid"]: found["points"][0]["rate"] for found in given}
    assert best["rate"] == max(rates.values()) == rates[best["process_grid"]]


def test_numbers_of_ranks_that_a_machine_has_not_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["platforms", halo_study(tmp_path), "--machine", "altix", "--ranks", "64,512"]) == 0
    done = capsys.readouterr()
    one_sentence(done.err, "left out", "altix", 256, "512 ranks")


def test_numbers_of_ranks_that_the_study_refuses_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text('workload = "commtest"\nexchanges = 1\n[commtest]\nbytes = 64\n')
    words = ["platforms", str(path), "--machine", "altix,phoenix", "--ranks", "1,2", "--json"]
    assert main(words) == 0
    done = capsys.readouterr()
    found = json.loads(done.out)
    assert [(one["machine"], one["ranks"]) for one in found["points"]] == [
        ("altix", 2),
        ("phoenix", 2),
    ]
    assert [(one["machine"], one["ranks"]) for one in found["left_out"]] == [
        ("altix", 1),
        ("phoenix", 1),
    ]
    reason = ("commtest.pairs", '"0-1"', 2, 1)
    for machine, line in zip(("altix", "phoenix"), done.err.splitlines(), strict=True):
        one_sentence(line, "left out", *reason, machine, "1 rank")
    words = ["platforms", str(path), "--machine", "altix,phoenix", "--ranks", "1"]
    command_refused(capsys, words, *reason)


def test_a_machine_that_is_too_small_leaves_the_others_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compared(capsys, halo_study(tmp_path), "--machine", "altix,bassi", "--ranks", "512")
    assert [one["machine"] for one in found["points"]] == ["bassi"]
    assert [one["machine"] for one in found["left_out"]] == ["altix"]


def test_tables_name_the_grid_that_stands_for_auto(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = halo_study(tmp_path)
    point = compared(capsys, written, "--machine", "bassi", "--ranks", "1")["points"][0]
    assert point["process_grid"] == "1x1"
    predicted = ["predict", written, "--machine", "bassi", "--ranks", "6,16"]
    assert main([*predicted, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["process_grids"] == {"6": "3x2", "16": "4x4"}
    assert main(predicted) == 0
    says(capsys.readouterr().out, "6, 16 ranks", "3x2, 4x4")


def test_the_table_and_the_picture_show_machines_and_bounds(
    study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "platforms.svg"
    words = ["--machine", "bassi,jaguar", "--ranks", "32,256", "--model", "3"]
    assert main(["platforms", study, *words, "--picture", str(picture)]) == 0
    shown = capsys.readouterr()
    says(shown.out, "bassi", "jaguar", "half", "simulator", "hardware")
    says(shown.err, picture)
    assert "<svg" in picture.read_text()


def point(study: Study, ranks: int, communicating: float) -> PlatformPoint:
    prediction = Prediction(
        ranks=ranks, model="3", communication_seconds=communicating, waiting_seconds=0.0,
        low=communicating, high=communicating, exchange_seconds=communicating,
        computation_seconds=1.0, turn_seconds=1.0 + communicating, turn_low=1.0, turn_high=3.0,
        phases={"halo_x": communicating},
    )  # fmt: skip
    return PlatformPoint("bassi", study, prediction)


def test_the_bound_is_where_communication_takes_over_for_good(tmp_path: Path) -> None:
    study = load(halo_study(tmp_path))
    for shares, bound in [
        ({1: 0.0, 2: 2.0, 4: 0.5, 8: 1.5, 16: 3.0}, 8),
        ({1: 0.0, 2: 2.0, 4: 1.0}, None),
        ({1: 2.0, 2: 2.0}, 1),
    ]:
        points = [point(study, ranks, seconds) for ranks, seconds in shares.items()]
        assert communication_bound(points) == bound
    assert point(study, 4, 3.0).phases == {"halo_x": 0.75}


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("--machine basi --ranks 4", ("machine", '"basi"', Nearest("bassi"))),
        ("--machine bassi --ranks 4,0", ("--ranks", 0, 1)),
        ("--machine altix --ranks 512", ("altix", 256, 512)),
        ("--machine bassi --ranks 32 --model 33", ("model", '"33"', Nearest("3"))),
        ("--machine bassi --ranks 32 --picture a.gif", ("--picture", "a.gif", ".svg", ".png")),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(
    study: str, words: str, facts: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command_refused(capsys, ["platforms", study, *words.split()], *facts)

"""Texts and files count in the unit of the study's workload, here exchanges of `halo`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.errors import PhasewiseError
from phasewise.machines.smpirun import simulated_tree
from phasewise.models.plan import plan
from phasewise.mpi.rank_output import RankOutput
from phasewise.runs.trials import Halving
from phasewise.study import load
from phasewise.traces.records import common_unit, read_communication
from phasewise.traces.summary import show_communication
from phasewise.workload.interface import Unit
from tests.sentences import command_refused, says
from tests.unit.synthetic_communication import write_communication

EXCHANGE = Unit("exchange", "exchanges")
STUDY = "examples/halo/study.toml"
TURN = re.compile(r"\bturns?\b", re.IGNORECASE)


def simulator_missing() -> bool:
    try:
        simulated_tree()
    except PhasewiseError:
        return True
    return False


@pytest.fixture(name="study")
def study_of_halo(repository: Path) -> str:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    return str(repository / STUDY)


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """What a command prints, which names no turn."""
    assert main(argv) == 0
    printed = capsys.readouterr()
    text = printed.out + printed.err
    assert not TURN.search(text), text
    return text


def counted(folder: Path, unit: Unit | None) -> Path:
    """The folder of a run whose record counts 3 of a unit; None: as before units were written."""
    write_communication(folder)
    path = folder / "communication.json"
    content: dict[str, Any] = json.loads(path.read_text())
    if unit is not None:
        content |= {"unit": [unit.one, unit.many], unit.many: content.pop("turns")}
    path.write_text(json.dumps(content))
    return folder


def test_a_unit_has_its_article() -> None:
    assert (Unit().indefinite, EXCHANGE.indefinite) == ("a turn", "an exchange")


def test_a_record_knows_its_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = read_communication(counted(tmp_path / "halo", EXCHANGE))
    assert (record.unit, record.turns) == (EXCHANGE, 3)
    show_communication(record)
    text = capsys.readouterr().out
    says(text, "3 exchanges", "8 ranks", "an exchange")
    assert not TURN.search(text)


def test_a_record_without_a_unit_counts_turns(tmp_path: Path) -> None:
    record = read_communication(counted(tmp_path / "old", None))
    assert (record.unit, record.turns) == (Unit(), 3)


def test_records_of_different_units_are_named_by_both(tmp_path: Path) -> None:
    units = (None, EXCHANGE)
    records = [read_communication(counted(tmp_path / str(unit), unit)) for unit in units]
    assert common_unit(records[1:]) == EXCHANGE
    says(common_unit(records).indefinite, "turn", "exchange")


def test_a_unit_whose_count_is_missing_is_damage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = counted(tmp_path / "run", None)
    path = folder / "communication.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"unit": ["step", "steps"]}))
    words = ["compare", folder, "--machine", "bassi"]
    command_refused(capsys, words, path, "damaged", "steps", status=1)


def test_a_plan_is_of_an_exchange(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    says(shown(capsys, "plan", study, "--ranks", "6"), "MB per exchange")
    assert {phase["per"] for phase in plan(load(study), 6)["phases"]} == {"exchange"}


def test_a_prediction_is_of_an_exchange(
    study: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    points = tmp_path / "points.txt"
    argv = ["predict", study, "--ranks", "4,8", "--machine", "bassi"]
    text = shown(capsys, *argv, "--export", "extrap", str(points))
    says(text, "exchange", "[ms]")
    assert "REGION exchange->communication->halo_x" in points.read_text()
    assert not TURN.search(points.read_text())


def test_a_tuner_compares_exchanges(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["tune", study, "--machine", "bassi", "--ranks", "4", "--verify", "0"]
    says(shown(capsys, *argv), "candidates", "the first exchange of a run", "ms")
    command_refused(capsys, [*argv, "--cores", "8"], "--cores", "exchanges")


def test_a_search_has_too_few_exchanges() -> None:
    search = Halving([{}, *({"variant": k} for k in range(9))], 12, EXCHANGE.many)
    says(search.trials[-1].note, "not tried", "few", "exchanges")


def test_ranks_are_stopped_before_the_first_exchange() -> None:
    output = RankOutput(quiet=True, unit=EXCHANGE.one)
    says(output.verdict(1, True) or "", "signal", "first exchange")


@pytest.mark.skipif(simulator_missing(), reason="SimGrid or the simulated build is missing")
def test_a_simulation_is_of_exchanges(
    study: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    argv = ["simulate", study, "--machine", "bassi", "--ranks", "4", "--turns", "3"]
    text = shown(capsys, *argv, "--events", "1000", "--out", str(folder))
    says(text, "3 exchanges", "4 ranks", "an exchange")
    content = json.loads((folder / "communication.json").read_text())
    assert (content["unit"], content["exchanges"]) == (["exchange", "exchanges"], 3)
    assert "turns" not in content
    says(shown(capsys, "compare", str(folder)), "exchange", "[ms]", "measured", "predicted")
    page = folder / "report.html"
    shown(capsys, "report", str(folder), "--output", str(page))
    words = re.sub(r"<[^>]*>", " ", re.sub(r"<(style|script).*?</\1>", "", page.read_text()))
    says(words, "an exchange")
    assert not TURN.search(words)

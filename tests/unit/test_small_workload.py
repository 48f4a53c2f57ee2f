"""A workload that declares only what it must: everything else has a neutral default."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import numpy as np
import pytest

from phasewise.report.contents import make_report
from phasewise.runs.checkpoint import restore, write_checkpoint
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.summary import show_summary, summarise
from phasewise.study import Study
from phasewise.tables.declared import declared, flat_of, key, schema_of, values_of
from phasewise.tables.keys import Key, check_table, with_defaults
from phasewise.tuning.running import run
from phasewise.workload import discovery
from phasewise.workload.communication import NODE_SIZE, Communication
from phasewise.workload.interface import Unit, Workload
from tests.sentences import Nearest, refused, says
from tests.unit.core_contract import rows_come_back_as_they_were
from tests.unit.fake_core import FakeRank, World
from tests.unit.fake_run import phase_record


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The keys of [rows]."""

    length: int = key("integer", 8, least=1, flat=True)
    pace: float = key("number", 1.0, above=0, unit="m/s", flat="speed")


@dataclass(frozen=True, kw_only=True)
class OneWay(Communication):
    """The keys of [communication]."""

    node_size: int = declared(NODE_SIZE)


@dataclass(frozen=True)
class Model:
    rows: Rows


def read(tables: Any, _records: Any, _folder: Path) -> Model:
    schema = schema_of(Rows)
    return Model(Rows(**with_defaults(check_table(tables["rows"] or {}, schema, "rows"), schema)))


def read_communication(table: object, _folder: Path) -> OneWay:
    schema = schema_of(OneWay)
    return OneWay(**with_defaults(check_table(table, schema, "communication"), schema))


WORKLOAD = Workload(
    name="ladder",
    title="rows of numbers",
    unit=Unit("step", "steps"),
    tables={"rows": Key("table")},
    read=read,
    resolved=lambda model: {"rows": values_of(model.rows)},
    parameters=lambda model: ((f"rows.{name}", value) for name, value in flat_of(model.rows)),
    communication=schema_of(OneWay),
    read_communication=read_communication,
    records={},
)


class Climbing:
    """A run of it: every step adds one to each of a rank's rows, which are dealt out in turn."""

    device = "cpu"
    device_buffers = None
    finished = False

    def __init__(self, rank: FakeRank, length: int) -> None:
        self.turn = 0
        self._rank = rank
        self._ids = np.arange(rank.rank(), length, rank.size(), dtype=np.int64)
        self._height = self._ids * 100.0

    def step(self) -> None:
        self._height = self._height + 1
        self.turn += 1

    def set_turn(self, turn: int) -> None:
        self.turn = turn

    def record(self) -> dict[str, Any]:
        return {}

    def state(self) -> dict[str, dict[str, Any]]:
        return {"rungs": {"id": self._ids[::-1], "height": self._height[::-1]}}

    def owned(self, rows: str) -> Any:
        assert rows == "rungs"
        return self._ids

    def restore(self, rows: str, ids: Any, columns: Any) -> None:
        assert rows == "rungs" and ids.tolist() == self._ids.tolist()
        self._height = columns["height"]

    def phases(self) -> list[Any]:
        return []

    def kernels(self) -> list[Any]:
        return []

    def communication(self, events: bool) -> tuple[str, bytes]:
        assert not events
        record = {
            "rank": self._rank.rank(), "node": 0, "place": [self._rank.rank()],
            "seconds": float(self.turn), "clock_offset": 0.0, "names": ["climb"],
            "phases": {"climb": phase_record(self.turn, 0, 0.0)},
        }  # fmt: skip
        return json.dumps(record), b""


class Core:
    """A rank whose core starts such runs."""

    def __init__(self, rank: FakeRank) -> None:
        self._rank = rank

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rank, name)

    def start(self, parameters: str, _threads: int = 1) -> Climbing:
        values = dict(line.split(" = ") for line in parameters.splitlines())
        assert values["workload"] == "ladder"
        return Climbing(self._rank, int(values["rows.length"]))


@pytest.fixture(autouse=True)
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The workload, found as if it had a package."""
    package = ModuleType("phasewise.workloads.ladder")
    package.__path__ = [str(tmp_path)]
    package.WORKLOAD = WORKLOAD  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, package.__name__, package)
    known = discovery.workloads() | {"ladder": WORKLOAD}
    monkeypatch.setattr(discovery, "workloads", lambda: known)
    yield


TABLES = {"title": "up", "workload": "ladder", "steps": 6, "rows": {"length": 5}}


def study(**records: Any) -> Study:
    return Study.from_dict(TABLES | {"records": records})


def test_a_study_counts_in_the_workloads_unit_and_resolves_to_itself() -> None:
    found = study()
    assert (found.steps, found.rows.pace, found.derived()) == (6, 1.0, {"warnings": []})
    assert Study.from_dict(found.resolved()) == found
    lines = found.parameters().splitlines()
    assert lines[0].endswith(" = 6") and lines[1:3] == ["seed = 1", "workload = ladder"]
    assert "rows.speed = 1.0" in lines and "communication.node_size = 0" in lines


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"turns": 3}, ('"turns"', "title, steps, seed, workload, rows")),
        ({"rows": {"lenght": 3}}, ("rows", '"lenght"', Nearest("length"))),
        ({"rows": {"pace": -1}}, ("rows.pace", -1, 0, "(m/s)")),
        ({"workload": "lader"}, ("workload", '"lader"', Nearest("ladder"))),
        ({"steps": None}, ("steps", "integer")),
    ],
)
def test_what_it_does_not_have_is_refused(
    change: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        Study.from_dict(TABLES | change)


def test_a_run_has_records_a_summary_and_a_report(tmp_path: Path, capsys: Any) -> None:
    def body(rank: FakeRank) -> None:
        core: Any = Core(rank)
        run(study(), tmp_path / "run", core=core)

    World(2).run(body)
    with Results(tmp_path / "run") as results:
        assert results.workload is WORKLOAD
        assert results.rows("step").tolist() == list(range(6))
        with refused("results of ladder", "'step'", "rows('step')", by=AttributeError):
            _ = results.step
        summary = summarise(results)
        assert summary["steps"] == 6 and summary["seconds_per_step"] > 0
        show_summary(summary, results.study)
    says(capsys.readouterr().out, "steps", 6, "per step")
    record = json.loads((tmp_path / "run/communication.json").read_text())
    assert record["process_grid"] == [[2]]
    page = make_report(tmp_path / "run").path.read_text()
    says(page, "6 of 6 steps", "per step")


def test_its_rows_keep_the_contract_of_every_run() -> None:
    World(2).run(lambda rank: rows_come_back_as_they_were(Climbing(rank, 5)))


@pytest.mark.parametrize(("written", "read_on"), [(1, 3), (3, 2)])
def test_its_rows_return_on_any_number_of_ranks(tmp_path: Path, written: int, read_on: int) -> None:
    def write(rank: FakeRank) -> None:
        core: Any = Core(rank)
        simulation = Simulation(study(), core=core)
        simulation.run(4)
        write_checkpoint(tmp_path, simulation.driver, core, study())

    World(written).run(write)
    with h5py.File(tmp_path / "turn-000000000004.h5") as file:
        assert file["rungs/id"][...].tolist() == [0, 1, 2, 3, 4]

    def read_back(rank: FakeRank) -> tuple[int, list[float]]:
        core: Any = Core(rank)
        simulation = Simulation(study(), core=core)
        assert restore(tmp_path, simulation.driver, core, study()) == []
        driver: Any = simulation.driver
        return driver.turn, driver.state()["rungs"]["height"].tolist()

    found = World(read_on).run(read_back)
    assert {turn for turn, _ in found} == {4}
    heights = sorted(height for _, own in found for height in own)
    assert heights == [4.0, 104.0, 204.0, 304.0, 404.0]

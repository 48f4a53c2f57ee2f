"""`tune = "auto"` on several ranks: the bits of any other run, and a record that says what ran."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.runs.simulation import Simulation
from phasewise.study import Study
from phasewise.traces.records import read_communication
from tests.mpi.whole_run import STUDY, datasets, ran
from tests.sentences import refused, says
from tests.unit.fake_core import tables

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

RANKS = 4
TURNS = 108
"""Half of them are enough for all ways to exchange on four ranks (phasewise.runs.trials)."""
AUTO = ["--set", "communication.tune=auto"]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study in whose columns two processes share a mesh."""
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    text = STUDY.replace("turns = 12", f"turns = {TURNS}").replace("[64, 64]", "[16, 16]")
    text = text.replace("checkpoint_every = 6", "checkpoint_every = 80")
    path = tmp_path / "tuned.toml"
    path.write_text(text + '[communication]\nprocess_grid = "1x2"\n')
    return path


def tuning(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "tuning.json").read_text())
    assert isinstance(found, dict)
    return found


@mpi
def test_trying_other_ways_to_exchange_changes_no_bit(study: Path, tmp_path: Path) -> None:
    plain, tuned = tmp_path / "plain", tmp_path / "tuned"
    alone = ["--set", "communication.process_grid=1x1"]
    ran(study, "--quiet", "--out", plain, *alone)
    ran(study, "--ranks", RANKS, "--quiet", "--out", tuned, *AUTO)
    found = tuning(tuned)
    tried = [entry for entry in found["candidates"] if entry["turns"]]
    assert len(tried) > 4
    assert {key for entry in tried for key in entry["changes"]} >= {"reduce", "transpose"}
    assert found["turns"] == sum(entry["turns"] for entry in tried) <= TURNS // 2
    assert datasets(tuned) == datasets(plain)

    # A run that goes on takes the choice at once.
    ran(study, "--ranks", RANKS, "--quiet", "--out", tuned, "--resume", *AUTO, "--set", "turns=112")
    again = tuning(tuned)
    assert (again["turns"], again["choice"]) == (0, found["choice"])
    assert again["from_cache"] == str(tuned / "tuning.json")
    words = {True: "yes", False: "no"}
    choice = {key: words.get(value, value) for key, value in found["choice"].items()}
    assert read_communication(tuned).algorithms == choice


def stepped(change: dict[str, Any]) -> tuple[Simulation, dict[str, Any]]:
    """Four turns in this process, the last two after `change` of how is exchanged."""
    simulation = Simulation(Study.from_dict(tables()))
    simulation.run(2)
    if change:
        other = Study.from_dict(tables() | {"communication": change})
        simulation.set_communication(other.communication)
    simulation.run(2)
    beam = simulation.beam(1)
    order = np.argsort(beam.id)
    return simulation, {name: getattr(beam, name)[order] for name in ("x", "px", "y", "z")}


def test_a_simulation_goes_on_with_the_same_bits_and_its_counts_do() -> None:
    plain, expected = stepped({})
    changed, found = stepped({"overlap": True, "reduce": "mesh", "transpose": "bruck"})
    assert all(np.array_equal(found[name], expected[name]) for name in expected)
    items = [{k["name"]: k["items"] for k in s.driver.kernels()} for s in (plain, changed)]
    assert items[0]["encounter"] == items[1]["encounter"] > 0
    assert changed.communication.reduce == "mesh"


@pytest.mark.parametrize(
    ("key", "value", "facts"),
    [
        ("communication.reduce", "hypercub", ("direct, mesh, hypercube",)),
        ("communication.process_grid", "1 1 1 1", ("ranks", "places")),
        ("communication.layout", "random", ("ranks", "places")),
        ("communication.node_size", "2", ("ranks", "places")),
        ("turns", "3", ("key",)),
        ("communication.phase.green.algorithm", "mesh", ("pairwise, ring",)),
    ],
)
def test_what_cannot_be_used_is_refused_and_all_goes_on(
    key: str, value: str, facts: tuple[str, ...]
) -> None:
    simulation, expected = Simulation(Study.from_dict(tables())), stepped({})[1]
    simulation.run(2)
    with refused("line 1", key, *facts, by=ValueError):
        simulation.driver.set_communication(f"{key} = {value}\n")
    simulation.run(2)
    beam = simulation.beam(1)
    assert np.array_equal(beam.x[np.argsort(beam.id)], expected["x"])


def test_one_rank_alone_says_that_it_has_nothing_to_tune(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Study.from_dict(tables() | {"communication": {"tune": "auto"}})
    phasewise.run(plan, tmp_path).close()
    says(capsys.readouterr().err, "one rank", "nothing")
    assert tuning(tmp_path)["choice"] is None


def test_a_misspelt_word_names_the_nearest() -> None:
    with refused("communication.tune", '"autos"', nearest="auto"):
        Study.from_dict(tables() | {"communication": {"tune": "autos"}})

"""Several workloads in one ring on several ranks: the same bits, checkpoints, the plan."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.tables.writing import document
from phasewise.traces.records import read_communication
from tests.commands import printed
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, differing, ran
from tests.unit.ring_study import study, tables

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
simulated = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

WAYS: list[dict[str, Any]] = [
    {},
    {
        "collision": {"reduce": "direct", "broadcast": "node-aware", "layout": "random"},
        "spacecharge": {"charge": "hypercube", "field": "direct", "transpose": "ring"},
        "node_size": 2,
    },
]

SCRIPT = (
    COUNTS
    + """
from tests.mpi.test_ring import WAYS, fingerprint
from tests.unit.ring_study import study

for way in WAYS:
    bits = fingerprint(way)
    assert core.rank() > 0 or bits == EXPECTED, way
    parameters = study(communication=way).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), way, found, expected)
print("agrees")
"""
)


def fingerprint(way: dict[str, Any]) -> str:
    """All records of two turns and all particles by id, on rank 0; exchanges change between."""
    ring = study(communication=way)
    simulation = phasewise.Simulation(ring)
    digest = hashlib.sha256()
    for _ in range(ring.turns):
        simulation.step()
        record = simulation.record()
        for name in sorted(record):
            digest.update(name.encode() + np.asarray(record[name]).tobytes())
        changes = {"spacecharge.charge": "direct", "collision.overlap": True}
        simulation.set_communication(simulation.communication.changed(changes))
    (driver,) = simulation.driver.part("collision")
    for beam in (1, 2):
        here = driver.particles(beam) if beam in driver.beams_here else {}
        rows = np.column_stack([*here.values()] or [np.empty((0, 7))]).astype(np.float64)
        parts = simulation.comm.gather(rows.tobytes())
        everyone = np.concatenate([np.frombuffer(part) for part in parts] or [np.empty(0)])
        everyone = everyone.reshape(-1, 7)
        digest.update(everyone[everyone[:, 6].argsort()].tobytes())
    return digest.hexdigest()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(document({**tables(), "turns": 4, "records": {"checkpoint_every": 2}}))
    return path


@mpi
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_ring_gives_the_bits_of_one_rank_and_sends_what_its_plan_says(
    ranks: int, repository: Path
) -> None:
    script = SCRIPT.replace("EXPECTED", repr(fingerprint({})))
    assert agreeing(script, ranks, repository) == ranks


@mpi
def test_a_ring_goes_on_from_its_checkpoint_on_other_ranks(written: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main(["run", str(written), "--out", str(whole), "--quiet"]) == 0
    ran(written, "--ranks", 3, "--out", parts, "--quiet", "--set", "turns=3")
    assert main(["run", str(written), "--out", str(parts), "--quiet", "--resume"]) == 0
    assert differing(whole, parts) == []
    assert "spacecharge/beam2/monitor_covariance" in datasets(whole)
    summary = json.loads((parts / "summary.json").read_text())
    assert len(summary["spacecharge"]["beams"]) == 2
    lost = summary["spacecharge"]["beams"][1]["losses"]
    with phasewise.open_results(parts) as results:
        assert results.part("collision").luminosity.shape == (4, 1)
        assert results.part("spacecharge").rows("beam2/losses")[-1] == lost > 0
    record = read_communication(parts)
    assert record.workload is study().workload
    assert next(phase.name for phase in record.phases if phase.main) == "spacecharge.green"


@mpi
def test_a_ring_keeps_the_choice_of_a_run_that_tunes_itself(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    more = ("--out", tmp_path / "run", "--quiet", "--set", "communication.tune=auto")
    found: list[dict[str, Any]] = []
    for turns, again in ((48, ()), (49, ("--resume",))):
        ran(written, "--ranks", 2, *more, "--set", f"turns={turns}", *again)
        found.append(json.loads((tmp_path / "run" / "tuning.json").read_text()))
    chosen = found[0]["choice"]
    assert chosen.keys() >= {"collision.reduce", "spacecharge.charge"}
    assert found[0]["turns"] > found[1]["turns"] == 0
    assert found[1]["choice"] == chosen
    words = {True: "yes", False: "no"}
    used = read_communication(tmp_path / "run").algorithms
    assert used == {key: words.get(value, value) for key, value in chosen.items()}


@simulated
def test_a_ring_is_simulated_compared_and_predicted(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = ("--machine", "bassi", "--ranks", 4)
    found = printed(capsys, "simulate", written, *machine, "--turns", 1, "--out", tmp_path / "s")
    assert found["exchange_seconds"] > found["floor_seconds"] > 0
    compared = printed(capsys, "compare", tmp_path / "s")
    names = {"spacecharge.charge_global", "collision.luminosity", "shared_records"}
    assert set(compared["points"][0]["phases"]) >= names
    assert printed(capsys, "predict", written, *machine)
    assert printed(capsys, "tune", written, *machine, "--verify", 0)

"""Space charge on several ranks: the same bits in every way to exchange, checkpoints, the plan."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.models.plan import plan
from phasewise.tables.writing import document
from phasewise.traces.records import read_communication
from phasewise.workloads.common.dumps import read_dump
from tests.commands import printed
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, differing, ran
from tests.unit.spacecharge_study import TABLES, study

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
simulated = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

WAYS = [
    {"charge": "reduce-scatter", "field": "gatherv-bcast", "transpose": "pairwise"},
    {"charge": "allreduce", "field": "allreduce", "transpose": "alltoallw"},
    {"charge": "direct", "field": "allgatherv", "transpose": "bruck"},
    {"charge": "hypercube", "field": "hypercube", "transpose": "ring"},
    {"charge": "node-aware", "field": "node-aware", "transpose": "ring", "node_size": 2},
    {"charge": "direct", "field": "direct", "schedule": "pairwise"},
]
"""Ways to exchange in which every word of every key occurs."""

BITS = """
import hashlib
import sys
import numpy as np
from phasewise.driver import load_core
import phasewise
from tests.mpi.test_spacecharge import WAYS, fingerprint

comm = load_core()
for way in WAYS if comm.size() > 1 else WAYS[:1]:
    for threads in (1, 3) if way is WAYS[0] else (1,):
        found = fingerprint(way, threads)
        if comm.rank() == 0:
            assert found == EXPECTED, (way, threads)
print("agrees")
"""

PLANNED = (
    COUNTS
    + """
from tests.mpi.test_spacecharge import WAYS
from tests.unit.spacecharge_study import study

for way in WAYS:
    fixed = ['solver.mesh="fixed"', "solver.mesh_half_width=[0.01, 0.01, 0.1]"]
    for changes in ([], [*fixed, "records.tracked=7"]):
        parameters = study(*changes, communication=way).parameters()
        found, pieces = recorded(parameters)
        expected = planned(parameters, pieces)
        assert found == expected, (core.rank(), way, found, expected)
print("agrees")
"""
)


def fingerprint(way: dict[str, Any], threads: int, *changes: str) -> str:
    """All records of two turns and all particles by id, on rank 0."""
    import hashlib

    import phasewise

    simulation = phasewise.Simulation(study(*changes, communication=way), threads)
    digest = hashlib.sha256()
    for _ in range(simulation.study.turns):
        simulation.step()
        record = simulation.record()
        for name in sorted(record):
            digest.update(name.encode() + np.asarray(record[name]).tobytes())
    here = simulation.driver.particles()
    rows = np.column_stack([here[name] for name in sorted(here)]).astype(np.float64)
    everyone = np.concatenate(
        [np.frombuffer(part) for part in simulation.comm.gather(rows.tobytes())] or [np.empty(0)]
    ).reshape(-1, 7)
    ids = everyone[:, sorted(here).index("id")]
    digest.update(everyone[ids.argsort()].tobytes())
    return digest.hexdigest()


RECORDS = {"checkpoint_every": 2, "tracked": 40, "particles_every": 4}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(document({**TABLES, "turns": 6, "records": RECORDS}))
    return path


def test_the_order_of_the_particles_changes_no_bit() -> None:
    orders = {fingerprint({}, 2, f"solver.sort_every={every}") for every in (0, 1, 2)}
    assert len(orders) == 1


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_every_way_to_exchange_gives_the_bits_of_a_single_rank(
    ranks: int, repository: Path
) -> None:
    script = BITS.replace("EXPECTED", repr(fingerprint({}, 1)))
    assert agreeing(script, ranks, repository) == ranks


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_every_rank_records_in_every_phase_what_its_plan_says(ranks: int, repository: Path) -> None:
    assert agreeing(PLANNED, ranks, repository) == ranks


@mpi
def test_a_run_goes_on_from_its_checkpoint_on_other_ranks(written: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    ran(written, "--out", whole, "--quiet")
    ran(written, "--ranks", 2, "--out", parts, "--quiet", "--set", "turns=3")
    ran(written, "--ranks", 3, "--out", parts, "--quiet", "--resume")
    assert differing(whole, parts) == []
    summary = json.loads((parts / "summary.json").read_text())
    (beam,) = summary["beams"]
    assert set(beam) >= {"sizes", "emittance", "emittance_growth", "bunch_at_end"}
    assert 0 < beam["losses"] < 3001 and beam["outside"] == 0
    assert {"beam1/monitor_covariance", "beam1/tracked", "beam1/losses_at"} <= set(datasets(whole))
    dumps = sorted(path.name for path in (whole / "particles").iterdir())
    assert dumps == [f"turn-{turn:09d}.h5" for turn in (0, 4, 6)]
    for name in dumps:
        rows = [read_dump(folder / "particles" / name, 1) for folder in (whole, parts)]
        assert all(np.array_equal(rows[0][column], rows[1][column]) for column in rows[0])


@mpi
def test_what_is_recorded_is_what_is_planned(written: Path, tmp_path: Path) -> None:
    way = {"charge": "hypercube", "field": "direct"}
    sets = [word for k, v in way.items() for word in ("--set", f"communication.{k}={v}")]
    ran(written, "--ranks", 4, "--out", tmp_path / "out", "--quiet", *sets)
    record = read_communication(tmp_path / "out")
    assert {k: record.algorithms[k] for k in way} == way
    phases = {p["name"]: p for p in plan(study(communication=way), 4)["phases"]}
    for name in ("charge_global", "potential", "field_global"):
        phase = record.phase(name)
        assert phase is not None
        assert phase.messages.max() == 6 * phases[name]["messages"]


@simulated
def test_a_machine_is_simulated_and_predicted(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = ("--machine", "bassi", "--ranks", 4)
    found = printed(capsys, "simulate", written, *machine, "--turns", 1, "--out", tmp_path / "s")
    assert found["exchange_seconds"] > found["floor_seconds"] > 0
    compared = printed(capsys, "compare", tmp_path / "s")
    names = {"charge_global", "potential", "field_global"}
    assert set(compared["points"][0]["phases"]) >= names
    predicted = printed(capsys, "predict", written, *machine)
    assert predicted

"""Solves on several ranks: what is recorded is what is planned, and the bits do not depend on how
the ranks exchange.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from phasewise.models.plan import plan
from phasewise.runs.results import Results
from phasewise.study import load
from phasewise.traces.records import read_communication
from tests.mpi.whole_run import datasets, ran

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

ITERATIONS = 6
STUDY = f"""
workload = "lattice"
solves = 2
[lattice]
size = [4, 4, 8, 8]
[gauge]
start = "hot"
[quarks]
kappa = 0.12
phases = [0.2, 0, 0, 1]
[solver]
iterations = {ITERATIONS}
"""
# Ranks, process grid, and further keys.
VARIANTS = [
    (2, "1x1x1x2", {"halo": "sendrecv", "blocks": "runs"}),
    (2, "2x1x1x1", {"halo": "persistent", "spinors": "full", "overlap": "true"}),
    (4, "2x2x1x1", {"halo": "irecv-isend", "blocks": "runs", "spinors": "full"}),
    (4, "1x1x2x2", {"halo": "put", "overlap": "true", "layout": "t-first"}),
    (4, "1x2x2x1", {"halo": "fence", "blocks": "runs", "layout": "random"}),
]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "lattice.toml"
    path.write_text(STUDY)
    return path


def given(grid: str, keys: dict[str, str]) -> list[str]:
    """The options that set a variant."""
    values = {"process_grid": grid, **keys}
    return [word for k, v in values.items() for word in ("--set", f"communication.{k}={v}")]


@mpi
@pytest.mark.parametrize(("ranks", "grid", "keys"), VARIANTS)
def test_every_way_to_exchange_leaves_the_bits_of_one_rank(
    study: Path, tmp_path: Path, ranks: int, grid: str, keys: dict[str, str]
) -> None:
    ran(study, "--ranks", 1, "--out", tmp_path / "one", "--quiet")
    ran(study, "--ranks", ranks, "--out", tmp_path / "many", "--quiet", *given(grid, keys))
    assert datasets(tmp_path / "many") == datasets(tmp_path / "one")
    with Results(tmp_path / "one") as results:
        assert np.isfinite(results.rows("residual")).all()


@mpi
@pytest.mark.parametrize(("ranks", "grid", "keys"), [v for v in VARIANTS if v[0] == 4])
def test_the_record_of_the_faces_is_the_plan(
    study: Path, tmp_path: Path, ranks: int, grid: str, keys: dict[str, str]
) -> None:
    ran(study, "--ranks", ranks, "--out", tmp_path / "out", "--quiet", *given(grid, keys))
    record = read_communication(tmp_path / "out")
    assert record.process_grid == (tuple(map(int, grid.split("x"))),)
    overrides = [word for word in given(grid, keys) if word != "--set"]
    times = {"solve": 2, "iteration": 2 * ITERATIONS, "configuration": 1}
    messages: dict[str, int] = {}
    sent: dict[str, int] = {}
    for phase in plan(load(study, overrides), ranks)["phases"]:
        if phase["name"].startswith(("halo", "links")):
            often = times[phase["per"]]
            messages[phase["name"]] = messages.get(phase["name"], 0) + often * phase["messages"]
            sent[phase["name"]] = sent.get(phase["name"], 0) + often * phase["bytes_per_rank"]
    assert messages
    for name, count in messages.items():
        found = record.phase(name)
        assert found is not None
        assert found.bytes.tolist() == [sent[name]] * ranks
        assert found.messages.tolist() == [count] * ranks

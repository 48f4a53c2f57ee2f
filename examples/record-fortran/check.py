"""A recorded pipeline has its messages, and waits for its left neighbours while it fills."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasewise.mpi.launch import without_mpi

HERE = Path(__file__).parent
RANKS, BLOCKS, LENGTH = 4, 200, 4096
COMPILER, LAUNCHER = "mpif90.openmpi", "mpiexec.openmpi"

pytestmark = pytest.mark.skipif(
    not (shutil.which(COMPILER) and shutil.which(LAUNCHER)), reason=f"{COMPILER} is not here"
)


def phasewise(*words: object) -> Any:
    """What a command prints as JSON."""
    command = [sys.executable, "-m", "phasewise", *map(str, words)]
    environment = without_mpi(os.environ) | {"OMPI_MCA_mpi_yield_when_idle": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_pipeline_is_recorded_and_its_waiting_has_a_cause(tmp_path: Path) -> None:
    program, out = tmp_path / "pipeline", tmp_path / "run"
    source = str(HERE / "pipeline.F90")
    subprocess.run([COMPILER, "-g", "-O1", f"-J{tmp_path}", source, "-o", str(program)], check=True)
    summary = phasewise("record", "--json", "--out", out, "--", LAUNCHER, "-n", RANKS, program)
    assert summary["messages"] == (RANKS - 1) * BLOCKS
    assert summary["bytes"] == 8 * LENGTH * summary["messages"]
    calls = {site["call"]: site["calls"] for site in summary["sites"]}
    assert (calls["MPI_Send"], calls["MPI_Recv"]) == (summary["messages"],) * 2
    late = [
        one
        for one in phasewise("report", out, "--json")["waiting"]
        if one["cause"] == "late sender"
    ]
    # A block comes from the left: nobody waits for the last rank.
    assert late and all(one["caused_by_rank"] < RANKS - 1 for one in late)
    planned = phasewise("plan", out, "--json")
    assert sum(phase["bytes"] for phase in planned["phases"]) > 0

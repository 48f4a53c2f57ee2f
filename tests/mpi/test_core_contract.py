"""The compiled core on several ranks keeps the contract that the fake core keeps on threads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from tests.unit.core_contract import CHECKS, IDS

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")


@pytest.mark.parametrize("ranks", [ranks for ranks in IDS if ranks > 1])
def test_the_compiled_core_keeps_the_contract_on_several_ranks(
    repository: Path, ranks: int
) -> None:
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    done = subprocess.run(
        [path, *mpiexec_options(machine, ranks, 1, open_mpi), sys.executable, "-m",
         "tests.mpi.contract"],
        cwd=repository,
        env=without_mpi(os.environ) | rank_variables(machine, ranks, 1),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{len(CHECKS)}\n"

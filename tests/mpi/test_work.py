"""The work counted for several ranks is what the kernels of a real turn book on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.mpi.launch import find_mpiexec, mpiexec_options, this_machine, without_mpi

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

SCRIPT = """
import phasewise._core as core
from tests.unit.test_work import booked, counted, study

for changes in ([], ['communication.process_grid=["2x1", "1x2"]'], ['ip.1.interpolation="none"']):
    if changes and "process_grid" in changes[0] and core.size() != 4:
        continue
    chosen = study(*changes)
    found, expected = booked(chosen), counted(chosen, core.size())
    if core.rank() == 0:
        assert found.keys() == expected.keys(), (found, expected)
        for name, work in found.items():
            for one, other in zip(work, expected[name], strict=True):
                assert abs(one - other) <= 1e-12 * abs(other), (name, work, expected[name])
        print("agrees")
"""


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_turn_on_several_ranks_does_the_work_that_was_counted(
    ranks: int, repository: Path
) -> None:
    path, open_mpi = find_mpiexec()
    words = [path, *mpiexec_options(this_machine(), ranks, 1, open_mpi), sys.executable, "-c"]
    environment = without_mpi(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        part for part in (environment.get("PYTHONPATH"), str(repository)) if part
    )
    done = subprocess.run(
        [*words, SCRIPT], env=environment, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # With four ranks, the uneven process grid is among what was run.
    assert done.stdout.count("agrees") == (3 if ranks == 4 else 2)

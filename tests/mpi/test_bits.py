"""Every kind of collision gives the same bits on any number of ranks and threads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from tests.mpi.variants import IPS

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# Ranks that divide the pairs of slices evenly and unevenly, more ranks than slices, odd numbers, of
# which one beam gets more; threads that do and do not divide the work.
LAYOUTS = [(1, 2), (1, 3), (2, 1), (2, 3), (3, 2), (4, 1), (7, 1)]


def fingerprints(repository: Path, ranks: int, threads: int) -> dict[str, str]:
    """What tests/mpi/variants.py prints on so many ranks and threads."""
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    launcher = [path, "-n", str(ranks), *mpiexec_options(machine, ranks, threads, open_mpi)]
    done = subprocess.run(
        [*launcher, sys.executable, "-m", "tests.mpi.variants", str(threads)],
        cwd=repository,
        env=without_mpi(os.environ) | rank_variables(machine, ranks, threads),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def reference(repository: Path) -> dict[str, str]:
    """On one rank with one thread."""
    return fingerprints(repository, 1, 1)


@pytest.mark.parametrize(("ranks", "threads"), LAYOUTS)
def test_every_kind_of_collision_has_the_same_bits(
    repository: Path, reference: dict[str, str], ranks: int, threads: int
) -> None:
    found = fingerprints(repository, ranks, threads)
    assert [name for name in reference if found[name] != reference[name]] == []


def test_the_kinds_of_collision_differ(reference: dict[str, str]) -> None:
    assert set(IPS) < set(reference)
    assert len(set(reference.values())) == len(reference)

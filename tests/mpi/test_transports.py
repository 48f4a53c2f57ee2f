"""Exchanges by OpenSHMEM, co-arrays and MPI 4, and what is said where they are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from phasewise.compiled import CHOICE, MPICH, load
from phasewise.runs.results import Results
from phasewise.workload.protocols import unavailable
from tests.mpi.whole_run import ran
from tests.sentences import refused

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# One row lies in one piece along y, and is not copied; of two, both axes are.
STUDY = """
workload = "halo"
exchanges = 6
[halo]
words = 12
rows = 2
"""


def has_mpich() -> bool:
    """Whether the core was built on MPICH, beside another MPI library."""
    code = "from phasewise.driver import load_planner; load_planner()"
    environment = os.environ | {CHOICE: MPICH}
    return subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "halo.toml"
    path.write_text(STUDY)
    return path


def checksums(study: Path, out: Path, ranks: int, protocol: str) -> list[float]:
    """Those of a run that found no wrong cell; it must end with status 0."""
    ran(study, "--ranks", ranks, "--out", out, "--set", f'communication.protocol="{protocol}"')
    with Results(out) as results:
        assert np.all(results.rows("wrong") == 0)
        return [float(value) for value in results.rows("checksum")]


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("protocol", ["shmem", "coarray"])
def test_one_sided_libraries_leave_the_bits_that_messages_leave(
    protocol: str, ranks: int, study: Path, tmp_path: Path
) -> None:
    if why := unavailable().get(protocol):
        pytest.skip(why)
    plain = checksums(study, tmp_path / "plain", ranks, "irecv-isend")
    assert checksums(study, tmp_path / "out", ranks, protocol) == plain


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_partitioned_messages_on_mpich_leave_the_same_bits(
    ranks: int, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_mpich():
        pytest.skip("the core is not built on MPICH")
    monkeypatch.setenv(CHOICE, MPICH)
    plain = checksums(study, tmp_path / "plain", ranks, "irecv-isend")
    assert checksums(study, tmp_path / "out", ranks, "partitioned") == plain


def test_what_is_missing_is_said_in_one_sentence_with_its_package() -> None:
    packages = {"shmem": "libopenmpi-dev", "coarray": "libcoarrays-openmpi-dev"}
    packages["partitioned"] = "mpich"
    for protocol, why in unavailable().items():
        assert f'"{protocol}"' in why and packages.get(protocol, "") in why
        assert "\n" not in why


def test_another_core_than_those_that_there_are_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "lam")
    with refused("lam", "mpi", "mpich", "serial", by=ImportError):
        load()

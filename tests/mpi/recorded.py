"""Programs of tests/data/record, compiled for each MPI library that is here, and recorded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from phasewise.recorder.recording import Recording, read_recording

SOURCES = Path(__file__).resolve().parents[1] / "data/record"
LIBRARIES = [name for name in ("openmpi", "mpich") if shutil.which(f"mpicc.{name}")]
YIELDING = {
    **os.environ,
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
"""Ranks that wait leave the cores to those that work; there may be more of them than cores."""


def built(folder: Path, source: str, library: str, *flags: str) -> Path:
    """A program of tests/data/record, compiled into `folder`."""
    program = folder / f"{Path(source).stem}-{library}{''.join(flags)}"
    compiler = f"mpif90.{library}" if source.endswith("F90") else f"mpicc.{library}"
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not here")
    language = ["-fallow-argument-mismatch"] if source.endswith("F90") else ["-pthread"]
    command = [compiler, "-g", "-w", *language, *flags, str(SOURCES / source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def record(
    folder: Path, command: Sequence[object], *options: str, status: int = 0
) -> dict[str, Any]:
    """What ``record --json`` prints; the command must end with `status`."""
    words = [sys.executable, "-m", "phasewise", "record", "--json", "--out", str(folder), *options]
    done = subprocess.run(
        [*words, "--", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=150,
        env=YIELDING,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found | {"said": done.stderr}


def ranks_of(library: str, ranks: int, *program: object) -> list[object]:
    """The command that starts a program in ranks of a library."""
    return [f"mpiexec.{library}", "-n", ranks, *program]


def library_of_core() -> str:
    """The library that phasewise itself is linked to."""
    # What it was built with is known without starting MPI in this process.
    version = str(import_module("phasewise._core").mpi_built_with())
    name = "openmpi" if version.startswith("Open MPI") else "mpich"
    if name not in LIBRARIES or name.upper() not in version.upper().replace(" ", ""):
        pytest.skip(f"there is no mpicc for {version}")
    return name


def checked(folder: Path) -> Recording:
    """The record in `folder`, in which every message has both ends of one size."""
    found = read_recording(folder)
    sends, receives = found.matching.all
    matched = found.matching.matched
    assert (matched.lonely_sends, matched.lonely_receives) == (0, 0)
    assert (sends.bytes[matched.send] == receives.bytes[matched.receive]).all()
    return found

"""Python scripts on some ranks: what they print, or a hash for each way in which they compute."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)


def finished(
    words: list[str], ranks: int, threads: int, folder: Path, seconds: float
) -> tuple[int, str, str]:
    """The status of Python with these words on so many ranks of so many threads, and what it has
    written to its output and its errors. A script that takes longer fails the test.
    """
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    with subprocess.Popen(
        [path, *mpiexec_options(machine, ranks, threads, open_mpi), sys.executable, *words],
        cwd=folder,
        env=without_mpi(os.environ) | rank_variables(machine, ranks, threads),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            text, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpiexec takes its ranks along
            said = process.communicate()[1]
            pytest.fail(f"{ranks} ranks did not end within {seconds} s: {said[-2000:]}")
    return process.returncode, text, said


def printed(words: list[str], ranks: int, folder: Path, seconds: float = 120) -> str:
    """What a script prints on these ranks, which end with status 0."""
    status, text, said = finished(words, ranks, 1, folder, seconds)
    assert status == 0, said[-2000:]
    return text


@dataclass(frozen=True)
class Script:
    """A module that names each way on rank 0's standard error when it begins, `first_key` first,
    and prints the hashes by name at its end; the most threads of a rank, and the seconds that it
    may take.
    """

    module: str
    first_key: str
    threads: int
    seconds: float

    def fingerprints(self, repository: Path, ranks: int) -> dict[str, str]:
        """What the script prints on so many ranks."""
        # As if for the most threads: where there are too few cores for them, those that wait give
        # way.
        words = ["-m", self.module]
        status, text, said = finished(words, ranks, self.threads, repository, self.seconds)
        assert status == 0, f"in the way {self._last(said)}\n{said[-2000:]}"
        found = json.loads(text)
        assert isinstance(found, dict)
        return found

    def _last(self, said: str) -> str:
        """The way that the ranks were at."""
        begun = (line for line in said.splitlines()[::-1] if line.startswith(f"{self.first_key} "))
        return next(begun, "none")

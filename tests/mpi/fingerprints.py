"""Hashes that a script prints on some ranks, one for each of the ways in which it computes."""

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
        path, open_mpi = find_mpiexec()
        machine = this_machine()
        # As if for the most threads: where there are too few cores for them, those that wait give
        # way.
        options = mpiexec_options(machine, ranks, self.threads, open_mpi)
        with subprocess.Popen(
            [path, *options, sys.executable, "-m", self.module],
            cwd=repository,
            env=without_mpi(os.environ) | rank_variables(machine, ranks, self.threads),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                text, said = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                process.terminate()  # mpiexec takes its ranks along
                said = process.communicate()[1]
                pytest.fail(f"{ranks} ranks did not end; the last way begun: {self._last(said)}")
        assert process.returncode == 0, f"in the way {self._last(said)}\n{said[-2000:]}"
        found = json.loads(text)
        assert isinstance(found, dict)
        return found

    def _last(self, said: str) -> str:
        """The way that the ranks were at."""
        begun = (line for line in said.splitlines()[::-1] if line.startswith(f"{self.first_key} "))
        return next(begun, "none")

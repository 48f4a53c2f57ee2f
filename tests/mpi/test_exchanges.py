"""Halos of strided columns, by each variant of the calls, with other ranks and with oneself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from tests.mpi.exchanges import ROWS, TIMES

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

RANKS = (1, 2, 3)
"""Each rank its own neighbour; two messages to the same rank; neighbours that differ."""
VARIANTS = ("irecv-isend", "sendrecv", "persistent")


@pytest.fixture(scope="module", params=RANKS)
def everyone(repository: Path, request: pytest.FixtureRequest) -> list[Any]:
    """Faults and records of every rank."""
    ranks = int(request.param)
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    done = subprocess.run(
        [path, *mpiexec_options(machine, ranks, 1, open_mpi), sys.executable, "-m",
         "tests.mpi.exchanges"],
        cwd=repository,
        env=without_mpi(os.environ) | rank_variables(machine, ranks, 1),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert len(found) == ranks
    return list(found)


def test_every_cell_of_a_halo_arrives(everyone: list[Any]) -> None:
    assert [fault for faults, _ in everyone for fault in faults] == []


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_message_is_recorded_and_none_to_oneself(
    everyone: list[Any], variant: str, adds: bool
) -> None:
    ranks = len(everyone)
    for rank, (_, records) in enumerate(everyone):
        record = records[f"{variant} {adds}"]
        phase = record["phases"]["exchange"]
        messages = 0 if ranks == 1 else 2 * TIMES
        assert phase["calls"] == TIMES
        assert (phase["messages"], phase["bytes"]) == (messages, messages * 8 * ROWS)
        west, east = str((rank - 1) % ranks), str((rank + 1) % ranks)
        each = [2 * TIMES, 2 * TIMES * 8 * ROWS] if ranks == 2 else [TIMES, TIMES * 8 * ROWS]
        assert phase["sent_to"] == ({} if ranks == 1 else {west: each, east: each})
        # Of each call: one event of the phase, one of what is unpacked, one of each end.
        assert (record["events"], record["dropped_events"]) == (TIMES * 2 + 2 * messages, 0)

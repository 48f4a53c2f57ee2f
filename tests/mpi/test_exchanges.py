"""Halos of strided columns, by each protocol, with other ranks and with oneself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from phasewise.workload.protocols import available
from tests.mpi.exchanges import ROWS, TIMES, TYPES
from tests.mpi.scripts import printed

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

RANKS = (1, 2, 3)
"""Each rank its own neighbour; two messages to the same rank; neighbours that differ."""
PROTOCOLS = available()
FLAGS = ("ready", "put", "get")
"""Those that send an empty message beside each message, which has no event of its own."""


def synchronisations(protocol: str, ranks: int) -> int:
    """Flags, handshakes and fences of a rank in an exchange of two messages each way."""
    if protocol == "fence":
        return 1
    if protocol == "post-start":  # opens its memory to each neighbour, and closes that of each
        return 2 * min(ranks - 1, 2)
    flags = protocol in (*FLAGS, "shared", "shmem", "coarray")
    return 2 if flags and ranks > 1 else 0


@pytest.fixture(scope="module", params=RANKS)
def everyone(repository: Path, request: pytest.FixtureRequest) -> list[Any]:
    """Faults and records of every rank."""
    ranks = int(request.param)
    text = printed(["-m", "tests.mpi.exchanges"], ranks, repository, seconds=60)
    found = json.loads(text)
    assert len(found) == ranks
    return list(found)


def test_every_cell_of_a_halo_arrives(everyone: list[Any]) -> None:
    assert [fault for faults, _ in everyone for fault in faults] == []


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_message_is_recorded_and_none_to_oneself(
    everyone: list[Any], protocol: str, adds: bool
) -> None:
    ranks = len(everyone)
    if adds and protocol in TYPES:
        pytest.skip("the library's types cannot add")
    for rank, (_, records) in enumerate(everyone):
        record = records[f"{protocol} {adds}"]
        phase = record["phases"]["exchange"]
        messages = 0 if ranks == 1 else 2 * TIMES
        flags = messages if protocol in FLAGS else 0
        assert phase["calls"] == TIMES
        assert (phase["messages"], phase["bytes"]) == (messages + flags, messages * 8 * ROWS)
        assert phase["synchronisations"] == TIMES * synchronisations(protocol, ranks)
        west, east = str((rank - 1) % ranks), str((rank + 1) % ranks)
        sent = (messages + flags) // (1 if ranks == 2 else 2)
        each = [sent, messages * 8 * ROWS // (1 if ranks == 2 else 2)]
        assert phase["sent_to"] == ({} if ranks == 1 else {west: each, east: each})
        # Of each call: one event of the phase, one of what is unpacked, one of each end.
        unpacked = 0 if protocol in TYPES and ranks > 1 else TIMES
        events = TIMES + unpacked + 2 * messages
        assert (record["events"], record["dropped_events"]) == (events, 0)

"""A recorded pipeline has its messages, and waits for its left neighbours while it fills."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import printed
from tests.mpi.recorded import built, library_of_core, ranks_of, record

SOURCE = Path(__file__).with_name("pipeline.F90")
RANKS, BLOCKS, LENGTH = 4, 200, 4096


def test_the_pipeline_is_recorded_and_its_waiting_has_a_cause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library, out = library_of_core(), tmp_path / "run"
    program = built(tmp_path, str(SOURCE), library)
    summary = record(out, ranks_of(library, RANKS, program))
    assert summary["messages"] == (RANKS - 1) * BLOCKS
    assert summary["bytes"] == 8 * LENGTH * summary["messages"]
    calls = {site["call"]: site["calls"] for site in summary["sites"]}
    assert (calls["MPI_Send"], calls["MPI_Recv"]) == (summary["messages"],) * 2
    waiting = printed(capsys, "report", out)["waiting"]
    late = [one for one in waiting if one["cause"] == "late sender"]
    # A block comes from the left: nobody waits for the last rank.
    assert late and all(one["caused_by_rank"] < RANKS - 1 for one in late)
    # What is planned are the messages of rank 0, which sends each block on.
    planned = printed(capsys, "plan", out)["phases"]
    (sends,) = (phase for phase in planned if phase["messages"])
    assert (sends["messages"], sends["bytes"]) == (BLOCKS, 8 * LENGTH)

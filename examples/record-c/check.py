"""The recorded stencil waits for its slow rank, and what-if and other machines say so too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import printed
from tests.mpi.recorded import built, library_of_core, ranks_of, record

SOURCE = Path(__file__).with_name("stencil.c")
RANKS, STEPS, SLOW_RANK = 4, 300, 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of the stencil."""
    folder, library = tmp_path_factory.mktemp("stencil"), library_of_core()
    program = built(folder, str(SOURCE), library)
    summary = record(folder / "run", ranks_of(library, RANKS, program, STEPS))
    # Each of the inner edges is crossed both ways.
    assert summary["messages"] == 2 * (RANKS - 1) * STEPS
    assert summary["bytes"] == 8 * summary["messages"]
    return folder / "run"


def test_the_slow_rank_caused_waiting_by_computing_before_it_swaps_its_halo(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = printed(capsys, "report", folder)["waiting"]
    # Where the ranks share cores with other programs, other ranks may cause more.
    assert any(
        one["caused_by_rank"] == SLOW_RANK
        and one["meanwhile"] == "computing"
        and one["caused_by_site"].startswith("swap_halo")
        for one in waiting
    )


def test_balance_would_make_it_faster_on_another_machine(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = printed(capsys, "predict", folder, "--machine", "bassi", "--steady", "--what-if")
    seconds = {one["change"]: one["seconds"] for one in found["what_if"]}
    # The slow rank works three times as long as the others: the mean of four is half of that. Where
    # four ranks share two cores, the rest of the record is less even.
    assert seconds["perfect balance"] < 0.8 * seconds["as it is"]
    assert seconds["infinite bandwidth"] > 0.9 * seconds["as it is"]

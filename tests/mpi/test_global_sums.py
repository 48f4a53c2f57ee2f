"""Sums of a million doubles over all ranks: the same bits by every algorithm on any ranks."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.mpi.scripts import printed
from tests.mpi.sums import SUMS, terms

core = pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

DIGITS = 69
"""Numbers that stand for a sum."""


def run_on(ranks: int, repository: Path) -> list[dict[str, Any]]:
    """What every rank found, by algorithm."""
    text = printed(["-m", "tests.mpi.sums"], ranks, repository, seconds=170)
    return list(json.loads(text))


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return [math.fsum(row).hex() for row in terms()]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 7, 16])
def test_all_algorithms_give_the_bits_of_fsum_on_any_ranks(
    ranks: int, repository: Path, expected: list[str]
) -> None:
    every = run_on(ranks, repository)
    assert len(every) == ranks
    for rank, found in enumerate(every):
        for algorithm, result in found.items():
            assert result["sums"] == [expected, expected], algorithm
            phase = result["record"]["phases"].get("sum", {"messages": 0, "bytes": 0})
            messages = planned(algorithm, rank, ranks)
            if algorithm != "put":  # which sends flags as well
                assert phase["messages"] == 2 * messages, algorithm
            assert phase["bytes"] == 2 * messages * SUMS * DIGITS * 8, algorithm


def planned(algorithm: str, rank: int, ranks: int) -> int:
    """Messages of a sum that a rank sends to others; one for the library."""
    if algorithm == "mpi":
        return int(ranks > 1)
    rounds = core.sum_rounds(algorithm, rank, [other // 2 for other in range(ranks)])
    sends = [peer for name in ("added", "stored") for r in rounds[name] for peer, _ in r["sends"]]
    return sum(peer != rank for peer in sends)

"""Every halo cell after an exchange, on all process grids, against its place among all cells."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise
from phasewise.driver import load_core
from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from phasewise.workload.protocols import available

STUDY = Path(__file__).parent / "study.toml"
WORDS = {1: (1, 2, 7), 2: (4, 10)}
"""By rows of the halo; the fewest first, where a cell goes both ways."""
FEW_WORDS = {1: (7,), 2: (4,)}
MANY_RANKS = 4
"""From here on fewer sizes are compared, in the longest and in the squarest process grids."""
EXCHANGES = 3


def expected(words: int, rows: int, px: int, py: int, rank: int, number: int) -> NDArray[Any]:
    """A rank's halo after an exchange; zero in the corners and where the rank's own cells are."""
    n = words // rows
    place = np.arange(-rows, n + rows)
    own = (place >= 0) & (place < n)
    x = (rank % px * n + place) % (n * px)
    y = (rank // px * n + place) % (n * py)
    value = y[:, None] * n * px + x[None, :] + 7 * number
    return np.asarray(np.where(own[:, None] != own[None, :], value, 0))


def differences() -> list[str]:
    """What is wrong on this rank, over all process grids, protocols and sizes."""
    core = load_core()
    ranks, rank = core.size(), core.rank()
    grids = [(px, ranks // px) for px in range(1, ranks + 1) if ranks % px == 0]
    if ranks >= MANY_RANKS:
        grids = [grids[0], grids[len(grids) // 2]]
    chosen = FEW_WORDS if ranks >= MANY_RANKS else WORDS
    sizes = [(words, rows) for rows, every in chosen.items() for words in every]
    wrong = []
    for (px, py), protocol, (words, rows) in itertools.product(grids, available(), sizes):
        keys = {
            "halo.words": words,
            "halo.rows": rows,
            "communication.process_grid": f"{px}x{py}",
            "communication.protocol": protocol,
        }
        study = phasewise.load(STUDY, [f"{key}={value}" for key, value in keys.items()])
        run: Any = core.start(study.parameters())
        for number in range(EXCHANGES):
            run.step()
            found = run.array().copy()
            found[rows:-rows, rows:-rows] = 0
            same = np.array_equal(found, expected(words, rows, px, py, rank, number))
            if not same or run.record()["wrong"] != 0:
                wrong.append(f"rank {rank}, {keys}, exchange {number}")
    return wrong


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7, 9])
def test_every_halo_cell_holds_its_neighbours_value(ranks: int) -> None:
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    done = subprocess.run(
        [path, *mpiexec_options(machine, ranks, 1, open_mpi), sys.executable, __file__],
        env=without_mpi(os.environ) | rank_variables(machine, ranks, 1),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr[-2000:]


if __name__ == "__main__":
    for sentence in differences():
        print(sentence)

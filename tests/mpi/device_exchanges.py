"""Transposes, and exchanges by calls of the library, on all ranks of mpiexec, with buffers of the
host and of a device whose work is done when it is waited for, and not before; rank 0 prints what
went wrong.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import phasewise._core as core

GRIDS, ROWS, COLUMNS = 2, 7, 5
ALGORITHMS = ("pairwise", "ring", "bruck", "alltoallw")
FORMS = ("scattered", "gathered", "all-reduced")
BLOCK = 3
"""Values of a member's block."""


def share(n: int, parts: int, part: int) -> slice:
    """The items of n that belong to a part; the first shares are larger."""
    base, extra = divmod(n, parts)
    begin = part * base + min(part, extra)
    return slice(begin, begin + base + (part < extra))


def transposed(algorithm: str, on_device: bool) -> bool:
    """Whether this rank has its columns of grids whose rows all ranks have given."""
    rank, size = core.rank(), core.size()
    whole = np.arange(GRIDS * ROWS * COLUMNS, dtype=float).reshape(GRIDS, ROWS, COLUMNS)
    rows = np.ascontiguousarray(whole[:, share(ROWS, size, rank)])
    expected = whole[:, :, share(COLUMNS, size, rank)].transpose(0, 2, 1)
    columns = np.full(expected.shape, -1.0)
    executor = core.Executor(on_device=on_device)
    memory = [field.reshape(-1).view(np.uint8) for field in (rows, columns)]
    executor.transpose(algorithm, GRIDS, ROWS, COLUMNS, *memory)
    return np.array_equal(columns, expected)


def by_library(form: str, adds: bool, on_device: bool) -> bool:
    """Whether blocks that every rank has a term of are added up on their owners, or blocks of
    their owners brought to all.
    """
    rank, size = core.rank(), core.size()
    apart = 2 * BLOCK * 8
    call: dict[str, Any] = {
        "team": list(range(size)),
        "me": rank,
        "nodes": [0] * size,
        "protocol": "irecv-isend",
        "adds": adds,
        "form": form,
        "blocks": [([0], member * apart, BLOCK * 8, []) for member in range(size)],
    }
    terms = [np.arange(size * 2.0 * BLOCK).reshape(size, 2 * BLOCK) + of for of in range(size)]
    found = terms[rank].copy()
    memory = found.reshape(-1).view(np.uint8)
    core.Executor(on_device=on_device).run(call, memory, memory.size, memory, memory.size)
    expected = terms[rank].copy()
    if adds:
        expected[rank, :BLOCK] = sum(terms)[rank, :BLOCK]
    else:
        for member in range(size):
            expected[member, :BLOCK] = terms[member][member, :BLOCK]
    return np.array_equal(found, expected)


def faults() -> list[str]:
    """The ways in which this rank has something wrong."""
    moved = {
        f"{algorithm}, on a device = {on_device}": transposed(algorithm, on_device)
        for on_device in (False, True)
        for algorithm in ALGORITHMS
    }
    called = {
        f"{form}, adds = {adds}, on a device = {on_device}": by_library(form, adds, on_device)
        for on_device in (False, True)
        for form in FORMS
        for adds in (False, True)
        if (form, adds) != ("gathered", True)
    }
    return [f"rank {core.rank()}: {way}" for way, right in (moved | called).items() if not right]


def main() -> int:
    """Rank 0 prints the faults of all ranks."""
    everyone = core.gather(json.dumps(faults()).encode())
    if core.rank() == 0:
        print(json.dumps([fault for one in everyone for fault in json.loads(one)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

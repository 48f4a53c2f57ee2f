"""Sums over all ranks of mpiexec by every algorithm; rank 0 prints them, and all ranks' records."""

from __future__ import annotations

import json

import numpy as np

import phasewise._core as core
from phasewise.workload.protocols import available

ALGORITHMS = ("mpi", "recursive-doubling", "binomial", "dissemination", "node-aware", "put")
TERMS = 1_000_003
SUMS = 3


def terms() -> np.ndarray:
    """Those of all ranks, (SUMS, TERMS): of one size, of many, and such that almost cancel."""
    rng = np.random.default_rng(5)
    plain = rng.normal(size=TERMS)
    wide = np.ldexp(rng.normal(size=TERMS), rng.integers(-300, 300, TERMS))
    cancelling = np.concatenate([plain[: TERMS // 2], -plain[: TERMS // 2], [2.0**-80]])
    return np.stack([plain, wide, rng.permutation(cancelling)])


def main() -> None:
    """Every rank has each size-th term."""
    mine = np.ascontiguousarray(terms()[:, core.rank() :: core.size()])
    found = {}
    for algorithm in ALGORITHMS:
        if algorithm == "put" and "put" not in available():
            continue
        sums = core.GlobalSums(algorithm, SUMS, [rank // 2 for rank in range(core.size())])
        bits = [[x.hex() for x in sums.run(mine, blocking).tolist()] for blocking in (True, False)]
        found[algorithm] = {"sums": bits, "record": json.loads(sums.record())}
    every = core.gather(json.dumps(found).encode())
    if core.rank() == 0:
        print(json.dumps([json.loads(part) for part in every]))


if __name__ == "__main__":
    main()

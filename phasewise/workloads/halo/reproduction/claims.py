"""The slides' claims on HALO, each with the rule that decides whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from phasewise.reproduction.claim import Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.halo.reproduction.times import (
    ALTIX,
    MPI,
    ONE_SIDED,
    P690,
    TYPES,
    X1,
    Curve,
    Times,
)

WORD = 8
"""Bytes of a word."""
SMALL = 512
"""Bytes of a message up to which a halo is small."""
LARGE = 64 * 1024
"""Bytes of a message from which on it is one of the largest."""
BEST = "persistent"


@dataclass(frozen=True)
class Finding:
    """The result of a claim's test."""

    ours: str
    holds: bool
    sentence: str


def persistent_best(times: Times) -> Finding:
    """x3: persistent requests are fastest at every size, and sendrecv takes at most 25 % more."""
    best = times[Curve(X1, BEST)]
    others = [times[Curve(X1, name)] for name in MPI if name != BEST]
    wins = sum(seconds <= min(one[n] for one in others) for n, seconds in best.items())
    more = max(ratio for _, ratio in _ratios(times[Curve(X1, "sendrecv")], best))
    return Finding(
        f"best at {wins} of {len(best)} sizes; sendrecv takes up to {_percent(more - 1)} more",
        wins == len(best) and more <= 1.25,
        "That a persistent request costs a little less than others is assumed in the file.",
    )


def one_sided_wins(times: Times) -> Finding:
    """x4: SHMEM and co-arrays are faster than every MPI protocol up to 512 B."""
    gains = {
        name: [
            min(times[Curve(X1, mpi)][n] for mpi in MPI) / seconds
            for n, seconds in times[Curve(X1, name)].items()
            if n * WORD <= SMALL
        ]
        for name in ONE_SIDED
    }
    words = ", ".join(f"{name} {min(own):.2f} to {max(own):.2f}" for name, own in gains.items())
    return Finding(
        f"times as fast as the best of MPI up to {SMALL} B: {words}",
        all(gain > 1 for own in gains.values() for gain in own),
        "The overheads of both were fitted to the slide HALO Benchmark.",
    )


def bandwidth(times: Times) -> Finding:
    """x5: the longest halos move at least twice the bytes a second of the other machines'."""
    seconds = {name: _last(times[Curve(name, BEST)]) for name in (X1, P690, ALTIX)}
    ratios = {name: seconds[name] / seconds[X1] for name in (P690, ALTIX)}
    words = ", ".join(f"{ratio:.1f} times {name}'s" for name, ratio in ratios.items())
    return Finding(
        f"the X1's is {words}",
        min(ratios.values()) >= 2,
        "With persistent requests and the longest messages; copying within a node is assumed to "
        "read and write the memory.",
    )


def distance(times: Times) -> Finding:
    """x6: two ranks in two nodes take less than 25 % more, or less, than in one node."""
    far, near = times[Curve(X1, BEST, 2, apart=True)], times[Curve(X1, BEST, 2)]
    change = max(max(ratio, 1 / ratio) - 1 for _, ratio in _ratios(far, near))
    return Finding(
        f"a halo of two ranks changes by up to {_percent(change)}",
        change < 0.25,
        "The file gives messages within a node and between nodes the same latency and bandwidth "
        "because of this slide.",
    )


def all_but_largest(times: Times) -> Finding:
    """x8: SHMEM is faster than the best MPI protocol below 64 kB, and near it beyond (25 %)."""
    mpi = {n: min(times[Curve(X1, name)][n] for name in MPI) for n in times[Curve(X1, BEST)]}
    ratios = dict(_ratios(mpi, times[Curve(X1, "shmem")]))
    below = [ratio for n, ratio in ratios.items() if n * WORD < LARGE]
    beyond = [ratio for n, ratio in ratios.items() if n * WORD >= LARGE]
    return Finding(
        f"MPI over SHMEM: {min(below):.2f} to {max(below):.2f} below 64 kB, "
        f"{min(beyond):.2f} to {max(beyond):.2f} from there on",
        min(below) > 1 and max(abs(ratio - 1) for ratio in beyond) <= 0.25,
        "By HALO on 16 ranks; the slide has two ranks that exchange. SHMEM's overhead was fitted "
        "to HALO Benchmark.",
    )


def derived_lose(times: Times) -> Finding:
    """x10: derived types are slower at every size than buffers packed by us."""
    packing = times[Curve(X1, "irecv-isend")]
    ratios = [ratio for _, ratio in _ratios(times[Curve(X1, TYPES[0])], packing)]
    return Finding(
        f"derived types take {min(ratios):.2f} to {max(ratios):.2f} times as long",
        min(ratios) > 1,
        "What a derived type costs is assumed in the file.",
    )


RULES: Mapping[str, tuple[Callable[[Times], Finding], bool]] = {
    "x3": (persistent_best, True),
    "x4": (one_sided_wins, True),
    "x5": (bandwidth, False),
    "x6": (distance, True),
    "x8": (all_but_largest, True),
    "x10": (derived_lose, True),
}
"""The test of each claim, and whether a number of a machine's file was fitted or assumed to it."""


def check_claims(times: Times) -> tuple[Claim, ...]:
    """All claims of HALO."""
    claims = []
    for number, (test, fitted) in RULES.items():
        found = test(times)
        claims.append(CRAY_X1.claim(number, found.ours, found.holds, found.sentence, fitted=fitted))
    return tuple(claims)


def _ratios(above: Mapping[int, float], below: Mapping[int, float]) -> Iterator[tuple[int, float]]:
    """Words, and how much longer the first takes."""
    return ((n, seconds / below[n]) for n, seconds in above.items())


def _last(seconds: Mapping[int, float]) -> float:
    return seconds[max(seconds)]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"

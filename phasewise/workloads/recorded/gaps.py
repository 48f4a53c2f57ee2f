"""The computing between the calls of a recorded program."""

from __future__ import annotations

import numpy as np

from phasewise.recorder.collective_groups import FOR_ALL
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers


def gaps_of(recording: Recording, steady: bool, balanced: bool) -> list[Integers]:
    """For each rank, what it computes before each call, and after the last one (n + 1,) [ns].

    steady: the median of all times at the same place, which is between the same two call sites.
    balanced: between two collectives of all ranks, each rank computes the mean of all.
    """
    found = []
    for file, calls in zip(recording.files, recording.matching.calls, strict=True):
        start = np.append(calls.start, max(file.head.ended, int(calls.end.max(initial=0))))
        before = np.concatenate([[file.head.began], calls.end])
        gaps = np.maximum(start - before, 0)
        found.append(_steady(gaps, calls.of("site")) if steady else gaps)
    return _balanced(recording, found) if balanced else found


def _steady(gaps: Integers, site: Integers) -> Integers:
    """Each gap as the median of those between the same two sites."""
    pair = np.stack([np.concatenate([[-1], site]), np.append(site, -1)])
    _, place = np.unique(pair, axis=1, return_inverse=True)
    place = place.ravel()
    order = np.lexsort((gaps, place))
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    last = np.append(first[1:], len(order))
    low, high = gaps[order][(first + last - 1) // 2], gaps[order][(first + last) // 2]
    return np.asarray((low + high) // 2, np.int64)[place]


def _balanced(recording: Recording, gaps: list[Integers]) -> list[Integers]:
    """Gaps whose sum between two synchronisations of all ranks is the mean of all ranks."""
    ends = [_synchronisations(recording, rank) for rank in range(len(gaps))]
    many = min(len(one) for one in ends)
    part = [
        np.searchsorted(one[:many], np.arange(len(own)), side="left")
        for one, own in zip(ends, gaps, strict=True)
    ]
    sums = np.stack([np.bincount(p, own, many + 1) for p, own in zip(part, gaps, strict=True)])
    mean = sums.mean(axis=0)
    found = []
    for own, of, whole in zip(gaps, part, sums, strict=True):
        scale = np.divide(mean, whole, out=np.zeros(len(mean)), where=whole > 0)
        scaled = own * scale[of]
        # A rank that computes nothing in a part gets the mean at its first call.
        idle = np.flatnonzero((whole == 0) & (mean > 0))
        first = np.searchsorted(of, idle)
        scaled[first] += mean[idle]
        found.append(np.rint(scaled).astype(np.int64))
    return found


def _synchronisations(recording: Recording, rank: int) -> Integers:
    """The calls of a rank in which all ranks wait for each other."""
    file, calls = recording.files[rank], recording.matching.calls[rank]
    whole = [n for n, space in file.spaces.items() if len(space.world) == recording.ranks]
    at = calls.named(FOR_ALL)
    return at[np.isin(calls.of("space")[at], whole)]

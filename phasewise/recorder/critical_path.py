"""The critical path of a recorded program: what it did from its beginning to its end without a
wait, on whatever rank.

It is followed back from the end. Where a call waited, the path goes on at the call that it waited
for (Böhme, Wolf, de Supinski, Schulz, Geimer, "Scalable critical-path based performance analysis",
IPDPS 2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.activity import Activity, Label
from phasewise.recorder.culprits import COMPUTING, IN_CALL
from phasewise.recorder.dependences import Dependences, Floats
from phasewise.recorder.varints import smallest

SHORTENED = 20
"""So many parts of the path are left out, one at a time, to see how much shorter the run is."""
END = Label("the end of the program", "MPI_Finalize")
"""What the last computing of a rank comes before."""


@dataclass(frozen=True)
class Step:
    """What the path has of the calls of a label, or of computing before them, over all ranks [s];
    shorter: by how much the run would be shorter if it took no time on any rank, where known.
    """

    label: Label
    part: str
    seconds: float
    shorter: float | None


@dataclass(frozen=True)
class Path:
    """The critical path: its steps, the longest first, how many seconds of it are on each lane
    (L,), and its stretches in time: lane, start and end [s], the last one first.
    """

    steps: list[Step]
    by_lane: Floats
    stretches: list[tuple[int, float, float]]


Part = tuple[Label, str, float, int]
"""Label, part and seconds of a step, and the number of the label, -1 for the end."""


def critical_path(activity: Activity, found: Dependences) -> Path:
    """The critical path of a recording's activity."""
    steps, by_lane, stretches = _followed(activity)
    return Path(_shortened(activity, found, steps), by_lane, stretches)


def _followed(activity: Activity) -> tuple[list[Part], Floats, list[tuple[int, float, float]]]:
    """The parts of the path, the seconds on each lane, and the stretches."""
    calls = len(activity)
    gaps, inside = np.zeros(calls + 1, np.int32), np.zeros(calls + 1, np.int32)
    by_lane = np.zeros(len(activity.rank))
    stretches = []
    last_wait = smallest(np.arange(calls))
    last_wait[~(activity.follows & (activity.wait > 0))] = -1
    np.maximum.accumulate(last_wait, out=last_wait)
    lane = int(np.argmax(activity.ended))
    tail = computed_last(activity, lane)
    until = float(activity.ended[lane])
    at = int(activity.first[lane + 1]) - 1
    for _ in range(calls + len(by_lane) + 1):
        begin = int(activity.first[lane])
        wait = max(int(last_wait[at]), begin - 1) if at >= begin else begin - 1
        # Calls from `wait` to `at`, and the gaps between them.
        gaps[wait + 1] += 1
        gaps[at + 1] -= 1
        inside[max(wait, begin)] += 1
        inside[at + 1] -= 1
        if wait < begin:
            since = float(activity.began[lane])
        else:
            since = float(activity.start[wait] + activity.wait[wait])
        stretches.append((lane, since, until))
        by_lane[lane] += until - since
        if wait < begin:
            break
        other = int(activity.other[wait])
        gaps[other] += 1
        gaps[other + 1] -= 1
        lane, until, at = int(activity.lane[other]), float(activity.start[other]), other - 1
    del last_wait
    for changes in (gaps, inside):
        np.cumsum(changes, out=changes)
    on_path = gaps[:-1] > 0, inside[:-1] > 0
    del gaps, inside, changes
    return _steps(activity, *on_path, tail), by_lane, stretches


def computed_last(activity: Activity, lane: int) -> float:
    """How long a lane computed after its last call [s]."""
    last = int(activity.first[lane + 1]) - 1
    begun = activity.end[last] if last >= activity.first[lane] else activity.began[lane]
    return float(activity.ended[lane] - begun)


def _steps(
    activity: Activity, gaps: NDArray[np.bool_], inside: NDArray[np.bool_], tail: float
) -> list[Part]:
    found = [(END, COMPUTING, tail, -1)] if tail > 0 else []
    for part, on_path in ((COMPUTING, gaps), (IN_CALL, inside)):
        if part == COMPUTING:
            seconds = activity.start - activity.before
        else:
            seconds = activity.end - activity.start
            seconds -= activity.wait
        seconds *= on_path
        sums = np.bincount(activity.label, seconds, len(activity.labels))
        del seconds
        found += [
            (activity.labels[k], part, float(sums[k]), k) for k in np.flatnonzero(sums).tolist()
        ]
    return sorted(found, key=lambda one: -one[2])


def _shortened(activity: Activity, found: Dependences, steps: list[Part]) -> list[Step]:
    chosen = [one for one in steps if one[3] >= 0][:SHORTENED]
    without = [(number, part == COMPUTING) for _, part, _, number in chosen]
    ends = ends_without(activity, found, [(-1, False), *without])
    saved = {key: max(0.0, ends[0] - end) for key, end in zip(without, ends[1:], strict=True)}
    return [
        Step(label, part, seconds, saved.get((number, part == COMPUTING)))
        for label, part, seconds, number in steps
    ]


def ends_without(
    activity: Activity, found: Dependences, without: list[tuple[int, bool]]
) -> list[float]:
    """When the run would end [s] if the calls of a label, or the computing before them, took no
    time on any rank: for each (number of the label, whether computing) of `without`.
    """
    calls = len(activity)
    place = np.empty_like(activity.call)
    place[activity.call] = np.arange(calls)
    waiter = place[found.waiter]
    order = smallest(np.argsort(waiter, kind="stable"))
    waiter += 1
    waits = np.bincount(waiter, minlength=calls + 1)
    del waiter
    np.cumsum(waits, out=waits)
    other = place[found.other[order]].astype(np.int32, copy=False)
    del order
    group, role = np.full(calls, -1, np.int32), np.zeros(calls, np.uint8)
    group[place[found.groups.call]] = found.groups.group
    role[place[found.groups.call]] = found.groups.role
    del place
    ends = import_module("phasewise._core").ends_without(
        activity.first.astype(np.int64),
        activity.began,
        activity.ended,
        activity.start,
        activity.end,
        waits,
        other,
        group,
        role,
        activity.label,
        without,
    )
    return [float(end) for end in ends]

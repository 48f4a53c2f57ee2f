"""Which part of a run its pictures in time show: a stretch of time, some ranks, and tasks of one
level.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass

from phasewise.errors import StudyError
from phasewise.traces.records import CommunicationRecord, Events
from phasewise.traces.timeline import DECLARED, INNERMOST, OUTERMOST
from phasewise.traces.turns import one_turn

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Excerpt:
    """A part of a run.

    time: its start and end [s] after the run's first event, where None stands for the first or the
    last one; without a time, a turn in the middle is shown. ranks: the first and the last, both
    included; None: all. tasks: "innermost", "outermost", "declared" for the tasks that the workload
    declares, or the name of the task whose parts are shown.
    """

    time: Bounds | None = None
    ranks: tuple[int | None, int | None] | None = None
    tasks: str = INNERMOST

    def span(self, events: Events, record: CommunicationRecord) -> tuple[float, float] | None:
        """Start and end [s] on rank 0's clock; None without events. StudyError if the run has no
        event in this stretch.
        """
        if self.time is None:
            return one_turn(events, record)
        first, last = recorded_span(events)
        if not first < last:
            return None
        start, end = self.time
        begin = first + (start or 0.0)
        over = last if end is None else min(last, first + end)
        if begin >= last:
            raise StudyError(
                f"{record.directory} recorded events for {last - first:.6g} s, and the time asked "
                f"for begins at {begin - first:.6g} s"
            )
        return begin, over

    def ranks_of(self, record: CommunicationRecord) -> list[int]:
        """The ranks shown; StudyError if the run does not have them."""
        if self.ranks is None:
            return list(range(record.ranks))
        first = self.ranks[0] or 0
        last = record.ranks - 1 if self.ranks[1] is None else self.ranks[1]
        if not first <= last < record.ranks:
            raise StudyError(
                f"{record.directory} has the ranks 0 to {record.ranks - 1}, not {first} to {last}"
            )
        return list(range(first, last + 1))

    def check_tasks(
        self, events: Events, record: CommunicationRecord, declared: Mapping[str, object]
    ) -> None:
        """StudyError if the run recorded no task of the name asked for, and the workload declares
        none.
        """
        groups = {name.partition(".")[0] for name in events.names}
        levels = (INNERMOST, OUTERMOST, *((DECLARED, *declared) if declared else ()))
        if self.tasks in (*levels, *events.names, *groups):
            return
        near = difflib.get_close_matches(self.tasks, [*events.names, *levels], n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise StudyError(
            f"{record.directory} recorded no task {self.tasks!r}, but {', '.join(events.names)}"
            + meant
        )


def recorded_span(events: Events) -> tuple[float, float]:
    """When the first event of any rank began and the last one ended [s]; inf, -inf without any."""
    first, last = math.inf, -math.inf
    for rank in range(events.ranks):
        if len(own := events.of(rank)):
            first = min(first, float(own["start"].min()))
            last = max(last, float(own["end"].max()))
    return first, last


def bounds(text: str) -> Bounds:
    """The start and the end that ``A:B`` stands for, either of which may be missing; ValueError
    unless 0 <= A < B.
    """
    start, colon, end = text.partition(":")
    found = tuple(float(word) if word.strip() else None for word in (start, end))
    low, high = found[0] or 0.0, math.inf if found[1] is None else found[1]
    if not colon or not 0 <= low < high or not math.isfinite(low):
        raise ValueError(text)
    return found[0], found[1]

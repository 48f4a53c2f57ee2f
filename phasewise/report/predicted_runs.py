"""A picture of what runs took beside what models predict, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.models.comparison import Point
from phasewise.report.figure import Drawing
from phasewise.report.intervals import Timed, draw_intervals
from phasewise.report.predictions import MEASURED, SIMULATED
from phasewise.traces.records import common_unit

BOTH = "measured or simulated"
"""What a picture calls the times when some of its runs are simulated and some are not."""


def actual_of(points: Sequence[Point]) -> str:
    """What a picture calls the times of these runs."""
    kinds = {point.run.record.simulated for point in points}
    return SIMULATED if kinds == {True} else MEASURED if kinds == {False} else BOTH


def draw_run_times(points: Sequence[Point]) -> Drawing:
    """Communication of each run by each model and, where computation took time, its whole turn."""
    unit = common_unit([point.run.record for point in points])
    models = {point.predicted.model for point in points}
    lines: list[Timed] = []
    for point in points:
        one, name = point.predicted, point.run.directory.resolve().name
        name += f", model {one.model}" if len(models) > 1 else ""
        seconds = (one.communication_seconds, one.low, one.high)
        lines.append(Timed(f"{name}: communication", *seconds, point.measured_seconds))
        if (turn := point.measured_turn) is not None:
            ends = (one.turn_seconds, one.turn_low, one.turn_high)
            lines.append(Timed(f"{name}: {unit.one}", *ends, turn))
    sources = "; ".join(dict.fromkeys(point.run.record.source for point in points))
    return draw_intervals(lines, unit.indefinite, actual_of(points), f"Source: {sources}.")

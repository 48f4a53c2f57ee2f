"""Pictures of a field: some of its snapshots beside each other, in one scale of colours."""

from __future__ import annotations

from functools import partial
from typing import Any

from phasewise.report.field_panels import Panels, when
from phasewise.report.fields import Field, spread, taken
from phasewise.report.figure import Drawing, Missing
from phasewise.report.films import MOST_BYTES, film_of
from phasewise.report.style import new_picture

PANELS = 3
"""The first, the middle and the last snapshot."""
PANEL = 2.5
"""Width of one of them [inches]."""


def draw_field(field: Field, run: Any) -> Drawing | Missing:
    """The first, the middle and the last snapshot, and a film where there are several."""
    turns = field.turns(run)
    if isinstance(turns, Missing):
        return turns
    chosen = spread(turns, PANELS)
    snapshots = taken(field, run, chosen)
    times = [when(run.workload.unit.one, *pair) for pair in zip(chosen, snapshots, strict=True)]
    panels = Panels(field, snapshots)
    height = 0.8 + PANEL * panels.shape
    canvas, axes = new_picture(1, len(chosen), height, sharey=True)
    for axis, time, snapshot in zip(axes[0], times, snapshots, strict=True):
        panels.prepare(axis)
        panels.show(axis, snapshot)
        axis.set_title(time)
        axis.label_outer()
    panels.bar(canvas, axes[0])
    quantity = field.quantity[:1].upper() + field.quantity[1:]
    caption = f"{quantity} at {', '.join(times)}. {field.note(run)}".strip()
    if len(turns) == 1:
        return Drawing(canvas, caption)
    return Drawing(canvas, caption, film=partial(film_of, field, run, turns, most_bytes=MOST_BYTES))

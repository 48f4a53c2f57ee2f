"""Pictures of a turn in time: the task and the state of each rank, and how many ranks are in each
state.

After the task and utilisation Gantt charts and the utilisation count of ParaGraph (Heath,
Etheridge, IEEE Software 8 (1991) no. 5, 29).
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch

from phasewise.analysis.spectrum import Floats
from phasewise.report.communication import NO_RECORD
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import OTHER, STATES, colours_of
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, new_picture, scale, whole_ticks
from phasewise.traces.records import Integers
from phasewise.traces.timeline import Timeline
from phasewise.workloads.discovery import phase_colours

NO_EVENTS = Missing("Run it again with --events 100000 to see what each rank did in time.")
# Up to this number of ranks, rows are separated by a gap.
MAX_ROWS = 32
# Pixel lines per row, one of them the gap to the next row.
ROW = 12
# Intervals of the time line that are joined in the utilisation count.
COARSER = 4
# Most tasks that are shown one by one.
MAX_TASKS = 14
BEYOND = "others"


def draw_tasks(run: ReportedRun) -> Drawing | Missing:
    """Rank against time, coloured by the phase or kernel that takes most of each moment."""
    line = _timeline(run)
    if isinstance(line, Missing):
        return line
    names, task = _most_common(line)
    computes = tuple(name not in _communicating(run) for name in names)
    record = run.communication
    chosen = phase_colours(None if record is None else record.workload)
    colours = colours_of(names, computes, chosen)
    if BEYOND in names:
        colours[BEYOND] = OTHER
    canvas, axis = _gantt(line, task, [colours[name] for name in names])
    order = sorted(names, key=lambda name: (name == BEYOND, name in _communicating(run)))
    _legend(canvas, axis, {name: colours[name] for name in order})
    return Drawing(
        canvas,
        "What each rank worked at: kernels in cool colours, phases of communication in warm ones. "
        + _about(run, line),
    )


def draw_states(run: ReportedRun) -> Drawing | Missing:
    """Rank against time, coloured by whether it computes, communicates or waits."""
    line = _timeline(run)
    if isinstance(line, Missing):
        return line
    known = np.stack([line.computing, line.communicating, line.waiting])
    # More than half of the moment without an event: not recorded.
    state = np.where(known.sum(axis=0) > 0.5, known.argmax(axis=0), 3)
    canvas, axis = _gantt(line, state, list(STATES.values()))
    _legend(canvas, axis, {n: c for k, (n, c) in enumerate(STATES.items()) if np.any(state == k)})
    return Drawing(
        canvas,
        "Busy, overhead and idle: computing, communicating, and waiting for a partner that has not "
        "begun to send. " + _about(run, line),
    )


def draw_utilisation(run: ReportedRun) -> Drawing | Missing:
    """How many ranks compute, communicate and wait against time, stacked."""
    line = _timeline(run)
    if isinstance(line, Missing):
        return line
    counts = line.counts.reshape(4, -1, COARSER).mean(axis=2)
    factor, unit, edges = _clock(line)
    canvas, axes = new_picture(1, 1, 2.9)
    axis: Axes = axes[0, 0]
    bottom = np.zeros(counts.shape[1])
    for (name, colour), values in zip(STATES.items(), counts, strict=True):
        top = bottom + values
        mean = float(values.mean())
        if mean > 1e-3 * len(line.task):
            axis.stairs(
                top, edges[::COARSER] * factor, baseline=bottom, fill=True, color=colour,
                label=f"{name}, mean {mean:.3g}",
            )  # fmt: skip
        bottom = top
    axis.set_xlim(0, edges[-1] * factor)
    axis.set_ylim(0, len(line.task))
    axis.set_xlabel(f"time [{unit}]")
    axis.set_ylabel("ranks")
    whole_ticks(axis.yaxis)
    canvas.legend(loc="outside lower center", ncols=4)
    return Drawing(
        canvas, "How many ranks compute, communicate and wait at a time. " + _about(run, line)
    )


def _timeline(run: ReportedRun) -> Timeline | Missing:
    if run.communication is None:
        return NO_RECORD
    return run.timeline or NO_EVENTS


def _communicating(run: ReportedRun) -> set[str]:
    phases = run.communication.phases if run.communication else ()
    return {phase.name for phase in phases if phase.communicates}


def _most_common(line: Timeline) -> tuple[tuple[str, ...], Integers]:
    """Names of the tasks that take most time, and for each moment the index of one, or -1."""
    times = np.bincount(line.task[line.task >= 0], minlength=len(line.names))
    order = np.argsort(-times, kind="stable")
    shown = [int(index) for index in order if times[index] > 0]
    place = np.full(len(line.names) + 1, -1, dtype=np.int64)
    kept = shown if len(shown) <= MAX_TASKS else shown[: MAX_TASKS - 1]
    place[shown] = len(kept)
    place[kept] = np.arange(len(kept))
    names = [line.names[index] for index in kept]
    if len(kept) < len(shown):
        names.append(BEYOND)
    return tuple(names), place[line.task]


def _gantt(line: Timeline, index: Integers, colours: list[str]) -> tuple[Canvas, Axes]:
    """A row of colours for each rank, the lowest one on top; white where `index` is -1."""
    ranks = len(index)
    canvas, axes = new_picture(1, 1, float(np.clip(1.6 + 0.16 * ranks, 2.3, 5.2)))
    axis: Axes = axes[0, 0]
    palette = np.array([*(to_rgba(colour) for colour in colours), (0.0, 0.0, 0.0, 0.0)])
    factor, unit, edges = _clock(line)
    image = (255 * palette[index]).astype(np.uint8)
    box = (0.0, float(edges[-1] * factor), ranks - 0.5, -0.5)
    if ranks <= MAX_ROWS:
        # The gap between rows stays empty.
        image = np.repeat(image, ROW, axis=0)
        image[ROW - 1 :: ROW] = 0
    axis.imshow(image, extent=box, aspect="auto", interpolation="none")
    axis.set_xlabel(f"time [{unit}]")
    axis.set_ylabel("rank")
    axis.grid(False)
    whole_ticks(axis.yaxis)
    return canvas, axis


def _clock(line: Timeline) -> tuple[float, str, Floats]:
    """Factor and unit of the times shown, and the intervals' edges from the first on [s]."""
    edges = line.edges - line.edges[0]
    return *scale(edges, "s"), edges


def _legend(canvas: Canvas, axis: Axes, colours: dict[str, str]) -> None:
    patches = [Patch(color=colour, label=name) for name, colour in colours.items()]
    canvas.legend(handles=patches, loc="outside lower center", ncols=7, handlelength=1.2)
    axis.tick_params(color=MUTED)


def _about(run: ReportedRun, line: Timeline) -> str:
    assert run.communication is not None
    start = (
        f"About one {run.workload.unit.one}, on aligned clocks; waiting is that for single "
        "messages, as what the library does inside is not seen. "
        f"Source: {run.communication.source}."
    )
    if line.dropped:
        start += (
            f" {line.dropped} events did not fit into the ranks' memory: give a larger "
            "--events to keep them."
        )
    return start

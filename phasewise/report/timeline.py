"""Pictures of a turn in time: the task and the state of each rank, and how many ranks are in each
state.

They follow the task and utilisation Gantt charts and the utilisation count of ParaGraph (Heath,
Etheridge, IEEE Software 8 (1991) no. 5, 29).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch

from phasewise.output import number_of
from phasewise.report.communication import NO_RECORD
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import OTHER, STATES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, new_picture, scale, whole_ticks
from phasewise.traces.timeline import DECLARED, INNERMOST, OUTERMOST, REST, Timeline
from phasewise.traces.values import Integers

NO_EVENTS = Missing("Run it again with --events 100000 to see what each rank did in time.")
# Up to this number of ranks, rows are separated by a gap.
MAX_ROWS = 32
# Pixel lines per row, one of them the gap to the next row.
ROW = 12
# Intervals of the time line that are joined in the utilisation count.
COARSER = 4
# Least share of the ranks, mean over the time, that a state needs to be named.
LEAST = 1e-3
# Most tasks that are shown one by one.
MAX_TASKS = 14
BEYOND = "others"
_MEANINGS = (
    "computing, communicating, and waiting for a partner that has not begun to send, or for the "
    "last rank to enter a collective."
)


def draw_tasks(run: ReportedRun) -> Drawing | Missing:
    """Rank against time, coloured by the phase or kernel that takes most of each moment."""
    lines = _timelines(run)
    if isinstance(lines, Missing):
        return lines
    names = _most_common(lines)
    colours = run.colours | {BEYOND: OTHER, REST: OTHER}
    tasks = [_places(line, names) for line in lines]
    canvas = _gantt(run, lines, tasks, [colours.get(name, OTHER) for name in names])
    communicating = _communicating(run)
    order = sorted(names, key=lambda name: (name in (REST, BEYOND), name in communicating))
    _legend(canvas, {name: colours.get(name, OTHER) for name in order})
    return Drawing(
        canvas,
        f"What each rank worked at{_level(run)}: kernels in cool colours, phases of communication "
        f"in warm ones. {_about(run, lines)}",
    )


def draw_states(run: ReportedRun) -> Drawing | Missing:
    """Rank against time, coloured by whether it computes, communicates or waits."""
    lines = _timelines(run)
    if isinstance(lines, Missing):
        return lines
    states = [_states(line) for line in lines]
    canvas = _gantt(run, lines, states, list(STATES.values()))
    seen = {int(k) for state in states for k in np.unique(state)}
    _legend(canvas, {name: c for k, (name, c) in enumerate(STATES.items()) if k in seen})
    return Drawing(canvas, f"Busy, overhead and idle: {_MEANINGS} {_about(run, lines)}")


def _states(line: Timeline) -> Integers:
    known = np.stack([line.computing, line.communicating, line.waiting])
    # A moment of which more than half has no event counts as not recorded.
    return np.where(known.sum(axis=0) > 0.5, known.argmax(axis=0), 3)


def draw_utilisation(run: ReportedRun) -> Drawing | Missing:
    """How many ranks compute, communicate and wait against time, stacked."""
    lines = _timelines(run)
    if isinstance(lines, Missing):
        return lines
    canvas, axes = new_picture(len(lines), 1, 2.9 if len(lines) == 1 else 4.6, sharex=True)
    for axis, line in zip(axes[:, 0], lines, strict=True):
        _draw_counts(axis, line, _clock(lines)[0], len(lines) == 1)
    _name_panels(run, axes[:, 0], lines)
    if len(lines) == 1:
        canvas.legend(loc="outside lower center", ncols=4)
    else:
        most = np.max([line.counts.mean(axis=1) / len(line.task) for line in lines], axis=0)
        seen = [name for name, share in zip(STATES, most, strict=True) if share > LEAST]
        _legend(canvas, {name: STATES[name] for name in seen})
    words = "How many ranks compute, communicate and wait at a time."
    means = "; ".join(_means(line) for line in lines)
    means = f" Means: {means}." if len(lines) > 1 else ""
    return Drawing(canvas, f"{words}{means} {_about(run, lines)}")


def _draw_counts(axis: Axes, line: Timeline, factor: float, with_means: bool) -> None:
    counts = line.counts.reshape(4, -1, COARSER).mean(axis=2)
    edges = line.edges - line.edges[0]
    bottom = np.zeros(counts.shape[1])
    for (name, colour), values in zip(STATES.items(), counts, strict=True):
        top = bottom + values
        mean = float(values.mean())
        if mean > LEAST * len(line.task):
            label = f"{name}, mean {mean:.3g}" if with_means else None
            axis.stairs(
                top, edges[::COARSER] * factor, baseline=bottom, fill=True, color=colour,
                label=label,
            )  # fmt: skip
        bottom = top
    axis.set_ylim(0, len(line.task))
    axis.set_ylabel("ranks")
    whole_ticks(axis.yaxis)


def _means(line: Timeline) -> str:
    means = line.counts.mean(axis=1)
    seen = ((name, m) for name, m in zip(STATES, means, strict=True) if m > LEAST * len(line.task))
    return ", ".join(f"{mean:.3g} {name}" for name, mean in seen)


def _timelines(run: ReportedRun) -> tuple[Timeline, ...] | Missing:
    """The time line of the run and, below it, that of the run to show beside it."""
    if run.communication is None:
        return NO_RECORD
    return run.timelines or NO_EVENTS


def _communicating(run: ReportedRun) -> set[str]:
    """Phases of communication, and declared tasks that have nothing else."""
    found = {phase.name for record in run.shown for phase in record.phases if phase.communicates}
    return found | {task for task, computes in run.declared.items() if not computes}


def _most_common(lines: Sequence[Timeline]) -> tuple[str, ...]:
    """Names of the tasks that take most time, the longest first, the others under one name."""
    times: dict[str, float] = {}
    for line in lines:
        found = np.bincount(line.task[line.task >= 0], minlength=len(line.names))
        for name, count in zip(line.names, found, strict=True):
            share = count / line.task.shape[1] * line.seconds
            times[name] = times.get(name, 0.0) + float(share)
    shown = sorted((name for name in times if times[name] > 0), key=lambda name: -times[name])
    if len(shown) > MAX_TASKS:
        return (*shown[: MAX_TASKS - 1], BEYOND)
    return tuple(shown)


def _places(line: Timeline, names: tuple[str, ...]) -> Integers:
    """For each moment the index of a task in `names`, or -1."""
    beyond = names.index(BEYOND) if BEYOND in names else -1
    place = [names.index(name) if name in names else beyond for name in line.names]
    return np.array([*place, -1], dtype=np.int64)[line.task]


def _gantt(
    run: ReportedRun, lines: Sequence[Timeline], indices: Sequence[Integers], colours: list[str]
) -> Canvas:
    """A row of colours for each rank, the lowest one on top, and a panel for each run, all on one
    axis of time; white where `indices` are -1.
    """
    most = max(len(index) for index in indices)
    height = float(np.clip(1.6 + 0.16 * most, 2.3, 5.2))
    height += (len(lines) - 1) * float(np.clip(0.5 + 0.16 * most, 1.4, 3.6))
    canvas, axes = new_picture(len(lines), 1, height, sharex=True)
    palette = np.array([*(to_rgba(colour) for colour in colours), (0.0, 0.0, 0.0, 0.0)])
    factor = _clock(lines)[0]
    for axis, line, index in zip(axes[:, 0], lines, indices, strict=True):
        image = (255 * palette[index]).astype(np.uint8)
        first, last = line.ranks[0], line.ranks[-1]
        if len(index) <= MAX_ROWS:
            # The gap between rows stays empty.
            image = np.repeat(image, ROW, axis=0)
            image[ROW - 1 :: ROW] = 0
        box = (0.0, line.seconds * factor, last + 0.5, first - 0.5)
        axis.imshow(image, extent=box, aspect="auto", interpolation="none")
        axis.set_ylabel("rank")
        axis.grid(False)
        axis.tick_params(color=MUTED)
        whole_ticks(axis.yaxis)
    _name_panels(run, axes[:, 0], lines)
    return canvas


def _name_panels(run: ReportedRun, axes: Sequence[Axes], lines: Sequence[Timeline]) -> None:
    """Label the common axis of time and, if there are several panels, name the run that each
    shows.
    """
    factor, unit = _clock(lines)
    for axis, record in zip(axes, run.shown, strict=True):
        axis.set_xlim(0, factor * max(line.seconds for line in lines))
        if len(lines) > 1:
            where = record.machine if record.simulated else "measured"
            axis.set_title(f"{record.directory.name}: {number_of(record.ranks, 'rank')}, {where}")
    axes[-1].set_xlabel(f"time [{unit}]")


def _clock(lines: Sequence[Timeline]) -> tuple[float, str]:
    """Factor and unit of the times shown."""
    return scale([line.seconds for line in lines], "s")


def _legend(canvas: Canvas, colours: dict[str, str]) -> None:
    patches = [Patch(color=colour, label=name) for name, colour in colours.items()]
    canvas.legend(handles=patches, loc="outside lower center", ncols=7, handlelength=1.2)


def _level(run: ReportedRun) -> str:
    """Words for which tasks are shown, if they are not the innermost ones."""
    tasks = run.excerpt.tasks
    if tasks == INNERMOST:
        return ""
    words = {OUTERMOST: ", the outermost task", DECLARED: ", by the tasks that it declares"}
    return words.get(tasks, f" within {tasks}")


def _about(run: ReportedRun, lines: Sequence[Timeline]) -> str:
    sources = list(dict.fromkeys(record.source for record in run.shown))
    if run.excerpt.time is None:
        start = f"About one {run.workload.unit.one}"
    else:
        first, seconds = lines[0].from_first, lines[0].seconds
        start = f"From {first:.4g} s after the first event on, {seconds:.4g} s"
    words = (
        f"{start}, on aligned clocks; waiting is for single messages or, in a collective of the "
        f"library, until the last rank has entered it. Source: {'; '.join(sources)}."
    )
    if len(lines) > 1:
        above, below = (record.directory for record in run.shown)
        words = f"Above {above}, below {below}, each from its own start on. {words}"
    if dropped := sum(line.dropped for line in lines):
        words += (
            f" {dropped} events did not fit into the ranks' memory: give a larger --events to keep "
            "them."
        )
    return words

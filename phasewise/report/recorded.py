"""The report of a recorded program: its pictures, its call sites, what it waited for, and its
critical path.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import to_rgba

from phasewise.errors import RunError, StudyError
from phasewise.output import engineering
from phasewise.recorder.activity import Label
from phasewise.recorder.analysis import Analysis, is_recorded
from phasewise.recorder.culprits import COMPUTING
from phasewise.recorder.dependences import Floats
from phasewise.recorder.phases import inside_of, seconds_of
from phasewise.recorder.summary import library_name
from phasewise.recorder.time_line import recorded_timeline
from phasewise.recorder.varints import Integers
from phasewise.report import communication, timeline
from phasewise.report.contents import Report, utilisation_of
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.page import Page, Section, Tile, render
from phasewise.report.palette import STATES, colours_of
from phasewise.report.reported_run import INTERVALS, WHOLE, ReportedRun
from phasewise.report.roofline import Roofline
from phasewise.report.style import INK, legend_above, new_picture, whole_ticks
from phasewise.report.tables import Table
from phasewise.runs.disk import is_special, replace_text
from phasewise.traces.efficiency import efficiency
from phasewise.traces.excerpt import Excerpt
from phasewise.traces.timeline import Timeline

SHOWN = 15
"""Rows of a table."""
PARTIAL = Missing(
    "The traces do not reach to the end of all ranks, so that what waited for what is not known: "
    "record the program again, with a larger --limit."
)


class RecordedRun(ReportedRun):
    """A recorded program as the pictures of a report see it: it has no study and no records."""

    def __init__(
        self,
        directory: str | Path,
        compare: Sequence[str | Path] = (),
        excerpt: Excerpt = WHOLE,
        beside: str | Path | None = None,
        analysis: Analysis | None = None,
    ) -> None:
        super().__init__(directory, compare, excerpt=excerpt)
        self.analysis = analysis or Analysis(directory)
        self.second = None if beside is None else RecordedRun(beside, excerpt=excerpt)
        self._beside = None if self.second is None else self.second.communication
        if excerpt.time is None:
            # A picture says what it shows from the beginning on.
            self.excerpt = Excerpt((0.0, None), excerpt.ranks, excerpt.tasks)

    @cached_property
    def study(self) -> dict[str, Any]:
        """A recorded program has none."""
        return {}

    @cached_property
    def declared(self) -> dict[str, bool]:
        """No tasks are declared."""
        return {}

    @cached_property
    def timelines(self) -> tuple[Timeline, ...]:
        """What the ranks did, of this program and the one beside it."""
        runs = [self] if self.second is None else [self, self.second]
        return tuple(one.own_timeline() for one in runs if one.analysis.whole)

    def own_timeline(self) -> Timeline:
        """What the ranks of this program did."""
        record = self.communication
        assert record is not None
        return recorded_timeline(self.analysis.activity, record, self.excerpt, INTERVALS)

    @cached_property
    def colours(self) -> dict[str, str]:
        """Colours of the functions of MPI, and of the phases."""
        known = dict(super().colours)
        times: dict[str, int] = {}
        for line in self.timelines:
            counts = np.bincount(line.task[line.task >= 0], minlength=len(line.names))
            for name, count in zip(line.names, counts.tolist(), strict=True):
                times[name] = times.get(name, 0) + count
        # What takes most time gets a colour of its own.
        names = tuple(sorted(times, key=lambda name: -times[name]))
        own = colours_of(names, tuple(name == "computing" for name in names), {})
        return {**known, **own}


def make_recorded_report(
    directory: str | Path,
    output: str | Path | None = None,
    compare: Sequence[str | Path] = (),
    excerpt: Excerpt = WHOLE,
    beside: str | Path | None = None,
    analysis: Analysis | None = None,
) -> Report:
    """Draw and write the report of a recorded program, as `make_report` does for a run; analysis:
    that of the folder, if it is there. RunError if a file cannot be read or written.
    """
    if beside is not None and not is_recorded(beside):
        raise StudyError(f"{beside} holds no recorded program to show beside {directory}")
    run = RecordedRun(directory, compare, excerpt, beside, analysis)
    path = Path(output) if output is not None else run.directory / "report.html"
    pictures = (run.directory if is_special(path) else path.parent) / "pictures"
    try:
        pictures.mkdir(exist_ok=True)
        figures = tuple(
            make_figure(name, title, partial(draw, run), pictures) for name, title, draw in FIGURES
        )
        page = _page(run, figures)
        replace_text(path, render(page))
    except OSError as error:
        failed = error.filename or path
        raise RunError(f"the report cannot be written to {failed}: {error.strerror}") from None
    record = run.communication
    assert record is not None
    used = dict(vars(efficiency(record)))
    return Report(path, pictures, figures, page.warnings, used, utilisation_of(run), Roofline())


def _draw_in_time(draw: Any, run: RecordedRun) -> Drawing | Missing:
    if not run.analysis.whole or (run.second is not None and not run.second.analysis.whole):
        return PARTIAL
    drawn = draw(run)
    assert isinstance(drawn, Drawing | Missing)
    return drawn


def draw_causes(run: RecordedRun) -> Drawing | Missing:
    """Seconds that each rank waited and caused, and because of which other rank it waited."""
    if not run.analysis.whole:
        return PARTIAL
    matrix = run.analysis.culprits.matrix
    if not matrix.any():
        return Missing("No rank waited for another.")
    canvas, axes = new_picture(1, 2, 3.9)
    sums, pairs = axes[0]
    ranks = np.arange(len(matrix))
    for place, axis, label in ((-0.2, 1, "waited"), (0.2, 0, "caused")):
        sums.barh(ranks + place, 1e3 * matrix.sum(axis), 0.4, label=label)
    sums.set_ylim(len(matrix) - 0.5, -0.5)
    sums.set_xlabel("time [ms]")
    sums.set_ylabel("rank")
    legend_above(sums)
    whole_ticks(sums.yaxis)
    shown = np.ma.masked_less_equal(1e3 * matrix, 0)
    picture = pairs.imshow(shown, interpolation="none", cmap="viridis")
    pairs.grid(False)
    pairs.set_xlabel("because of rank")
    pairs.set_ylabel("rank that waits")
    whole_ticks(pairs.xaxis)
    whole_ticks(pairs.yaxis)
    canvas.colorbar(picture, ax=pairs, label="waiting [ms]")
    return Drawing(
        canvas,
        "How long each rank waited, and which rank caused it: the one that was waited for, or, "
        "where that one waited itself, the one that it waited for, and so on. Left: how long each "
        "rank waited, and how long others waited because of it. Source: measured.",
    )


def seen_of(times: Floats, lanes: Integers, width: float) -> Integers:
    """The corners of a path, in order, without which a picture would look the same: of those within
    each `width` [s] the first, the last, and one on the least and on the largest lane.
    """
    part = np.maximum.accumulate(((times - times[0]) / (width or 1.0)).astype(np.int64))
    last = np.flatnonzero(np.diff(part, append=-1))
    first = np.flatnonzero(np.diff(part, prepend=-1))
    by_lane = np.lexsort((lanes, part))
    return np.unique(np.concatenate([first, last, by_lane[first], by_lane[last]]))


def draw_path(run: RecordedRun) -> Drawing | Missing:
    """The critical path from rank to rank in time."""
    if not run.analysis.whole:
        return PARTIAL
    one, path = run.analysis.activity, run.analysis.path
    canvas, axes = new_picture(1, 1, float(np.clip(1.6 + 0.2 * len(one.rank), 2.3, 5.0)))
    begin = float(one.began.min())
    stretches = path.stretches[::-1]
    times = np.array([t - begin for _, low, high in stretches for t in (low, high)])
    ranks = one.rank[np.repeat([lane for lane, _, _ in stretches], 2)]
    # What is narrower than a thousandth of the picture would not be seen.
    seen = seen_of(times, ranks, one.span / 1000)
    axes[0, 0].plot(times[seen], ranks[seen], color=INK, linewidth=0.7)
    every = int(one.rank.max()) + 1
    shares = np.bincount(one.rank, path.by_lane, every) / max(one.span, 1e-300)
    for rank, share in enumerate(shares.tolist()):
        colour = to_rgba(STATES["computing"], 0.15)
        axes[0, 0].barh(rank, one.span * share, 0.8, color=colour)
    axes[0, 0].set_ylim(every - 0.5, -0.5)
    axes[0, 0].set_xlim(0, one.span)
    axes[0, 0].set_ylabel("rank")
    axes[0, 0].set_xlabel("time [s]")
    whole_ticks(axes[0, 0].yaxis)
    return Drawing(
        canvas,
        "The critical path (line), which the run could not have been shorter than, and each rank's "
        "share of it (bars, the whole width being all of it). Source: measured.",
    )


FIGURES = (
    ("volume", "Volume between ranks", communication.draw_volume),
    ("phase-times", "Phase times against ranks", communication.draw_phase_times),
    ("tasks", "Calls in time", partial(_draw_in_time, timeline.draw_tasks)),
    ("states", "Busy, overhead and idle in time", partial(_draw_in_time, timeline.draw_states)),
    ("utilisation", "Utilisation count", partial(_draw_in_time, timeline.draw_utilisation)),
    ("causes", "Who waited because of whom", draw_causes),
    ("critical-path", "Critical path", draw_path),
)


def _page(run: RecordedRun, figures: Sequence[Figure]) -> Page:
    found = run.analysis
    by_name = {figure.name: figure for figure in figures}
    waiting, path = _tables_of_waiting(found), _tables_of_path(found)
    own = tuple(figure for figure in figures if figure.name not in ("causes", "critical-path"))
    sections = (
        Section("sites", "Call sites", (_sites(found),)),
        Section("waiting", "Waiting", waiting, (by_name["causes"],)),
        Section("path", "Critical path", path, (by_name["critical-path"],)),
        Section("communication", "Communication", (_use(run),), own),
    )
    file = found.recording.files[0]
    library = library_name(file.texts.get("library", ""))
    program = Path(file.texts.get("program", "a recorded program")).name
    seconds = max(seconds_of(one) for one in found.recording.files)
    return Page(
        title=program,
        subtitle=f"recorded · {found.recording.ranks} ranks · {library} · {seconds:.4g} s",
        tiles=tuple(_tiles(run, seconds)),
        warnings=tuple(found.recording.not_recorded()),
        sections=sections,
        study=None,
    )


def _tiles(run: RecordedRun, seconds: float) -> list[Tile]:
    record = run.communication
    assert record is not None
    used = efficiency(record)
    inside = sum(map(inside_of, run.analysis.recording.files)) / len(run.analysis.recording.files)
    return [
        Tile("Time", f"{seconds:.4g} s", "of the slowest rank, from MPI_Init to MPI_Finalize"),
        Tile("In MPI", _percent(inside / seconds if seconds else None), "mean over the ranks"),
        Tile("Load balance", _percent(used.load_balance), "mean over largest computing time"),
        Tile("Parallel efficiency", _percent(used.parallel_efficiency), "mean computing time"),
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None or np.isnan(share) else f"{100 * share:.1f} %"


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{1e3 * seconds:.4g}"


def _use(run: RecordedRun) -> Table:
    record = run.communication
    assert record is not None
    used = efficiency(record)
    rows = (
        ("ranks", str(record.ranks)),
        ("nodes", str(len(set(record.node.tolist())))),
        ("load balance, mean / largest computing time", _percent(used.load_balance)),
        ("communication efficiency, largest computing time / run time",
         _percent(used.communication_efficiency)),
        ("parallel efficiency, the product of the two", _percent(used.parallel_efficiency)),
        ("share of communication, mean over the ranks", _percent(used.communicating)),
        ("of which waiting", _percent(used.waiting)),
    )  # fmt: skip
    return Table("Use of the ranks", ("", ""), rows, words=True)


def _sites(found: Analysis) -> Table:
    heads = ("call site", "call", "calls", "bytes", "least / mean / largest", "ms", "waiting, ms")
    rows = []
    for site in found.site_table[:SHOWN]:
        sizes = found.sizes.get((site.site, site.call))
        spread = "–" if sizes is None else " / ".join(engineering(s, "B") for s in sizes)
        total = engineering(site.bytes, "B")
        cells = (site.site, site.call, str(site.calls), total, spread, _ms(site.seconds))
        rows.append((*cells, _ms(site.waiting)))
    note = (
        f"The {SHOWN} most expensive of {len(found.site_table)}, sums over the ranks; sizes are "
        "those that a call sent or received."
    )
    return Table("", heads, tuple(rows), note)


def _tables_of_waiting(found: Analysis) -> tuple[Table, ...]:
    if not found.whole:
        return ()
    world = [file.head.rank for file in found.recording.files]
    rows = found.culprits.rows(world)
    sums: dict[str, float] = {}
    for one in rows:
        sums[one.cause] = sums.get(one.cause, 0.0) + one.seconds
    causes = tuple((cause, _ms(seconds)) for cause, seconds in sums.items())
    heads = ("waits in", "because of", "ms", "caused by rank", "which was meanwhile")
    shown = tuple(
        (
            f"{one.label.call} in {one.label.site}",
            one.cause,
            _ms(one.seconds),
            str(one.rank),
            _part_text(one.part, one.by),
        )
        for one in rows[:SHOWN]
    )
    note = f"The {min(SHOWN, len(rows))} longest of {len(rows)}, sums over the ranks that waited."
    return (
        Table("By cause", ("cause", "ms"), causes, "Sums over the ranks."),
        Table("Who caused it", heads, shown, note),
    )


def _part_text(part: str, label: Label) -> str:
    """A call, or the computing before it, in words."""
    return f"{'computing before' if part == COMPUTING else 'in'} {label.call} in {label.site}"


def _tables_of_path(found: Analysis) -> tuple[Table, ...]:
    if not found.whole:
        return ()
    steps, span = found.path.steps, found.activity.span
    rows = tuple(
        (
            _part_text(s.part, s.label),
            _ms(s.seconds),
            _percent(s.seconds / span if span else None),
            _ms(s.shorter),
        )
        for s in steps[:SHOWN]
    )
    note = (
        "The last column says how much shorter the run would be if this took no time on any rank, "
        "and everything else as long as it did."
    )
    return (Table("", ("what", "ms", "of the run", "shorter by, ms"), rows, note),)

"""Composes and writes a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.mpi.working import at
from phasewise.report import communication, timeline
from phasewise.report.communication_tables import communication_tables
from phasewise.report.field_pictures import draw_field
from phasewise.report.figure import Figure, make_figure
from phasewise.report.noise import noise_section
from phasewise.report.page import Page, Section, Tile, render
from phasewise.report.palette import STATES
from phasewise.report.reported_run import WHOLE, ReportedRun
from phasewise.report.reporting import (
    Chapter,
    own_chapters,
    own_fields,
    own_tiles,
    reported,
    tables_of_study,
)
from phasewise.report.roofline import Roofline, roofline_of
from phasewise.report.style import scientific
from phasewise.report.tables import cost_tables
from phasewise.runs.disk import is_special, replace_text
from phasewise.traces.efficiency import efficiency
from phasewise.traces.excerpt import Excerpt

WALL = "on the clock: records and checkpoints too, which the time of the ranks leaves out"
"""What the time of a run's turns is, beside that in the table of the ranks."""

COMMUNICATION = Chapter(
    "communication",
    "Communication",
    (
        ("volume", "Volume between ranks", communication.draw_volume),
        ("phase-times", "Phase times against ranks", communication.draw_phase_times),
        ("tasks", "Tasks in time", timeline.draw_tasks),
        ("states", "Busy, overhead and idle in time", timeline.draw_states),
        ("utilisation", "Utilisation count", timeline.draw_utilisation),
    ),
    communication_tables,
)
"""The only chapter for a run that has messages but no records."""


def chapters_of(run: ReportedRun) -> list[Chapter]:
    """The chapters of a run's report, the workload's own first."""
    if not run.has_records:
        return [COMMUNICATION]
    return [*own_chapters(run), *_fields(run), COMMUNICATION]


def _fields(run: ReportedRun) -> list[Chapter]:
    """The chapter of a workload's fields, where it has some."""
    figures = tuple(
        (field.name, field.title, partial(draw_field, field)) for field in own_fields(run.workload)
    )
    return [Chapter("fields", "Snapshots", figures)] if figures else []


@dataclass(frozen=True)
class Report:
    """A report that was written, with the efficiency of its run, how many ranks did what in time,
    and what bounds its kernels on a device.
    """

    path: Path
    pictures: Path
    figures: tuple[Figure, ...]
    warnings: tuple[str, ...]
    efficiency: dict[str, Any] | None
    utilisation: list[dict[str, Any]]
    roofline: Roofline


def make_report(
    directory: str | Path,
    output: str | Path | None = None,
    compare: Sequence[str | Path] = (),
    excerpt: Excerpt = WHOLE,
    beside: str | Path | None = None,
    machine: str | None = None,
    noise: int | None = None,
) -> Report:
    """Read, analyse, draw and write the report of a run's folder. Its pictures go into a folder
    beside it, or into the run's folder if `output` is no regular file.

    The communication of the runs in the folders `compare` is shown beside this one's. The pictures
    in time show `excerpt`, and on the same axis the run in the folder `beside`. machine: the
    machine whose [device] gives the roof of a run on a device. noise: the turns of the short runs
    that find the noise floor of the emittances; without it there are none. RunError if a file
    cannot be read or written; the files of the run itself are only read.
    """
    run = reported(directory, compare, excerpt, beside)
    path = Path(output) if output is not None else run.directory / "report.html"
    pictures = (run.directory if is_special(path) else path.parent) / "pictures"
    try:
        roofline = roofline_of(run, machine)
        pictures.mkdir(exist_ok=True)
        drawn = _drawn(run, pictures)
        beside_results = [] if noise is None else [noise_section(run, noise)]
        page = compose(run, drawn, roofline, beside_results)
        replace_text(path, render(page))
    except OSError as error:
        failed = error.filename or path
        raise RunError(f"the report cannot be written to {failed}: {error.strerror}") from None
    finally:
        run.close()
    figures = tuple(figure for chapter in drawn.values() for figure in chapter)
    return Report(path, pictures, figures, page.warnings, _use(run), utilisation_of(run), roofline)


def _drawn(run: ReportedRun, pictures: Path) -> dict[Chapter, tuple[Figure, ...]]:
    """The figures of each chapter, which are written into the folder `pictures` too."""
    chapters = chapters_of(run)
    every = sum(len(chapter.figures) for chapter in chapters)
    drawn: dict[Chapter, tuple[Figure, ...]] = {}
    done = 0
    for chapter in chapters:
        figures: list[Figure] = []
        for name, title, draw in chapter.figures:
            at("picture", done, every, title)
            figures.append(make_figure(name, title, partial(draw, run), pictures))
            done += 1
        drawn[chapter] = tuple(figures)
    return drawn


def _use(run: ReportedRun) -> dict[str, Any] | None:
    record = run.communication
    return None if record is None else asdict(efficiency(record))


def utilisation_of(run: ReportedRun) -> list[dict[str, Any]]:
    """For each run that the pictures in time show, how many of its ranks compute, communicate and
    wait, means over the stretch shown.
    """
    return [
        {
            "run": str(record.directory),
            "ranks": [line.ranks[0], line.ranks[-1]],
            "time": [line.from_first, line.from_first + line.seconds],
            "mean_ranks": dict(zip(STATES, map(float, line.counts.mean(axis=1)), strict=True)),
        }
        for record, line in zip(run.shown, run.timelines, strict=False)
    ]


def compose(
    run: ReportedRun,
    drawn: dict[Chapter, tuple[Figure, ...]],
    roofline: Roofline,
    more: Sequence[Section] = (),
) -> Page:
    """The page of a run from its figures by chapter. more: sections behind the chapters."""
    sections = [
        Section(chapter.name, chapter.title, tuple(chapter.tables(run)), figures)
        for chapter, figures in drawn.items()
    ]
    sections += more
    sections.append(Section("study", "Study", tuple(tables_of_study(run))))
    cost = tuple(cost_tables(run, roofline))
    if cost:
        sections.append(Section("cost", "Where the time went", cost))
    return Page(
        title=str(run.study["title"]),
        subtitle=_subtitle(run),
        tiles=tuple(_tiles(run)) if run.has_records else (),
        warnings=tuple(_warnings(run, drawn)),
        sections=tuple(sections),
        study=run.study,
    )


def _subtitle(run: ReportedRun) -> str:
    count = run.workload.unit.of(run.count)
    record = run.communication
    simulated = f" · {record.source}" if record is not None and record.simulated else ""
    if not run.has_records:
        assert record is not None
        ranks = _count(record.ranks, "rank")
        return f"{record.turns} of {count}, messages alone · {ranks}{simulated}"
    attributes = run.results.attributes
    ranks, threads = attributes.get("ranks", 1), attributes.get("threads", 1)
    return (
        f"{len(run.turn)} of {count} · {_count(ranks, 'rank')} × "
        f"{_count(threads, 'thread')} · phasewise {attributes.get('version', '')} · "
        f"started {attributes.get('created', 'at an unknown time')}{simulated}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _warnings(run: ReportedRun, drawn: dict[Chapter, tuple[Figure, ...]]) -> list[str]:
    warnings = []
    if run.has_records and not run.results.complete:
        warnings.append(
            f"This run is not complete: {len(run.turn)} of "
            f"{run.workload.unit.of(run.count)} are recorded."
        )
    warnings += [f.warning for figures in drawn.values() for f in figures if f.warning]
    return warnings + [str(warning) for warning in run.derived.get("warnings", ())]


def _tiles(run: ReportedRun) -> list[Tile]:
    tiles = own_tiles(run)
    seconds = run.results.seconds_per_turn
    if math.isfinite(seconds):
        one, value = run.workload.unit.one, f"{scientific(seconds, 3)} s"
        tiles.append(Tile(f"Time per {one}, all included", value, WALL))
    return tiles

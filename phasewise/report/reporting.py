"""What a workload adds to a report: its part `reporting`.

* `CHAPTERS`: its chapters for a run with records;
* `REPORTED`: a subclass of `ReportedRun` with the workload's own analyses;
* `study_tables(run)`, `tiles(run)`: the study in tables, and the numbers at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.report.figure import Drawing, Missing
from phasewise.report.page import Tile
from phasewise.report.reported_run import WHOLE, ReportedRun
from phasewise.report.tables import Table, rows_of
from phasewise.traces.excerpt import Excerpt
from phasewise.workload.interface import Workload

PART = "reporting"

Draw = Callable[[Any], Drawing | Missing]


def no_tables(_run: Any) -> list[Table]:
    """A chapter with pictures alone."""
    return []


@dataclass(frozen=True)
class Chapter:
    """A chapter of a report: its figures (name, title, and what draws it), and its tables."""

    name: str
    title: str
    figures: tuple[tuple[str, str, Draw], ...]
    tables: Callable[[Any], Iterable[Table]] = no_tables


def reported(
    directory: str | Path,
    compare: Sequence[str | Path] = (),
    excerpt: Excerpt = WHOLE,
    beside: str | Path | None = None,
) -> ReportedRun:
    """A run's folder as a report sees it, as `ReportedRun` takes it; StudyError if it holds no
    records to show.
    """
    run = ReportedRun(directory, compare, excerpt=excerpt, beside=beside)
    if not run.has_records:
        return run
    kind = kind_of(run.workload)
    if kind is ReportedRun:
        return run
    run.close()
    return kind(directory, compare, excerpt=excerpt, beside=beside)


def kind_of(workload: Workload) -> type[ReportedRun]:
    """How a report sees a run of a workload."""
    kind: type[ReportedRun] = getattr(workload.part(PART), "REPORTED", ReportedRun)
    return kind


def own_chapters(workload: Workload) -> tuple[Chapter, ...]:
    """The chapters of a workload."""
    chapters: tuple[Chapter, ...] = getattr(workload.part(PART), "CHAPTERS", ())
    return chapters


def own_tiles(run: ReportedRun) -> list[Tile]:
    """The numbers at the top that are of the workload."""
    return list(run.workload.offers(PART, "tiles", no_tables)(run))


def tables_of_study(run: ReportedRun) -> list[Table]:
    """The study and what follows from it."""
    return list(run.workload.offers(PART, "study_tables", _every_key)(run))


def _every_key(run: ReportedRun) -> list[Table]:
    """A table of keys and values for each table of the study."""
    return [
        Table(name, ("", ""), rows_of([(key, [value]) for key, value in table.items()]))
        for name, table in run.study.items()
        if isinstance(table, dict)
    ]

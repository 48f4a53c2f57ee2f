"""What a workload adds to a report: its contract `Reporting`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.report.fields import Field
from phasewise.report.figure import Drawing, Missing
from phasewise.report.page import Tile
from phasewise.report.reported_run import WHOLE, ReportedRun
from phasewise.report.tables import Table, rows_of
from phasewise.traces.excerpt import Excerpt
from phasewise.workload.interface import Part, Workload

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


class Reporting(Part):
    """What a report shows of a workload's run."""

    MODULE = "reporting"
    REPORTED: type[ReportedRun] = ReportedRun
    """How a report sees a run: a subclass has the workload's own analyses."""
    CHAPTERS: tuple[Chapter, ...] = ()
    """Its chapters for a run with records."""
    FIELDS: tuple[Field, ...] = ()
    """Its quantities in two dimensions of which a run may have snapshots."""

    def chapters(self, run: Any) -> tuple[Chapter, ...]:
        """The chapters that suit the study of a run; by default all."""
        return self.CHAPTERS

    def tiles(self, run: Any) -> list[Tile]:
        """The numbers at the top."""
        return []

    def study_tables(self, run: Any) -> list[Table]:
        """The study and what follows from it; by default a table of keys and values for each table
        of the study.
        """
        return [
            Table(name, ("", ""), rows_of([(key, [value]) for key, value in table.items()]))
            for name, table in run.study.items()
            if isinstance(table, dict)
        ]


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
    return workload.part(Reporting).REPORTED


def own_chapters(run: ReportedRun) -> tuple[Chapter, ...]:
    """The chapters of a run that are of its workload."""
    return run.workload.part(Reporting).chapters(run)


def own_fields(workload: Workload) -> tuple[Field, ...]:
    """The fields of a workload."""
    return workload.part(Reporting).FIELDS


def own_tiles(run: ReportedRun) -> list[Tile]:
    """The numbers at the top that are of the workload."""
    return run.workload.part(Reporting).tiles(run)


def tables_of_study(run: ReportedRun) -> list[Table]:
    """The study and what follows from it."""
    return run.workload.part(Reporting).study_tables(run)

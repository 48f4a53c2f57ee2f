"""A page for one answer: the question, the answer, what shows it, the conditions, how sure it is.

It is made for a person who was not there when the command ran. Every command that answers a
question composes an `Answer`, and `write_answer` makes the page of it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from phasewise.errors import RunError
from phasewise.output import Printed, PrintedTable
from phasewise.report.figure import Drawing, Missing, make_figure
from phasewise.report.page import Page, Section, Tile, render
from phasewise.report.tables import Table
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.version import __version__

Picture = tuple[str, str, Callable[[], Drawing | Missing]]
"""The name of a picture, its title, and what draws it."""


@dataclass(frozen=True)
class Answer:
    """The answer to a question, in sentences.

    conditions: what it holds for, by name. certainty: sentences on how sure it is. study: the
    resolved study; None where there is none.
    """

    question: str
    answer: str
    tiles: Sequence[Tile]
    pictures: Sequence[Picture]
    tables: Sequence[Table]
    conditions: Mapping[str, str]
    certainty: Sequence[str]
    study: Mapping[str, object] | None = None


def write_answer(answer: Answer, path: str | Path) -> None:
    """Draw and write the page of an answer; RunError if it cannot be written."""
    page = render(page_of(answer))
    try:
        replace_text(Path(path), page)
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from error


def page_of(answer: Answer) -> Page:
    """The page with the pictures drawn."""
    figures = tuple(make_figure(*picture, pictures=None) for picture in answer.pictures)
    conditions = Table("", ("", ""), tuple(answer.conditions.items()), words=True)
    return Page(
        title=answer.question,
        subtitle="",
        answer=answer.answer,
        tiles=tuple(answer.tiles),
        warnings=tuple(figure.warning for figure in figures if figure.warning),
        sections=(
            Section("shown", "What shows it", tuple(answer.tables), figures, pictures_first=True),
            Section("conditions", "Conditions", (conditions,)),
            Section("certainty", "How sure it is", sentences=tuple(answer.certainty)),
        ),
        study=None if answer.study is None else dict(answer.study),
    )


def origin(argv: Sequence[str]) -> dict[str, str]:
    """The conditions that every page has: the command with its arguments, the date, the version."""
    return {
        "command": shlex.join(["phasewise", *argv]),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": f"phasewise {__version__}",
    }


def tables_of(printed: Printed) -> list[Table]:
    """The tables that a command prints, for its page."""
    return [_filled(table) for table in printed.tables]


def _filled(table: PrintedTable) -> Table:
    """A table without the columns whose cells are all empty."""
    places = [
        place
        for place in range(len(table.columns))
        if place == 0 or any(row[place] for row in table.rows)
    ]
    rows = tuple(tuple(row[place] for place in places) for row in table.rows)
    return Table(table.title, tuple(table.columns[place] for place in places), rows)

"""The keys of [records] that say whether, when and how links are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import key
from phasewise.tables.keys import show
from phasewise.workloads.qcd.gauge.names import PRECISIONS as FORMATS
from phasewise.workloads.qcd.gauge.names import Form, can_be, form_of


@dataclass(frozen=True, kw_only=True)
class LinkRecords:
    """The keys of [records] for links."""

    links: str | None = key("word", choices=tuple(FORMATS))
    """Format of the file to which the links are written after the last solve or trajectory; None:
    no file.
    """
    links_every: int = key("integer", 0, least=0)
    """Trajectories from one file of links to the next; 0: the links of the last one alone."""
    links_precision: str | None = key("word", choices=("single", "double"))
    links_rows: int | None = key("integer", least=2, most=3)
    """Rows of each link."""
    links_byte_order: str | None = key("word", choices=("big", "little"))
    """Byte order of that file. The defaults of the precision, the rows and the byte order are the
    best precision, three rows and the most significant byte first.
    """

    @property
    def form(self) -> Form | None:
        """The form of the file of links; StudyError if the format does not allow it."""
        if self.links is None:
            return None
        return form_of(self.links, self.links_precision, self.links_rows, self.links_byte_order)


def with_form(records: LinkRecords) -> LinkRecords:
    """The records with all choices of the form of the file of links filled in; StudyError if its
    format does not allow them.
    """
    ways = {name.removeprefix("links_"): value for name, value in vars(records).items()}
    kind, every = ways.pop("links"), ways.pop("every")
    if kind is None and every:
        raise StudyError(
            f"records.links_every = {every} says when links are written, and without records.links "
            f"none are; give records.links = {_either(FORMATS)} too"
        )
    for name, value in ways.items():
        if value is not None:
            _check_way(f"records.links_{name} = {show(value)}", kind, {name: value})
    if kind is None:
        return records
    form = form_of(kind, **ways)
    return replace(
        records,
        links_precision=form.precision,
        links_rows=form.rows,
        links_byte_order=form.byte_order,
    )


def _either(names: Iterable[str]) -> str:
    return " or ".join(f'"{name}"' for name in names)


def _check_way(where: str, kind: str | None, way: Mapping[str, Any]) -> None:
    """StudyError if no file of links is written, or if its format does not allow this choice."""
    if kind is None:
        fitting = _either(name for name in FORMATS if can_be(name, **way))
        raise StudyError(
            f"{where} says how links are written, and without records.links none are; give "
            f"records.links = {fitting} too"
        )
    try:
        form_of(kind, **way)
    except StudyError as error:
        raise StudyError(f"{where} with records.links = {show(kind)}: {error}") from None

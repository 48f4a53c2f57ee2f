"""The names of the formats of gauge fields, and the variants of each that can be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from phasewise.errors import StudyError

T = TypeVar("T")

PRECISIONS = {
    "ildg": ("single", "double"),
    "milc": ("single",),
    "nersc": ("single", "double"),
}
"""Precisions that a format allows, the best last."""
BYTE_ORDERS = {"ildg": ("big",), "milc": ("big", "little"), "nersc": ("big", "little")}
ROWS = {"ildg": (3,), "milc": (3,), "nersc": (3, 2)}
"""Numbers of rows of a link that a format allows; of three rows, the last follows from the
others.
"""


@dataclass(frozen=True)
class Form:
    """A format, and the choices that it leaves open."""

    format: str
    precision: str
    rows: int = 3
    byte_order: str = "big"

    @property
    def big(self) -> bool:
        """Whether the most significant byte comes first."""
        return self.byte_order == "big"


def form_of(
    name: str,
    precision: str | None = None,
    rows: int | None = None,
    byte_order: str | None = None,
) -> Form:
    """The form of files of the format `name`; StudyError if the format does not allow what is
    given. By default it has the best precision, three rows and the most significant byte first.
    """
    precisions, counts, orders = PRECISIONS[name], ROWS[name], BYTE_ORDERS[name]
    return Form(
        name,
        _one_of(name, "{} precision", precision, precisions, precisions[-1]),
        _one_of(name, "links of {} rows", rows, counts, counts[0]),
        _one_of(name, "{} byte order", byte_order, orders, orders[0]),
    )


def can_be(name: str, **ways: Any) -> bool:
    """Whether the format `name` allows these choices."""
    try:
        form_of(name, **ways)
    except StudyError:
        return False
    return True


def _one_of(name: str, what: str, given: T | None, known: Sequence[T], usual: T) -> T:
    if given is None:
        return usual
    if given not in known:
        accepted = ", ".join(map(str, known))
        raise StudyError(f"{name} files have no {what.format(given)}; accepted: {accepted}")
    return given

"""Objects that show themselves as one table: where they are printed, and in a notebook's cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDEST = 72
"""Most characters of a cell."""

MOST_ROWS = 60


@dataclass(frozen=True)
class Shown:
    """A table: its title, the heads of its columns (none: a name and a value in each row), its
    rows, and a sentence below it.
    """

    title: str
    rows: Sequence[Sequence[str]]
    heads: Sequence[str] = ()
    note: str = ""

    def cells(self) -> list[list[str]]:
        """The rows that are shown, with cells of bounded width."""
        rows = [[_cut(cell) for cell in row] for row in self.rows[:MOST_ROWS]]
        if len(self.rows) > MOST_ROWS:
            rows.append([f"… {len(self.rows) - MOST_ROWS} more", *[""] * (len(rows[0]) - 1)])
        return rows

    def text(self) -> str:
        """The table as text: the first column at the left, the others at the right, or a name with
        its value.
        """
        rows = [list(self.heads), *self.cells()] if self.heads else self.cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        align = [str.ljust, *[str.rjust if self.heads else str.ljust] * (len(widths) - 1)]
        lines = [
            "  ".join(to(cell, width) for to, cell, width in zip(align, row, widths, strict=True))
            for row in rows
        ]
        return "\n".join([self.title, *(f"  {line}".rstrip() for line in lines), *self._note()])

    def html(self) -> str:
        """The table as HTML, without styles of its own."""
        heads = "".join(f"<th>{escape(head)}</th>" for head in self.heads)
        rows = [
            "".join(
                f'<td style="text-align: {"left" if k == 0 or not self.heads else "right"}">'
                f"{escape(cell)}</td>"
                for k, cell in enumerate(row)
            )
            for row in self.cells()
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        head = f"<thead><tr>{heads}</tr></thead>" if heads else ""
        note = "".join(f"<p>{escape(line)}</p>" for line in self._note())
        caption = f'<caption style="text-align: left">{escape(self.title)}</caption>'
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>{note}"

    def _note(self) -> list[str]:
        return [self.note] if self.note else []


class Readable(ABC):
    """Mixed into a class, it makes `print` and a notebook show the table of `shown`."""

    @abstractmethod
    def shown(self) -> Shown:
        """The object as a table."""

    def __repr__(self) -> str:
        return self.shown().text()

    def _repr_html_(self) -> str:
        return self.shown().html()


def _cut(cell: str) -> str:
    return cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 1]}…"

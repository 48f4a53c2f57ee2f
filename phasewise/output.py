"""What commands print: one JSON object or tables on standard output, messages on standard error."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from phasewise.errors import RunError, printable

# Ranks that print no table start sooner without rich.
if TYPE_CHECKING:
    from rich.console import Console

UNBROKEN = 100_000
"""Columns of a console whose lines are not broken."""


def print_json(record: Mapping[str, Any]) -> None:
    """Print ``record`` as one JSON object on standard output; NaN and infinities become null."""
    json.dump(_plain(record), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def describe(error: BaseException) -> str:
    """One line on an unexpected error."""
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if isinstance(error, ImportError) and "failed to map segment" in str(error):
        return f"there is not enough memory to load a library ({error})"
    reason = " ".join(str(error).split()) or "no reason was given"
    return f"{type(error).__name__}: {reason}"


def tolerate_any_text() -> None:
    """Show `?` for what the terminal's encoding lacks, such as the exponent of m⁻²."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def drop_output() -> None:
    """Discard standard output if its reader is gone; Python would complain about it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_tables: ContextVar[list[PrintedTable] | None] = ContextVar("tables", default=None)
_said: ContextVar[list[str] | None] = ContextVar("said", default=None)


def message(text: str, mark: str = "") -> None:
    """Print one line on standard error in one piece, so that lines of several ranks do not run
    together.

    mark: a control character before the line, for the process that reads it. Control characters in
    `text`, which may come from the name of a file or a key, are written out.

    A line that cannot be written, because the disk of a log is full or a pipe is closed, is lost,
    and the program goes on.
    """
    if (said := _said.get()) is not None:
        said.append(text)
        return
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{mark}{printable(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _forget_standard_error()


def _forget_standard_error() -> None:
    """Drop what could not be written: Python would try to write it again at exit, and fail."""
    with contextlib.suppress(OSError, ValueError):
        raw = io.FileIO(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(raw), errors="replace", line_buffering=True, encoding="utf-8"
        )


class StandardOutput(io.TextIOWrapper):
    """Standard output whose errors are RunErrors, except for that of a pipe that nobody reads any
    more.
    """

    def write(self, text: str) -> int:
        with _writing():
            return super().write(text)

    def flush(self) -> None:
        with _writing():
            super().flush()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RunError(f"standard output cannot be written ({error.strerror})") from error


def open_standard_streams() -> None:
    """Replace standard streams that are closed, before another file gets their numbers. Writing to
    a closed standard output then is an error; messages are lost.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, mode), number)
    if sys.stdout is None:
        raw = io.BufferedWriter(io.FileIO(1, "w", closefd=False))
        sys.stdout = StandardOutput(raw, encoding="utf-8")
    elif sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        kind, tty = sys.stdout.encoding, sys.stdout.isatty()
        sys.stdout = StandardOutput(sys.stdout.buffer, kind, "replace", line_buffering=tty)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def table_width() -> int:
    """The number of columns for what is printed: COLUMNS, or else those of the terminal, or else
    100.
    """
    return shutil.get_terminal_size((100, 24)).columns


@dataclass(frozen=True)
class PrintedTable:
    """A table as `print_table` gets it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Printed:
    """What a function printed: its tables, and the lines beside them."""

    tables: tuple[PrintedTable, ...]
    lines: tuple[str, ...]


def captured(show: Callable[[], object]) -> Printed:
    """What `show` prints and says, none of which reaches the terminal."""
    tables: list[PrintedTable] = []
    said: list[str] = []
    tokens = _tables.set(tables), _said.set(said)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as text:
            show()
    finally:
        _tables.reset(tokens[0])
        _said.reset(tokens[1])
    return Printed(tuple(tables), tuple(filter(None, (*text.getvalue().splitlines(), *said))))


def console() -> Console:
    """A rich console on standard output, which prints texts as they are, brackets included."""
    from rich.console import Console

    # It gets a height too, because otherwise rich assumes 80 columns for a terminal of kind "dumb".
    width = table_width() if _tables.get() is None else UNBROKEN
    return Console(width=width, height=24, highlight=False, markup=False, emoji=False)


def print_table(title: str, columns: list[str], rows: list[list[str]], keys: int = 1) -> None:
    """Print a table: the first column left-aligned, the others right-aligned. In a table that is
    too wide, cells are broken between words. If that is not enough, the other columns follow below,
    again after the first `keys` columns.
    """
    if (tables := _tables.get()) is not None:
        tables.append(PrintedTable(title, tuple(columns), tuple(map(tuple, rows))))
        return

    from rich import box
    from rich.table import Table
    from rich.text import Text

    texts = [list(cells) for cells in zip(columns, *rows, strict=True)]
    most = table_width()
    for part in _parts([_longest_word(cells) for cells in texts], keys, most):
        widths = _widths([texts[place] for place in part], most)
        table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
        for place, width in zip(part, widths, strict=True):
            side: Literal["left", "right"] = "left" if place == 0 else "right"
            table.add_column(Text(columns[place]), justify=side, width=width, overflow="fold")
        for row in rows:
            table.add_row(*(Text(row[place]) for place in part))
        console().print(table)


def _longest_word(cells: list[str]) -> int:
    return max((_cells_of(word) for cell in cells for word in cell.split()), default=0)


def _cells_of(text: str) -> int:
    """The columns of a terminal that a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def _with_frame(widths: list[int]) -> int:
    """The width of a table whose columns have these widths: each cell has a space on either side,
    and lines run around the cells and between them.
    """
    return sum(widths) + 3 * len(widths) + 1


def _parts(least: list[int], keys: int, most: int) -> list[list[int]]:
    """Which columns stand beside each other if each needs at least the width in `least`."""
    parts = [list(range(min(keys, len(least))))]
    for place in range(keys, len(least)):
        beside = [*parts[-1], place]
        fits = _with_frame([least[one] for one in beside]) <= most
        if fits or len(parts[-1]) == keys:
            parts[-1] = beside
        else:
            parts.append([*range(keys), place])
    return parts


def _widths(texts: list[list[str]], most: int) -> list[int]:
    """The widths of a table's columns: what their cells need. If that is too much, the widest
    column that still has room for its words is made narrower; if none has, words are broken.
    """
    widths = [max(map(_cells_of, cells)) for cells in texts]
    least = [_longest_word(cells) for cells in texts]
    while _with_frame(widths) > most and max(widths) > 1:
        spare = [width if width > room else 0 for width, room in zip(widths, least, strict=True)]
        from_ = spare if any(spare) else widths
        widths[from_.index(max(from_))] -= 1
    return widths


def alike(value: float, *others: float, digits: int = 4) -> list[str]:
    """A value with this number of digits, or all digits before the point, and others with as many
    decimals, such as the ends of its interval or a value to compare.
    """
    size = abs(value) or max(map(abs, others), default=0.0)
    decimals = 0 if size == 0.0 else max(0, digits - 1 - math.floor(math.log10(size)))
    return [f"{one:.{decimals}f}" for one in (value, *others)]


def within(value: float, *ends: float) -> str:
    """A value with the interval that it lies in."""
    found, *both = alike(value, *ends)
    return f"{found} [{'…'.join(both)}]"


def engineering(value: float, unit: str) -> str:
    """A value of a unit with the prefix that makes it short."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    for factor, prefix in ((1e-3, "m"), (1e-6, "µ")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def number_of(number: int, noun: str, several: str | None = None) -> str:
    """A number with its noun, as "1 rank" and "2 ranks"; several: the plural, if it is another."""
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


def rough_duration(seconds: float) -> str:
    """``seconds`` in the unit that a person would choose."""
    for factor, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds:.3g} seconds"

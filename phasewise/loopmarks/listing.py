"""The marks of a source file: found, as text, and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.loopmarks.c_loops import loops_of_c
from phasewise.loopmarks.compiling import command_for, compile_and_read
from phasewise.loopmarks.fortran_loops import loops_of_fortran
from phasewise.loopmarks.loops import FIXED_SUFFIXES, Loops, check_language, is_fortran
from phasewise.loopmarks.marks import MarkedLine, MarkedLoop, mark_lines, mark_loops
from phasewise.runs.disk import disk_reason


@dataclass(frozen=True)
class Loopmarks:
    """The loops and the lines of a source, and the command that compiled it."""

    source: Path
    command: str
    loops: tuple[MarkedLoop, ...]
    lines: tuple[MarkedLine, ...]


def loopmarks(
    source: str | Path, command: str | None = None, through: Path | None = None
) -> Loopmarks:
    """The marks of a source file in C, C++ or Fortran that is compiled by `command`. Without a
    command, a file of phasewise's own core is compiled as phasewise compiles it, another one by gcc
    -O3 -march=native -fopenmp. through: the file of the core that is compiled, if `source` is a
    header that it includes.

    StudyError if the file cannot be read or compiled, or if the command compiles another one.
    """
    path = Path(source)
    check_language(path)
    text = _read(path)
    _loops_of(path, text)
    chosen = command_for(through or path, command)
    reported = compile_and_read(path, chosen)
    marked = mark_loops(path.resolve(), cache(_loops_in), reported, is_fortran(path))
    lines = mark_lines(text, marked, reported.inlined)
    return Loopmarks(path, chosen.text, tuple(marked), tuple(lines))


def _read(path: Path) -> str:
    try:
        # Bytes that are not UTF-8 can only be in comments and strings: gcc refuses them elsewhere.
        return path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    except OSError as error:
        raise StudyError(f"{path} cannot be read ({disk_reason(error)})") from None


def _loops_of(path: Path, text: str) -> Loops:
    if is_fortran(path):
        return loops_of_fortran(text, path.suffix in FIXED_SUFFIXES)
    try:
        return loops_of_c(text)
    except StudyError as error:
        raise StudyError(f"{path}: {error}") from None


def _loops_in(path: Path) -> Loops:
    """The loops of a file that the source may include; none if its statements cannot be
    followed.
    """
    try:
        return _loops_of(path, _read(path))
    except StudyError:
        return Loops(())


def as_text(found: Loopmarks) -> str:
    """The source with its marks on the left. A line below the first line of a loop says why the
    loop is not vectorised.
    """
    digits = len(str(len(found.lines)))
    width = max((len(line.marks) for line in found.lines), default=0)
    rows = []
    for line in found.lines:
        rows.append(f"{line.line:>{digits}}. {line.marks:<{width}}  {line.text}".rstrip())
        if line.reason:
            rows.append(f"{'':>{digits}}  {'':<{width}}  ^ {line.reason}")
    return "\n".join(rows)


def as_json(found: Loopmarks) -> dict[str, Any]:
    """What ``loopmarks --json`` prints."""
    return {
        "file": str(found.source),
        "command": found.command,
        "lines": [
            {"line": line.line, "marks": line.marks, "reason": line.reason} for line in found.lines
        ],
    }

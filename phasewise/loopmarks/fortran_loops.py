"""The do loops of a Fortran source in free or fixed form, also those that end at a label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from phasewise.loopmarks.loops import Loop, Loops, Place

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_DO = re.compile(
    r"(?:\w+\s*:\s*)?do\s*(?:(?P<label>\d+)\s*,?\s*)?"
    r"(?:$|while\s*\(|concurrent\s*\(|[a-z]\w*\s*=[^=]*,)"
)
_END = re.compile(r"end\s*do\b(?!\s*[=(%])")
_LEAVES = re.compile(r"\b(?:exit|return|stop|go\s*to)\b")
_LABEL = re.compile(r"\s*(\d+)\s+")
_SHARES = re.compile(r"\s*[!c*]\$omp\b.*\b(?:do|taskloop|distribute|loop)\b")
_FIXED_COMMENT = "c*d!"


@dataclass(frozen=True)
class _Statement:
    text: str
    label: str
    place: Place
    end: Place
    shared: bool


@dataclass
class _Open:
    statement: _Statement
    label: str | None
    leaves: bool = False


def loops_of_fortran(text: str, fixed: bool) -> Loops:
    """The do loops of a Fortran source; `fixed`: in fixed form."""
    found: list[Loop] = []
    around: list[_Open] = []

    def close(end: Place) -> None:
        last, depth = around.pop(), len(around) + 1
        head, own = last.statement.end, last.statement
        found.append(Loop(own.place, own.place, head, end, depth, own.shared, last.leaves))

    for statement in _statements(text, fixed):
        if do := _DO.match(statement.text):
            around.append(_Open(statement, do["label"]))
            continue
        if around and _LEAVES.search(statement.text):
            around[-1].leaves = True
        if _END.match(statement.text) and around:
            close(statement.end)
        while around and statement.label and around[-1].label == statement.label:
            close(statement.end)
    return Loops(tuple(sorted(found)))


def _statements(text: str, fixed: bool) -> Iterator[_Statement]:
    """Statements in lower case, without comments and quoted text. A statement that is continued
    over several lines is placed in the first of them.
    """
    lines = text.lower().split("\n")
    shared, at = False, 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        if _is_comment(line, fixed):
            shared = bool(_SHARES.match(line)) or (shared and "$omp" in line)
            continue
        whole = _code(line)
        while (more := _continuation(lines, at, whole, fixed)) is not None:
            whole = whole.rstrip().rstrip("&") + " " + _code(lines[more][6 if fixed else 0 :])
            at = more + 1
        yield from _parts(whole, number, len(_code(line)), shared)
        shared = shared and not whole.strip()


def _continuation(lines: list[str], at: int, whole: str, fixed: bool) -> int | None:
    """The line, from line `at` on, that continues the statement `whole`; None if it is complete."""
    while at < len(lines) and (_is_comment(lines[at], fixed) or not lines[at].strip()):
        at += 1
    if at == len(lines):
        return None
    if fixed:
        goes_on = lines[at][:5].strip() == "" and lines[at][5:6].strip() not in ("", "0")
    else:
        goes_on = whole.rstrip().endswith("&")
    return at if goes_on else None


def _parts(whole: str, line: int, length: int, shared: bool) -> Iterator[_Statement]:
    """The statements of a line, which are separated by semicolons; the first may have a label."""
    label = _LABEL.match(whole)
    column = 1
    for part in whole.split(";"):
        text = part.lstrip()
        begin = column + len(part) - len(text)
        if label and column == 1:
            begin, text = label.end() + 1, whole[label.end() : len(part)]
        if text.strip():
            end = max(begin, min(column + len(part.rstrip()) - 1, max(length, 1)))
            own = label[1] if label and column == 1 else ""
            yield _Statement(text.strip(), own, Place(line, begin), Place(line, end), shared)
        column += len(part) + 1


def _is_comment(line: str, fixed: bool) -> bool:
    bare = line.strip()
    if bare.startswith(("!", "#")):
        return True
    return fixed and line[:1] in _FIXED_COMMENT and line[:1] != ""


def _code(line: str) -> str:
    """A line without its comment, and with blanks in place of quoted text."""
    blanked = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), line)
    return blanked.partition("!")[0]

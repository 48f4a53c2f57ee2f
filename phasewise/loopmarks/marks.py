"""Joins the loops of a source with gcc's record of them, and writes the marks of each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from phasewise.loopmarks import reasons
from phasewise.loopmarks.loops import Loop, Loops, Place
from phasewise.loopmarks.record import OUTLINED, Attempt, Reported

BEGINS, ENDS, WHOLE = "-----<", "----->", "-----<>"
INLINED = "i"
LINE_END = 10**6
"""A column after the last one of any line."""
NOWHERE = Place(0, 0)


@dataclass(frozen=True)
class MarkedLoop:
    """A loop and its fate. label: `P` run by threads, `V4` vectorised in four lanes (`V` if the
    number is not fixed), `u` unrolled; otherwise the number of its depth. reason: why it, or one of
    its copies, was not vectorised; None if all were.
    """

    loop: Loop
    label: str
    reason: str | None


@dataclass(frozen=True)
class MarkedLine:
    """A line of the source. line: its number, from 1. marks: those of the loops around it, in the
    form of Worley's listings, and of the calls inlined into it. reason: printed below the line.
    """

    line: int
    text: str
    marks: str
    reason: str | None


def mark_loops(
    source: Path, loops_in: Callable[[Path], Loops], reported: Reported, implied: bool
) -> list[MarkedLoop]:
    """The fate of each loop of `source` in the order in which they begin.

    loops_in: the loops of any file, by its full path. implied: a statement may be a loop without a
    keyword, such as one on whole arrays in Fortran; the loop then is the line that the vectoriser
    reports.
    """
    attempts = _by_loop(source, loops_in, reported.attempts, implied)
    everything = sorted(attempts)
    vectorised = {loop for loop in everything if _is_vectorised(loop, attempts)}
    unrolled = _unrolled(attempts, reported)
    threads = _threads(attempts, reported)
    library = {_loop_at(everything, place) for place in reported.library}
    marked = []
    for loop in everything:
        lanes = _lanes(attempts[loop]) if loop in vectorised else ""
        label = ("P" if loop in threads else "") + lanes + ("u" if loop in unrolled else "")
        if loop in vectorised:
            reason = _reason_of_some(loop, attempts[loop])
        elif any(loop.holds(inner.begin) for inner in vectorised):
            reason = reasons.INNER
        elif attempts[loop]:
            reason = reasons.reason_of(attempts[loop][0], loop)
        elif loop in unrolled:
            reason = reasons.UNROLLED
        elif loop in library:
            reason = reasons.LIBRARY
        else:
            reason = reasons.ABSENT if reported.vectoriser else reasons.NOT_ASKED
        if reason and loop not in vectorised:
            reason = f"not vectorised: {reason}"
        marked.append(MarkedLoop(loop, label or str(loop.depth), reason))
    return marked


def _is_vectorised(loop: Loop, attempts: Mapping[Loop, Sequence[Attempt]]) -> bool:
    """Whether a loop counts as vectorised. One vectorised copy is enough, but a loop with loops
    inside needs all: gcc also splits off copies without the inner loop, which do nothing.
    """
    nest = any(loop.holds(other.begin) for other in attempts if other != loop)
    fates = [attempt.vectorised for attempt in attempts[loop]]
    return bool(fates) and (all(fates) if nest else any(fates))


def _reason_of_some(loop: Loop, attempts: Sequence[Attempt]) -> str | None:
    """Why some copies of a vectorised loop were not vectorised; None if all were, or if the copies
    are the dimensions of arrays.
    """
    failed = [attempt for attempt in attempts if not attempt.vectorised]
    if not failed or loop.implied:
        return None
    why = reasons.reason_of(failed[0], loop)
    return f"not vectorised in {len(failed)} of its {len(attempts)} copies: {why}"


def _by_loop(
    source: Path,
    loops_in: Callable[[Path], Loops],
    attempts: Sequence[Attempt],
    implied: bool,
) -> dict[Loop, list[Attempt]]:
    """The vectoriser's attempts at each loop of `source`, none for those that it never met.

    gcc places a loop at the condition that ends it, which mostly is in the loop's head. If
    directives have replaced that condition, gcc places the loop at a statement of its body, which
    may have been inlined there. The loop then is the innermost one around that statement that has
    directives, or that has no attempt in the same function.
    """
    found: dict[Loop, list[Attempt]] = {loop: [] for loop in loops_in(source).loops}
    rest = []
    for attempt in attempts:
        file, place = attempt.places[0] if attempt.places else (source, NOWHERE)
        headed = loops_in(file).headed(place)
        if headed is None:
            rest.append(attempt)
        elif file == source:
            found[headed].append(attempt)
    for attempt in rest:
        if (loop := _loop_of_body(source, loops_in, attempt, found)) is not None:
            found[loop].append(attempt)
        elif implied and attempt.places and attempt.places[0][0] == source:
            line = attempt.places[0][1].line
            begin, end = Place(line, 1), Place(line, LINE_END)
            depth = 1 + len(loops_in(source).around(attempt.places[0][1]))
            own = Loop(begin, begin, end, end, depth, implied=True)
            found.setdefault(own, []).append(attempt)
    _give_back(found)
    return found


def _loop_of_body(
    source: Path,
    loops_in: Callable[[Path], Loops],
    attempt: Attempt,
    found: Mapping[Loop, Sequence[Attempt]],
) -> Loop | None:
    """The loop of `source` that gcc places at a statement of its body; None if it belongs to
    another file.
    """
    for file, place in attempt.places:
        around = loops_in(file).around(place)
        if file != source:
            if around:
                return None
            continue
        free = [
            loop
            for loop in around
            if loop.directive < loop.begin
            or all(other.function != attempt.function for other in found[loop])
        ]
        if free:
            return free[-1]
    return None


def _give_back(found: dict[Loop, list[Attempt]]) -> None:
    """Give attempts back to loops whose iterations threads share: such a loop has no condition of
    its own, so that gcc places it at the condition of the first loop inside.
    """
    for loop in sorted(found):
        if not loop.shared or found[loop]:
            continue
        for inner in (other for other in found if other != loop and loop.holds(other.begin)):
            own = [a for a in found[inner] if OUTLINED.search(a.function)]
            if len(own) > 1 and own[0].function == own[1].function and not own[0].vectorised:
                found[inner].remove(own[0])
                found[loop].append(own[0])
                break


def _loop_at(loops: Iterable[Loop], place: Place) -> Loop | None:
    """The loop that gcc means by a place: the one whose head has the place, or else the innermost
    one.
    """
    around = [loop for loop in loops if loop.holds(place)]
    return max(around, key=lambda loop: (loop.heads(place), loop.depth), default=None)


def _unrolled(attempts: Mapping[Loop, Sequence[Attempt]], reported: Reported) -> set[Loop]:
    """Loops that were unrolled, except for the few iterations that a vectorised loop leaves
    over.
    """
    found = set()
    for entry in reported.unrolled:
        loop = _loop_at(attempts, entry.place)
        if loop is None:
            continue
        rest = any(a.vectorised and a.function == entry.function for a in attempts[loop])
        if not (rest and entry.finally_):
            found.add(loop)
    return found


def _threads(attempts: Mapping[Loop, Sequence[Attempt]], reported: Reported) -> set[Loop]:
    """Loops whose iterations threads share: those that a directive or gcc divides, and the
    outermost ones in a function that gcc made for threads.
    """
    found = {loop for loop in attempts if loop.shared and reported.threads}
    divided = (_loop_at(attempts, place) for place in reported.shared)
    found |= {loop for loop in divided if loop is not None}
    for loop in sorted(attempts):
        outlined = any(OUTLINED.search(attempt.function) for attempt in attempts[loop])
        if outlined and not any(around.holds(loop.begin) for around in found):
            found.add(loop)
    return found


def _lanes(attempts: Sequence[Attempt]) -> str:
    lanes = [attempt.lanes for attempt in attempts if attempt.vectorised and attempt.lanes]
    return f"V{max(lanes)}" if lanes else "V"


def mark_lines(text: str, marked: Sequence[MarkedLoop], inlined: set[int]) -> list[MarkedLine]:
    """Every line of a source with its marks."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    begins: dict[int, list[MarkedLoop]] = {}
    for entry in marked:
        begins.setdefault(entry.loop.begin.line, []).append(entry)
    found, around = [], list[MarkedLoop]()
    for number, line in enumerate(lines, 1):
        around += begins.get(number, [])
        marks = _marks_of(number, around)
        if number in inlined:
            marks = f"{marks} {INLINED}".strip()
        why = [entry.reason for entry in begins.get(number, []) if entry.reason]
        found.append(MarkedLine(number, line, marks, "; ".join(dict.fromkeys(why)) or None))
        around = [entry for entry in around if _last_line(entry, len(lines)) > number]
    return found


def _last_line(entry: MarkedLoop, last: int) -> int:
    return min(entry.loop.end.line, last)


def _marks_of(number: int, around: Sequence[MarkedLoop]) -> str:
    """The labels of the loops around a line, the outer ones first. Loops that begin in the line
    together, or end in it together, share an arrow.
    """
    words = []
    for arrow, group in groupby(around, key=lambda entry: _arrow(entry.loop, number)):
        words.append(" ".join(entry.label for entry in group) + arrow)
    return " ".join(words)


def _arrow(loop: Loop, number: int) -> str:
    begins, ends = loop.begin.line == number, loop.end.line == number
    if begins and ends:
        return WHOLE
    return BEGINS if begins else ENDS if ends else ""

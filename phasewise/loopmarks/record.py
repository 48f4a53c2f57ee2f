"""What gcc's optimisation record says of the loops and calls of one source file.

The record (option -fsave-optimization-record, format 1) is a list of what each pass reports of each
function, as trees of messages with places in the source. The vectoriser reports its attempts at a
loop one after another, one for each size of vectors, and says at last whether one succeeded.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.loopmarks.loops import Place

FORMAT = "1"
OUTLINED = re.compile(r"\._(?:omp_|loop)fn\.")
"""In the names of the functions that gcc makes of what its threads run."""

_LANES = re.compile(r"vectorization factor (?:= |to )(\d+)")
_SUCCEEDED = re.compile(r"Analysis +succeeded with vector mode (\w+)")
_CHOSEN = re.compile(r"Choosing vector mode (\w+)")
_FAILED = re.compile(r"Analysis +failed with vector mode")
_LIBRARY = re.compile(r"split to 0 loops and \d+ library call")
_UNROLLED = re.compile(r"unrolled|unroll and jam")


@dataclass
class Attempt:
    """What the vectoriser reports of one copy of a loop: the loop's place, the function that the
    copy is in, whether it was vectorised and in how many lanes (None where that is not a number),
    and the messages of the first size of vectors and of the others.
    """

    place: Place
    function: str
    vectorised: bool = False
    lanes: int | None = None
    first: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Unrolling:
    """A loop that was unrolled, and the function that it is in; `finally_`: it may be what a
    vectorised loop leaves over.
    """

    place: Place
    function: str
    finally_: bool


@dataclass
class Reported:
    """What a record says of one source file, in its order.

    vectoriser, threads: whether, in any file, the vectoriser looked at loops, and there are
    functions that threads run. others: the other files that it names.
    """

    attempts: list[Attempt] = field(default_factory=list)
    unrolled: list[Unrolling] = field(default_factory=list)
    library: list[Place] = field(default_factory=list)
    shared: list[Place] = field(default_factory=list)
    inlined: set[int] = field(default_factory=set)
    vectoriser: bool = False
    threads: bool = False
    named: bool = False
    others: list[str] = field(default_factory=list)


def read_record(path: Path, is_source: Callable[[str], bool]) -> Reported:
    """What the record in `path` says of the file that `is_source` knows by its name; RunError if
    it cannot be read.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            head, passes, records = json.load(stream)
        if head["format"] != FORMAT:
            raise RunError(
                f"gcc's optimisation record is of format {head['format']}; this phasewise reads "
                f"format {FORMAT}"
            )
        return _Reader(_names(passes), is_source).read(records)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise RunError(f"gcc's optimisation record cannot be read ({error})") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"gcc's optimisation record is not as expected ({error!r})") from None


def _names(passes: list[dict[str, Any]]) -> dict[str, str]:
    """Names of passes by their ids."""
    found = {}
    for entry in passes:
        found[entry["id"]] = entry["name"]
        found |= _names(entry.get("children", []))
    return found


class _Reader:
    def __init__(self, names: dict[str, str], is_source: Callable[[str], bool]) -> None:
        self._names = names
        self._is_source = is_source
        self._known: dict[str, bool] = {}
        self._found = Reported()
        self._attempt: Attempt | None = None
        self._lanes: int | None = None
        self._by_mode: dict[str, int | None] = {}
        self._in_later = False

    def read(self, records: list[dict[str, Any]]) -> Reported:
        for record in records:
            function, kind = str(record.get("function", "")), str(record["kind"])
            self._found.threads |= OUTLINED.search(function) is not None
            place = self._place(record)
            name = self._names.get(str(record.get("pass")), "")
            if name == "vect":
                self._vectoriser(record, place, function)
            elif kind == "success" and place is not None:
                self._success(name, _text(record), place, function)
        self._found.others = [file for file, own in self._known.items() if not own]
        return self._found

    def _place(self, record: dict[str, Any]) -> Place | None:
        """Where a record is about, None outside of the source."""
        where = record.get("location")
        if where is None:
            return None
        file = str(where["file"])
        if file not in self._known:
            self._known[file] = self._is_source(file)
        self._found.named |= self._known[file]
        return Place(int(where["line"]), int(where["column"])) if self._known[file] else None

    def _success(self, name: str, text: str, place: Place, function: str) -> None:
        if "inline" in name:
            self._found.inlined.add(place.line)
        elif _UNROLLED.search(text):
            self._found.unrolled.append(Unrolling(place, function, name == "cunroll"))
        elif _LIBRARY.search(text):
            self._found.library.append(place)
        elif name == "parloops":
            self._found.shared.append(place)

    def _vectoriser(self, record: dict[str, Any], place: Place | None, function: str) -> None:
        text = _text(record)
        if "=== analyze_loop_nest ===" in text:
            self._found.vectoriser = True
            self._attempt = None if place is None else Attempt(place, function)
            self._lanes, self._by_mode, self._in_later = None, {}, False
            if self._attempt:
                self._found.attempts.append(self._attempt)
        if self._attempt is None:
            return
        if record["kind"] == "success" and "loop vectorized using" in text:
            self._attempt.vectorised = True
        for message in _messages(record):
            self._follow(self._attempt, message)

    def _follow(self, attempt: Attempt, message: str) -> None:
        if lanes := _LANES.search(message):
            self._lanes = int(lanes[1])
        if mode := _SUCCEEDED.search(message):
            self._by_mode[mode[1]] = self._lanes
        if mode := _CHOSEN.search(message):
            attempt.lanes = self._by_mode.get(mode[1])
        (attempt.later if self._in_later else attempt.first).append(message)
        self._in_later |= _FAILED.search(message) is not None


def _messages(record: dict[str, Any]) -> Iterator[str]:
    """The messages of a record and of all within it."""
    yield _text(record)
    for inner in record.get("children", ()):
        yield from _messages(inner)


def _text(record: dict[str, Any]) -> str:
    """A record's message, whose parts are words, expressions, statements and symbols."""
    return "".join(_part(part) for part in record["message"])


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    return str(part.get("expr", part.get("stmt", part.get("symtab_node", ""))))

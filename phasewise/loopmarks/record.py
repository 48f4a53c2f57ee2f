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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.loopmarks.loops import Place

FORMAT = "1"
OUTLINED = re.compile(r"\._(?:omp_|loop)fn\.")
"""Matches the names of the functions that gcc makes of code that threads run."""

_LANES = re.compile(r"vectorization factor (?:= |to )(\d+)")
_SUCCEEDED = re.compile(r"Analysis +succeeded with vector mode (\w+)")
_CHOSEN = re.compile(r"Choosing vector mode (\w+)")
_FAILED = re.compile(r"Analysis +failed with vector mode")
_LIBRARY = re.compile(r"split to 0 loops and \d+ library call")
_UNROLLED = re.compile(r"unrolled|unroll and jam")


@dataclass
class Attempt:
    """What the vectoriser reports of one copy of a loop: the function that the copy is in, whether
    it was vectorised and in how many lanes (None where that is not a number), and the messages of
    the first size of vectors and of the others.

    places: the loop's place and, if the loop was inlined, the places of the calls through which it
    came there, each with its file, the innermost first.
    """

    places: tuple[tuple[Path, Place], ...]
    function: str
    vectorised: bool = False
    lanes: int | None = None
    first: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Unrolling:
    """A loop that was unrolled, and the function that it is in; `finally_`: it may be the rest that
    a vectorised loop leaves over.
    """

    place: Place
    function: str
    finally_: bool


@dataclass
class Reported:
    """What a record says of one source file, in its order.

    attempts: those at the loops of all files that are part of the object code. vectoriser: whether
    the vectoriser looked at loops at all. threads: whether there are functions that threads run.
    named: whether the record names the source; others: the other files that it names.
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


def read_record(path: Path, source: Path, folder: Path) -> Reported:
    """What the record `path` of a compilation in `folder` says about a source file; RunError if it
    cannot be read.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            head, passes, records = json.load(stream)
        if head["format"] != FORMAT:
            raise RunError(
                f"gcc's optimisation record is of format {head['format']}; this phasewise reads "
                f"format {FORMAT}"
            )
        return _Reader(_names(passes), source.resolve(), folder).read(records)
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
    def __init__(self, names: dict[str, str], source: Path, folder: Path) -> None:
        self._names = names
        self._source = source
        self._folder = folder
        self._files: dict[str, Path] = {}
        self._found = Reported()
        self._attempt: Attempt | None = None
        self._lanes: int | None = None
        self._by_mode: dict[str, int | None] = {}
        self._in_later = False

    def read(self, records: list[dict[str, Any]]) -> Reported:
        for record in records:
            function, kind = str(record.get("function", "")), str(record["kind"])
            self._found.threads |= OUTLINED.search(function) is not None
            name = self._names.get(str(record.get("pass")), "")
            where = self._where(record.get("location"))
            if name == "vect":
                self._vectoriser(record, function)
            elif kind == "success" and where is not None and where[0] == self._source:
                self._success(name, _text(record), where[1], function)
        files = list(self._files.values())
        self._found.named = self._source in files
        self._found.others = [str(file) for file in files if file != self._source]
        return self._found

    def _where(self, location: dict[str, Any] | None) -> tuple[Path, Place] | None:
        """The file and the place of a location, None where there is none."""
        if location is None:
            return None
        name = str(location["file"])
        if name not in self._files:
            self._files[name] = (self._folder / name).resolve()
        return self._files[name], Place(int(location["line"]), int(location["column"]))

    def _places(self, record: dict[str, Any]) -> tuple[tuple[Path, Place], ...]:
        """The place that a record is about, and the places of the calls through which it was
        inlined.
        """
        sites = (call.get("site") for call in record.get("inlining_chain", ()))
        found = (self._where(location) for location in (record.get("location"), *sites))
        return tuple(place for place in found if place is not None)

    def _success(self, name: str, text: str, place: Place, function: str) -> None:
        if "inline" in name:
            self._found.inlined.add(place.line)
        elif _UNROLLED.search(text):
            self._found.unrolled.append(Unrolling(place, function, name == "cunroll"))
        elif _LIBRARY.search(text):
            self._found.library.append(place)
        elif name == "parloops":
            self._found.shared.append(place)

    def _vectoriser(self, record: dict[str, Any], function: str) -> None:
        text = _text(record)
        if "=== analyze_loop_nest ===" in text:
            self._found.vectoriser = True
            self._attempt = Attempt(self._places(record), function)
            self._lanes, self._by_mode, self._in_later = None, {}, False
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
    """The messages of a record and of all records within it."""
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

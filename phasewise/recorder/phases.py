"""The calls of a recorded run by phases: ``communication.json`` from its statistics."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phasewise.recorder.calls import Calls
from phasewise.recorder.dependences import Floats
from phasewise.recorder.kinds import MESSAGES, group_of, plain
from phasewise.recorder.places import Place, places_of
from phasewise.recorder.raw import WINDOW, Frame, RankFile
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers
from phasewise.runs.communication_file import VERSION
from phasewise.runs.core_share import load_average
from phasewise.runs.disk import replace_text
from phasewise.runs.folder import RECORD_FILE

PHASES = ("function", "site", "communicator", "pcontrol", "call")
"""What may make a phase: the program's function, its call site, the communicator, the region that
MPI_Pcontrol names, or the function of MPI.
"""
COMPUTING = "computing"
"""The phase that has the time outside of MPI."""
MAINS = ("main", "MAIN__")
"""The first function of a program in C, and of one in Fortran."""
C_LIBRARY = "/libc.so"
SHOWN_FRAMES = 4
"""Frames of a call site that its name has."""
OUTSIDE = "outside"
"""The phase of calls in no region of MPI_Pcontrol."""
DEEPEST = 64
"""So many regions of MPI_Pcontrol may be open; the recorder opens no more."""


@dataclass
class Sums:
    """The sums over the calls of a phase on a rank; time and waiting in s."""

    calls: int = 0
    messages: int = 0
    bytes: int = 0
    time: float = 0.0
    waiting: float = 0.0
    library: bool = True
    sent_to: dict[int, list[int]] = field(default_factory=dict)

    def to_dict(self, knows_waiting: bool) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "messages": self.messages,
            "bytes": self.bytes,
            "computing": 0.0,
            "communicating": self.time,
            "waiting": self.waiting if knows_waiting else None,
            "library": self.library,
            "sent_to": {str(to): both for to, both in sorted(self.sent_to.items())},
        }


class Sites:
    """The call sites of all ranks, each with one place for the same callers."""

    def __init__(self, files: Sequence[RankFile]) -> None:
        self._places = places_of(
            frame for file in files for frames in file.sites.values() for frame in frames
        )
        self._of = [dict(file.sites) for file in files]
        self._chains: dict[tuple[Frame, ...], str] = {}

    def frames(self, file: int, site: int) -> tuple[Frame, ...]:
        """The call and its callers, the innermost first."""
        return self._of[file].get(site, ())

    def place(self, file: int, site: int) -> Place:
        """Where the call was made."""
        frames = self.frames(file, site)
        return self._places[frames[0]] if frames else Place("unknown", None, None)

    def chain(self, file: int, site: int) -> str:
        """The place of the call and the functions of its callers, up to the program's main."""
        frames = self.frames(file, site)
        if frames not in self._chains:
            self._chains[frames] = self._named(frames)
        return self._chains[frames]

    def _named(self, frames: tuple[Frame, ...]) -> str:
        if not frames:
            return "unknown"
        places = [self._places[frame] for frame in frames]
        main = next((k for k, one in enumerate(places) if one.function in MAINS), len(places))
        # The program's main may be inlined into what calls it, the C library.
        start = next((k for k, one in enumerate(frames) if C_LIBRARY in one.path), len(frames))
        last = min(main + 1, max(start, 1), SHOWN_FRAMES)
        callers = [one.function for one in places[1:last]]
        return " < ".join([places[0].text, *callers])


def phases_of(
    recording: Recording, sites: Sites, kind: str, waiting: Sequence[Floats] | None
) -> list[dict[str, Sums]]:
    """The sums by phase of each file's rank, in the order in which phases appear."""
    found = []
    for place, file in enumerate(recording.files):
        names = _Names(file, place, sites, kind)
        own: dict[str, Sums] = defaultdict(Sums)
        for row in file.statistics.tolist():
            _take(own[names.of(row[0], row[1], row[2], row[4])], names, row)
        if waiting is not None:
            _add_waiting(own, names, recording, place, waiting[place])
        found.append(dict(own))
    return found


def _take(sums: Sums, names: _Names, row: tuple[int, ...]) -> None:
    function, _, _, peer, _, _, calls, messages, sent, _, time = row
    messages_of_ours = group_of(names.plain(function)) == MESSAGES
    sums.calls += calls
    sums.time += 1e-9 * time
    sums.messages += messages if messages_of_ours else calls
    sums.bytes += sent
    sums.library &= not messages_of_ours
    if messages and peer >= 0:
        both = sums.sent_to.setdefault(peer, [0, 0])
        both[0] += messages
        both[1] += sent


def _add_waiting(
    own: dict[str, Sums], names: _Names, recording: Recording, place: int, seconds: Floats
) -> None:
    calls = recording.matching.calls[place]
    columns = calls.entries.columns
    waited = np.flatnonzero(seconds)
    # Regions are no part of an entry.
    pairs = np.stack([calls.entry[waited], regions_at(calls)[waited]])
    distinct, which = np.unique(pairs, axis=1, return_inverse=True)
    sums = np.bincount(which.ravel(), seconds[waited], distinct.shape[1])
    for (entry, region), value in zip(distinct.T.tolist(), sums.tolist(), strict=True):
        function, site, space = (int(columns[n][entry]) for n in ("function", "site", "space"))
        own[names.of(function, site, space, region)].waiting += value


def regions_at(calls: Calls) -> Integers:
    """The number of the region of MPI_Pcontrol that each call is in (n,), 0 for none: they are
    nested, and the innermost one counts.
    """
    at = calls.named({"Pcontrol"})
    at = at[calls.of("slot")[at] >= 0]
    levels, numbers = calls.of("peer")[at].tolist(), calls.of("slot")[at].tolist()
    opened, inner = [0], [0]
    for level, number in zip(levels, numbers, strict=True):
        if level == 1 and len(opened) <= DEEPEST:
            opened.append(number)
        elif level == -1 and number in opened[1:]:
            last = max(k for k, one in enumerate(opened) if k and one == number)
            del opened[last:]
        inner.append(opened[-1])
    return np.array(inner)[np.searchsorted(at, np.arange(len(calls)), side="right")]


class _Names:
    """The names of phases of one rank's calls."""

    def __init__(self, file: RankFile, place: int, sites: Sites, kind: str) -> None:
        self._file, self._place, self._sites, self._kind = file, place, sites, kind
        self._known: dict[tuple[int, ...], str] = {}

    def plain(self, function: int) -> str:
        """The plain name of a function."""
        return plain(self._file.functions.get(function, "unknown"))

    def of(self, function: int, site: int, space: int, region: int) -> str:
        """The phase of such a call."""
        key = function, site, space, region
        if key not in self._known:
            self._known[key] = self._named(*key)
        return self._known[key]

    def _named(self, function: int, site: int, space: int, region: int) -> str:
        if self._kind == "call":
            return self._file.functions.get(function, "unknown")
        group = group_of(self.plain(function))
        return self._base(site, space, region) + ("" if group == MESSAGES else f", {group}")

    def _base(self, site: int, space: int, region: int) -> str:
        if self._kind == "function":
            return self._sites.place(self._place, site).function
        if self._kind == "site":
            return self._sites.place(self._place, site).text
        if self._kind == "pcontrol":
            return self._file.regions.get(region, OUTSIDE)
        known = self._file.spaces.get(space)
        if known is None:
            return "any communicator"
        kind = "window" if known.kind == WINDOW else "communicator"
        name = known.name or f"{kind} {known.number & 0xFFFF:04x}"
        return f"{name} of {len(known.world)}"


def write_communication(
    recording: Recording, phases: Sequence[Mapping[str, Sums]], knows_waiting: bool
) -> None:
    """Write ``communication.json`` into the folder. OSError if the disk refuses it."""
    hosts = list(dict.fromkeys(file.texts.get("host", "") for file in recording.files))
    ranks = [
        _rank(file, own, hosts.index(file.texts.get("host", "")), knows_waiting)
        for file, own in zip(recording.files, phases, strict=True)
    ]
    missing = [rank for rank in range(recording.ranks) if rank not in {r["rank"] for r in ranks}]
    ranks += [_absent(rank) for rank in missing]
    head = {
        "version": VERSION,
        "kind": "recorded",
        "ranks": len(ranks),
        "unit": ["run", "runs"],
        "runs": 1,
        "first_turn": 0,
        "seconds": max(rank["seconds"] for rank in ranks),
        "process_grid": [[len(ranks)]],
        "layout": "as launched",
        "algorithms": {},
        "machine": None,
        "threads": 1,
        "load_average": load_average(),
        "library": recording.files[0].texts.get("library", "").split("\n")[0],
    }
    rows = ",\n  ".join(json.dumps(rank) for rank in sorted(ranks, key=lambda one: one["rank"]))
    text = json.dumps(head)[:-1] + f',\n "rank": [\n  {rows}\n]}}\n'
    replace_text(recording.folder / RECORD_FILE, text)


def seconds_of(file: RankFile) -> float:
    """How long the rank was recorded [s]; of a killed one, until its last call began."""
    until = 1e-9 * max(0, file.last - file.head.began)
    return until if file.head.ended else max(until, inside_of(file))


def inside_of(file: RankFile) -> float:
    """How long the rank was in MPI [s], in the mean over its threads that call it."""
    return 1e-9 * int(file.statistics["time"].sum()) / max(1, len(file.calls))


def _rank(file: RankFile, own: Mapping[str, Sums], node: int, knows: bool) -> dict[str, Any]:
    head, seconds = file.head, seconds_of(file)
    inside = inside_of(file)
    computing = {**Sums().to_dict(True), "computing": max(0.0, seconds - inside), "library": False}
    cpu = 1e-9 * max(0, head.cpu_ended - head.cpu_began)
    known = head.cpu_ended and seconds > 0
    return {
        "rank": head.rank,
        "node": node,
        "place": [head.rank],
        "seconds": seconds,
        "clock_offset": 1e-9 * head.offset_began,
        "dropped_events": 0,
        "events": 0,
        "names": [],
        "phases": {
            **{name: sums.to_dict(knows) for name, sums in own.items()},
            COMPUTING: computing,
        },
        "cpu_seconds": cpu if known else None,
        "core_share": min(1.0, cpu / seconds) if known else None,
        "involuntary_switches": max(0, head.switches_ended - head.switches_began),
    }


def _absent(rank: int) -> dict[str, Any]:
    """The entry of a rank that left no record."""
    return {"rank": rank, "node": 0, "place": [rank], "seconds": 0.0, "phases": {}}


def traffic_of(files: Sequence[RankFile]) -> dict[tuple[int, int], tuple[int, int]]:
    """Messages and bytes from rank to rank, of all messages between two ranks."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for file in files:
        for row in file.statistics[file.statistics["messages"] > 0].tolist():
            key = file.head.rank, int(row[3])
            before = found.get(key, (0, 0))
            found[key] = before[0] + int(row[7]), before[1] + int(row[8])
    return found

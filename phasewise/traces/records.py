"""What a run recorded of its communication: ``communication.json`` and ``events.bin`` of its folder
(docs/communication.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import PhasewiseError, RunError
from phasewise.runs.communication_file import EVENT_BYTES, VERSION
from phasewise.runs.core_share import CoreShare, core_share_of
from phasewise.runs.disk import DAMAGE, disk_reason
from phasewise.runs.folder import EVENT_FILE, RECORD_FILE
from phasewise.tables.files import read_json
from phasewise.traces.unlike import sampled_in_words, slow_in_words
from phasewise.traces.values import (
    LARGEST,
    Floats,
    Integers,
    Traffic,
    check_counts,
    synchronisations,
    traffic,
    values,
    waiting,
)
from phasewise.workload.discovery import KEY, recorded_workload
from phasewise.workload.interface import Unit, Workload

Records = NDArray[np.void]

EVENT = np.dtype(
    [
        ("start", "<f8"), ("end", "<f8"), ("bytes", "<i8"), ("peer", "<i4"), ("number", "<i4"),
        ("phase", "<i2"), ("kind", "u1"), ("channel", "u1"), ("unused", "<i4"),
    ]
)  # fmt: skip
"""An event of ``events.bin``: times in s, `peer` a rank or -1, `phase` an index of names."""
assert EVENT.itemsize == EVENT_BYTES

COLOUR = re.compile("#[0-9a-f]{6}")


IDEAL = "ideal_seconds"
"""Time [s] of a simulated run with messages that take no time, if it was also simulated like
that.
"""
SLOW = "slow"
"""How many times the kernels of some simulated ranks were charged, by rank."""
VARIATION = "variation"
"""By how much the turns of a simulated run differ from each other."""

COMPUTE, PHASE, SEND, RECEIVE = range(4)
"""Kinds of events."""


@dataclass(frozen=True)
class Phase:
    """A phase or kernel over all R ranks: arrays (R,), times in s over all turns.

    `communicating` includes `waiting`, the time until a late partner has begun to send; it is NaN
    if the messages do not say when their senders began. If `library` is true, the MPI library
    chooses the messages: `bytes` is the volume that it was asked to send, and `traffic` does not
    contain it.
    """

    name: str
    library: bool
    calls: Integers
    messages: Integers
    bytes: Integers
    computing: Floats
    communicating: Floats
    waiting: Floats
    traffic: Traffic
    main: bool = False
    """Whether it belongs to the workload's own exchange."""
    synchronisations: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Flags, handshakes and fences, (R,); empty in records that do not count them."""

    @property
    def communicates(self) -> bool:
        """Whether this is a phase of communication, not a kernel alone."""
        return bool(self.main or self.library or self.messages.any() or self.communicating.any())


@dataclass(frozen=True)
class CommunicationRecord:
    """The record of a run, real or simulated, on R ranks.

    `turns` counts turns, or whatever else `unit` says that the workload counts. `seconds` and
    `rank_seconds` are those of all turns; `clock_offset` is added to a rank's times to get rank
    0's; `place` (R, n) holds the coordinates of the ranks in the process grid.
    """

    directory: Path
    simulated: bool
    machine: str | None
    ranks: int
    unit: Unit
    turns: int
    seconds: float
    process_grid: tuple[tuple[int, ...], ...]
    layout: str
    algorithms: dict[str, str]
    node: Integers
    place: Integers
    rank_seconds: Floats
    clock_offset: Floats
    dropped_events: Integers
    events: Integers
    names: tuple[tuple[str, ...], ...]
    phases: tuple[Phase, ...]
    pieces: dict[str, float]
    """How often in a turn each data-dependent piece came, on the rank where it came most often."""
    workload: Workload | None
    """The workload that the record names, if it does and there is one of this name."""
    colours: dict[str, str] = field(default_factory=dict)
    """The colours, #rrggbb, that pictures give to some of the phases."""
    ideal_seconds: float | None = None
    """`seconds` of a simulated run with messages that take no time, if that was simulated."""
    variation: float = 0.0
    """By how much the turns after the first differ from each other: the standard deviation of their
    times over its mean; 0 if that is unknown, as on real ranks.
    """
    threads: int = 1
    """Threads of each rank."""
    sampled: str = ""
    """Which steps of a turn were simulated and stand for all, in words; empty if all were."""
    slow: str = ""
    """Which simulated ranks were made slow, and how many times, in words; empty if none was."""
    core_share: CoreShare | None = None
    """How much of a core the ranks had; None if that is unknown, as on simulated machines."""

    @property
    def source(self) -> str:
        """Where the times come from, as figures state it."""
        if not self.simulated:
            return "measured"
        on = f"simulated on {self.machine or 'an unnamed machine'} (a simulator, not hardware)"
        return ", ".join(part for part in (on, self.sampled, self.slow) if part)

    @property
    def grid_text(self) -> str:
        """The process grid as it is written in a study, or the grids of groups of ranks if they
        differ.
        """
        grids = ("x".join(map(str, shape)) for shape in self.process_grid)
        return " and ".join(dict.fromkeys(grids))

    @cached_property
    def traffic(self) -> Traffic:
        """Messages of all phases together."""
        parts = [phase.traffic for phase in self.phases]
        columns = ("source", "target", "messages", "bytes")
        return Traffic(*(_joined([getattr(part, name) for part in parts]) for name in columns))

    def phase(self, name: str) -> Phase | None:
        """The phase of this name, if the run had it."""
        return next((phase for phase in self.phases if phase.name == name), None)


class Events:
    """The time line of a run, read rank by rank; `names` are those of all ranks together, `library`
    the indices of those that are collectives of the library.
    """

    def __init__(self, record: CommunicationRecord) -> None:
        """RunError if the file is missing or is not as long as the record says."""
        self.path = record.directory / EVENT_FILE
        self.ranks = record.ranks
        self.dropped = record.dropped_events
        self.counts = record.events
        self.names = _united(record.names)
        collectives = {phase.name for phase in record.phases if phase.library}
        self.library = tuple(k for k, name in enumerate(self.names) if name in collectives)
        self._offset = record.clock_offset
        place = {name: index for index, name in enumerate(self.names)}
        self._phase = [np.array([place[n] for n in own], np.int16) for own in record.names]
        self._first = np.concatenate([[0], np.cumsum(record.events)])
        self._file = self._open(int(self._first[-1]))

    def _open(self, count: int) -> Records:
        try:
            size = self.path.stat().st_size
            if size != count * EVENT.itemsize:
                raise RunError(
                    f"{self.path} is damaged: it holds {size} bytes, where {count} events of "
                    f"{EVENT.itemsize} bytes were recorded"
                )
            if count == 0:
                return np.empty(0, EVENT)
            return np.memmap(self.path, EVENT, "r")
        except OSError as error:
            raise RunError(f"{self.path} cannot be read ({disk_reason(error)})") from None

    def __len__(self) -> int:
        return int(self._first[-1])

    def of(self, rank: int) -> Records:
        """Events (n,) of a rank in the order in which they ended, on rank 0's clock; `phase` is an
        index of `names`. RunError if one of them is impossible.
        """
        found = np.array(self._file[self._first[rank] : self._first[rank + 1]])
        own = self._phase[rank]
        message = found["kind"] >= SEND
        peer = found["peer"][message]
        if (
            np.any((found["phase"] < 0) | (found["phase"] >= len(own)) | (found["kind"] > RECEIVE))
            or np.any((peer < 0) | (peer >= self.ranks) | (found["number"][message] < 0))
            or not np.all(found["start"] <= found["end"])
        ):
            raise RunError(f"{self.path} is damaged: an event of rank {rank} makes no sense")
        found["start"] += self._offset[rank]
        found["end"] += self._offset[rank]
        found["phase"] = own[found["phase"]] if len(own) else 0
        return found

    def message_keys(self, messages: Records, rank: int | Integers, numbers: int) -> Integers:
        """A key (n,) for each of `messages`, the same for the send and the receive of a message.

        The key encodes channel, sender, receiver and number. `rank` is the recording rank, or an
        array (n,) of them; `numbers` is larger than every `number`.
        """
        peer, own = messages["peer"].astype(np.int64), np.asarray(rank, dtype=np.int64)
        sends = messages["kind"] == SEND
        source, target = np.where(sends, own, peer), np.where(sends, peer, own)
        pair = (messages["channel"].astype(np.int64) * self.ranks + source) * self.ranks + target
        return np.asarray(pair * numbers + messages["number"])


def read_communication(directory: str | Path) -> CommunicationRecord:
    """The record in a run's folder; RunError, one sentence, if it is missing or damaged."""
    path = Path(directory) / RECORD_FILE
    try:
        content = read_json(path)
    except FileNotFoundError:
        raise RunError(f"{directory} holds no {RECORD_FILE}: give the folder of a run") from None
    if isinstance(content, dict) and content.get("version", VERSION) != VERSION:
        raise RunError(
            f"{path} is of version {content['version']}; this phasewise reads version {VERSION}"
        )
    try:
        return _record(Path(directory), content)
    except PhasewiseError:
        raise
    except KeyError as error:
        raise RunError(f"{path} is damaged: it misses {error}") from None
    except (*DAMAGE, OverflowError) as error:
        raise RunError(f"{path} is damaged: {error}") from None


def common_unit(records: Sequence[CommunicationRecord]) -> Unit:
    """What all these records count; "turn or exchange" if they do not count the same."""
    units = list(dict.fromkeys(record.unit for record in records))
    return Unit(" or ".join(u.one for u in units), " or ".join(u.many for u in units))


def _record(directory: Path, content: dict[str, Any]) -> CommunicationRecord:
    ranks = sorted(content["rank"], key=lambda entry: int(entry["rank"]))
    count = int(content["ranks"])
    if len(ranks) != count or any(entry["rank"] != k for k, entry in enumerate(ranks)):
        raise ValueError(f"it does not list each of its {count:.9g} ranks once")
    unit = Unit(*map(str, content.get("unit", (Unit.one, Unit.many))))
    turns = int(content[unit.many])
    if not 0 <= turns < LARGEST or not 0 <= float(content["seconds"]) < math.inf:
        raise ValueError(f"its {unit.many} or seconds are not those of a run")
    grids = tuple(tuple(int(size) for size in shape) for shape in content["process_grid"])
    words = {True: "yes", False: "no"}
    algorithms = {
        str(name): words[value] if isinstance(value, bool) else str(value)
        for name, value in content["algorithms"].items()
    }

    def column(name: str, kind: type = np.int64) -> NDArray[Any]:
        return np.array([entry.get(name, 0) for entry in ranks], dtype=kind)

    events = column("events")
    for counts in (events, column("dropped_events")):
        check_counts(counts)
    names = tuple(tuple(map(str, entry.get("names", ()))) for entry in ranks)
    workload = recorded_workload(content.get(KEY))
    return CommunicationRecord(
        directory=directory,
        simulated=content["kind"] == "simulated",
        machine=_machine(content["machine"]),
        ranks=count,
        unit=unit,
        turns=turns,
        seconds=float(content["seconds"]),
        process_grid=grids,
        layout=str(content["layout"]),
        algorithms=algorithms,
        node=np.array([entry["node"] for entry in ranks], dtype=np.int64),
        place=np.array([entry["place"] for entry in ranks], dtype=np.int64).reshape(count, -1),
        rank_seconds=column("seconds", np.float64),
        clock_offset=column("clock_offset", np.float64),
        dropped_events=column("dropped_events"),
        events=events,
        names=names,
        phases=tuple(_phases([entry["phases"] for entry in ranks], _main(ranks))),
        colours=_colours(ranks),
        pieces=_pieces(ranks, turns),
        workload=workload,
        ideal_seconds=_positive(content, IDEAL),
        variation=_positive(content, VARIATION) or 0.0,
        threads=max(int(content.get("threads", 1)), 1),
        sampled=sampled_in_words(content.get("sampled_steps")),
        slow=slow_in_words(content.get(SLOW, {})),
        core_share=core_share_of(content, ranks),
    )


def _pieces(ranks: list[dict[str, Any]], turns: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for entry in ranks:
        for name, count in entry.get("pieces", {}).items():
            found[name] = max(found.get(name, 0.0), float(count) / max(turns, 1))
    return found


def _positive(content: dict[str, Any], name: str) -> float | None:
    """A number of the record that is not negative; None if the record does not have it."""
    given = content.get(name)
    found = None if given is None else float(given)
    if found is not None and not 0 <= found < math.inf:
        raise ValueError(f"its {name} is not that of a run")
    return found


def _machine(given: Any) -> str | None:
    """Name of the machine, which is an object with its name or the name itself."""
    name = given.get("name") if isinstance(given, dict) else given
    return None if name is None else str(name)


def _main(ranks: list[dict[str, Any]]) -> tuple[str, ...]:
    """The main phases: those of the workload's own exchange, as the ranks name them."""
    return _united(tuple(tuple(map(str, entry.get("main", ()))) for entry in ranks))


def _colours(ranks: list[dict[str, Any]]) -> dict[str, str]:
    found = {str(k): str(v) for entry in ranks for k, v in entry.get("colours", {}).items()}
    return {name: colour for name, colour in found.items() if COLOUR.fullmatch(colour)}


def _phases(by_rank: list[dict[str, Any]], main: tuple[str, ...]) -> Iterator[Phase]:
    """The phases of all ranks: the main ones first, the others as they first appear."""
    names = _united(tuple(tuple(phases) for phases in by_rank))
    known = [name for name in main if name in names]
    for name in [*known, *(name for name in names if name not in known)]:
        entries = [phases.get(name, {}) for phases in by_rank]
        yield Phase(
            name=name,
            library=any(entry.get("library", False) for entry in entries),
            calls=values(entries, "calls", np.int64),
            messages=values(entries, "messages", np.int64),
            bytes=values(entries, "bytes", np.int64),
            computing=values(entries, "computing", np.float64),
            communicating=values(entries, "communicating", np.float64),
            waiting=waiting(entries),
            traffic=traffic(entries),
            main=name in known,
            synchronisations=synchronisations(entries),
        )


def _united(names: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for own in names for name in own))


def _joined(parts: list[Integers]) -> Integers:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)

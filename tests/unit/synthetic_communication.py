"""The communication of a run with known content, written without the driver.

A turn of 10 ms on two beams, each a grid of Prow columns by Pcol processes. Ranks with an even sum
of beam, column and row compute 4 ms (`push`), the others 2 ms; then every rank exchanges with those
of its column, one after another, until 6 ms (`reduce_column`), where those that came early wait
2 ms for the others; all compute until 8 ms (`deposit`), send to the whole row of the other beam
until 9.5 ms (`broadcast_row`), and sum by the library until 10 ms (`moments`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.traces.records import COMPUTE, EVENT, PHASE, RECEIVE, SEND

TURN = 10e-3
LATE, EARLY, JOIN, SENT, SUMMED = 4e-3, 2e-3, 6e-3, 8e-3, 9.5e-3
BYTES = {"reduce_column": 32768, "broadcast_row": 65536}
NAMES = ("push", "reduce_column", "deposit", "broadcast_row", "moments")
ALGORITHMS = {
    "reduce": "direct",
    "broadcast": "direct",
    "schedule": "ring",
    "transpose": "pairwise",
    "aggregate": True,
    "crossing": "4a",
    "overlap": False,
}
CLOCK_STEP = 1e-3
"""Rank r's clock is r of these [s] behind rank 0's."""

Place = tuple[int, int, int]


@dataclass(frozen=True)
class Machine:
    """A run's shape: Prow columns by Pcol processes in each beam, laid out over nodes."""

    prow: int = 2
    pcol: int = 2
    layout: str = "column-first"
    node_size: int = 2
    turns: int = 3
    machine: str | None = None
    capacity: int = 10**9
    places: list[Place] = field(init=False)

    def __post_init__(self) -> None:
        columns, rows = range(self.prow), range(self.pcol)
        if self.layout == "row-first":
            places = [(b, c, r) for b in (0, 1) for r in rows for c in columns]
        else:
            places = [(b, c, r) for b in (0, 1) for c in columns for r in rows]
        object.__setattr__(self, "places", places)

    @property
    def ranks(self) -> int:
        return len(self.places)

    def partners(self, rank: int, phase: str) -> tuple[list[int], list[int]]:
        """Ranks that `rank` sends to, and that it receives from, in the order of the exchange."""
        beam, column, row = self.places[rank]
        at = {place: rank for rank, place in enumerate(self.places)}
        if phase == "reduce_column":
            steps = range(1, self.pcol)
            there = [at[beam, column, (row + k) % self.pcol] for k in steps]
            back = [at[beam, column, (row - k) % self.pcol] for k in steps]
        else:
            steps = range(self.prow)
            there = [at[1 - beam, (column + k) % self.prow, row] for k in steps]
            back = [at[1 - beam, (column - k) % self.prow, row] for k in steps]
        return there, back


def write_communication(folder: Path, **shape: Any) -> Machine:
    """Write communication.json and events.bin of a run into `folder`; `shape` as in Machine."""
    machine = Machine(**shape)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [list(_events(machine, rank)) for rank in range(machine.ranks)]
    kept = [line[: machine.capacity] for line in lines]
    content = {
        "version": 1,
        "kind": "simulated" if machine.machine else "run",
        "ranks": machine.ranks,
        "turns": machine.turns,
        "seconds": machine.turns * TURN,
        "process_grid": [[machine.prow, machine.pcol]] * 2,
        "layout": machine.layout,
        "algorithms": ALGORITHMS,
        "machine": machine.machine,
        "rank": [
            _rank(machine, rank, len(kept[rank]), len(line) - len(kept[rank]))
            for rank, line in enumerate(lines)
        ],
    }
    (folder / "communication.json").write_text(json.dumps(content))
    events = np.array([event for line in kept for event in line], dtype=EVENT)
    events.tofile(folder / "events.bin")
    return machine


def _is_late(machine: Machine, rank: int) -> bool:
    return sum(machine.places[rank]) % 2 == 0


def _rank(machine: Machine, rank: int, events: int, dropped: int) -> dict[str, Any]:
    beam, column, row = machine.places[rank]
    late = _is_late(machine, rank)
    own = LATE if late else EARLY
    column_time = JOIN - own if machine.pcol > 1 else 0.0
    waiting = 0.0 if late or machine.pcol == 1 else LATE - EARLY
    return {
        "rank": rank,
        "node": rank // machine.node_size,
        "place": [beam + 1, column, row],
        "seconds": machine.turns * TURN,
        "clock_offset": rank * CLOCK_STEP,
        "dropped_events": dropped,
        "events": events,
        "names": list(NAMES),
        "main": list(BYTES),
        "colours": {},
        "phases": {
            "push": _phase(machine, computing=own),
            "reduce_column": _phase(machine, rank, "reduce_column", 0.0, column_time, waiting),
            "deposit": _phase(machine, computing=SENT - JOIN),
            "broadcast_row": _phase(machine, rank, "broadcast_row", 0.0, SUMMED - SENT),
            "moments": _phase(machine, communicating=TURN - SUMMED)
            | {"library": True, "messages": machine.turns, "bytes": 216 * machine.turns},
        },
    }


def _phase(
    machine: Machine,
    rank: int = 0,
    messages: str | None = None,
    computing: float = 0.0,
    communicating: float = 0.0,
    waiting: float = 0.0,
) -> dict[str, Any]:
    turns = machine.turns
    partners = machine.partners(rank, messages)[0] if messages else []
    size = BYTES.get(messages or "", 0)
    return {
        "calls": turns if communicating else 0,
        "messages": turns * len(partners),
        "bytes": turns * len(partners) * size,
        "computing": turns * computing,
        "communicating": turns * communicating,
        "waiting": turns * waiting,
        "library": False,
        "sent_to": {str(partner): [turns, turns * size] for partner in partners},
    }


def _events(machine: Machine, rank: int) -> Iterator[tuple[Any, ...]]:
    """Events of a rank on its own clock, each when it ends, as the recorder adds them."""
    numbers: dict[tuple[int, str, int], int] = {}
    own = LATE if _is_late(machine, rank) else EARLY
    behind = rank * CLOCK_STEP

    def event(name: str, kind: int, start: float, end: float, *message: int) -> tuple[Any, ...]:
        size, peer, number = message or (0, -1, 0)
        times = start - behind, end - behind
        return (*times, size, peer, number, NAMES.index(name), kind, NAMES.index(name), 0)

    def exchange(name: str, start: float, first: float, end: float) -> Iterator[tuple[Any, ...]]:
        """Messages one after another, the first from `start` on, the others at equal distances."""
        there, back = machine.partners(rank, name)
        step = (end - first) / max(len(there), 1)
        for k, (to, source) in enumerate(zip(there, back, strict=True)):
            begin = start if k == 0 else first + k * step
            for kind, peer in ((SEND, to), (RECEIVE, source)):
                key = kind, name, peer
                number = numbers[key] = numbers.get(key, -1) + 1
                size = BYTES[name]
                yield event(name, kind, begin, first + (k + 1) * step, size, peer, number)
        if there:
            yield event(name, PHASE, start, end)

    for turn in range(machine.turns):
        at = turn * TURN
        yield event("push", COMPUTE, at, at + own)
        yield from exchange("reduce_column", at + own, at + LATE, at + JOIN)
        yield event("deposit", COMPUTE, at + JOIN, at + SENT)
        yield from exchange("broadcast_row", at + SENT, at + SENT, at + SUMMED)
        yield event("moments", PHASE, at + SUMMED, at + TURN)

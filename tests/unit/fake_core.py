"""A driver without physics, on ranks that are threads: the core's contract, for tests of the files.

Particles of each beam are shared among the ranks by their ids. A turn adds a fixed amount to every
coordinate, so that what a file must hold at each turn is known.
"""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

NAMES = ("x", "px", "y", "py", "z", "delta")
T = TypeVar("T")


class World:
    """Ranks as threads of this process."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._barrier = threading.Barrier(size)
        self._board: list[Any] = [None] * size

    def run(self, body: Callable[[FakeRank], T]) -> list[T]:
        """`body(rank)` on all ranks at once; their results, or the first rank's exception."""
        results: list[Any] = [None] * self._size
        errors: list[BaseException] = []

        def work(rank: int) -> None:
            try:
                results[rank] = body(FakeRank(self, rank, self._size))
            except BaseException as error:
                errors.append(error)
                self._barrier.abort()

        threads = [threading.Thread(target=work, args=(rank,)) for rank in range(self._size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        real = [e for e in errors if not isinstance(e, threading.BrokenBarrierError)]
        if real or errors:
            raise (real or errors)[0]
        return results

    def exchange(self, rank: int, value: Any) -> list[Any]:
        """What every rank gives, on every rank."""
        self._board[rank] = value
        self._barrier.wait()
        values = list(self._board)
        self._barrier.wait()
        return values


class FakeRank:
    """One rank's end of the communication."""

    def __init__(self, world: World, rank: int, size: int) -> None:
        self._world, self._rank, self._size = world, rank, size

    def rank(self) -> int:
        return self._rank

    def size(self) -> int:
        return self._size

    def gather(self, data: bytes) -> list[bytes]:
        parts = self._world.exchange(self._rank, bytes(data))
        return parts if self._rank == 0 else []

    def broadcast(self, data: bytes) -> bytes:
        return self._world.exchange(self._rank, bytes(data))[0]

    def barrier(self) -> None:
        self._world.exchange(self._rank, None)

    def any(self, flag: bool) -> bool:
        return any(self._world.exchange(self._rank, flag))

    def abort(self, status: int) -> None:
        raise SystemExit(status)

    def current_phase(self) -> str:
        return ""

    def mpi_version(self) -> str:
        return "Threads v1.0"

    def mpi_built_with(self) -> str:
        return "Threads v1.0"

    def start(self, parameters: str, threads: int = 1) -> FakeSimulation:  # noqa: ARG002
        values = dict(line.split(" = ") for line in parameters.splitlines() if " = " in line)
        counts = [int(values.get(f"beam.{beam}.macroparticles", 0)) for beam in (1, 2)]
        tracked, events = int(values["records.tracked"]), int(values.get("records.events", 0))
        return FakeSimulation(self._rank, self._size, counts, tracked, events)


class FakeSimulation:
    """Particles that drift by one step of a fixed size each turn; those of `lost` ids vanish."""

    def __init__(
        self, rank: int, size: int, counts: list[int], tracked: int = 0, events: int = 0
    ) -> None:
        self.turn = 0
        self._steps = 0
        self._events = events
        self._tracked = tracked
        self._counts = counts
        self._groups = _groups(size)
        self._rank, self._size = rank, size
        self._columns: dict[int, dict[str, Any]] = {}
        for beam in (1, 2):
            ids = np.arange(self.first_id(beam), self.last_id(beam), dtype=np.uint32)
            self._columns[beam] = {"id": ids[::-1].copy()} | {
                name: start(beam, ids[::-1], k) for k, name in enumerate(NAMES)
            }

    @property
    def beams_here(self) -> list[int]:
        return [beam for beam in (1, 2) if self._rank in self._groups[beam]]

    def macroparticles(self, beam: int) -> int:
        return self._counts[beam - 1]

    def _edge(self, beam: int, offset: int) -> int:
        group = self._groups[beam]
        if self._rank not in group:
            return 0
        return self._counts[beam - 1] * (group.index(self._rank) + offset) // len(group)

    def first_id(self, beam: int) -> int:
        return self._edge(beam, 0)

    def last_id(self, beam: int) -> int:
        return self._edge(beam, 1)

    def particles(self, beam: int) -> dict[str, Any]:
        return self._columns[beam]

    def lose(self, beam: int, id_: int) -> None:
        keep = self._columns[beam]["id"] != id_
        self._columns[beam] = {name: v[keep] for name, v in self._columns[beam].items()}

    def replace_particles(self, beam: int, /, *columns: Any) -> None:
        self._columns[beam] = dict(zip(("id", *NAMES), map(np.array, columns), strict=True))

    def set_turn(self, turn: int) -> None:
        self.turn = turn

    def step(self) -> None:
        for columns in self._columns.values():
            for name in NAMES:
                columns[name] += 2.0**-30
        self.turn += 1
        self._steps += 1

    def record(self) -> dict[str, Any]:
        turn = float(self.turn - 1)
        record: dict[str, Any] = {"luminosity": np.array([1e30 + turn])}
        for beam in (1, 2):
            values = {
                "mean": np.full(6, turn),
                "covariance": np.eye(6) * (turn + 1),
                "moment3": np.full(6, np.nan),
                "moment4": np.full(6, np.nan),
                "emittance": np.full(3, 1e-9),
                "particles": float(self._counts[beam - 1]),
                "losses": 0.0,
                "outside": np.zeros(1),
                "tracked": np.full((self._tracked, 6), turn),
            }
            record |= {f"{beam}/{name}": value for name, value in values.items()}
        return record

    def slices(self, ip: int) -> dict[int, dict[str, Any]]:  # noqa: ARG002
        arrays = {"count": np.ones(3), "z": np.zeros(3), "mean": np.ones((3, 4))}
        return dict.fromkeys((1, 2), arrays | {"sigma": np.full((3, 4), float(self.turn - 1))})

    def pair_luminosity(self, ip: int) -> Any:  # noqa: ARG002
        return np.full((3, 3), float(self.turn - 1))

    def slice_field(self, ip: int, beam: int, slice_: int) -> dict[str, Any]:
        if self._rank not in self._groups[beam]:
            return {}
        grids = ("charge", "potential", "ex", "ey")
        axes = {"x": np.arange(16.0), "y": np.arange(8.0)}
        return axes | {name: np.full((16, 8), 100.0 * ip + 10 * beam + slice_) for name in grids}

    def phases(self) -> list[dict[str, Any]]:
        return []

    def kernels(self) -> list[dict[str, Any]]:
        return []

    def communication(self, events: bool) -> tuple[str, bytes]:
        """Turns of 1 s and 4 messages of 1000 bytes to the next rank, one event for each."""
        turns, alone = self._steps, self._size == 1
        beam = 1 if self._rank in self._groups[1] else 2
        made = 0 if alone else 4 * turns
        kept = min(self._events, made)
        next_rank = (self._rank + 1) % self._size
        reduce = phase_record(turns, made, 0.25 * turns if made else 0.0)
        if made:
            reduce["sent_to"] = {str(next_rank): [made, made * 1000]}
        record = {
            "rank": self._rank,
            "node": self._rank // 2,
            "place": [beam, self._groups[beam].index(self._rank), 0],
            "seconds": float(turns),
            "clock_offset": 0.0,
            "dropped_events": made - kept if self._events else 0,
            "events": kept,
            "names": ["kick", "reduce_row"],
            "phases": {
                "kick": phase_record(turns, 0, 0.0) | {"computing": 0.5 * turns},
                "reduce_row": reduce,
            },
        }
        # start, end, bytes, peer, number, phase, kind (a message sent), channel
        data = (EVENT.pack(k / 4, k / 4 + 0.125, 1000, next_rank, k, 1, 2, 0) for k in range(kept))
        return json.dumps(record), b"".join(data) if events else b""


EVENT = struct.Struct("<ddqiihBB4x")
"""One event of the time line."""


def phase_record(calls: int, messages: int, communicating: float) -> dict[str, Any]:
    """What a rank records of a phase with messages of 1000 bytes, waiting for half of the time."""
    return {
        "calls": calls,
        "messages": messages,
        "bytes": messages * 1000,
        "computing": 0.0,
        "communicating": communicating,
        "waiting": communicating / 2,
        "library": False,
        "sent_to": {},
    }


def start(beam: int, ids: Any, column: int) -> Any:
    """Coordinate `column` of the particles `ids` of `beam` at turn 0."""
    return (beam * 1000.0 + ids * 7.0 + column) * 2.0**-20


def _groups(size: int) -> dict[int, list[int]]:
    """Ranks that hold each beam: all of a single rank's, else the two halves."""
    if size == 1:
        return {1: [0], 2: [0]}
    half = (size + 1) // 2
    return {1: list(range(half)), 2: list(range(half, size))}


def tables(**records: Any) -> dict[str, Any]:
    """A small study; `records` are keys of its table of that name."""
    beam = {
        "particle": "proton",
        "energy": 7e12,
        "bunch_population": 1.15e11,
        "macroparticles": 101,
        "normalized_emittance": [3.75e-6, 3.75e-6],
        "bunch_length": 0.0755,
        "momentum_spread": 1.13e-4,
    }
    return {
        "title": "small",
        "turns": 10,
        "seed": 1,
        "beam": {"1": beam, "2": {"like": "beam.1"}},
        "ring": {"circumference": 26658.883, "bunches": 2808},
        "arc": {"tune": [64.31, 59.32], "synchrotron_tune": 0.0019},
        "ip": {"1": {"beta": [0.55, 0.55], "grid": [16, 8], "slices": 3}},
        "records": records,
    }

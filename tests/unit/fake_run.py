"""A run without physics, for tests of the files.

tests/unit/test_core_contract.py holds it against the compiled one.

Particles of each beam are shared among the ranks by their ids. A turn adds a fixed amount to every
coordinate, so that what a file must hold at each turn is known.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

NAMES = ("x", "px", "y", "py", "z", "delta")

SETTINGS = {
    "reduce": ("direct", "mesh", "hypercube", "node-aware", "mpi", "mpi-allreduce"),
    "layout": (),
}
"""Words that a key of communication.* accepts, where this is looked at; none: not while it runs."""

SLICES, GRID = 3, (16, 8)

EVENT = struct.Struct("<ddqiihBB4x")
"""One event of the time line."""


class FakeSimulation:
    """Particles that drift by one step of a fixed size each turn; those of `lost` ids vanish."""

    def __init__(
        self,
        rank: int,
        size: int,
        counts: list[int],
        tracked: int = 0,
        events: int = 0,
        order: int = 2,
    ) -> None:
        self.turn = 0
        self._steps = 0
        self._events = events
        self._tracked = tracked
        self._order = order
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
        return self._counts[_checked(beam) - 1]

    def _edge(self, beam: int, offset: int) -> int:
        """Where the share of a member begins: the first ones have one more of what is left over."""
        group = self._groups[_checked(beam)]
        if self._rank not in group:
            return 0
        each, more = divmod(self._counts[beam - 1], len(group))
        member = group.index(self._rank) + offset
        return member * each + min(member, more)

    def first_id(self, beam: int) -> int:
        return self._edge(beam, 0)

    def last_id(self, beam: int) -> int:
        return self._edge(beam, 1)

    def particles(self, beam: int) -> dict[str, Any]:
        return self._columns[_checked(beam)]

    def lose(self, beam: int, id_: int) -> None:
        keep = self._columns[beam]["id"] != id_
        self._columns[beam] = {name: v[keep] for name, v in self._columns[beam].items()}

    def replace_particles(
        self,
        beam: int,
        id: Any,  # noqa: A002
        x: Any,
        px: Any,
        y: Any,
        py: Any,
        z: Any,
        delta: Any,
    ) -> None:
        columns = [np.array(column) for column in (id, x, px, y, py, z, delta)]
        first, last = self.first_id(beam), self.last_id(beam)
        ids = columns[0].tolist()
        if {len(column) for column in columns} != {len(ids)}:
            raise ValueError("the particles' coordinates differ in length")
        if len(ids) > last - first:
            raise ValueError(f"more particles of beam {beam} than belong to this rank")
        for one in ids:
            if not first <= one < last:
                raise ValueError(f"particle {one} of beam {beam} does not belong to this rank")
            if ids.count(one) > 1:
                raise ValueError(f"particle {one} of beam {beam} is given twice")
        self._columns[beam] = dict(zip(("id", *NAMES), columns, strict=True))

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
                "covariance": 1e-6 * np.eye(6) * (turn + 1),
                "moment3": np.full(6, turn if self._order == 4 else np.nan),
                "moment4": np.full(6, turn if self._order == 4 else np.nan),
                "emittance": np.full(3, 1e-9),
                "particles": float(self._counts[beam - 1]),
                "losses": 0.0,
                "debunched": 0.0,
                "outside": np.zeros(1),
            }
            if self._tracked:
                values["tracked"] = np.full((self._tracked, 6), turn)
            record |= {f"{beam}/{name}": value for name, value in values.items()}
        return record

    def slices(self, ip: int) -> dict[int, dict[str, Any]]:
        _check_point(ip)
        arrays = {"count": np.ones(SLICES), "z": np.zeros(SLICES), "mean": np.ones((SLICES, 4))}
        return dict.fromkeys((1, 2), arrays | {"sigma": np.full((SLICES, 4), self.turn - 1.0)})

    def pair_luminosity(self, ip: int) -> Any:
        _check_point(ip)
        return np.full((SLICES, SLICES), self.turn - 1.0)

    def photon_spectrum(self, ip: int, beam: int) -> Any:
        _check_point(ip)
        held = self._rank in self._groups[_checked(beam)]
        return np.full(80, self.turn - 1.0 if held else 0.0)

    def slice_field(self, ip: int, beam: int, slice: int) -> dict[str, Any]:  # noqa: A002
        _check_point(ip)
        if not 1 <= slice <= SLICES:
            raise ValueError(f"there is no slice {slice} of {SLICES}")
        if self._rank not in self._groups[_checked(beam)]:
            return {}
        grids = ("charge", "potential", "ex", "ey")
        axes = {name: np.arange(float(nodes)) for name, nodes in zip("xy", GRID, strict=True)}
        return axes | {name: np.full(GRID, 100.0 * ip + 10 * beam + slice) for name in grids}

    def state(self) -> dict[str, dict[str, Any]]:
        """None: particles go into a checkpoint on a way of their own."""
        return {}

    def owned(self, set: str) -> Any:  # noqa: A002
        raise ValueError(f"there are no rows called '{set}'")

    def restore(self, set: str, id: Any, columns: dict[str, Any]) -> None:  # noqa: A002
        if any(len(values) != len(id) for values in columns.values()):
            raise ValueError(f"the columns of '{set}' differ in length")
        self.owned(set)

    def set_communication(self, parameters: str) -> None:
        for key, value in read_parameters(parameters, ("communication",)).items():
            accepted = SETTINGS.get(key.removeprefix("communication."))
            if accepted == ():
                raise ValueError(f"{key}: ranks keep their places while a simulation goes on.")
            if accepted and value not in accepted:
                raise ValueError(f"{key} = {value}: accepted are {', '.join(accepted)}.")

    def part(self, workload: str) -> list[Any]:
        """The run itself: it is of one workload."""
        del workload
        return [self]

    def pieces(self) -> dict[str, float]:
        return {"green": float(self._steps)}

    def _phases(self) -> dict[str, dict[str, Any]]:
        """A kernel of half a second a turn, and 4 messages of 1000 bytes to the next rank."""
        made = 0 if self._size == 1 else 4 * self._steps
        reduce = phase_record(self._steps, made, 0.25 * self._steps if made else 0.0)
        if made:
            reduce["sent_to"] = {str(self._next_rank): [made, made * 1000]}
        kick = phase_record(self._steps, 0, 0.0) | {"computing": 0.5 * self._steps}
        return {"kick": kick, "reduce_row": reduce}

    @property
    def _next_rank(self) -> int:
        return (self._rank + 1) % self._size

    def phases(self) -> list[dict[str, Any]]:
        counted = ("calls", "messages", "bytes")
        return [
            {"name": name, "seconds": of["communicating"]} | {key: of[key] for key in counted}
            for name, of in self._phases().items()
        ]

    @property
    def finished(self) -> bool:
        return False

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def device_buffers(self) -> str | None:
        return None

    def kernels(self) -> list[dict[str, Any]]:
        items = float(sum(len(columns["id"]) for columns in self._columns.values()) * self._steps)
        rates = {"seconds": 0.5 * self._steps, "flops": 10 * items, "bytes": 52 * items}
        rates["additions"] = 4 * items
        calls = {"calls": float(self._steps), "working_sets": 52 * items}
        return [{"name": "kick", "items": items, "single": False} | rates | calls]

    def communication(self, events: bool) -> tuple[str, bytes]:
        """Turns of 1 s; one event for each message."""
        phases = self._phases()
        beam = 1 if self._rank in self._groups[1] else 2
        made = phases["reduce_row"]["messages"]
        kept = min(self._events, made)
        record = {
            "rank": self._rank,
            "node": self._rank // 2,
            "place": [beam, self._groups[beam].index(self._rank), 0],
            "seconds": float(self._steps),
            "clock_offset": 0.0,
            "dropped_events": made - kept if self._events else 0,
            "events": kept,
            "names": list(phases),
            "main": ["reduce_row"],
            "colours": {},
            "pieces": self.pieces(),
            "phases": phases,
        }
        # start, end, bytes, peer, number, phase, kind (a message sent), channel
        sent = ((k / 4, k / 4 + 0.125, 1000, self._next_rank, k, 1, 2, 0) for k in range(kept))
        return json.dumps(record), b"".join(EVENT.pack(*one) for one in sent) if events else b""


def _checked(beam: int) -> int:
    if beam not in (1, 2):
        raise ValueError(f"beam {beam} is not 1 or 2")
    return beam


def _check_point(ip: int) -> None:
    if ip != 1:
        raise ValueError(f"there is no interaction point {ip}")


def _groups(size: int) -> dict[int, list[int]]:
    """Ranks that hold each beam: all of a single rank's, else the two halves."""
    if size == 1:
        return {1: [0], 2: [0]}
    half = (size + 1) // 2
    return {1: list(range(half)), 2: list(range(half, size))}


def start(beam: int, ids: Any, column: int) -> Any:
    """Coordinate `column` of the particles `ids` of `beam` at turn 0."""
    return (beam * 1000.0 + ids * 7.0 + column) * 2.0**-20


def phase_record(calls: int, messages: int, communicating: float) -> dict[str, Any]:
    """What a rank records of a phase with messages of 1000 bytes, waiting for half of the time."""
    return {
        "calls": calls,
        "messages": messages,
        "synchronisations": 0,
        "bytes": messages * 1000,
        "computing": 0.0,
        "communicating": communicating,
        "waiting": communicating / 2,
        "library": False,
        "sent_to": {},
    }


def read_parameters(text: str, accepted: Iterable[str]) -> dict[str, str]:
    """The flat text; ValueError for a line of another form, or with a key that is not accepted."""
    values = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = line.partition(" = ")
        if not equals:
            raise ValueError(f"parameters, line {number}: '{line}' is not of the form key = value.")
        if name.split(".")[0] not in accepted:
            raise ValueError(
                f"parameters, line {number}: '{name}' is not a key that this study reads."
            )
        values[name] = value
    return values

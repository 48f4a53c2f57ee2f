"""A core without physics on ranks that are threads, for tests of what runs above the core.

It keeps the contract of the compiled one: tests/unit/test_core_contract.py runs the same checks on
both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from tests.unit.fake_run import GRID, SLICES, FakeSimulation, read_parameters

T = TypeVar("T")

TOP_KEYS = ("turns", "seed", "workload", "beam", "ip", "line", "records", "communication")


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

    def measure_present_bandwidth(self, threads: int = 1) -> float:
        return 1e10 * threads

    def current_phase(self) -> str:
        return ""

    missing_mpi = ""

    def mpi_version(self) -> str:
        return "Threads v1.0"

    def mpi_built_with(self) -> str:
        return "Threads v1.0"

    def step_together(self, runs: list[FakeSimulation]) -> list[Exception | None]:
        if self._size > 1:
            raise ValueError("only runs of one rank each can be done together")
        errors = list[Exception | None]()
        for run in runs:
            errors.append(None)
            try:
                run.step()
            except (MemoryError, RuntimeError, ValueError) as error:
                errors[-1] = error
        return errors

    def start(self, parameters: str, threads: int = 1) -> FakeSimulation:
        if threads < 1:
            raise ValueError(f"threads = {threads}: give 1 to 4096")
        values = read_parameters(parameters, TOP_KEYS)
        if "workload" not in values:
            raise ValueError("parameters: 'workload' is missing.")
        counts = [int(values.get(f"beam.{beam}.macroparticles", 0)) for beam in (1, 2)]
        tracked, events = int(values["records.tracked"]), int(values.get("records.events", 0))
        order = int(values["records.moments_order"])
        return FakeSimulation(self._rank, self._size, counts, tracked, events, order)


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
        "ip": {"1": {"beta": [0.55, 0.55], "grid": list(GRID), "slices": SLICES}},
        "records": records,
    }

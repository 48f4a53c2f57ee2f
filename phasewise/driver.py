"""The compiled driver as Python sees it: its types, and loading it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import RunError

Floats = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

WORLD_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "MPI_LOCALNRANKS")
"""Variables with the number of ranks that launchers of the common MPI libraries set."""


RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")
"""Variables in which these launchers give the rank of the process."""


SLURM_MAX_STEP = 0xFFFF0000
"""The steps that srun starts have smaller numbers than this."""

REMEDY = "install the MPI library that it was built with, or build it where there is one"
"""What a user can do where MPI is missing."""


ALONE = "OMPI_MCA_ess_singleton_isolated"
"""This variable is set for a process that no launcher started: Open MPI then needs no daemon."""

NODES = "SLURM_NODELIST"
"""By this variable Open MPI takes a process in a shell of a Slurm step for one that srun started as
a rank, and ends it where it was built without Slurm.
"""


class Run(Protocol):
    """A study that runs, turn after turn: what `phasewise._core` starts, of any workload."""

    @property
    def turn(self) -> int: ...
    @property
    def finished(self) -> bool: ...
    @property
    def device(self) -> str: ...
    @property
    def device_buffers(self) -> str | None: ...
    def step(self) -> None: ...
    def time(self, least: int, most: int, seconds: float) -> dict[str, Any]: ...
    def record(self) -> dict[str, Any]: ...
    def set_turn(self, turn: int) -> None: ...
    def phases(self) -> list[dict[str, Any]]: ...
    def kernels(self) -> list[dict[str, Any]]: ...
    def communication(self, events: bool) -> tuple[str, bytes]: ...
    def set_communication(self, parameters: str) -> None: ...
    def part(self, workload: str) -> list[Run]: ...


class StatefulRun(Run, Protocol):
    """A run whose state is sets of rows, each with an id; every rank has some rows of each set."""

    def state(self) -> Mapping[str, Arrays]: ...
    def owned(self, rows: str) -> NDArray[np.int64]: ...
    def restore(self, rows: str, ids: NDArray[np.int64], columns: Arrays) -> None: ...


class Communicator(Protocol):
    """The ranks of a run; all but `rank`, `size`, `current_phase` and `abort` are collective.

    `gather` returns the bytes of all ranks in order on rank 0, `broadcast` those of rank 0 on all
    ranks. `current_phase` is the phase in which this rank is, or in which it failed; empty outside
    of all phases.
    """

    def rank(self) -> int: ...
    def size(self) -> int: ...
    def gather(self, data: bytes) -> list[bytes]: ...
    def broadcast(self, data: bytes) -> bytes: ...
    def barrier(self) -> None: ...
    def any(self, flag: bool) -> bool: ...
    def current_phase(self) -> str: ...
    def abort(self, status: int) -> None: ...


class Core(Communicator, Protocol):
    """The module `phasewise._core`; missing_mpi: why it has no MPI, empty if it has."""

    @property
    def missing_mpi(self) -> str: ...
    def mpi_version(self) -> str: ...
    def mpi_built_with(self) -> str: ...
    def start(self, parameters: str, threads: int = 1) -> Run: ...
    def step_together(self, runs: Sequence[Run]) -> list[Exception | None]: ...
    def measure_roof(self, threads: int = 1) -> dict[str, float]: ...
    def measure_present_rate(self, threads: int = 1) -> float: ...
    def measure_present_bandwidth(self, threads: int = 1) -> float: ...
    def measure_bandwidth(self, threads: int, bytes: int) -> float: ...  # noqa: A002
    def measure_device(self, cuda: bool, number: int = 0) -> dict[str, Any]: ...


class Planner(Protocol):
    """The part of `phasewise._core` that plans and follows messages, or measures a device or the
    distance of two cores; it needs no MPI.

    pieces: how often data-dependent pieces of a turn come in it, by name.
    """

    def plan(
        self, parameters: str, ranks: int, node_size: int = 1, rank: int = -1
    ) -> dict[str, Any]: ...
    def phases(self, parameters: str, ranks: int, node_size: int = 1) -> list[dict[str, Any]]: ...
    def first_pieces(self, parameters: str, ranks: int, turns: int = 1) -> dict[str, float]: ...
    def seconds_between_cores(self, first: int, second: int) -> float: ...
    def messages(
        self,
        parameters: str,
        ranks: int,
        node_size: int,
        pieces: Mapping[str, float],
        sockets: int = ...,
        adapters: int = ...,
    ) -> list[dict[str, Any]]: ...
    def work(
        self,
        parameters: str,
        ranks: int,
        pieces: Mapping[str, float],
        each: bool = ...,
        unit: Mapping[str, float] = ...,
    ) -> list[dict[str, Any]]: ...
    def contend(
        self,
        parameters: str,
        ranks: int,
        platform: str,
        eager: int,
        sizes: list[int],
        bandwidth_factors: list[float],
        latency_factors: list[float],
        pieces: Mapping[str, float],
        rates: dict[str, Any],
        *,
        agreed: bool = ...,
    ) -> dict[str, Any]: ...
    def pair_seconds(
        self,
        platform: str,
        eager: int,
        sizes: list[int],
        bandwidth_factors: list[float],
        latency_factors: list[float],
        rates: dict[str, Any],
        *,
        back: bool = ...,
    ) -> list[float]: ...
    def by_load(
        self,
        parameters: str,
        ranks: int,
        platform: str,
        within: dict[str, Any],
        between: dict[str, Any],
        eager: int,
        pieces: Mapping[str, float],
        rates: dict[str, Any],
        across: dict[str, Any] = ...,
    ) -> dict[str, Any]: ...
    def link_loads(
        self,
        parameters: str,
        ranks: int,
        platform: str,
        pieces: Mapping[str, float],
        *,
        agreed: bool = ...,
    ) -> list[tuple[str, str, str, str, float, float]]: ...
    def round_costs(
        self,
        parameters: str,
        ranks: int,
        platform: str,
        sizes: list[int],
        bandwidth_factors: list[float],
        latency_factors: list[float],
        pieces: Mapping[str, float],
    ) -> list[dict[str, Any]]: ...

    WaitsForEver: type[ValueError]
    OneEnd: type[ValueError]

    def unavailable_protocols(self) -> dict[str, str]: ...
    def measure_device(self, cuda: bool, number: int = 0) -> dict[str, Any]: ...
    def pattern_loads(self, to: list[int], platform: str) -> list[float]: ...


def load_planner() -> Planner:
    """The compiled module, without starting MPI; RunError if it is not built."""
    try:
        return cast(Planner, import_module("phasewise._core"))
    except ImportError as error:
        raise RunError(
            f"the compiled core cannot be loaded ({error}); build it with make setup"
        ) from error


def load_core() -> Core:
    """The compiled module; RunError if it is not built, if its MPI is not the launcher's, or if it
    has no MPI though a launcher started several processes.
    """
    alone = launched_size() == 0
    if alone:
        # Open MPI in a process that no launcher started would start a daemon, which needs Open
        # MPI's programs and ssh.
        os.environ.setdefault(ALONE, "1")
    try:
        with _without(NODES) if alone and step_tasks() <= 1 else nullcontext():
            core = cast(Core, import_module("phasewise._core"))
            check_alone(core.missing_mpi)
            check_library(core.mpi_version(), core.mpi_built_with())
            check_world(core.size())  # this starts MPI
    except ImportError as error:
        raise RunError(
            f"the compiled core cannot be loaded ({error}); build it with make setup"
        ) from error
    return core


@contextmanager
def _without(name: str) -> Iterator[None]:
    """Meanwhile the environment lacks this variable."""
    value = os.environ.pop(name, None)
    try:
        yield
    finally:
        if value is not None:
            os.environ[name] = value


def require_mpi() -> None:
    """RunError if the compiled core has no MPI, so that it cannot run in several ranks."""
    if missing := cast(Core, load_planner()).missing_mpi:
        raise RunError(f"several ranks need MPI, which is missing here ({missing}); {REMEDY}")


def check_alone(missing_mpi: str, environment: Mapping[str, str] | None = None) -> None:
    """RunError if a core without MPI is one of several processes; `missing_mpi` says why it has
    none.
    """
    started = max(launched_size(environment), step_tasks(environment))
    if missing_mpi and started > 1:
        raise RunError(
            f"the launcher started {started} ranks, but phasewise has no MPI here ({missing_mpi}) "
            f"and runs on one; {REMEDY}"
        )


def check_library(running: str, built_with: str) -> None:
    """RunError if the MPI library in use differs in family or major version from that of the
    build.
    """
    found, expected = (_family(version) for version in (running, built_with))
    if found and expected and found != expected:
        raise RunError(
            f"phasewise was built with {' '.join(expected)}, but runs on {' '.join(found)}; load "
            "the MPI library it was built with, or build it again with make setup"
        )


def _family(version: str) -> tuple[str, str] | None:
    """Name and major version, as in "Open MPI v4.1.4, package: ..."; None in another form."""
    match = re.match(r"\s*([A-Za-z][A-Za-z() ]*?)(?: Library| Version|[:\s])*\s*v?(\d+)\.", version)
    return None if match is None else (match[1].strip(), match[2])


def launched_size(environment: Mapping[str, str] | None = None) -> int:
    """How many ranks the MPI launcher started; 0 if no launcher started this process."""
    environment = os.environ if environment is None else environment
    sizes = [environment.get(name, "") for name in WORLD_SIZES]
    if "SLURM_PROCID" in environment and "PMIX_RANK" in environment:
        # With PMIx these variables come from srun; otherwise from a batch script, without MPI.
        sizes.append(environment.get("SLURM_STEP_NUM_TASKS", ""))
    return max((int(size) for size in sizes if size.isdigit()), default=0)


def step_tasks(environment: Mapping[str, str] | None = None) -> int:
    """How many processes srun started together with this one, with or without MPI; 0 if srun did
    not start it. The script of a batch job does not count: its step has one of the largest numbers.
    """
    environment = os.environ if environment is None else environment
    names = ("SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS")
    rank, step, tasks = (environment.get(name, "") for name in names)
    if not (rank.isdigit() and step.isdigit() and tasks.isdigit()):
        return 0
    return int(tasks) if int(step) < SLURM_MAX_STEP else 0


def launched_rank(environment: Mapping[str, str] | None = None) -> int | None:
    """The rank that the MPI launcher gave this process; None if no launcher started it."""
    environment = os.environ if environment is None else environment
    ranks = (environment.get(name, "") for name in RANKS)
    return next((int(rank) for rank in ranks if rank.isdigit()), None)


def check_world(size: int, environment: Mapping[str, str] | None = None) -> None:
    """RunError if the launcher started several ranks but MPI sees only one in each."""
    launched = launched_size(environment)
    if launched > 1 and size == 1:
        raise RunError(
            f"the launcher started {launched} ranks, but each of them runs alone: this mpiexec "
            "belongs to another MPI library than the one phasewise was built with"
        )

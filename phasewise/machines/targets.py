"""Machines on which probes are executed: a simulated machine, or this one."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from phasewise.errors import RunError
from phasewise.machines.core_distance import CoreWatch
from phasewise.machines.curves import Floats
from phasewise.machines.deadline import Deadline
from phasewise.machines.machine import Machine
from phasewise.machines.probes import Probe
from phasewise.machines.rank_rates import RankRates, read_rank_rates
from phasewise.machines.smpirun import simulate_driver, simulated_tree
from phasewise.machines.topology import nodes_of, sockets_of
from phasewise.machines.twin import make_twin
from phasewise.mpi.launch import launch_command, run_to_end, this_machine
from phasewise.scratch import temporary_folder

DRIVER = "phasewise-driver"
DRIVER_VARIABLE = "PHASEWISE_DRIVER"
"""Variable with the path of the driver, if it is not the installed one."""

WARM_UP = 4
QUIET_SECONDS = 0.01
"""Least simulated seconds between the end of a message and the start of the next."""


def this_host() -> str:
    """This computer's name, as a measured machine's file has it."""
    return platform.node().partition(".")[0] or "this-machine"


@dataclass(frozen=True)
class Order:
    """Sizes [B] of one probe to be timed."""

    probe: Probe
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Repetitions:
    """Number of repetitions of each size: as many as fit into `seconds`, from `least` to `most`."""

    least: int
    most: int
    seconds: float


@dataclass(frozen=True)
class Sample:
    """One size of a probe in one launch, repeated: seconds, skew [s] and missed starts (n,) each.

    seconds: the time of the slowest rank; skew: from the first rank's start to the last one's;
    missed: 1 where a rank came after the agreed start.
    """

    probe: Probe
    size: int
    seconds: Floats
    skew: Floats
    missed: Floats


@dataclass(frozen=True)
class Answer:
    """The result of one launch of the driver: the nodes of the ranks, their rates, the seconds of
    their exchanges (fields of CallCosts) and of a bare one if they were asked for, and samples.
    """

    nodes: tuple[int, ...]
    rates: RankRates | None
    samples: list[Sample]
    exchanges: dict[str, tuple[float, ...]] = field(default_factory=dict)
    bare: float = 0.0


class Target(Protocol):
    """A machine under measurement. launches: the number of launches that the samples come from."""

    ranks: int
    launches: int
    reference: str

    @property
    def nodes(self) -> Sequence[int]:
        """The node of each rank (ranks,)."""

    @property
    def sockets(self) -> Sequence[int] | None:
        """The socket of each rank (ranks,), numbered through all nodes; None if nothing is known of
        sockets, or a node has only one.
        """

    def execute(
        self,
        orders: Sequence[Order],
        repetitions: Repetitions,
        seed: int,
        limit: float | None = None,
    ) -> Answer:
        """Time the orders in one launch; RunError if it fails, TooLongError after `limit` s."""


class SimulatedTarget:
    """The simulated twin of a machine, where every repetition takes the same time."""

    launches = 1
    reference = "simulator"

    def __init__(self, machine: Machine, twin: str, ranks: int) -> None:
        self.ranks = ranks
        self._machine = machine
        self._twin = make_twin(machine, twin, ranks)
        simulated_tree()

    @property
    def nodes(self) -> Sequence[int]:
        return [int(node) for node in nodes_of(self._machine, self.ranks)]

    @property
    def sockets(self) -> Sequence[int] | None:
        if self._machine.sockets is None:
            return None
        return [int(socket) for socket in sockets_of(self._machine, self.ranks)]

    def execute(
        self,
        orders: Sequence[Order],
        repetitions: Repetitions,
        seed: int,
        limit: float | None = None,
    ) -> Answer:
        network, memory = self._machine.network, self._machine.memory
        sockets = self._machine.sockets
        narrow = [network.flow_bandwidth, network.adapter_bandwidth, network.link_bandwidth]
        narrow += [network.global_bandwidth, memory.rank_bandwidth if memory else None]
        narrow += [sockets.rank_bandwidth, sockets.bandwidth] if sockets else []
        slowest = min(bandwidth for bandwidth in narrow if bandwidth is not None)
        # By the end of this window all messages have arrived, even if they pass the narrowest place
        # one after another.
        head = [f"window {QUIET_SECONDS} {2 * self.ranks / slowest!r}"]
        head += ["repetitions 1 1"]
        del repetitions, limit
        with _folder() as folder:
            simulate_driver(self._twin, patterns(head, orders, seed), folder, "--probe")
            return read_answer(folder / "samples.jsonl", orders)


class HardwareTarget:
    """The machine or batch allocation in which this process runs. watch: repeats launches during
    which the cores moved.
    """

    reference = "hardware"

    def __init__(self, ranks: int, launches: int, watch: CoreWatch | None = None) -> None:
        self.ranks = ranks
        self.launches = launches
        self._watch = watch
        self._first: Answer | None = None

    def look(self, limit: float | None = None) -> None:
        """Find the nodes of the ranks and their rates; TooLongError after `limit` s in all."""
        deadline = None if limit is None else Deadline(limit)

        def launch(text: str, yields: bool = False) -> Answer:
            return self._launch(text, (), None if deadline is None else deadline.left, yields)

        first = launch("roof\nbare\n")
        if self.ranks > 1 and first.rates is not None:
            in_threads = launch("threads\nbare\n").bare
            # These ranks tell MPI of threads, and wait, as the ranks of a run do.
            found = launch("threads\nexchanges\n", yields=True).exchanges
            calls = replace(
                first.rates.calls,
                exchange=found["exchange"],
                echo=found["echo"],
                threads=max(in_threads - first.bare, 0.0) / 2,
            )
            first = replace(first, rates=replace(first.rates, calls=calls))
        self._first = first

    def know(self, nodes: Sequence[int], rates: RankRates) -> None:
        """Use nodes and rates that were found before."""
        self._first = Answer(tuple(nodes), rates, [])

    @property
    def crowded(self) -> bool:
        """Whether there are fewer cores than ranks, so that the scheduler dominates the times."""
        return self.ranks > this_machine().cores

    @property
    def host(self) -> str:
        """The name of this computer."""
        return this_host()

    @property
    def nodes(self) -> Sequence[int]:
        return self._known().nodes

    @property
    def sockets(self) -> Sequence[int] | None:
        return None

    @property
    def rates(self) -> RankRates:
        """What a rank can do while all ranks work."""
        rates = self._known().rates
        assert rates is not None
        return rates

    def execute(
        self,
        orders: Sequence[Order],
        repetitions: Repetitions,
        seed: int,
        limit: float | None = None,
    ) -> Answer:
        head = [f"warm_up {WARM_UP}", f"repetitions {repetitions.least} {repetitions.most}"]
        head += [f"seconds {repetitions.seconds}"]
        return self._launch(patterns(head, orders, seed), orders, limit)

    def _known(self) -> Answer:
        if self._first is None:
            self.look()
        assert self._first is not None
        return self._first

    def _launch(
        self, text: str, orders: Sequence[Order], limit: float | None, yields: bool = False
    ) -> Answer:
        if self._watch is None or limit is None:
            return self._launch_once(text, orders, limit, yields)
        return self._watch.steady(lambda left: self._launch_once(text, orders, left, yields), limit)

    def _launch_once(
        self, text: str, orders: Sequence[Order], limit: float | None, yields: bool
    ) -> Answer:
        with _folder() as folder:
            (folder / "patterns").write_text(text, encoding="utf-8")
            program = [str(find_driver()), "--probe", str(folder / "patterns"), "--out"]
            program.append(str(folder))
            command, environment = launch_command(program, self.ranks, 1, True, yields)
            status, sentence = run_to_end(command, environment, folder, limit)
            if status:
                raise RunError(
                    f"the probe ended with status {status}: {sentence or 'it said nothing'}"
                )
            return read_answer(folder / "samples.jsonl", orders)


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder; in a batch allocation of several nodes, one that all of them see."""
    shared = Path.cwd() if this_machine().allocated else None
    with temporary_folder("probe", where=shared) as name:
        yield Path(name)


def find_driver() -> Path:
    """The path of the driver, beside the interpreter; RunError if it does not exist."""
    named = os.environ.get(DRIVER_VARIABLE)
    if named:
        candidates = [Path(named)]
    else:
        found = shutil.which(DRIVER)
        candidates = [Path(sysconfig.get_path("scripts")) / DRIVER]
        candidates += [Path(found)] if found else []
    for path in candidates:
        if path.is_file():
            return path.resolve()
    raise RunError(f"{candidates[0]}, which measures messages, does not exist: run make setup")


def patterns(head: Iterable[str], orders: Iterable[Order], seed: int) -> str:
    """The text of the file that the driver executes (core/probe/pattern.hpp)."""
    lines = [f"seed {seed}", *head]
    for order in orders:
        lines += [
            f"pattern {order.probe.kind}",
            _numbers("sizes", order.sizes),
            _numbers("to", order.probe.to),
            _numbers("from", order.probe.from_),
        ]
    return "\n".join(lines) + "\n"


def _numbers(word: str, values: Iterable[int]) -> str:
    return " ".join([word, *map(str, values)])


def read_answer(path: Path, orders: Sequence[Order]) -> Answer:
    """Read what the driver wrote; RunError if it is incomplete."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        nodes = tuple(int(node) for node in lines[0]["nodes"])
        rates = next((read_rank_rates(line) for line in lines if "roof" in line), None)
        rows: dict[str, list[float]] = next(
            (line["exchanges"] for line in lines if "exchanges" in line), {}
        )
        exchanges = {name: tuple(map(float, row)) for name, row in rows.items()}
        bare = next((float(line["bare"]) for line in lines if "bare" in line), 0.0)
        samples = [_sample(line, orders) for line in lines if "pattern" in line]
    except (OSError, TypeError, ValueError, LookupError) as error:
        raise RunError(f"the probe's samples cannot be read: {error}") from error
    return Answer(nodes, rates, samples, exchanges, bare)


def _sample(line: dict[str, Any], orders: Sequence[Order]) -> Sample:
    rows = (np.asarray(line[name], dtype=np.float64) for name in ("seconds", "skew", "missed"))
    return Sample(orders[line["pattern"]].probe, int(line["bytes"]), *rows)

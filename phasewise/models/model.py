"""The input and the interface of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.machines.device import Device, words_of
from phasewise.machines.machine import Protocol as MessageProtocol
from phasewise.machines.overhead import check_overhead
from phasewise.machines.topology import check_size
from phasewise.study import Study
from phasewise.study.laboratory import Pieces
from phasewise.study.study import AUTO, CPU, CUDA

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

COLUMNS = {
    "bytes": np.float64,
    "count": np.float64,
    "inter": np.int64,
    "across": np.int64,
    "distance": np.int64,
    "active": np.int64,
    "together": np.int64,
}
"""Names and types of a phase's arrays."""


@dataclass(frozen=True)
class PhaseMessages:
    """The messages that one rank, the one that sends most in a phase, sends in a turn: arrays (n,)
    over kinds of messages.

    bytes: of a message. count: per turn. inter: 1 to another node, 0 within the node. distance:
    between the ranks' numbers. across: 1 to another socket of the node. active: how many of the
    ranks that use the sender's adapter send to other nodes in the same round, the sender included,
    or how many of its socket send within the node at the same level. together: how many messages
    the sender itself sends across that level at once, in the same round. copied: bytes of memory
    traffic in a turn, by copying and adding up. direction: column, row, beam or all. rank: the
    sender. A library collective is replaced by the messages that libraries usually send for it.
    main: whether the phase belongs to the workload's own exchange.
    """

    name: str
    pattern: str
    direction: str
    rank: int
    bytes: Floats
    count: Floats
    inter: Integers
    across: Integers
    distance: Integers
    active: Integers
    together: Integers
    copied: float = 0.0
    main: bool = False


@contextmanager
def refusals() -> Iterator[None]:
    """Turn the core's ValueErrors into StudyErrors."""
    try:
        yield
    except ValueError as error:
        raise StudyError(str(error)) from error


@dataclass(frozen=True)
class Case:
    """A study on some ranks of a machine, whose reference is its `twin`, plain or full.

    pieces: how often each data-dependent piece occurs in a turn. records: folders of runs, for a
    model that is fitted to runs. program: the messages of a turn if they are known without a study,
    for example from a recorded run; then `study` may be None. agreed: all ranks begin the turn
    together, as when a bench times it; used by models that follow the turn in time. turns: the case
    is the mean of this many first turns of a run; 0: a turn of a long run. The machine is the one
    that the study's program meets, with threads or without.
    """

    study: Study | None
    machine: Machine
    ranks: int
    twin: str = "full"
    pieces: Pieces = field(default_factory=dict)
    records: tuple[Path, ...] = ()
    program: tuple[PhaseMessages, ...] | None = None
    agreed: bool = False
    turns: int = 0

    def __post_init__(self) -> None:
        in_threads = self.study is None or self.study.in_threads
        object.__setattr__(self, "machine", self.machine.of_program(in_threads))

    @cached_property
    def phases(self) -> tuple[PhaseMessages, ...]:
        """The messages of each phase, in the order of a turn.

        StudyError if study, machine and ranks do not fit; RunError without the compiled core.
        """
        check_size(self.machine, self.ranks)
        if self.program is not None:
            return self.program
        core, parameters = load_planner(), self.parameters("messages")
        with refusals():
            found = core.messages(
                parameters,
                self.ranks,
                self.machine.node_ranks,
                self.pieces,
                self.machine.socket_count,
                self.machine.network.adapters,
            )
        return tuple(_phase(phase) for phase in found)

    @property
    def main_phases(self) -> tuple[str, ...]:
        """The phases of the workload's own exchange, in the order of a turn."""
        return tuple(phase.name for phase in self.phases if phase.main)

    @cached_property
    def device(self) -> Device | None:
        """The device on which the study's kernels run; None if they run on the processors.
        StudyError if the machine's file lacks the device that the study asks for.
        """
        if self.study is None:
            return None
        if missing := missing_device(self.study, self.machine):
            raise StudyError(missing)
        wanted, device = self.study.running.device, self.machine.device
        if wanted == AUTO and device is not None:
            return device if device.kind == CUDA else None
        return None if wanted == CPU else device

    @property
    def protocol(self) -> MessageProtocol:
        """How messages deviate from the straight line on the twin; a plain twin has no protocol."""
        return self.machine.protocol if self.twin == "full" else MessageProtocol()

    def parameters(self, model: str) -> str:
        """The study's parameters, for a model that follows all ranks in time; StudyError if there
        is no study, or if it does not suit the ranks.
        """
        if self.study is None:
            raise StudyError(
                f"model {model} needs a study, and only the messages of this program are known: "
                "choose another model"
            )
        self.study.check_ranks(self.ranks)
        check_overhead(self.machine, self.study.communication)
        # This is what "auto" stands for on this machine.
        device = CPU if self.device is None else self.device.kind
        running = replace(self.study.running, device=device)
        return replace(self.study, running=running).parameters()


def missing_device(study: Study, machine: Machine) -> str:
    """A sentence that says that the machine's file lacks the device that a study asks for; empty if
    it has it.
    """
    wanted, device = study.running.device, machine.device
    if wanted in (CPU, AUTO) or (device is not None and device.kind == wanted):
        return ""
    return (
        f'the study runs on run.device = "{wanted}", which the file of machine {machine.name} '
        f"does not describe, since it has {words_of(device)}: measure it with phasewise machine "
        f'measure --device {wanted}, or predict for run.device = "cpu"'
    )


def _phase(found: dict[str, Any]) -> PhaseMessages:
    arrays: dict[str, Any] = {
        name: np.asarray(found[name], dtype=kind) for name, kind in COLUMNS.items()
    }
    return PhaseMessages(
        name=str(found["name"]),
        pattern=str(found["pattern"]),
        direction=str(found["direction"]),
        rank=int(found["rank"]),
        copied=float(found["copied"]),
        main=bool(found["main"]),
        **arrays,
    )


@dataclass(frozen=True)
class Turn:
    """Seconds of a turn.

    phases: the communication of each phase, as far as the model tells phases apart. communicating:
    all of it, waiting included. waiting: the part of it that passes before the last of the senders
    has posted its message. computing: kernels and the copying around messages. These are means over
    the ranks. seconds: the whole turn of the slowest rank. variation: the standard deviation of
    turns that follow each other over their mean, 0 where the model follows one turn.
    """

    phases: dict[str, float]
    communicating: float
    waiting: float
    computing: float
    seconds: float
    variation: float = 0.0


def turn_from(found: Mapping[str, Any]) -> Turn:
    """The turn that the core has followed."""
    phases = dict(found["phases"])
    return Turn(
        phases=phases,
        communicating=float(sum(phases.values())),
        waiting=float(sum(found["waiting"].values())),
        computing=float(found["computing"]),
        seconds=float(found["turn"]),
        variation=float(found["variation"]),
    )


class Model(Protocol):
    """A module that defines these three names.

    `PRECISE = True` beside them marks a model that follows every message, and takes seconds. Such a
    model also defines `follow(case, computation) -> Turn`, which lets ranks wait for those that
    compute longer.
    """

    NAME: str
    TITLE: str

    def phase_seconds(self, case: Case) -> dict[str, float]:
        """Seconds of a turn's messages in each phase, mean over the ranks, if nothing is computed.

        StudyError, one sentence with the command to run, if the machine's file does not hold what
        the model needs.
        """

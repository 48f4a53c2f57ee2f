"""A recorded program on a number of ranks on which it was not recorded.

From records of four or more numbers of ranks p, what a rank does in each phase is fitted in p
(`terms`): calls, messages and bytes of the rank that has most of them, and computing. The largest
number is left out first and predicted: phases that are missed by more than is accepted are refused
by name. Times follow from models that add messages up.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.machines.topology import check_size
from phasewise.models.discovery import default_of_sums, load_model
from phasewise.models.distances import distances_of, messages_at, rounds_of_library
from phasewise.models.model import Case, PhaseMessages
from phasewise.models.prediction import Prediction, bounded
from phasewise.models.terms import FEWEST, Fit, error_of, fitted
from phasewise.models.uncertain import OfRates
from phasewise.traces.records import CommunicationRecord, Phase, read_communication

COUNTS = ("calls", "messages", "bytes")
COMPUTING, SLOWEST = "computing", "computing of the slowest rank"
ACCEPTED = dict.fromkeys(COUNTS, 0.05) | {COMPUTING: 0.15, SLOWEST: 0.15}
"""By how much the left-out number of ranks may be missed."""
SMALL = 0.05
"""Refused phases may take so much of the time of the largest record: they are left out then."""
WIDER = 2.0
"""Factor on the half widths of intervals, in the logarithm."""


@dataclass(frozen=True)
class FittedQuantity:
    """What a rank has of a quantity in a phase, of one unit of the record: a count, B, or s.

    fit: of all records; left_out, predicted: the value of the largest record, and what the others
    say of it.
    """

    phase: str
    quantity: str
    fit: Fit
    left_out: float
    predicted: float

    @property
    def error(self) -> float:
        """By how much the left-out value was missed, relative."""
        return error_of(self.predicted, self.left_out)

    @property
    def refused(self) -> bool:
        """Whether that is more than is accepted."""
        return self.error > ACCEPTED[self.quantity]

    def to_dict(self) -> dict[str, Any]:
        """The quantity as JSON has it."""
        return {
            "phase": self.phase,
            "quantity": self.quantity,
            "terms": self.fit.text,
            "recorded": self.left_out,
            "predicted": self.predicted,
            "error": self.error,
            "refused": self.refused,
        }


@dataclass(frozen=True)
class Scaling:
    """The fits of a program, and the records that they are from, by numbers of ranks."""

    records: tuple[CommunicationRecord, ...]
    fits: tuple[FittedQuantity, ...]

    @property
    def ranks(self) -> list[int]:
        """The recorded numbers of ranks."""
        return [record.ranks for record in self.records]

    @property
    def refused(self) -> list[str]:
        """The phases of which a quantity was missed."""
        return list(dict.fromkeys(one.phase for one in self.fits if one.refused))

    @property
    def disturbed(self) -> list[str]:
        """A sentence for each record whose ranks had too little of their cores: computing and
        waiting took longer there than on cores of their own, and fits take that for the program's.
        """
        shares = ((record.ranks, record.core_share) for record in self.records)
        return [
            f"in the record of {n} ranks {one.sentence}"
            for n, one in shares
            if one and one.disturbed
        ]

    def at(self, phase: str, quantity: str, ranks: int) -> float:
        """A quantity on so many ranks; 0 if no record has any of it."""
        own = (one for one in self.fits if (one.phase, one.quantity) == (phase, quantity))
        return next((one.fit.at(ranks) for one in own), 0.0)


def read_scaling(folders: Sequence[str | Path]) -> Scaling:
    """Read and fit records; StudyError, one sentence, if they are too few, or if phases that take
    more than SMALL of the time cannot be predicted.
    """
    records = sorted((read_communication(one) for one in folders), key=lambda one: one.ranks)
    ranks = [record.ranks for record in records]
    if len(set(ranks)) < max(len(ranks), FEWEST + 1):
        raise StudyError(
            f"give the records of four or more different numbers of ranks: these {len(ranks)} "
            f"have {', '.join(map(str, ranks))}"
        )
    if empty := next((one for one in records if one.turns == 0), None):
        raise StudyError(f"the run in {empty.directory} recorded no {empty.unit.one}")
    scaling = Scaling(tuple(records), tuple(_fits(records)))
    _check_refused(scaling)
    return scaling


def _fits(records: Sequence[CommunicationRecord]) -> Iterator[FittedQuantity]:
    ranks = [record.ranks for record in records]
    names = list(dict.fromkeys(phase.name for record in records for phase in record.phases))
    for name in names:
        phases = [record.phase(name) for record in records]
        for quantity in ACCEPTED:
            values = [
                0.0 if phase is None else _value(phase, quantity) / record.turns
                for phase, record in zip(phases, records, strict=True)
            ]
            if any(values):
                left = fitted(ranks[:-1], values[:-1]).at(ranks[-1])
                yield FittedQuantity(name, quantity, fitted(ranks, values), values[-1], left)


def _value(phase: Phase, quantity: str) -> float:
    if quantity == COMPUTING:
        return float(np.mean(phase.computing))
    return float(np.max(phase.computing if quantity == SLOWEST else getattr(phase, quantity)))


def _check_refused(scaling: Scaling) -> None:
    refused, largest = scaling.refused, scaling.records[-1]
    own = [phase for phase in largest.phases if phase.name in refused]
    seconds = sum(float(np.mean(one.computing + one.communicating)) for one in own)
    # A phase that has ended on fewer ranks took no time in the largest record.
    if not refused or seconds <= SMALL * largest.seconds:
        return
    worst = sorted((one for one in scaling.fits if one.refused), key=lambda one: -one.error)
    raise StudyError(
        f"the records of fewer ranks do not predict those of {largest.ranks} ranks: "
        + ", ".join(
            f"{one.phase} ({one.quantity} missed by {100 * one.error:.0f} %, accepted "
            f"{100 * ACCEPTED[one.quantity]:.0f} %)"
            for one in worst[:5]
        )
        + "; record more numbers of ranks"
    )


def models_of_sums(given: str | None, machine: Machine) -> list[str]:
    """The models of --model, or the best one for the machine; StudyError for one that follows
    every message, since those of this number of ranks were not recorded.
    """
    if given is None:
        return [default_of_sums(machine)]
    names = list(dict.fromkeys(name.strip() for name in given.split(",")))
    for name in names:
        if getattr(load_model(name), "PRECISE", False) or name == "measured":
            raise StudyError(
                f"model {name} needs the messages of all ranks, and those of this number of ranks "
                f"were not recorded: choose a model that adds up, such as "
                f"{default_of_sums(machine)}"
            )
    return names


def predict_scaled(
    scaling: Scaling,
    machine: Machine,
    ranks: int,
    model: str,
    twin: str = "full",
    factors: Collection[float] = (1.0,),
) -> Prediction:
    """The program on so many ranks of a machine; factors: what the computing that was recorded may
    be multiplied by, whose geometric mean is taken. Intervals are twice as wide as a study's.
    """
    check_size(machine, ranks)
    case = Case(None, machine, ranks, twin, program=tuple(_program(scaling, machine, ranks)))
    phases = load_model(model).phase_seconds(case)
    least, most = min(factors), max(factors)
    factor = math.sqrt(least * most)
    computing, slowest = (factor * _computing(scaling, q, ranks) for q in (COMPUTING, SLOWEST))
    waiting = max(slowest - computing, 0.0)
    communicating = sum(phases.values()) + waiting
    whole = communicating + computing
    found = bounded(
        Prediction(
            ranks=ranks,
            model=model,
            communication_seconds=communicating,
            waiting_seconds=waiting,
            low=communicating,
            high=communicating,
            exchange_seconds=0.0,
            computation_seconds=computing,
            turn_seconds=whole,
            turn_low=whole,
            turn_high=whole,
            phases=phases,
            of_rates=OfRates(),
        ),
        case,
    )
    half = math.sqrt(most / least) - 1 if least < most else 0.0
    wide = [_wider(whole, end) for end in (found.turn_low, found.turn_high)]
    return replace(
        found,
        low=_wider(communicating, found.low),
        high=_wider(communicating, found.high),
        turn_low=max(wide[0] - computing * half / (1 + half), 0.0),
        turn_high=wide[1] + computing * half,
    )


def _wider(middle: float, end: float) -> float:
    return middle * (end / middle) ** WIDER if middle > 0 and end > 0 else end


def _computing(scaling: Scaling, quantity: str, ranks: int) -> float:
    own = [one for one in scaling.fits if one.quantity == quantity]
    return sum(one.fit.at(ranks) for one in own if one.phase not in scaling.refused)


def _program(scaling: Scaling, machine: Machine, ranks: int) -> Iterator[PhaseMessages]:
    largest = scaling.records[-1]
    for phase in largest.phases:
        if phase.name in scaling.refused:
            continue
        if phase.library:
            calls, size = (scaling.at(phase.name, q, ranks) for q in ("calls", "bytes"))
            yield rounds_of_library(phase.name, calls, size, machine, ranks)
        elif phase.messages.any():
            counts = tuple(scaling.at(phase.name, q, ranks) for q in ("messages", "bytes"))
            apart = distances_of(scaling.records, phase.name, ranks)
            senders = float(np.mean(phase.messages > 0))
            yield messages_at(phase.name, counts, apart, senders, machine)


def summary_of_scaling(scaling: Scaling) -> dict[str, Any]:
    """The fits as ``predict --json`` has them."""
    return {
        "folders": [str(record.directory) for record in scaling.records],
        "recorded_ranks": scaling.ranks,
        "fits": [one.to_dict() for one in scaling.fits],
        "refused": scaling.refused,
        "disturbed": scaling.disturbed,
    }

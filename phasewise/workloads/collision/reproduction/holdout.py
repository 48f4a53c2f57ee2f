"""How far models are off: predicted against simulated times of many cases' turns.

The reference is a simulator. Error of a prediction: |predicted / simulated - 1|.
"""

from __future__ import annotations

import json
import math
from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError, StudyError
from phasewise.machines import Machine
from phasewise.models import Case, predict
from phasewise.models.interval import COMMUNICATION, TURN, interval, residuals_of, turn_interval
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.workloads.collision.laboratory import GREEN
from phasewise.workloads.collision.reproduction.cases import SimulatedCase
from phasewise.workloads.interface import load_workload

MODELS = ("1a", "1b", "2", "3", "4", "5", "6", "loads", "contention")
"""The models that are judged: all that need no recorded runs."""

QUANTITIES = (COMMUNICATION, TURN)
"""Whose errors are judged."""

Errors = dict[str, dict[str, dict[str, float]]]
"""machine → model → FIGURES."""

FIGURES = (
    *("mean_error", "worst_error", "coverage"),
    *("turn_mean_error", "turn_worst_error", "turn_coverage", "points"),
)
"""Of the communication, waiting included, and of whole turns."""
FILE = Path(__file__).with_name("holdout.json")
"""Errors on all held-out cases, written by benchmarks/residuals.py."""

FIRST_TURN = {GREEN: 1.0}
"""Pieces of the simulated turn, in which each Green function is new."""


@dataclass(frozen=True)
class Times:
    """Seconds of a turn: its communication, mean over the ranks, and all of it."""

    communication: float
    turn: float

    def of(self, quantity: str) -> float:
        """One of QUANTITIES."""
        return self.turn if quantity == TURN else self.communication


@dataclass(frozen=True)
class Judged:
    """One case as a model sees it, and the simulator."""

    sample: SimulatedCase
    model: str
    simulated: Times
    predicted: Times

    def error(self, quantity: str) -> float:
        """How far the prediction is off, relative to the simulated time."""
        return abs(self.predicted.of(quantity) / self.simulated.of(quantity) - 1)

    def residual(self, quantity: str) -> float:
        """log(simulated/predicted)."""
        return math.log(self.simulated.of(quantity) / self.predicted.of(quantity))


def judge(
    samples: Sequence[SimulatedCase],
    simulated: Sequence[Times],
    machines: Mapping[str, Machine],
    models: Sequence[str] = MODELS,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Judged], dict[tuple[str, str], str]]:
    """Predictions of every sample by every model, and (model, machine) → why a model has none for a
    machine.

    machines: by name, with their measured curves.
    """
    judged: list[Judged] = []
    refused: dict[tuple[str, str], str] = {}
    for number, (sample, times) in enumerate(zip(samples, simulated, strict=True), 1):
        case = Case(sample.study(), machines[sample.machine], sample.ranks, pieces=FIRST_TURN)
        for model in models:
            if (model, sample.machine) in refused:
                continue
            try:
                found = predict(case, model)
            except StudyError as error:
                refused[model, sample.machine] = str(error)
                continue
            predicted = Times(found.communication_seconds, found.turn_seconds)
            judged.append(Judged(sample, model, times, predicted))
        if progress is not None:
            progress(number, len(samples))
    return judged, refused


def times_of(summary: Mapping[str, Any]) -> Times:
    """The simulated times of a summary of `phasewise simulate`."""
    return Times(float(summary["communication_seconds"]), float(summary["turn_seconds"]))


def residuals(judged: Iterable[Judged], machines: Mapping[str, Machine]) -> dict[str, Any]:
    """Sorted log(simulated/predicted) of the fit set: quantity → model → "network kind|machine" →
    values.
    """
    fitted = [one for one in judged if not one.sample.held_out]
    found: dict[str, Any] = {}
    for quantity in QUANTITIES:
        for one in fitted:
            key = f"{machines[one.sample.machine].network.kind}|{one.sample.machine}"
            groups = found.setdefault(quantity, {}).setdefault(one.model, {})
            insort(groups.setdefault(key, []), round(one.residual(quantity), 6))
    return found


def holdout(judged: Iterable[Judged], machines: Mapping[str, Machine]) -> Errors:
    """Errors of the cases held out: machine → model → FIGURES.

    coverage: share of the simulated times within the 90 % interval of their prediction.
    """
    groups: dict[str, dict[str, list[Judged]]] = {}
    for one in judged:
        if one.sample.held_out:
            groups.setdefault(one.sample.machine, {}).setdefault(one.model, []).append(one)
    return {
        machine: {model: _figures(group, machines[machine]) for model, group in own.items()}
        for machine, own in groups.items()
    }


def _figures(group: Sequence[Judged], machine: Machine) -> dict[str, float]:
    found: dict[str, float] = {}
    covered = np.mean([_covered(one, machine) for one in group], axis=0)
    for i, (quantity, prefix) in enumerate(zip(QUANTITIES, ("", "turn_"), strict=True)):
        errors = [one.error(quantity) for one in group]
        found[f"{prefix}mean_error"] = float(np.mean(errors))
        found[f"{prefix}worst_error"] = float(np.max(errors))
        found[f"{prefix}coverage"] = float(covered[i])
    return found | {"points": len(group)}


def _covered(one: Judged, machine: Machine) -> tuple[bool, bool]:
    """Whether the simulated times of communication and turn lie in their intervals."""
    residuals = residuals_of(load_workload("collision"))
    communication, turn = one.predicted.communication, one.predicted.turn
    ends = interval(communication, one.model, machine, residuals=residuals)
    turn_ends = turn_interval(
        turn, ends, turn - communication, one.model, machine, residuals=residuals
    )
    return (
        ends[0] <= one.simulated.communication <= ends[1],
        turn_ends[0] <= one.simulated.turn <= turn_ends[1],
    )


@dataclass(frozen=True)
class WholeStudy:
    """Errors on all cases held out, and when (ISO date) they were simulated and judged."""

    date: str
    errors: Errors

    @property
    def points(self) -> int:
        """Cases."""
        return points(self.errors)


def points(errors: Errors) -> int:
    """Cases that any model was judged by."""
    return sum(
        max((int(own["points"]) for own in models.values()), default=0)
        for models in errors.values()
    )


def keep_whole_study(study: WholeStudy, path: Path = FILE) -> None:
    """Write it to where `read_whole_study` looks, a model a line; OSError if the disk refuses.

    Its reference is the simulator.
    """
    of_machines = [
        f"{json.dumps(machine)}: {{\n"
        + ",\n".join(
            f"{json.dumps(model)}: {json.dumps({key: round(own[key], 4) for key in FIGURES})}"
            for model, own in models.items()
        )
        + "\n}"
        for machine, models in study.errors.items()
    ]
    head = f'{{\n"reference": "simulator",\n"date": {json.dumps(study.date)},\n"errors": {{\n'
    replace_text(path, head + ",\n".join(of_machines) + "\n}\n}\n")


def read_whole_study(path: Path = FILE) -> WholeStudy | None:
    """What `keep_whole_study` wrote; None if it has not, RunError if the file is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        errors = {
            machine: {
                model: {key: float(own[key]) for key in FIGURES} | {"points": int(own["points"])}
                for model, own in models.items()
            }
            for machine, models in content["errors"].items()
        }
        return WholeStudy(str(content["date"]), errors)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"{path} cannot be read ({disk_reason(error)})") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RunError(
            f"{path} does not hold the errors of a study: python -m benchmarks.residuals writes it"
        ) from error

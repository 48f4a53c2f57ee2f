"""How far models are off: predicted against simulated communication time of many cases.

The reference is a simulator. Error of a prediction: |predicted / simulated - 1|.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError, StudyError
from phasewise.machines import Machine
from phasewise.models import Case, predict
from phasewise.models.interval import interval, residuals_of
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.workloads.collision.laboratory import GREEN
from phasewise.workloads.collision.reproduction.cases import SimulatedCase
from phasewise.workloads.interface import load_workload

MODELS = ("1a", "1b", "2", "3", "4", "5", "6", "loads", "contention")
"""The models that are judged: all that need no recorded runs."""

Errors = dict[str, dict[str, dict[str, float]]]
"""machine → model → mean_error, worst_error, coverage, points."""

FIGURES = ("mean_error", "worst_error", "coverage", "points")
FILE = Path(__file__).with_name("holdout.json")
"""Errors on all held-out cases, written by benchmarks/residuals.py."""

FIRST_TURN = {GREEN: 1.0}
"""Pieces of the simulated turn, in which each Green function is new."""


@dataclass(frozen=True)
class Judged:
    """One case as a model sees it, and the simulator: communication of a turn [s]."""

    sample: SimulatedCase
    model: str
    simulated: float
    predicted: float

    @property
    def error(self) -> float:
        """How far the prediction is off, relative to the simulated time."""
        return abs(self.predicted / self.simulated - 1)

    @property
    def residual(self) -> float:
        """log(simulated/predicted)."""
        return math.log(self.simulated / self.predicted)


def judge(
    samples: Sequence[SimulatedCase],
    simulated: Sequence[float],
    machines: Mapping[str, Machine],
    models: Sequence[str] = MODELS,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Judged], dict[tuple[str, str], str]]:
    """Predictions of every sample by every model, and (model, machine) → why a model has none for a
    machine.

    simulated: communication of a turn [s], of each sample. machines: by name, with their measured
    curves.
    """
    judged: list[Judged] = []
    refused: dict[tuple[str, str], str] = {}
    for number, (sample, seconds) in enumerate(zip(samples, simulated, strict=True), 1):
        case = Case(sample.study(), machines[sample.machine], sample.ranks, pieces=FIRST_TURN)
        for model in models:
            if (model, sample.machine) in refused:
                continue
            try:
                predicted = predict(case, model, computation=False).communication_seconds
            except StudyError as error:
                refused[model, sample.machine] = str(error)
                continue
            judged.append(Judged(sample, model, seconds, predicted))
        if progress is not None:
            progress(number, len(samples))
    return judged, refused


def residuals(judged: Iterable[Judged], machines: Mapping[str, Machine]) -> dict[str, Any]:
    """Sorted log(simulated/predicted) of the fit set: model → "network kind|machine" → values."""
    found: dict[str, dict[str, list[float]]] = {}
    for one in judged:
        if not one.sample.held_out:
            key = f"{machines[one.sample.machine].network.kind}|{one.sample.machine}"
            found.setdefault(one.model, {}).setdefault(key, []).append(one.residual)
    return {
        model: {key: sorted(round(value, 6) for value in values) for key, values in own.items()}
        for model, own in found.items()
    }


def holdout(judged: Iterable[Judged], machines: Mapping[str, Machine]) -> Errors:
    """Errors of the cases held out: machine → model → mean_error, worst_error, coverage, points.

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
    errors = [one.error for one in group]
    return {
        "mean_error": float(np.mean(errors)),
        "worst_error": float(np.max(errors)),
        "coverage": float(np.mean([_covered(one, machine) for one in group])),
        "points": len(group),
    }


def _covered(one: Judged, machine: Machine) -> bool:
    residuals = residuals_of(load_workload("collision"))
    low, high = interval(one.predicted, one.model, machine, residuals=residuals)
    return low <= one.simulated <= high


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

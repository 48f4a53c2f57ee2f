"""How far models are off on the described machines: the cases of `cases.py`, held out or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from phasewise.errors import RunError, StudyError
from phasewise.machines import Machine
from phasewise.models import first_turn, predict
from phasewise.models.judged import Judged, Times, figures, grouped
from phasewise.models.judged import residuals as residuals_by
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.workloads.collision.reproduction.cases import SimulatedCase

MODELS = ("1a", "1b", "2", "3", "4", "5", "6", "loads", "contention")
"""The models that are judged: all that need no recorded runs."""

JudgedCase = Judged[SimulatedCase]

Errors = dict[str, dict[str, dict[str, float]]]
"""machine → model → FIGURES."""

FIGURES = (
    *("mean_error", "worst_error", "coverage"),
    *("turn_mean_error", "turn_worst_error", "turn_coverage", "points"),
)
"""Figures of the communication, waiting included, and of whole turns."""
FILE = Path(__file__).with_name("holdout.json")
"""Errors on all held-out cases, written by benchmarks/residuals.py."""


def judge(
    samples: Sequence[SimulatedCase],
    simulated: Sequence[Times],
    machines: Mapping[str, Machine],
    models: Sequence[str] = MODELS,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[JudgedCase], dict[tuple[str, str], str]]:
    """Predictions of every sample by every model, and (model, machine) → why a model has none for a
    machine.

    machines: by name, with their measured curves.
    """
    judged: list[JudgedCase] = []
    refused: dict[tuple[str, str], str] = {}
    for number, (sample, times) in enumerate(zip(samples, simulated, strict=True), 1):
        case = first_turn(sample.study(), machines[sample.machine], sample.ranks)
        for model in models:
            if (model, sample.machine) in refused:
                continue
            try:
                found = predict(case, model)
            except StudyError as error:
                refused[model, sample.machine] = str(error)
                continue
            judged.append(Judged(sample, case, times, found))
        if progress is not None:
            progress(number, len(samples))
    return judged, refused


def residuals(
    judged: Iterable[JudgedCase], machines: Mapping[str, Machine]
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """The residuals of the fit set: quantity → model → "network kind|machine" → sorted values."""
    fitted = (one for one in judged if not one.sample.held_out)
    kinds = {name: machine.network.kind for name, machine in machines.items()}
    return residuals_by(fitted, lambda one: f"{kinds[one.sample.machine]}|{one.sample.machine}")


def holdout(judged: Iterable[JudgedCase], machines: Mapping[str, Machine]) -> Errors:
    """Errors of the cases held out on these machines: machine → model → FIGURES."""
    held_out = [one for one in judged if one.sample.held_out]
    groups = grouped(held_out, lambda one: [one.sample.machine])
    return {
        name: {model: _figures(group) for model, group in groups[name].items()}
        for name in machines
        if name in groups
    }


def _figures(group: Sequence[JudgedCase]) -> dict[str, float]:
    found = figures(group)
    return {key: found[key] for key in FIGURES}


@dataclass(frozen=True)
class WholeStudy:
    """Errors on all cases held out, and when (ISO date) they were simulated and judged."""

    date: str
    errors: Errors

    @property
    def points(self) -> int:
        """The number of cases."""
        return points(self.errors)


def points(errors: Errors) -> int:
    """The number of cases by which any model was judged."""
    return sum(
        max((int(own["points"]) for own in models.values()), default=0)
        for models in errors.values()
    )


def keep_whole_study(study: WholeStudy, path: Path = FILE) -> None:
    """Write the study to where `read_whole_study` looks, with a line for each model; OSError if it
    cannot be written.

    The reference of the errors is the simulator.
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
            f"{path} does not hold the errors of a study: python -m benchmarks.residuals "
            "--described writes it"
        ) from error

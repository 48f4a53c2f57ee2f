"""The time of a turn that a model predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from phasewise.machines import Machine
from phasewise.models.computation import kernel_seconds
from phasewise.models.discovery import load_model
from phasewise.models.interval import interval, residuals_of
from phasewise.models.model import Case, Model
from phasewise.study import Study
from phasewise.workloads.discovery import main_phases


@dataclass(frozen=True)
class Prediction:
    """Seconds of one turn, means over the ranks.

    `communication_seconds` is the sum of `phases`, [low, high] its 90 % interval;
    `exchange_seconds` counts only the phases of the workload's own exchange, as the source paper
    does; `turn_seconds` is computation and communication.
    """

    ranks: int
    model: str
    communication_seconds: float
    low: float
    high: float
    exchange_seconds: float
    computation_seconds: float
    turn_seconds: float
    phases: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def predict(case: Case, model: Model | str, computation: bool = True) -> Prediction:
    """The prediction of a model; StudyError if study, machine, ranks and model do not fit.

    computation: whether to predict the kernels' time too.
    """
    chosen = load_model(model) if isinstance(model, str) else model
    phases = chosen.phase_seconds(case)
    communicating = sum(phases.values())
    workload = None if case.study is None else case.study.workload
    residuals = residuals_of(workload)
    low, high = interval(communicating, chosen.NAME, case.machine, case.twin, residuals)
    computing = sum(kernel_seconds(case).values()) if computation else 0.0
    return Prediction(
        ranks=case.ranks,
        model=chosen.NAME,
        communication_seconds=communicating,
        low=low,
        high=high,
        exchange_seconds=sum(phases.get(name, 0.0) for name in main_phases(workload)),
        computation_seconds=computing,
        turn_seconds=computing + communicating,
        phases=phases,
    )


def predict_many(
    study: Study,
    machine: Machine,
    ranks: Sequence[int],
    models: Sequence[str],
    twin: str = "full",
    fit: Sequence[str | Path] = (),
) -> list[Prediction]:
    """Predictions of each model on each number of ranks, model by model.

    StudyError if one of the numbers does not suit the study or the machine.
    """
    records = tuple(map(Path, fit))
    numbers = list(dict.fromkeys(ranks))
    for number in numbers:
        study.check_ranks(number)
    cases = [Case(study, machine, number, twin, records=records) for number in numbers]
    return [predict(case, model) for model in models for case in cases]

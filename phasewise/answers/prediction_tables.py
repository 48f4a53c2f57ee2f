"""The tables of ``phasewise predict``, and what ``--json`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.machines import Machine
from phasewise.machines.reference import for_rates, reference, statement
from phasewise.models import Prediction, load_model
from phasewise.models.interval import residuals_of, spread
from phasewise.output import alike, console, print_table, within
from phasewise.study import Study


def summarise(
    study: Study, machine: Machine, twin: str, predictions: Sequence[Prediction]
) -> dict[str, Any]:
    """What ``predict --json`` prints."""
    models = list(dict.fromkeys(one.model for one in predictions))
    return {
        "study": study.title,
        "machine": machine.name,
        "twin": twin,
        "reference": reference(machine),
        "model": models[0],
        "models": models,
        "layout": study.communication.layout_text,
        "interval": {
            model: spread(model, machine, twin, residuals_of(study.workload)).source
            for model in models
        },
        "points": [one.to_dict() for one in predictions],
    }


def show(study: Study, machine: Machine, twin: str, predictions: Sequence[Prediction]) -> None:
    """Print a table of the totals, one of the first model's phases, and the sources of the
    numbers.
    """
    models = list(dict.fromkeys(one.model for one in predictions))
    unit = study.workload.unit
    columns = ["ranks", "model", "computation", "communication", "waiting in it", unit.one]
    title = f"{study.title}: {unit.indefinite} [ms], with 90 % intervals{for_rates(machine)}"
    print_table(title, columns, [_row(one) for one in predictions])
    first = [one for one in predictions if one.model == models[0]]
    # Start from the prediction with the most phases, so that phases missing on few ranks keep their
    # place.
    most = sorted(first, key=lambda one: -len(one.phases))
    names = list(dict.fromkeys(name for one in most for name in one.phases))
    rows = [[name, *(_ms(one.phases.get(name)) for one in first)] for name in names]
    if rows:
        heads = [f"{one.ranks} rank{'' if one.ranks == 1 else 's'}" for one in first]
        print_table(f"model {models[0]} by phase [ms]", ["phase", *heads], rows)
    lines = [statement(machine)]
    lines += [
        f"model {model} ({load_model(model).TITLE}): interval from "
        f"{spread(model, machine, twin, residuals_of(study.workload)).source}"
        for model in models
    ]
    console().print("\n".join(lines), soft_wrap=True)


def _row(one: Prediction) -> list[str]:
    return [
        str(one.ranks),
        one.model,
        _ms(one.computation_seconds),
        milliseconds(one.communication_seconds, one.low, one.high),
        _ms(one.waiting_seconds),
        milliseconds(one.turn_seconds, one.turn_low, one.turn_high),
    ]


def milliseconds(seconds: float, low: float, high: float) -> str:
    """Milliseconds with the interval that they lie in."""
    return within(1e3 * seconds, 1e3 * low, 1e3 * high)


def _ms(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return alike(1e3 * seconds)[0]

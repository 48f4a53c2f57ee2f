"""Predicted points as an input file of Extra-P, which fits terms in the number of ranks to them.

Calotoiu, Hoefler, Poke, Wolf, "Using automated performance modeling to find scalability bugs in
complex codes" (SC 2013). A file whose name ends in .json gets the JSON format, any other file the
text format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from phasewise.errors import RunError
from phasewise.models import Prediction
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.workload.interface import Unit

PARAMETER = "p"
"""The number of ranks."""

Values = dict[str, dict[str, list[float]]]
"""Metric → call path → seconds at each point."""


def export_extrap(
    path: str | Path, predictions: Sequence[Prediction], unit: str = Unit.one
) -> None:
    """Write the predictions; RunError if the file cannot be written.

    The metric is `time` [s], or `time (model NAME)` if there are several models. Call paths are
    `turn`, or whatever the workload counts, and below it `computation` and `communication` with its
    phases.
    """
    target = Path(path)
    points = list(dict.fromkeys(prediction.ranks for prediction in predictions))
    write = _json if target.suffix == ".json" else _text
    try:
        replace_text(target, write(points, _values(predictions, unit)))
    except OSError as error:
        raise RunError(f"{target} cannot be written ({disk_reason(error)})") from error


def _values(predictions: Sequence[Prediction], unit: str) -> Values:
    models = dict.fromkeys(prediction.model for prediction in predictions)
    values: Values = {}
    for model in models:
        own = [prediction for prediction in predictions if prediction.model == model]
        metric = "time" if len(models) == 1 else f"time (model {model})"
        values[metric] = dict(_paths(own, unit))
    return values


def _paths(own: Sequence[Prediction], unit: str) -> Iterator[tuple[str, list[float]]]:
    """Call paths; a phase that does not exist on some number of ranks takes no time there."""
    yield unit, [one.turn_seconds for one in own]
    if any(one.computation_seconds for one in own):
        yield f"{unit}->computation", [one.computation_seconds for one in own]
    yield f"{unit}->communication", [one.communication_seconds for one in own]
    for name in dict.fromkeys(name for one in own for name in one.phases):
        yield f"{unit}->communication->{name}", [one.phases.get(name, 0.0) for one in own]


def _text(points: list[int], values: Values) -> str:
    lines = [f"PARAMETER {PARAMETER}", f"POINTS {' '.join(map(str, points))}"]
    for metric, paths in values.items():
        lines.append(f"METRIC {metric}")
        for path, seconds in paths.items():
            lines.append(f"REGION {path}")
            # The format has no exponents.
            lines += [f"DATA {np.format_float_positional(value, trim='0')}" for value in seconds]
    return "\n".join(lines) + "\n"


def _json(points: list[int], values: Values) -> str:
    measurements: dict[str, dict[str, list[dict[str, list[float]]]]] = {}
    for metric, paths in values.items():
        for path, seconds in paths.items():
            rows = [
                {"point": [float(p)], "values": [v]} for p, v in zip(points, seconds, strict=True)
            ]
            measurements.setdefault(path, {})[metric] = rows
    content = {"parameters": [PARAMETER], "measurements": measurements}
    return json.dumps(content, indent=1) + "\n"

"""What ``phasewise predict`` says of a recorded program on another machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from phasewise.answers.prediction_tables import milliseconds, show
from phasewise.machines import Machine
from phasewise.models import Prediction
from phasewise.models.computing_elsewhere import ScaledComputing
from phasewise.models.replayed import WhatIf
from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.study.replaying import remarks_on

ByWay = Mapping[str, Sequence[Prediction]]
"""The predictions for each way in which computing may scale."""


def replayed_summary(
    study: Study, computing: ScaledComputing, found: ByWay, changes: Sequence[WhatIf]
) -> dict[str, Any]:
    """What ``--json`` prints besides what it prints of a study."""
    points = [{**one.to_dict(), "scaled_by": way} for way in found for one in found[way]]
    what_if = [asdict(change) for change in changes]
    return {
        "points": points,
        "compute": computing.to_dict(),
        "what_if": what_if,
        "remarks": list(remarks_on(study)),
    }


def show_replayed(
    study: Study, machine: Machine, twin: str, computing: ScaledComputing, found: ByWay
) -> None:
    """Print a table for each way, the range of the run, and what is not replayed."""
    for way, predictions in found.items():
        title = f"{study.title}, computing × {computing.factors[way]:.4g} ({way})"
        show(replace(study, title=title), machine, twin, predictions)
    every = [one for predictions in found.values() for one in predictions]
    model = every[0].model
    seconds = [one.turn_seconds for one in every if one.model == model]
    ends = " to ".join(f"{end:.4g}" for end in dict.fromkeys((min(seconds), max(seconds))))
    lines = [
        f"a run takes {ends} s by model {model}",
        computing.text,
        *remarks_on(study),
    ]
    for line in lines:
        console().print(line, soft_wrap=True)


def show_changes(study: Study, way: str, changes: Sequence[WhatIf]) -> None:
    """Print what the run would take if one thing were different, where that was asked for."""
    if changes:
        rows = [[one.change, milliseconds(one.seconds, one.low, one.high)] for one in changes]
        title = f"what if: a run [ms], computing {way}"
        print_table(title, ["change", study.workload.unit.one], rows)

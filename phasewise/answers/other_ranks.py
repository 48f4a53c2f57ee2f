"""What ``phasewise predict`` says of a recorded program on other numbers of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.machines import Machine
from phasewise.machines.reference import reference, statement
from phasewise.models import Prediction
from phasewise.models.computing_elsewhere import ScaledComputing
from phasewise.models.other_ranks import Scaling, summary_of_scaling
from phasewise.output import alike, console, print_table, within


def scaled_summary(
    scaling: Scaling,
    machine: Machine,
    twin: str,
    computing: ScaledComputing,
    found: Sequence[Prediction],
) -> dict[str, Any]:
    """What ``--json`` prints."""
    models = list(dict.fromkeys(one.model for one in found))
    return {
        "machine": machine.name,
        "twin": twin,
        "reference": reference(machine),
        "model": models[0],
        "models": models,
        "compute": computing.to_dict(),
        "points": [one.to_dict() for one in found],
    } | summary_of_scaling(scaling)


def show_scaled(
    scaling: Scaling,
    machine: Machine,
    computing: ScaledComputing,
    found: Sequence[Prediction],
) -> None:
    """Print the predictions, the fits, and what was refused."""
    unit = scaling.records[-1].unit
    title = (
        f"{unit.indefinite} of a recorded program [s], with 90 % intervals twice as wide as those "
        "of a study"
    )
    columns = ["ranks", "model", "computation", "communication", unit.one]
    print_table(title, columns, [_row(one) for one in found])
    largest = scaling.ranks[-1]
    rows = [
        [f.phase, f.quantity, f.fit.text, f"{100 * f.error:.1f} %" + (" refused" * f.refused)]
        for f in scaling.fits
    ]
    heads = ["phase", "of a rank", "in p ranks", f"missed on {largest} ranks"]
    print_table("fits", heads, rows)
    recorded = ", ".join(map(str, scaling.ranks))
    lines = [statement(machine), f"recorded on {recorded} ranks"]
    if scaling.refused:
        lines.append(f"left out, since they were missed: {', '.join(scaling.refused)}")
    lines += scaling.disturbed
    lines.append(computing.text)
    console().print("\n".join(lines), soft_wrap=True)


def _row(one: Prediction) -> list[str]:
    communication = within(one.communication_seconds, one.low, one.high)
    whole = within(one.turn_seconds, one.turn_low, one.turn_high)
    return [str(one.ranks), one.model, alike(one.computation_seconds)[0], communication, whole]

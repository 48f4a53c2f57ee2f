"""What the answers of several commands have in common: conditions, shares, words for intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phasewise.machines import Machine
from phasewise.machines.reference import statement
from phasewise.models.prediction import Prediction
from phasewise.output import alike, number_of
from phasewise.report.answer import origin
from phasewise.report.style import scale
from phasewise.study import Study
from phasewise.tables.keys import show


def conditions(
    study: Study,
    machines: Sequence[Machine],
    ranks: Sequence[int],
    argv: Sequence[str],
    grids: Mapping[int, str] | None = None,
) -> dict[str, str]:
    """The study, the machines, the ranks, and what every page has."""
    found = {"study": f"{study.title} ({study.workload.title})"}
    for machine in machines:
        found[f"machine {machine.name}"] = statement(machine)
    if ranks:
        found["MPI ranks"] = ", ".join(map(str, ranks))
    if grids:
        found["process grids"] = ", ".join(f"{grid} on {n}" for n, grid in grids.items())
    return found | origin(argv)


def within(seconds: float, low: float, high: float) -> str:
    """A time with its interval in words."""
    factor, unit = scale(seconds, "s")
    found, *ends = alike(*(factor * one for one in (seconds, low, high)))
    return f"{found} {unit} (nine times in ten between {ends[0]} and {ends[1]} {unit})"


def time_text(seconds: float) -> str:
    """A time with the prefix of its unit that makes it short."""
    factor, unit = scale(seconds, "s")
    return f"{alike(factor * seconds)[0]} {unit}"


def plain(value: object) -> str:
    """A value of a study's key without quotes."""
    return value if isinstance(value, str) else show(value)


def share(one: Prediction) -> float:
    """The share of communication in the mean rank's time."""
    whole = one.communication_seconds + one.computation_seconds
    return one.communication_seconds / whole if whole > 0.0 else 0.0


def on(ranks: int) -> str:
    """The ranks in words."""
    return number_of(ranks, "rank")

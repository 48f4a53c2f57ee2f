"""The source paper's models as the paper had them, beside those of phasewise.models.

They differ from ours in three ways. L and B are the straight line through the smallest and the
largest message. On tori model 1a takes the whole round trip of a ping-pong, as the paper's rows for
these do: their bandwidth is half of the ping-ping's. Models 5 and 6 do not know the layout: they
take the mean over the benchmark's distances in the direction of the phase.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.machines.curves import Curve, Line, find
from phasewise.models import Case, Model, load_model
from phasewise.models.costs import Time, add_up, looked_up, straight
from phasewise.models.model import Floats, PhaseMessages

NAMES = ("1a", "1b", "2", "3", "4", "5", "6")
ROUND_TRIP = 2.0
"""Times of a ping-pong in curves are half of a round trip."""


@dataclass
class Published:
    """A model of the paper, with the interface of those in phasewise.models."""

    NAME: str
    TITLE: str
    phase_seconds: Callable[[Case], dict[str, float]]


def model(name: str) -> Published:
    """The paper's model of this name, one of NAMES."""
    own: Model = load_model(name)
    seconds = {"5": _straight_grid, "6": _looked_up_grid}.get(name)
    return Published(f"{name} as published", own.TITLE, seconds or _on_ends(own))


def _on_ends(model: Model) -> Callable[[Case], dict[str, float]]:
    """One of models 1a to 4 with lines through the ends of the curves."""

    def seconds(case: Case) -> dict[str, float]:
        times = ROUND_TRIP if case.machine.network.kind == "torus" else 1.0
        curves = tuple(_with_ends(curve, times) for curve in case.machine.curves)
        machine = replace(case.machine, curves=curves)
        return model.phase_seconds(replace(case, machine=machine, program=case.phases))

    return seconds


def _with_ends(curve: Curve, times: float) -> Curve:
    """The curve with the straight line through its ends, multiplied by `times` if it is a
    ping-pong.
    """
    times = times if curve.benchmark == "ping-pong" else 1.0
    line = through_ends(curve)
    return replace(curve, latency=times * line.latency, bandwidth=line.bandwidth / times)


def through_ends(curve: Curve) -> Line:
    """The straight line through the times of the smallest and the largest message."""
    latency = curve.seconds[0]
    return Line(latency, (curve.sizes[-1] - curve.sizes[0]) / (curve.seconds[-1] - latency))


def _straight_grid(case: Case) -> dict[str, float]:
    """Model 5: L and B by direction and number of ranks; without curves, those of Table 4."""
    if find(case.machine.curves, "grid") is None and "grid_256" in case.machine.paper:
        time = straight(case.machine.paper["grid_256"])
        return add_up(case, lambda phase: time(phase.bytes))
    return _by_direction(case, lambda curve: straight(through_ends(curve)))


def _looked_up_grid(case: Case) -> dict[str, float]:
    """Model 6: times from the tables by direction and number of ranks."""
    return _by_direction(case, looked_up)


def _by_direction(case: Case, time_of: Callable[[Curve], Time]) -> dict[str, float]:
    def seconds(phase: PhaseMessages) -> Floats:
        times = [time_of(curve)(phase.bytes) for curve in _grids(case.machine, case.ranks, phase)]
        return np.asarray(np.mean(times, axis=0), dtype=np.float64)

    return add_up(case, seconds)


def _grids(machine: Machine, ranks: int, phase: PhaseMessages) -> Sequence[Curve]:
    """The curves of all distances in a phase's direction, on the nearest number of ranks."""
    nearest = find(machine.curves, "grid", ranks=ranks)
    if nearest is None:
        raise StudyError(f"{machine.name} has no curves of parallel ping-ping in a process grid")
    of_ranks = [c for c in machine.curves if c.benchmark == "grid" and c.ranks == nearest.ranks]
    return [c for c in of_ranks if c.direction == phase.direction] or of_ranks

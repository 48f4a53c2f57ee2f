"""Growth of emittances by the noise of macroparticles, from runs with two numbers of them.

Noise growth goes as 1/N with N macroparticles in each beam. Runs with two numbers of macroparticles
separate it from growth that does not depend on N, and two seeds of each show how it scatters.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.analysis.growth_rate import MIN_POINTS, TRANSIENT, Growth, growth_rate
from phasewise.errors import RunError, StudyError
from phasewise.output import rough_duration
from phasewise.runs.simulation import Simulation
from phasewise.study import Study

Floats = NDArray[np.float64]
Say = Callable[[str], None]

RATIO = 4
"""The larger number of macroparticles over the smaller."""

SEEDS = 2
"""Runs with each number."""

LEAST = 100
"""Fewest macroparticles of a beam whose noise is found: the runs have down to 1/RATIO of them."""

LEAST_TURNS = math.ceil(MIN_POINTS / (1 - TRANSIENT))


@dataclass(frozen=True)
class Measured:
    """A growth per turn, relative, and its standard error."""

    value: float
    error: float

    @property
    def text(self) -> str:
        """As tables show it."""
        return f"{self.value:.2e} ± {self.error:.1e}"


@dataclass(frozen=True)
class PlaneNoise:
    """Growth of one emittance: with the smaller and the larger number of macroparticles, by noise
    alone with the study's number (the floor), and what does not depend on the number.
    """

    few: Measured
    many: Measured
    floor: Measured
    without: Measured


def entry(found: tuple[PlaneNoise, PlaneNoise]) -> dict[str, Any]:
    """Floor and growth without noise in x and y, with their errors, as JSON has them."""
    named = {"noise_floor": "floor", "growth_without_noise": "without"}
    values = {name: [getattr(plane, own) for plane in found] for name, own in named.items()}
    return {f"emittance_{name}": [one.value for one in both] for name, both in values.items()} | {
        f"emittance_{name}_error": [one.error for one in both] for name, both in values.items()
    }


def check_number(table: str, macroparticles: int) -> None:
    """StudyError if the beam of this table of the study has too few macroparticles."""
    if macroparticles < LEAST:
        raise StudyError(
            f"--noise: {table} has {macroparticles} macroparticles, and the noise of fewer than "
            f"{LEAST} cannot be scaled: give {LEAST} or more"
        )


def check_turns(turns: int) -> None:
    """StudyError if a run of so many turns shows no growth."""
    if turns < LEAST_TURNS:
        raise StudyError(f"--noise {turns} is too short: give {LEAST_TURNS} turns or more")


def emittances_of(
    study: Study, tables: dict[str, Any], turns: int, seed: int, told: object, say: Say
) -> list[Floats]:
    """Run a study with changed tables on all cores: the emittances in x and y (turn, plane) of each
    beam that it records. seed: what is added to the study's; told: the macroparticles, as `say`
    tells them.
    """
    # Tracked particles and dumps may need more macroparticles.
    tables["records"] |= {"tracked": 0, "particles_every": 0}
    tables |= {"turns": turns, "seed": study.seed + seed}
    begin = time.monotonic()
    run = Simulation(Study.from_dict(tables, study.folder), threads=len(os.sched_getaffinity(0)))
    history: list[list[Floats]] = []
    while not run.ended:
        run.step()
        record = run.record()
        names = [f"beam{number}/emittance" for number in (1, 2)]
        history.append([np.array(record[name])[:2] for name in names if name in record])
    say(f"a run with {told} took {rough_duration(time.monotonic() - begin)}")
    return list(np.moveaxis(np.array(history), 1, 0))


def growth_of(emittance: Floats) -> list[Growth | None]:
    """The growth of emittances (turn, plane) in each plane."""
    turn = np.arange(1.0, len(emittance) + 1)
    return [growth_rate(turn, emittance[:, plane]) for plane in range(2)]


def mean_of(growth: Sequence[Growth | None]) -> Measured:
    """The mean growth of some seeds, with the larger of the errors by their fits and by their
    scatter; RunError if an emittance is not finite.
    """
    known = [one for one in growth if one is not None]
    if len(known) < len(growth):
        raise RunError("--noise: the emittances of a run are not finite, or vanish")
    values = np.array([one.per_turn for one in known])
    by_fits = math.sqrt(sum(one.error**2 for one in known)) / len(known)
    by_scatter = float(values.std(ddof=1)) / math.sqrt(len(known))
    return Measured(float(values.mean()), max(by_fits, by_scatter))


def plane_noise(few: Measured, many: Measured, share_few: float, share_many: float) -> PlaneNoise:
    """What follows from growth with two numbers of macroparticles, as shares of the study's:
    growth(N) = without + floor/share.
    """
    apart = 1 / share_few - 1 / share_many
    both = math.hypot(few.error, many.error)
    floor = (few.value - many.value) / apart
    without = many.value - floor / share_many
    # d(without)/d(few) = -w, d(without)/d(many) = 1 + w.
    w = 1 / share_many / apart
    error = math.hypot(w * few.error, (1 + w) * many.error)
    return PlaneNoise(few, many, Measured(floor, both / apart), Measured(without, error))

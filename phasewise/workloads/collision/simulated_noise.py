"""The noise floor of a study found by short runs with few macroparticles, where no estimate
holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.analysis.growth_rate import Growth
from phasewise.errors import StudyError
from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.workloads.collision.tables.model import collision_of
from phasewise.workloads.common.noise_by_number import (
    RATIO,
    SEEDS,
    PlaneNoise,
    check_number,
    check_turns,
    emittances_of,
    entry,
    growth_of,
    mean_of,
    plane_noise,
)

MOST = 8000
"""Most macroparticles of a beam in these runs."""


@dataclass(frozen=True)
class SimulatedNoise:
    """What the runs found: `planes` (x, y) of beams 1 and 2, and of their mean; `macroparticles` of
    both beams in the runs with few and with many. Beams hand emittance to each other, so that their
    mean is known better than either.
    """

    turns: int
    macroparticles: tuple[tuple[int, int], tuple[int, int]]
    planes: tuple[tuple[PlaneNoise, PlaneNoise], ...]

    def to_dict(self) -> dict[str, Any]:
        """The entry `noise` of the JSON of `phasewise check`."""
        one, two, both = map(entry, self.planes)
        return {
            "turns": self.turns,
            "seeds": SEEDS,
            "macroparticles": [list(pair) for pair in self.macroparticles],
            "beams": [one, two],
            "mean": both,
        }

    def show(self) -> None:
        """Print the table."""
        few, many = (" and ".join(map(str, sorted({*pair}))) for pair in self.macroparticles)
        heads = ["", f"with {few}", f"with {many}", "noise floor of the study", "without noise"]
        rows = [
            [f"{who}, {name}", p.few.text, p.many.text, p.floor.text, p.without.text]
            for who, found in zip(("beam 1", "beam 2", "mean"), self.planes, strict=True)
            for name, p in zip("xy", found, strict=True)
        ]
        title = f"Emittance growth per turn, {SEEDS} seeds, {self.turns} turns"
        print_table(title, heads, rows)
        console().print(
            f"The beams of the runs had {few} and {many} macroparticles. The noise floor goes as "
            "1/N, from the difference of the two; growth without noise does not depend on N."
        )


def simulate_noise(study: Study, turns: int, say: Callable[[str], None]) -> SimulatedNoise:
    """Run a study of colliding beams this many turns with SEEDS seeds and two numbers of
    macroparticles, on all cores; StudyError where it has no noise to find, RunError where a run
    fails. `say` gets a sentence before the runs and after each.
    """
    _check(study, turns)
    model = collision_of(study)
    own = [beam.macroparticles for beam in model.beams]
    share = min(1.0, MOST / max(own))
    numbers = [tuple(max(1, round(number * share / over)) for number in own) for over in (RATIO, 1)]
    say(
        f"{2 * SEEDS} runs of {turns} turns, with {numbers[0]} and {numbers[1]} macroparticles in "
        "beams 1 and 2"
    )
    growth = [[_growth(study, turns, n, seed, say) for seed in range(SEEDS)] for n in numbers]
    shares = [max(number) / max(own) for number in numbers]
    few, many = ((one, two) for one, two in numbers)
    return SimulatedNoise(turns, (few, many), tuple(_planes(growth, shares, k) for k in range(3)))


def _check(study: Study, turns: int) -> None:
    model = collision_of(study)
    # Such a point has no strong beam, and a study that has one has no other kind of point.
    if not any(point.model in ("strong-strong", "soft-gaussian") for point in model.ips):
        raise StudyError("--noise: no interaction point of the study has noise of macroparticles")
    for beam in model.beams:
        check_number(f"beam.{beam.number}", beam.macroparticles)
        if beam.distribution == "file":
            raise StudyError(
                f'--noise: beam.{beam.number}.distribution = "file" has as many macroparticles as '
                "its file, and noise is found with fewer: give a distribution"
            )
    check_turns(turns)


def _growth(
    study: Study, turns: int, macroparticles: Sequence[int], seed: int, say: Callable[[str], None]
) -> list[list[Growth | None]]:
    """Growth of the emittances in x and y of beam 1, beam 2, and the mean of both."""
    tables = study.resolved()
    for number, size in zip("12", macroparticles, strict=True):
        tables["beam"][number]["macroparticles"] = size
    beams = emittances_of(study, tables, turns, seed, tuple(macroparticles), say)
    relative = [emittance / emittance[0] for emittance in beams]
    return [growth_of(one) for one in (*relative, np.mean(relative, axis=0))]


def _planes(
    growth: Sequence[Sequence[Sequence[Sequence[Growth | None]]]],
    shares: Sequence[float],
    who: int,
) -> tuple[PlaneNoise, PlaneNoise]:
    """The planes of beam 1, beam 2 or their mean (`who`), from the growth by number of
    macroparticles (`shares` of the study's), seed, beam and plane.
    """
    few, many = (
        [mean_of([seed[who][plane] for seed in seeds]) for plane in range(2)] for seeds in growth
    )
    x, y = (plane_noise(few[k], many[k], shares[0], shares[1]) for k in range(2))
    return x, y

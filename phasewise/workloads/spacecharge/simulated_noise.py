"""The noise floor of a bunch with space charge, found by short runs with few macroparticles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from phasewise.analysis.growth_rate import Growth
from phasewise.errors import StudyError
from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.workload.bunches import FILE
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
from phasewise.workloads.spacecharge.model import model_of

MOST = 20_000
"""Most macroparticles in these runs."""


@dataclass(frozen=True)
class SimulatedNoise:
    """What the runs found: `planes` (x, y); the numbers of macroparticles with few and many."""

    turns: int
    macroparticles: tuple[int, int]
    planes: tuple[PlaneNoise, PlaneNoise]

    def to_dict(self) -> dict[str, Any]:
        """The entry `noise` of the JSON of `phasewise check`."""
        return {
            "turns": self.turns,
            "seeds": SEEDS,
            "macroparticles": list(self.macroparticles),
            "beams": [entry(self.planes)],
        }

    def show(self) -> None:
        """Print the table."""
        few, many = self.macroparticles
        heads = ["", f"with {few}", f"with {many}", "noise floor of the study", "without noise"]
        rows = [
            [name, p.few.text, p.many.text, p.floor.text, p.without.text]
            for name, p in zip("xy", self.planes, strict=True)
        ]
        title = f"Emittance growth per turn, {SEEDS} seeds, {self.turns} turns"
        print_table(title, heads, rows)
        console().print(
            f"The bunches of the runs had {few} and {many} macroparticles, on the study's mesh. "
            "The noise floor goes as 1/N, from the difference of the two; growth without noise "
            "does not depend on N."
        )


def simulate_noise(study: Study, turns: int, say: Callable[[str], None]) -> SimulatedNoise:
    """Run a study this many turns with SEEDS seeds and two numbers of macroparticles, on all cores;
    StudyError where it has no noise to find, RunError where a run fails. `say` gets a sentence
    before the runs and after each.
    """
    own = _check(study, turns)
    many = min(own, MOST)
    numbers = (max(1, many // RATIO), many)
    say(f"{2 * SEEDS} runs of {turns} turns, with {numbers[0]} and {numbers[1]} macroparticles")
    found = [[_growth(study, turns, n, seed, say) for seed in range(SEEDS)] for n in numbers]
    few, more = ([mean_of([one[k] for one in seeds]) for k in range(2)] for seeds in found)
    shares = [number / own for number in numbers]
    x, y = (plane_noise(few[k], more[k], shares[0], shares[1]) for k in range(2))
    return SimulatedNoise(turns, numbers, (x, y))


def _check(study: Study, turns: int) -> int:
    """The macroparticles of the bunch; StudyError where there is no noise to find."""
    model = model_of(study)
    if model.bunch is None:
        raise StudyError("--noise: another workload of the ring makes the bunches")
    if not model.solver.kicks or model.solver.sizes is not None:
        raise StudyError("--noise: the field of the study has no noise of macroparticles")
    if model.bunch.distribution == FILE:
        raise StudyError(
            '--noise: bunch.distribution = "file" has as many macroparticles as its file, and '
            "noise is found with fewer: give a distribution"
        )
    check_number("bunch", model.bunch.macroparticles)
    check_turns(turns)
    return model.bunch.macroparticles


def _growth(
    study: Study, turns: int, macroparticles: int, seed: int, say: Callable[[str], None]
) -> list[Growth | None]:
    """Growth of the emittances in x and y."""
    tables = study.resolved()
    tables["bunch"]["macroparticles"] = macroparticles
    (emittance,) = emittances_of(study, tables, turns, seed, macroparticles, say)
    return growth_of(emittance)

"""The noise floor compared with runs: predicted and measured growth of emittances of small bunches.

    .venv/bin/python -m benchmarks.noise_floor --seeds 6

Each case is a strong-strong run of some hundred or thousand macroparticles without any other cause
of growth, with `--seeds` seeds. The growth is the slope of all but the first fifth of the turns,
and its error is the scatter of the seeds. It is printed over 8π²ξ²/N, the growth that kicks by the
centroid's error alone would cause, beside that of `noise_growth`, which was not fitted to these
runs. The last cases lie outside the range of `noise_growth` and show why.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import phasewise
from phasewise.options import count
from phasewise.output import print_table
from phasewise.workloads.collision.analysis.noise_floor import noise_floor

Floats = NDArray[np.float64]

XI_OF_LHC = 0.003745
EVERY = 5
"""Turns between measurements of the emittances."""


@dataclass(frozen=True)
class Case:
    """A run: ξ in both planes, the beam's aspect ratio, changes to its tables."""

    name: str
    xi: float = 0.02
    aspect: float = 1.0
    macroparticles: int = 1000
    turns: int = 1000
    tune: tuple[float, float] = (0.31, 0.32)
    bunch_length: float = 1e-3
    momentum_spread: float = 1e-9
    synchrotron_tune: float = 0.0
    ip: dict[str, Any] = field(default_factory=dict)
    other: dict[str, Any] = field(default_factory=dict)

    def study(self, seed: int) -> phasewise.Study:
        """Two proton bunches at the LHC's energy; `other` changes beam 2."""
        emittance, beta = 3.75e-6, 0.55
        beam = {
            "particle": "proton",
            "energy": 7e12,
            "bunch_population": 1.15e11 * self.xi / XI_OF_LHC * (1 + 1 / self.aspect) / 2,
            "macroparticles": self.macroparticles,
            "normalized_emittance": [emittance, emittance / self.aspect],
            "bunch_length": self.bunch_length,
            "momentum_spread": self.momentum_spread,
        }
        point = {
            "beta": [beta, beta / self.aspect],
            "grid": [64, 64],
            "slices": 1,
            "interpolation": "none",
            "luminosity": False,
        }
        return phasewise.Study.from_dict(
            {
                "turns": self.turns,
                "seed": seed,
                "beam": {"1": beam, "2": {"like": "beam.1"} | self.other},
                "arc": {"tune": list(self.tune), "synchrotron_tune": self.synchrotron_tune},
                "ip": {"1": point | self.ip},
            }
        )


ELSEWHERE = (0.28, 0.41)
LONG = {"bunch_length": 0.0755, "momentum_spread": 1.13e-4, "synchrotron_tune": 0.01}
CASES = (
    Case("round"),
    Case("round, 4000 macroparticles", macroparticles=4000),
    Case("other tunes", tune=ELSEWHERE),
    Case("opposite charges, other tunes", tune=ELSEWHERE, other={"particle": "antiproton"}),
    Case("half the ξ", xi=0.01, macroparticles=500, turns=3000),
    Case("quadratic weights", ip={"weighting": "tsc"}),
    Case("128 × 128", ip={"grid": [128, 128]}),
    Case("32 × 32", ip={"grid": [32, 32]}),
    Case("aspect 10", aspect=10.0),
    Case("aspect 30, other tunes", aspect=30.0, tune=ELSEWHERE),
    Case("Piwinski angle 0.65", ip={"slices": 3, "half_crossing_angle": 1.43e-4}, **LONG),
    Case("hourglass, σz = β", ip={"slices": 3}, **(LONG | {"bunch_length": 0.55})),
    Case("Piwinski angle 1", ip={"slices": 3, "half_crossing_angle": 2.2e-4}, **LONG),
    Case("1000 and 2000 macroparticles", other={"macroparticles": 2000}),
    Case("soft-Gaussian", macroparticles=200, turns=2000, ip={"model": "soft-gaussian"}),
)


def measured(case: Case, seed: int) -> Floats:
    """Relative growth per turn, [beam][plane]."""
    run = phasewise.Simulation(case.study(seed)).driver
    rows = []
    for turn in range(case.turns):
        run.step()
        if turn % EVERY == 0:
            record = run.record()
            rows.append([np.asarray(record[f"{beam}/emittance"])[:2] for beam in (1, 2)])
    kept = np.array(rows)[len(rows) // 5 :]
    turns = EVERY * np.arange(len(kept), dtype=np.float64)
    turns -= turns.mean()
    slope = np.tensordot(turns, kept, 1) / (turns @ turns)
    return np.asarray(slope / kept.mean(axis=0))


def row(case: Case, seeds: int) -> list[str]:
    """The name, then the measured and the predicted growth in x and y of the mean beam, over
    8π²ξ²/N, or the reason why there is no prediction.
    """
    study = case.study(1)
    derived = study.derived()
    xi = np.array(derived["beams"][0]["xi"]["effective"]["sum"])
    unit = 8 * math.pi**2 * xi**2 / case.macroparticles
    # The mean over both beams is one sample, because they exchange action.
    found = np.array([measured(case, seed).mean(axis=0) for seed in range(1, seeds + 1)]) / unit
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / math.sqrt(seeds)
    floor = noise_floor(study.resolved(), derived, case.turns)
    texts = [f"{m:.2f} ± {e:.2f}" for m, e in zip(mean, error, strict=True)]
    if floor.growth is None:
        return [case.name, *texts, "–", "–", floor.why]
    predicted = np.mean(floor.growth, axis=0) / unit
    return [case.name, *texts, *(f"{p:.2f}" for p in predicted), ""]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every case, or those whose name contains a word, and print a table."""
    parser = argparse.ArgumentParser(description="The noise floor against runs.")
    parser.add_argument("--seeds", type=count, default=6, help="runs of each case, 2 or more")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with WORD in their name")
    given = parser.parse_args(arguments)
    rows = [row(case, max(given.seeds, 2)) for case in CASES if given.only in case.name]
    heads = ["", "x, measured", "y, measured", "x, predicted", "y, predicted", "why not"]
    print_table("Growth per turn over 8π²ξ²/N", heads, rows)


if __name__ == "__main__":
    main()

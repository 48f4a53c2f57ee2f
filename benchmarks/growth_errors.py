"""Error bars of growth rates against the scatter over seeds.

    .venv/bin/python -m benchmarks.growth_errors --seeds 12

Each case is one of the examples with few macroparticles, one slice and few turns, so that a seed
takes a second or two. The table gives the scatter of the emittances' growth over the rms of its
error bars, in x and y of both beams and of their sum, and the share of the growths of beams 1 and 2
that lie within two error bars of their mean. The growth of the sum stands beside the noise floor.
"""

from __future__ import annotations

import argparse
import copy
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import phasewise
from phasewise.analysis.growth_rate import Growth, growth_rate
from phasewise.options import count
from phasewise.output import print_table
from phasewise.workloads.collision.analysis.both_beams import both_beams
from phasewise.workloads.collision.analysis.noise_floor import noise_floor

Floats = NDArray[np.float64]
Tables = dict[str, Any]

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
COARSE = {
    "slices": 1,
    "grid": [32, 32],
    "interpolation": "none",
    "longitudinal_kick": False,
    "luminosity": False,
}


def example(name: str, turns: int) -> Tables:
    """The tables of an example, with 2000 macroparticles and a coarse collision."""
    tables = tomllib.loads((EXAMPLES / name / "study.toml").read_text(encoding="utf-8"))
    tables.pop("records", None)
    tables["turns"] = turns
    tables["beam"]["1"]["macroparticles"] = 2000
    for point in tables["ip"].values():
        point.update(COARSE)
        for key in ("mesh", "mesh_half_width"):
            point.pop(key, None)
    return tables


def stronger(name: str, turns: int, factor: float) -> Tables:
    """An example with this many times its bunch population."""
    tables = example(name, turns)
    tables["beam"]["1"]["bunch_population"] *= factor
    return tables


def random_start() -> Tables:
    """Round beams at ξ = 0.02 and other tunes, neither quiet nor displaced."""
    tables = stronger("yokoya-round", 1000, 8)
    for beam in tables["beam"].values():
        for key in ("distribution", "offset_sigma"):
            beam.pop(key, None)
    tables["arc"]["tune"] = [0.28, 0.41]
    return tables


def two_points() -> Tables:
    """The LHC's bunches head-on at two interaction points."""
    tables = example("lhc", 1200)
    tables["arc"]["tune"] = [64.28, 59.31]
    first = tables["ip"]["1"]
    first["half_crossing_angle"] = 0.0
    tables["ip"]["2"] = copy.deepcopy(first)
    first["phase_advance"] = [32.1, 29.7]
    return tables


CASES: dict[str, Callable[[], Tables]] = {
    "LHC": lambda: example("lhc", 1500),
    "round": lambda: stronger("yokoya-round", 1200, 4),
    "round, random start": random_start,
    "flat": lambda: stronger("yokoya-flat", 1200, 2),
    "two points": two_points,
    "electrons": lambda: example("electron-collider", 1500),
}


def emittances(study: phasewise.Study) -> Floats:
    """Emittances in x and y of both beams, (turns, beams, planes) [m]."""
    run = phasewise.Simulation(study).driver
    rows = []
    for _ in range(study.resolved()["turns"]):
        run.step()
        record = run.record()
        rows.append([np.asarray(record[f"{beam}/emittance"])[:2] for beam in (1, 2)])
    return np.array(rows)


def growths(history: Floats, plane: int) -> list[Growth]:
    """Growth in a plane of beam 1, of beam 2 and of their sum."""
    turn = np.arange(len(history), dtype=np.float64)
    first, second = history[:, 0, plane], history[:, 1, plane]
    both = both_beams(turn, first, second, False, None)
    found = [growth_rate(turn, first), growth_rate(turn, second), both and both.growth]
    return [growth for growth in found if growth is not None]


def row(name: str, seeds: int) -> list[str]:
    """The name, scatter over error bar in x and y, the share within two, growth and noise floor."""
    studies = [
        phasewise.Study.from_dict(CASES[name]() | {"seed": seed}) for seed in range(1, seeds + 1)
    ]
    histories = [emittances(study) for study in studies]
    found = [[growths(history, plane) for plane in (0, 1)] for history in histories]
    # [seed][plane][beam 1, beam 2, sum]
    rate = np.array([[[g.per_turn for g in plane] for plane in seed] for seed in found])
    error = np.array([[[g.error for g in plane] for plane in seed] for seed in found])
    ratio = rate.std(axis=0, ddof=1) / np.sqrt(np.mean(error**2, axis=0))
    within = np.abs(rate - rate.mean(axis=0)) < 2 * error
    floor = noise_floor(studies[0].resolved(), studies[0].derived(), len(histories[0])).growth
    mean, known = rate[..., 2].mean(axis=0), rate[..., 2].std(axis=0, ddof=1) / np.sqrt(seeds)
    return [
        name,
        *(", ".join(f"{r:.2f}" for r in plane) for plane in ratio),
        f"{100 * within[..., :2].mean():.0f} %",
        ", ".join(f"{m:.2g} ± {k:.1g}" for m, k in zip(mean, known, strict=True)),
        "–" if floor is None else ", ".join(f"{f:.2g}" for f in np.mean(floor, axis=0)),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run every case, or those whose name contains a word, and print a table."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest.strip())
    parser.add_argument("--seeds", type=count, default=12, help="runs of each case, 2 or more")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with WORD in their name")
    given = parser.parse_args(arguments)
    rows = [row(name, max(given.seeds, 2)) for name in CASES if given.only in name]
    heads = [
        "",
        "x: beams 1, 2, sum",
        "y: beams 1, 2, sum",
        "within two",
        "growth of the sum, x, y",
        "noise floor, x, y",
    ]
    print_table("Scatter of the growth over its error bar", heads, rows)


if __name__ == "__main__":
    main()

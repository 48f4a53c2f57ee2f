"""`python -m benchmarks.shallow_water_peer`: a timestep of shallow water beside one of SHTns' own
`examples/shallow_water.py`, on one core. The two take turns, again and again, so that both meet the
same disturbances.

Both compute Galewsky's jet on the same grid with the same Δt. A timestep of SHTns' example, which
has one level, is explicit (Adams-Bashforth of third order, with hyperdiffusion). It takes ten
scalar transforms, where a transform of winds counts as two, and the result of one is not used. A
timestep of phasewise is semi-implicit leapfrog. It transforms four fields to the grid and five
products back, and measures the records: mass, energy and potential enstrophy. It would allow a
Δt several times as long, which is not counted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.shtns_example import Example
from phasewise import Simulation
from phasewise.errors import PhasewiseError, RunError
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.study import Study
from phasewise.workloads.sphere.communication import ORDER_FREE, PLAIN
from phasewise.workloads.sphere.model import model_of

SECONDS_BY_DEGREE = 12_750.0
"""Timestep times truncation [s]: the 150 s that SHTns' example takes at T85."""
BUMP_WIDTH = 1 / 15
"""β, the width of the jet's bump along the meridian."""
WARM_UP = 2
"""Timesteps of a code before those that are timed. The first two of SHTns' example start it."""
LEVEL_TIMESTEPS = 100
"""Timesteps of a turn times levels, roughly."""
SHORTEST_TURN = 5
COMPARED = 20
"""The timestep after which the waves of both codes are compared."""
AGREEMENT = {42: 0.6, 85: 0.1, 170: 0.02, 340: 0.005}
"""Largest relative difference between the waves of the two codes, by truncation.

They start differently: SHTns' example truncates the fields of the start, and phasewise takes them
as they are. Each bound is three times what was seen: 0.19, 0.032, 0.0067 and 0.0017.
"""


def study(truncation: int, levels: int, sums: str) -> Study:
    """Galewsky's jet with default settings; StudyError if it cannot be run."""
    return Study.from_dict(
        {
            "workload": "sphere",
            "timesteps": 10**6,
            "sphere": {
                "case": "galewsky",
                "truncation": truncation,
                "levels": levels,
                "timestep": SECONDS_BY_DEGREE / truncation,
            },
            "communication": {"sums": sums},
        }
    )


def settings_of(jet: Study) -> dict[str, float]:
    """The same case by the names of SHTns' example.

    Its bump is exp(-(φ₂ - φ)²/beta), so that beta is the square of Galewsky's β; the value that
    stands there is β itself.
    """
    model = model_of(jet)
    return {
        "nlons": model.longitudes,
        "nlats": model.latitudes,
        "ntrunc": model.truncation,
        "dt": model.timestep,
        "beta": BUMP_WIDTH**2,
    }


def waves(vorticity: NDArray[np.float64]) -> NDArray[np.float64]:
    """(NLAT, NLON): what differs from the mean along each latitude."""
    deviation: NDArray[np.float64] = vorticity - vorticity.mean(axis=1, keepdims=True)
    return deviation


def check_waves(own: NDArray[np.float64], peer: NDArray[np.float64], truncation: int) -> None:
    """RunError if the waves of two vorticities differ; SHTns' example has the bump at 180° E, where
    that of phasewise is at 0°.
    """
    turned = np.roll(peer, peer.shape[1] // 2, axis=1)
    difference = np.linalg.norm(waves(turned) - waves(own)) / np.linalg.norm(waves(own))
    bound = AGREEMENT[truncation]
    if not difference <= bound:
        raise RunError(
            f"the waves of SHTns' example and phasewise differ by {difference:.2g} after "
            f"{COMPARED} timesteps, more than {bound}: the two do not compute the same flow"
        )


def turn_of(levels: int) -> int:
    """The timesteps of a turn with so many levels."""
    return max(SHORTEST_TURN, round(LEVEL_TIMESTEPS / levels))


def alternated(codes: dict[str, Callable[[], float]], repeat: int) -> dict[str, list[float]]:
    """What each code returns in each of its turns, one code after another."""
    seconds: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(repeat):
        for name, turn in codes.items():
            seconds[name].append(turn())
    return seconds


def summary(seconds: dict[str, list[float]]) -> dict[str, Any]:
    """Medians of the turns, and the time of phasewise over that of SHTns' example."""
    medians = {name: statistics.median(turns) for name, turns in seconds.items()}
    return {"seconds": medians, "over_peer": medians["phasewise"] / medians["SHTns"]}


def compare(example: Example, jet: Study, repeat: int) -> dict[str, Any]:
    """Median CPU seconds of a timestep for one level, of both codes."""
    model = model_of(jet)
    timesteps = turn_of(model.levels)
    simulation = Simulation(jet)
    simulation.run(WARM_UP)

    def ours() -> float:
        begin = time.process_time()
        simulation.run(timesteps)
        return (time.process_time() - begin) / (timesteps * model.levels)

    def theirs() -> float:
        found, _ = example.run(WARM_UP + turn_of(1))
        return statistics.mean(found[WARM_UP:])

    return summary(alternated({"phasewise": ours, "SHTns": theirs}, repeat))


def compare_all(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """All rows, once both codes compute the same waves."""
    jets = {
        (levels, sums): study(options.truncation, levels, sums)
        for levels in sorted({options.levels, 1}, reverse=True)
        for sums in (ORDER_FREE, PLAIN)
    }
    one = jets[1, ORDER_FREE]
    example = Example(settings_of(one), folder)
    single = Simulation(one)
    single.run(COMPARED)
    check_waves(single.field("vorticity")[0], example.run(COMPARED)[1], options.truncation)
    return [
        {"levels": levels, "sums": sums, **compare(example, jet, options.repeat)}
        for (levels, sums), jet in jets.items()
    ]


def main() -> int:
    """Compare all rows; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truncation", type=int, default=170, choices=AGREEMENT)
    parser.add_argument("--levels", type=count, default=18, metavar="L", help="beside one level")
    parser.add_argument("--repeat", type=count, default=5, metavar="K", help="turns of each code")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            points = compare_all(options, Path(folder))
    except PhasewiseError as error:
        print(f"phasewise: {error}", file=sys.stderr)
        return error.exit_status
    load = os.getloadavg()[0]
    if options.json:
        print_json({"truncation": options.truncation, "load": load, "points": points})
        return 0
    rows = [
        [str(point["levels"]), point["sums"],
         *(f"{1e3 * point['seconds'][name]:.2f}" for name in ("phasewise", "SHTns")),
         f"{point['over_peer']:.2f}"]
        for point in points
    ]  # fmt: skip
    heads = ["levels", "sums", "phasewise, ms", "SHTns' example, ms", "over SHTns' example"]
    title = f"CPU time of a T{options.truncation} timestep for one level, load {load:.1f}"
    print_table(title, heads, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

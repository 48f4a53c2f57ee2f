"""`python -m benchmarks.qcd_integrators --picture FILE`: |ΔH| of a trajectory against the step, for
the three integrators, and against the forces that a trajectory takes.

All trajectories of a seed begin with the same links, which a heat-bath has made, and the same
momenta, so that ΔH falls with the second power of the step, and with the fourth for Omelyan's of
order 4 (hep-lat/0505020).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from phasewise.driver import load_core
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.report.palette import SERIES
from phasewise.report.picture_file import check_picture
from phasewise.report.style import MUTED, legend_above, log_ticks, new_picture, picture_style
from phasewise.runs.simulation import start_run
from phasewise.study import Study

Floats = NDArray[np.float64]

SIZE, BETA, LENGTH = (4, 4, 4, 4), 5.7, 1.0
SWEEPS = 30
"""Trajectories of the heat-bath before the links count as thermalised."""
SEEDS = 8
FORCES = {"leapfrog": 1, "omelyan-2": 2, "omelyan-4": 5}
"""Forces in a step of each integrator."""
ORDERS = {"leapfrog": 2, "omelyan-2": 2, "omelyan-4": 4}
STEPS = {
    "leapfrog": (10, 14, 20, 28, 40, 56),
    "omelyan-2": (5, 7, 10, 14, 20, 28),
    "omelyan-4": (3, 4, 6, 8, 11, 16),
}
"""Steps of a trajectory."""
STEP_TICKS, FORCE_TICKS = (0.02, 0.05, 0.1, 0.2, 0.3), (10, 20, 40, 80)


def study_of(seed: int, update: dict[str, Any]) -> Study:
    """A quenched study with this [update]."""
    return Study.from_dict(
        {
            "workload": "qcd",
            "trajectories": SWEEPS,
            "seed": seed,
            "lattice": {"size": list(SIZE)},
            "gauge": {"beta": BETA, "start": "hot"},
            "update": update,
        }
    )


def thermalised() -> Floats:
    """Links that a heat-bath has made."""
    run: Any = start_run(load_core(), study_of(1, {"method": "heat-bath"}).parameters(), 1)
    for _ in range(SWEEPS):
        run.step()
    return np.asarray(run.links())


def energy_change(links: Floats, integrator: str, steps: int, seed: int) -> float:
    """ΔH of one trajectory from these links."""
    update = {"method": "hmc", "length": LENGTH, "integrator": integrator, "steps": [steps]}
    run: Any = start_run(load_core(), study_of(seed, update).parameters(), 1)
    run.set_links(links)
    run.step()
    return float(run.record()["delta_h"])


def measured(seeds: int) -> dict[str, dict[int, float]]:
    """The root of the mean square of ΔH over the seeds, by integrator and steps."""
    links = thermalised()
    found: dict[str, dict[int, float]] = {}
    for integrator, steps in STEPS.items():
        for number in steps:
            changes = [
                energy_change(links, integrator, number, seed) for seed in range(1, seeds + 1)
            ]
            found.setdefault(integrator, {})[number] = float(np.sqrt(np.mean(np.square(changes))))
    return found


def slope(own: dict[int, float]) -> float:
    """The power of the step with which ΔH falls, over the four shortest steps."""
    steps = sorted(own)[-4:]
    logs = np.log([LENGTH / number for number in steps]), np.log([own[number] for number in steps])
    return float(np.polyfit(*logs, 1)[0])


def draw(found: dict[str, dict[int, float]]) -> Canvas:
    """|ΔH| against the step with lines of the powers that theory gives, and against the forces."""
    canvas, axes = new_picture(1, 2, 3.6, sharey=True)
    left, right = axes[0]
    for number, (integrator, own) in enumerate(found.items()):
        steps = np.array(sorted(own))
        values = np.array([own[step] for step in steps])
        style: dict[str, Any] = {"color": SERIES[number], "marker": "o", "markersize": 3.5}
        left.plot(LENGTH / steps, values, label=f"{integrator}, dt{'²⁴'[ORDERS[integrator] > 2]}",
                  linestyle="none", **style)  # fmt: skip
        _draw_power(left, LENGTH / steps, values, ORDERS[integrator])
        right.plot(FORCES[integrator] * steps / LENGTH, values, label=integrator, **style)
    left.set_xlabel("step dt")
    right.set_xlabel("forces in a trajectory of length 1")
    left.set_ylabel("|ΔH|, root mean square")
    for axis, ticks in ((left, STEP_TICKS), (right, FORCE_TICKS)):
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(ticks, list(map("{:g}".format, ticks)))
        axis.xaxis.set_minor_locator(NullLocator())
        log_ticks(axis)
        legend_above(axis)
    return canvas


def _draw_power(axis: Axes, steps: Floats, values: Floats, order: int) -> None:
    """The line with this power of the step through the value at the shortest one."""
    shortest = int(np.argmin(steps))
    line = values[shortest] * (steps / steps[shortest]) ** order
    axis.plot(steps, line, color=MUTED, linewidth=0.9, linestyle="--")


def main(words: Sequence[str]) -> int:
    """Run the trajectories, and print and draw ΔH; return the exit status."""
    parser = argparse.ArgumentParser(description="ΔH against the step.")
    parser.add_argument("--seeds", type=count, default=SEEDS, metavar="N", help="of each point")
    parser.add_argument("--picture", metavar="FILE", help="an SVG or PNG file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(words)
    if options.picture is not None:
        check_picture(options.picture)
    found = measured(options.seeds)
    if options.picture is not None:
        with picture_style():
            draw(found).savefig(options.picture, dpi=150, facecolor="white")
    slopes = {integrator: slope(own) for integrator, own in found.items()}
    if options.json:
        print_json({"delta_h": found, "slopes": slopes})
        return 0
    rows = [
        [integrator, str(number), f"{LENGTH / number:.4f}", f"{own[number]:.3e}"]
        for integrator, own in found.items()
        for number in sorted(own)
    ]
    heads = ["integrator", "steps", "dt", "|ΔH|"]
    print_table(f"quenched, {'×'.join(map(str, SIZE))}, β {BETA}", heads, rows)
    for integrator, power in slopes.items():
        print(f"{integrator}: power {power:.3f}, expected {ORDERS[integrator]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m benchmarks.galewsky_convergence`: the vorticity of Galewsky's jet on day 6 at T42 and
at T85 beside that at T170 (Galewsky, Scott, Polvani, Tellus 56A (2004) 429, Section 4).

The difference is taken over all coefficients of T170, those that a smaller truncation lacks
included. It takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import load_core
from phasewise.output import print_json, print_table
from phasewise.runs.simulation import start_run
from phasewise.study import Study

TRUNCATIONS = (42, 85, 170)
SECONDS_BY_DEGREE = 25_200.0
"""Timestep times truncation [s]: 600 s at T42, 148 s at T170."""
DAYS, DAY = 6, 86_400.0
VISCOSITY = 1e5
"""ν of ∇² in all three equations [m²/s]."""


def vorticity(truncation: int) -> dict[tuple[int, int], complex]:
    """The coefficients of the vorticity on day 6, by (m, l)."""
    steps = round(DAYS * DAY * truncation / SECONDS_BY_DEGREE)
    study = Study.from_dict(
        {
            "workload": "sphere",
            "timesteps": steps,
            "sphere": {
                "case": "galewsky",
                "truncation": truncation,
                "timestep": DAYS * DAY / steps,
                "diffusion": VISCOSITY,
            },
        }
    )
    run: Any = start_run(load_core(), study.parameters(), 1)
    for _ in range(steps):
        run.step()
    rows = run.state()["coefficients"]
    values = np.asarray(rows["new_vorticity_re_0"]) + 1j * np.asarray(rows["new_vorticity_im_0"])
    orders = [(m, degree) for m in range(truncation + 1) for degree in range(m, truncation + 1)]
    return {orders[row]: value for row, value in zip(rows["id"], values, strict=True)}


def norm(values: dict[tuple[int, int], complex]) -> float:
    """The root of the mean square over the sphere, but for a factor."""
    squares: NDArray[np.float64] = np.array(
        [(1 if m == 0 else 2) * abs(value) ** 2 for (m, _), value in values.items()]
    )
    return float(np.sqrt(squares.sum()))


def main() -> int:
    """Print the errors; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found, seconds = {}, {}
    for truncation in TRUNCATIONS:
        begin = time.perf_counter()
        found[truncation] = vorticity(truncation)
        seconds[truncation] = time.perf_counter() - begin
    finest = found[TRUNCATIONS[-1]]
    errors = {}
    for truncation in TRUNCATIONS[:-1]:
        own = found[truncation]
        lacking = {at: value - own.get(at, 0.0) for at, value in finest.items()}
        errors[truncation] = norm(lacking) / norm(finest)
    if options.json:
        print_json({"errors": {f"t{t}": error for t, error in errors.items()}})
        return 0
    rows = [[f"T{t}", f"{error:.4f}", f"{seconds[t]:.0f}"] for t, error in errors.items()]
    print_table("vorticity on day 6 beside T170", ["", "relative l2 error", "s"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

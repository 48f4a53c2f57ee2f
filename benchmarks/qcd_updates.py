"""Updates of the gauge field against theory and another group's value, and the times of their
kernels, fast and plain.

Run it as `python -m benchmarks.qcd_updates rows` or `… kernels [--size 16] [--threads 1]`. The rows
are those of validation.md in ../shared: plaquettes at strong and at weak coupling, and at β 6.0 on
16⁴ (hep-lat/9602007).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np

from phasewise import _core
from phasewise.analysis import autocorrelation


@dataclass(frozen=True, kw_only=True)
class Row:
    """A mean plaquette and how it is made: trajectories of a sweep of heat-bath and some of
    over-relaxation on size⁴.
    """

    size: int
    beta: float
    expected: float
    tolerance: float
    trajectories: int
    over_relaxation: int
    thermalisation: int


ROWS = (
    Row(
        size=4, beta=1.0, expected=0.060130, tolerance=1.8e-4,
        trajectories=10_000, over_relaxation=0, thermalisation=50,
    ),
    Row(
        size=4, beta=2.0, expected=0.128769, tolerance=1.8e-4,
        trajectories=10_000, over_relaxation=0, thermalisation=50,
    ),
    Row(
        size=8, beta=60.0, expected=0.966322, tolerance=3e-5,
        trajectories=400, over_relaxation=1, thermalisation=40,
    ),
    Row(
        size=16, beta=6.0, expected=0.593678, tolerance=2e-4,
        trajectories=600, over_relaxation=4, thermalisation=100,
    ),
)  # fmt: skip
BEST_OF = 3
SYMANZIK = -1 / 12


def main() -> int:
    """Print a line for each row or kernel; the status is 1 if a row is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("rows", "kernels"))
    parser.add_argument("--size", type=int, default=16, help="of the kernels' lattice")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    given = parser.parse_args()
    if given.what == "kernels":
        print_kernels(given.size, given.threads)
        return 0
    of_rows = [met(row, given.threads) for row in ROWS]
    return 0 if all(of_rows) else 1


def met(row: Row, threads: int) -> bool:
    """Whether the mean is as expected; prints a line."""
    gauge = _core.QcdGaugeField([row.size] * 4, row.beta, seed=1, threads=threads)
    # At weak coupling a cold start is near the end.
    if row.beta < 6:
        gauge.set_hot()
    all_of_them = np.asarray(
        gauge.trajectories(0, row.thermalisation + row.trajectories, row.over_relaxation)
    )
    found = autocorrelation(all_of_them[row.thermalisation :])
    is_met = abs(found.value - row.expected) < row.tolerance
    print(
        f"{row.size}⁴, β {row.beta:g}, {row.trajectories} trajectories: plaquette "
        f"{found.value:.6f} ± {found.error:.1e} (τ_int {found.time:.2f}), expected "
        f"{row.expected:.6f} within {row.tolerance:.1e}: {'met' if is_met else 'NOT MET'}",
        flush=True,
    )
    return is_met


def print_kernels(size: int, threads: int) -> None:
    """Nanoseconds of a link and core, fast and plain."""
    times = {fast: kernel_times(size, threads, fast) for fast in (True, False)}
    print(f"{size}⁴, {threads} threads: ns of a link and core, fast, plain, and their ratio")
    for name, fast in times[True].items():
        plain = times[False][name]
        print(f"  {name:<24} {fast:8.1f} {plain:8.1f} {plain / fast:5.2f}")


def kernel_times(size: int, threads: int, fast: bool) -> dict[str, float]:
    """Nanoseconds of a link and core by kernel, the best of some calls in CPU time."""
    gauge = _core.QcdGaugeField([size] * 4, 6.0, threads=threads, fast=fast)
    rectangles = _core.QcdGaugeField([size] * 4, 6.0, SYMANZIK, threads=threads, fast=fast)
    gauge.trajectories(0, 3, 1)
    links, zero = np.asarray(gauge.links()), np.zeros(72 * size**4)
    for one in (gauge, rectangles):
        one.set_links(links)
        one.set_momenta(zero)
    numbers = iter(range(3, 100))

    def moved(one: _core.QcdGaugeField) -> None:
        one.move_links(0.0)  # makes the links new
        one.move_momenta(1e-3)

    def mixed() -> None:
        number = next(numbers)
        gauge.sweep(number)
        for _ in range(4):
            gauge.sweep(number, over_relaxation=True)

    link_update = time_of(lambda: gauge.move_links(0.0))
    seconds = {
        "heat-bath": time_of(lambda: gauge.sweep(next(numbers))),
        "over-relaxation": time_of(lambda: gauge.sweep(0, over_relaxation=True)),
        "one and four sweeps, each": time_of(mixed) / 5,
        "move of links": link_update,
        "force": time_of(lambda: moved(gauge)) - link_update,
        "force with rectangles": time_of(lambda: moved(rectangles)) - link_update,
        "flow, a step": time_of(
            lambda: _core.gradient_flow(links, [size] * 4, 0.02, 1, threads, fast)
        ),
    }
    return {name: 1e9 * one / (4 * size**4) for name, one in seconds.items()}


def time_of(call: Callable[[], object]) -> float:
    """CPU seconds of all threads: those of one core."""
    call()
    best = np.inf
    for _ in range(BEST_OF):
        begin = process_time()
        call()
        best = min(best, process_time() - begin)
    return float(best)


if __name__ == "__main__":
    raise SystemExit(main())

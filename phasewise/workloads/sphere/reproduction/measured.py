"""Rates of timesteps measured on one core of this computer. Variants that are compared take
timesteps in turn, so that a clock that changes and other programs slow all of them alike.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from phasewise.driver import Core, Run
from phasewise.mpi.copies import run_copies
from phasewise.report.benching import Bench
from phasewise.report.beside_copies import compared
from phasewise.runs.simulation import start_run
from phasewise.workload.discovery import find_workload
from phasewise.workloads.sphere.bench import FOURIER, LEGENDRE, LEVELS_AT
from phasewise.workloads.sphere.reproduction.variants import Extent, Variant

CONFIDENCE = 0.9
"""Least probability with which a range of several values holds their median."""


@dataclass(frozen=True)
class Range:
    """The median of some values, and a range that holds it with at least CONFIDENCE, or all of the
    values where they are too few for that.
    """

    median: float
    low: float
    high: float


def range_of(values: Sequence[float]) -> Range:
    """The range between two order statistics, whose probability is binomial."""
    ordered, n = sorted(values), len(values)
    outside, left = 2.0 * 0.5**n, 0
    while left + 1 < n / 2 and outside + 2.0 * math.comb(n, left + 1) * 0.5**n <= 1.0 - CONFIDENCE:
        left += 1
        outside += 2.0 * math.comb(n, left) * 0.5**n
    return Range(statistics.median(ordered), ordered[left], ordered[n - 1 - left])


@dataclass(frozen=True)
class Timing:
    """Timesteps of a variant, one after another.

    seconds: of each; flops: of one; fourier, legendre: their rates in each timestep over that of
    multiply-adds in registers just then; kernels: median seconds of each.
    """

    seconds: tuple[float, ...]
    flops: float
    fourier: tuple[float, ...]
    legendre: tuple[float, ...]
    kernels: Mapping[str, float]

    @property
    def gigaflops(self) -> Range:
        """The rate [Gflop/s], by the kernels' cards."""
        return range_of([1e-9 * self.flops / one for one in self.seconds])

    def times(self, other: Timing) -> Range:
        """How many times as long a timestep takes as that of another variant."""
        pairs = zip(self.seconds, other.seconds, strict=True)
        return range_of([own / others for own, others in pairs])


Timings = Mapping[Variant, Timing]


@dataclass(frozen=True)
class Measured:
    """What was measured here: the versions of the program, those of each truncation and number of
    levels in turn; T85 with several levels; and what `bench sphere --together` says of its cases.
    """

    versions: Timings
    levels: Timings
    together: Mapping[str, Mapping[str, Any]]


def measure(core: Core, extent: Extent) -> Measured:
    """Measure everything, one variant after another."""
    versions: dict[Variant, Timing] = {}
    for group in extent.versions():
        steps = extent.last_steps if extent.last in group else extent.steps
        padded = Variant(extent.padded)
        beside = [replace(padded, padding=False)] if padded in group else []
        versions |= in_turn(core, [*group, *beside], steps)
    levels = in_turn(core, [Variant(LEVELS_AT, one) for one in extent.levels], extent.steps)
    return Measured(versions, levels, {case: _together(case) for case in extent.together})


def in_turn(core: Core, variants: Sequence[Variant], steps: int) -> dict[Variant, Timing]:
    """Time timesteps of variants in turn, in every other round in the opposite order."""
    runs = {variant: start_run(core, variant.study.parameters(), 1) for variant in variants}
    for run in runs.values():
        run.step()
    found: dict[Variant, list[_Step]] = {variant: [] for variant in variants}
    for number in range(steps):
        peak = core.measure_present_rate()
        for variant in variants if number % 2 == 0 else reversed(variants):
            found[variant].append(_step(runs[variant], peak))
    return {variant: _timing(of) for variant, of in found.items()}


@dataclass(frozen=True)
class _Step:
    """A timestep: seconds, those and the flops of each kernel, and the rate of multiply-adds."""

    seconds: float
    kernels: Mapping[str, float]
    flops: Mapping[str, float]
    peak: float

    def share(self, names: Sequence[str]) -> float:
        """The rate of some kernels over that of multiply-adds."""
        seconds = sum(self.kernels[name] for name in names)
        return sum(self.flops[name] for name in names) / seconds / self.peak


def _step(run: Run, peak: float) -> _Step:
    before = {kernel["name"]: kernel for kernel in run.kernels()}
    begin = time.perf_counter()
    run.step()
    seconds = time.perf_counter() - begin
    after = {kernel["name"]: kernel for kernel in run.kernels()}

    def spent(key: str) -> dict[str, float]:
        return {name: one[key] - before[name][key] for name, one in after.items()}

    return _Step(seconds, spent("seconds"), spent("flops"), peak)


def _timing(steps: Sequence[_Step]) -> Timing:
    names = steps[0].kernels
    return Timing(
        tuple(one.seconds for one in steps),
        sum(steps[0].flops.values()),
        tuple(one.share(FOURIER) for one in steps),
        tuple(one.share(LEGENDRE) for one in steps),
        {name: statistics.median(one.kernels[name] for one in steps) for name in names},
    )


def _together(case: str) -> dict[str, Any]:
    """The rates of a case alone, and of a copy on each core at once."""
    argv = ["bench", "sphere", "--case", case, "--json"]
    bench = find_workload("sphere").part(Bench)
    (alone,) = run_copies(argv, 1)
    beside = run_copies(argv, len(os.sched_getaffinity(0)))
    return compared(bench.rates(alone), [bench.rates(one) for one in beside])

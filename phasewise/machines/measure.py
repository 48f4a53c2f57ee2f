"""Measures the messages of a machine: launches the probes, refines the sizes, repeats noisy ones,
and makes curves with straight lines and protocol changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.optimize import isotonic_regression

from phasewise.machines.curves import DEEPEST_FALL, Curve, Floats
from phasewise.machines.probes import Probe, first_sizes, probes_of, sizes_between
from phasewise.machines.schema import MEASURED_BANDWIDTH, MEASURED_LATENCY
from phasewise.machines.statistics import (
    STRAIGHT,
    WIDE,
    Estimate,
    estimate,
    find_bends,
    fit_line,
)
from phasewise.machines.targets import Order, Repetitions, Sample, Target

Say = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """The amount of measurement: passes that insert sizes, how many sizes at most, and
    repetitions.
    """

    refinements: int
    inserted: int
    repetitions: Repetitions
    again: Repetitions


FULL = Effort(3, 6, Repetitions(20, 300, 0.05), Repetitions(40, 1000, 0.15))
QUICK = Effort(1, 4, Repetitions(20, 100, 0.02), Repetitions(30, 200, 0.05))
"""Seconds are of one size in one launch; again: of sizes whose first interval is wide, or whose
ranks often came too late."""

MISSED = 0.1
"""Largest share of missed starts with which the ranks count as starting together."""


@dataclass
class Samples:
    """All samples, launch by launch."""

    taken: list[tuple[int, Sample]] = field(default_factory=list)
    _by_size: dict[Probe, dict[int, list[Sample]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, launch: int, samples: Sequence[Sample]) -> None:
        """Add the samples of one launch."""
        for sample in samples:
            self.taken.append((launch, sample))
            self._by_size[sample.probe][sample.size].append(sample)

    def estimates(self, probe: Probe) -> dict[int, Estimate]:
        """The estimate for each size of a probe, sizes increasing."""
        return {
            size: estimate([part.seconds for part in parts])
            for size, parts in sorted(self._by_size[probe].items())
        }

    def late(self, probe: Probe) -> set[int]:
        """The sizes of which more than MISSED of the starts were missed."""
        return {
            size
            for size, parts in self._by_size[probe].items()
            if np.mean(np.concatenate([part.missed for part in parts])) > MISSED
        }


class Measurement:
    """One measurement of a target's messages."""

    def __init__(self, target: Target, quick: bool, say: Say) -> None:
        self.samples = Samples()
        self.probes = probes_of(target.nodes, quick)
        self._target = target
        self._quick = quick
        self._effort = QUICK if quick else FULL
        self._say = say
        self._launch = 0

    def measure(self) -> tuple[Curve, ...]:
        """A curve for each probe."""
        sizes = first_sizes(self._quick)
        self._take("first sizes", [Order(probe, sizes) for probe in self.probes])
        for number in range(1, self._effort.refinements + 1):
            if not self._take(f"refinement {number}", self._bent()):
                break
        self._take("noisy sizes again", self._noisy(), self._effort.again)
        return tuple(
            make_curve(probe, self.samples.estimates(probe), bool(self.samples.late(probe)))
            for probe in self.probes
        )

    def _take(
        self, what: str, orders: Sequence[Order], repetitions: Repetitions | None = None
    ) -> bool:
        """Time the orders in every launch. Returns whether there were any."""
        if not orders:
            return False
        count = sum(len(order.sizes) for order in orders)
        self._say(f"{what}: {count} times of {len(orders)} benchmarks")
        for _ in range(self._target.launches):
            self._launch += 1
            answer = self._target.execute(
                orders, repetitions or self._effort.repetitions, self._launch
            )
            self.samples.add(self._launch, answer.samples)
        return True

    def _bent(self) -> list[Order]:
        """The sizes to insert where times leave the straight line."""
        found = []
        for probe in self.probes:
            known = self.samples.estimates(probe)
            noise = np.array([entry.half_width for entry in known.values()])
            medians = np.array([entry.median for entry in known.values()])
            sizes = np.array([*known], dtype=np.float64)
            inserted = sizes_between(sizes, medians, noise, self._effort.inserted)
            if inserted and self._target.reference == "hardware":
                # Their neighbours are timed again, so that a change of the machine's load shows in
                # the intervals and not as a protocol change.
                places = np.searchsorted(sizes, inserted)
                inserted = sorted({*inserted, *map(int, sizes[[*(places - 1), *places]])})
            if inserted:
                found.append(Order(probe, tuple(inserted)))
        return found

    def _noisy(self) -> list[Order]:
        """Sizes with too many missed starts and, with several launches, those with wide
        intervals.
        """
        found = []
        for probe in self.probes:
            noisy = self.samples.late(probe)
            if self._target.launches > 1:
                known = self.samples.estimates(probe)
                noisy |= {size for size, entry in known.items() if entry.wide}
            if noisy and self._target.reference == "hardware":
                found.append(Order(probe, tuple(sorted(noisy))))
        return found


def make_curve(probe: Probe, estimates: dict[int, Estimate], late: bool = False) -> Curve:
    """The curve of a probe: line, protocol changes, and times that fall only at protocol changes.

    Times that fall within their intervals are made level; the curve is noisy if that moves one of
    them by more than the usual error of a measurement. late: the ranks often missed their start,
    which makes it noisy too.
    """
    sizes = np.array([*estimates], dtype=np.float64)
    medians, low, high = (
        np.array([getattr(entry, name) for entry in estimates.values()])
        for name in ("median", "low", "high")
    )
    noise = float(np.median((high - low) / (2 * medians)))
    bends = set(find_bends(sizes, medians, noise))
    bends |= {i for i in range(1, len(sizes)) if high[i] < low[i - 1] * (1 - STRAIGHT)}
    bends = {i for i in bends if medians[i] > DEEPEST_FALL * medians[i - 1]}
    level = _level(medians, sorted(bends))
    moved = float(np.max(np.abs(level / medians - 1.0)))
    latency, bandwidth, residual = fit_line(sizes, level)
    wide = any(entry.wide for entry in estimates.values())
    return Curve(
        sizes=tuple(estimates),
        seconds=tuple(map(float, level)),
        low=tuple(map(float, np.minimum(low, level))),
        high=tuple(map(float, np.maximum(high, level))),
        latency=min(latency, MEASURED_LATENCY.most or latency),
        bandwidth=float(np.clip(bandwidth, MEASURED_BANDWIDTH.least, MEASURED_BANDWIDTH.most)),
        residual=residual,
        bends=tuple(int(sizes[i]) for i in sorted(bends)),
        noisy=late or wide or moved > WIDE,
        **probe.labels,
    )


def _level(seconds: Floats, bends: Sequence[int]) -> Floats:
    """The times, made non-decreasing between bends."""
    edges = [0, *(i for i in bends if seconds[i] < seconds[i - 1]), len(seconds)]
    return np.concatenate([isotonic_regression(seconds[a:b]).x for a, b in pairwise(edges)])

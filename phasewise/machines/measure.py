"""Measures the messages of a machine: launches the probes, refines the sizes, repeats noisy ones,
and makes curves with straight lines and protocol changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from phasewise.machines.curves import DEEPEST_FALL, Curve, Floats
from phasewise.machines.deadline import Deadline
from phasewise.machines.journal import Journal, sample_line
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
from phasewise.mpi.launch import TooLongError

Say = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """How much is measured. refinements: passes that insert sizes; inserted: the most sizes that
    one pass adds to a probe; repetitions: of each size; again: of the sizes that are timed again.
    """

    refinements: int
    inserted: int
    repetitions: Repetitions
    again: Repetitions


FULL = Effort(3, 6, Repetitions(20, 300, 0.05), Repetitions(40, 1000, 0.15))
QUICK = Effort(1, 4, Repetitions(20, 100, 0.02), Repetitions(30, 200, 0.05))
"""The seconds are those of one size in one launch. Sizes whose first interval is wide, or whose
ranks often came too late, are timed again.
"""
HURRIED = Repetitions(5, 20, 0.02)
"""The repetitions of benchmarks that are timed one by one because all together did not end in
time.
"""

TOGETHER = 0.5
"""Share of the time left that a launch of all benchmarks together gets."""

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

    def launches_of(self, probe: Probe, size: int) -> int:
        """The number of launches that gave samples of a size."""
        return len(self._by_size[probe].get(size, ()))

    def late(self, probe: Probe) -> set[int]:
        """The sizes at which more than MISSED of the starts were missed."""
        return {
            size
            for size, parts in self._by_size[probe].items()
            if np.mean(np.concatenate([part.missed for part in parts])) > MISSED
        }


class Measurement:
    """One measurement of a target's messages.

    deadline: what is not measured by then is left out; journal: keeps what is measured, and already
    has what was measured before.
    """

    def __init__(
        self,
        target: Target,
        quick: bool,
        say: Say,
        deadline: Deadline | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.samples = Samples()
        self.missing: list[str] = []
        """What there was no time for, in words."""
        self.probes = probes_of(target.nodes, quick, target.sockets)
        self._target = target
        self._quick = quick
        self._effort = QUICK if quick else FULL
        self._say = say
        self._launch = 0
        self._deadline, self._journal = deadline, journal
        self._one_by_one = False
        for launch, sample in journal.samples(self.probes) if journal is not None else ():
            self.samples.add(launch, [sample])
            self._launch = max(self._launch, launch)

    def measure(self) -> tuple[Curve, ...]:
        """A curve for each probe, except for those for which there was no time."""
        self._take_first()
        for number in range(1, self._effort.refinements + 1):
            if not self._take(f"refinement {number}", self._bent()):
                break
        self._take("noisy sizes again", self._noisy(), self._effort.again)
        known = {probe: self.samples.estimates(probe) for probe in self.probes}
        self.missing += [f"the curve {probe.name}" for probe in self.probes if not known[probe]]
        return tuple(
            make_curve(probe, estimates, bool(self.samples.late(probe)))
            for probe, estimates in known.items()
            if estimates
        )

    def _first_sizes(self, probe: Probe) -> tuple[int, ...]:
        within = probe.level == "node" and self._target.reference == "hardware"
        return first_sizes(self._quick, within)

    def _take_first(self) -> None:
        """Time the first sizes of each probe, unless that has been done before."""
        what, complete = "first sizes", True
        for launch in range(self._target.launches):
            lacking = [
                Order(
                    probe,
                    tuple(
                        size
                        for size in self._first_sizes(probe)
                        if self.samples.launches_of(probe, size) <= launch
                    ),
                )
                for probe in self.probes
            ]
            orders = [order for order in lacking if order.sizes]
            if orders:
                self._tell(what, orders)
                complete &= self._time(orders, self._effort.repetitions)
        if not complete:
            self.missing.append(f"some of the {what}")

    def _lacking(self, probe: Probe, sizes: Sequence[int], launches: int) -> Order:
        """The sizes of which there are samples from this number of launches at most."""
        few = (size for size in sizes if self.samples.launches_of(probe, size) <= launches)
        return Order(probe, tuple(few))

    def _take(
        self, what: str, orders: Sequence[Order], repetitions: Repetitions | None = None
    ) -> bool:
        """Time the orders in every launch. Returns whether there were any."""
        if not orders:
            return False
        if self._journal is not None and what in self._journal.stages():
            return True
        self._tell(what, orders)
        wanted = repetitions or self._effort.repetitions
        done = [self._time(orders, wanted) for _ in range(self._target.launches)]
        if not all(done):
            self.missing.append(what)
        elif self._journal is not None:
            self._journal.add({"stage": what})
        return True

    def _tell(self, what: str, orders: Sequence[Order]) -> None:
        count = sum(len(order.sizes) for order in orders)
        self._say(f"{what}: {count} times of {len(orders)} benchmarks")

    def _time(self, orders: Sequence[Order], repetitions: Repetitions) -> bool:
        """Time the orders in one launch or, if that takes too long, each in a launch of its own
        with few repetitions. Returns whether there was time for all of them.
        """
        if self._deadline is None:
            self._execute(orders, repetitions, None)
            return True
        if not self._one_by_one and not self._deadline.passed:
            try:
                self._execute(orders, repetitions, TOGETHER * self._deadline.left)
                return True
            except TooLongError as error:
                self._say(f"{error}: the benchmarks are timed one by one, with few repetitions")
                self._one_by_one = True
        done = [self._hurry(orders, number) for number in range(len(orders))]
        return all(done)

    def _hurry(self, orders: Sequence[Order], number: int) -> bool:
        """Time one of the orders in its share of the time left. Returns whether that was enough."""
        assert self._deadline is not None
        if self._deadline.passed:
            return False
        try:
            limit = self._deadline.left / (len(orders) - number)
            self._execute([orders[number]], HURRIED, limit)
        except TooLongError:
            return False
        return True

    def _execute(
        self, orders: Sequence[Order], repetitions: Repetitions, limit: float | None
    ) -> None:
        self._launch += 1
        limited = {} if limit is None else {"limit": limit}
        answer = self._target.execute(orders, repetitions, self._launch, **limited)
        self.samples.add(self._launch, answer.samples)
        if self._journal is not None:
            for sample in answer.samples:
                self._journal.add(
                    {
                        "launch": self._launch,
                        "of": sample.probe.name,
                        "sample": sample_line(self._launch, sample),
                    }
                )

    def _bent(self) -> list[Order]:
        """Orders for the sizes to insert where times leave the straight line."""
        found = []
        for probe in self.probes:
            known = self.samples.estimates(probe)
            if not known:
                continue
            noise = np.array([entry.half_width for entry in known.values()])
            medians = np.array([entry.median for entry in known.values()])
            sizes = np.array([*known], dtype=np.float64)
            inserted = sizes_between(sizes, medians, noise, self._effort.inserted)
            if inserted and self._target.reference == "hardware":
                # Their neighbours are timed again, so that a change of the machine's load widens
                # the intervals and is not taken for a protocol change.
                places = np.searchsorted(sizes, inserted)
                inserted = sorted({*inserted, *map(int, sizes[[*(places - 1), *places]])})
            if inserted:
                found.append(Order(probe, tuple(inserted)))
        return found

    def _noisy(self) -> list[Order]:
        """Orders for sizes with too many missed starts and, with several launches, for those with
        wide intervals.
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
    from scipy.optimize import isotonic_regression

    edges = [0, *(i for i in bends if seconds[i] < seconds[i - 1]), len(seconds)]
    return np.concatenate([isotonic_regression(seconds[a:b]).x for a, b in pairwise(edges)])

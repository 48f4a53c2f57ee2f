"""Simulated times of COMMTEST on the source's machines, by operator, protocol, pairs and length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from phasewise.machines import load_machine
from phasewise.machines.turn_times import TurnTime
from phasewise.models.simulated_ranks import SimulatedRanks
from phasewise.reproduction.telling import Telling
from phasewise.study import Study
from phasewise.workloads.commtest.model import model_of
from phasewise.workloads.commtest.pairs import pairs_of, ranges_of

X1, P690, ALTIX = "phoenix", "p690", "altix"
SWAP, ECHO = "swap", "echo"
MPI, SHMEM = "sendrecv", "shmem"
NEAR, FAR = "0-1", "0-8"
TWO, MANY = "i-(i+8), i=0..1", "i-(i+8), i=0..7"

FEWEST_RANKS = 16
QUICK_LENGTHS = (8, 128, 1024, 4096, 8192, 16384, 65536, 2**20, 2**24)


@dataclass(frozen=True)
class Curve:
    """A line of a picture: over the length of a message."""

    machine: str
    pairs: str
    operator: str = SWAP
    protocol: str = MPI

    @property
    def ranks(self) -> int:
        """As many as hold the pairs."""
        return max(FEWEST_RANKS, 1 + max(map(max, pairs_of(ranges_of(self.pairs), 0))))


CURVES = (
    *(Curve(X1, pairs) for pairs in (NEAR, FAR, TWO, MANY)),
    *(Curve(X1, pairs, ECHO) for pairs in (NEAR, MANY)),
    *(Curve(X1, pairs, operator, SHMEM) for operator in (SWAP, ECHO) for pairs in (NEAR, MANY)),
    *(Curve(ALTIX, pairs) for pairs in (NEAR, TWO, MANY, "96-192")),
    *(Curve(P690, pairs) for pairs in (NEAR, "0-32")),
)
"""What the claims and pictures need: pairs of two nodes are 0-8 on the X1, 0-32 on the p690 and, as
the source has them, 96-192 on the Altix.
"""


@dataclass(frozen=True)
class Point:
    """An exchange's time, and the bandwidth of a pair [B/s]."""

    time: TurnTime
    bandwidth: float


Times = Mapping[Curve, Mapping[int, Point]]
"""By length [bytes]."""


def simulated_times(lengths: Sequence[int], workers: int) -> Times:
    """Simulate all curves."""
    every: dict[tuple[str, int], list[Curve]] = {}
    for curve in CURVES:
        every.setdefault((curve.machine, curve.ranks), []).append(curve)
    found: dict[Curve, dict[int, Point]] = {}
    for (machine, ranks), curves in every.items():
        telling = Telling(f"exchanges between pairs on {machine}")
        timer = SimulatedRanks(load_machine(machine), ranks, workers=workers, progress=telling)
        studies = [_study(curve, length) for curve in curves for length in lengths]
        points = iter(map(_point, studies, timer(studies)))
        for curve in curves:
            found[curve] = {length: next(points) for length in lengths}
    return {curve: found[curve] for curve in CURVES}


def _point(study: Study, time: TurnTime) -> Point:
    return Point(time, model_of(study).bandwidth(time.seconds))


def _study(curve: Curve, length: int) -> Study:
    own = {"operator": curve.operator, "bytes": length, "pairs": curve.pairs, "verify": False}
    return Study.from_dict(
        {
            "workload": "commtest",
            "exchanges": 1,
            "commtest": own,
            "communication": {"protocol": curve.protocol},
        }
    )

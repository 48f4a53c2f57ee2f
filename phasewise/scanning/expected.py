"""How long a scan will take, from a few turns of one of its points."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from phasewise.errors import PhasewiseError
from phasewise.mpi.progress import duration
from phasewise.output import number_of
from phasewise.scanning.definition import Definition
from phasewise.scanning.folder import COMPLETE, ScanFolder
from phasewise.scanning.scan import Request
from phasewise.study import Study
from phasewise.tuning.verification import TIMED, WARM_UP, turn_seconds

FEWEST_TURNS = 5 * (WARM_UP + TIMED)
"""A point of fewer turns is run as quickly as it is timed."""
LONG = 3600.0
"""Seconds beyond which a person is asked."""


@dataclass(frozen=True)
class Expected:
    """The seconds that the points which are left will take, `jobs` at a time, if each of their
    turns takes what those of one point took, which were timed alone.
    """

    seconds: float
    points: int
    jobs: int
    turn: float
    unit: str

    @property
    def sentence(self) -> str:
        """What to say before the scan begins."""
        return (
            f"{number_of(self.points, 'point')} will take about {duration(self.seconds)}, "
            f"{self.jobs} at a time, if all are like the first, whose {self.unit} takes "
            f"{self.turn:.3g} s"
        )


def expected(definition: Definition, request: Request) -> Expected | None:
    """How long this part of a scan will take; None for points of few turns, which are not timed,
    and where the timed point fails.
    """
    studies = _left(definition, request)
    if not studies or min(study.count for study in studies) < FEWEST_TURNS:
        return None
    first = studies[0]
    try:
        turn = turn_seconds(first, request.ranks, request.threads)
    except PhasewiseError:
        return None  # the point's own run says why
    jobs = request.points_at_a_time()
    shared = min(jobs * request.batch, len(studies))
    seconds = turn * sum(study.count for study in studies) / shared
    return Expected(seconds, len(studies), shared, turn, first.workload.unit.one)


def _left(definition: Definition, request: Request) -> list[Study]:
    """The studies of the points of this part that are not complete and can be run."""
    folder, (place, parts) = ScanFolder(request.out), request.part
    found = []
    for point in definition.points:
        if point.number % parts != place % parts or folder.state(point).status == COMPLETE:
            continue
        with suppress(PhasewiseError):
            study = definition.study_of(point)
            study.check_ranks(request.ranks)
            found.append(study)
    return found

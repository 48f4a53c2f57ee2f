"""The model `measured`: terms in ranks and sizes, fitted to recorded runs, for extrapolation.

The time of each phase is a sum of a few terms with non-negative factors. The terms are those of the
performance model normal form, p^i log2(p)^j of p ranks (Calotoiu, Hoefler, Poke, Wolf, "Using
automated performance modeling to find scalability bugs in complex codes", SC13 (2013), section 3),
the messages and the bytes that the rank which sends most sends in a turn, and the bytes times such
a term. The hypothesis that best predicts each run from the others is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import nnls

from phasewise.errors import StudyError
from phasewise.models.model import Case, Floats, PhaseMessages
from phasewise.traces.records import CommunicationRecord, Phase, read_communication

NAME = "measured"
TITLE = "terms in ranks and sizes, fitted to recorded runs"
WAITING_INCLUDED = True
"""Recorded times of phases include waiting for ranks that compute longer."""

FEWEST = 3
"""Fewest different runs, so that a hypothesis can be judged by a run that it was not fitted to."""
FEWEST_OF_PHASE = 2
"""Fewest of these runs with a given phase; on few ranks some grids lack the phases of columns or
rows.
"""

POWERS = [Fraction(text) for text in ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1", "5/4", "3/2")]
LOGARITHMS = (0, 1, 2)

MARGIN = 0.9
"""A hypothesis with more terms must reduce the prediction error at least to this share."""


@dataclass(frozen=True)
class Point:
    """What a phase of a run is described by: ranks, and messages and bytes [B] of the rank that
    sends most in it, per turn.
    """

    ranks: float
    messages: float
    bytes: float


Term = Callable[[Point], float]
Hypothesis = tuple[Term, ...]


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase; StudyError if too few runs were given, or other ones."""
    records = _read(case)
    return {phase.name: _phase_seconds(case, phase, records) for phase in case.phases}


def _phase_seconds(
    case: Case, phase: PhaseMessages, records: Sequence[CommunicationRecord]
) -> float:
    recorded = [(record, record.phase(phase.name)) for record in records]
    found = [(record, own) for record, own in recorded if own is not None]
    if len(found) < FEWEST_OF_PHASE:
        raise StudyError(
            f'model "{NAME}": {len(found)} of the recorded runs have the phase {phase.name}; give '
            f"{FEWEST_OF_PHASE} with it or more, of the study's algorithms"
        )
    library = any(own.library for _, own in found)
    points = [_recorded_point(record, own, library) for record, own in found]
    times = [float(np.mean(own.communicating)) / record.turns for record, own in found]
    return fit(points, np.array(times))(_planned_point(case, phase, library))


def _read(case: Case) -> list[CommunicationRecord]:
    records = [read_communication(folder) for folder in case.records]
    records = [record for record in records if record.turns > 0 and record.ranks > 1]
    sources = sorted({record.source for record in records})
    if len(sources) > 1:
        raise StudyError(
            f'model "{NAME}" is fitted to runs of one machine, but some were {sources[0]} and '
            f"others {sources[1]}: give runs of the same kind"
        )
    shapes = {
        (record.ranks, tuple(int(phase.bytes.sum()) // record.turns for phase in record.phases))
        for record in records
    }
    if len(shapes) < FEWEST:
        raise StudyError(
            f'model "{NAME}" is fitted to {FEWEST} recorded runs or more that differ in ranks or '
            f"sizes, but {len(shapes)} were given: add folders of runs with --fit"
        )
    return records


def _recorded_point(record: CommunicationRecord, own: Phase, library: bool) -> Point:
    """The data point of a run. Runs do not record the messages inside a library call."""
    if library:
        return Point(record.ranks, 1.0, 1.0)
    messages, size = max(zip(own.messages.tolist(), own.bytes.tolist(), strict=True))
    return Point(record.ranks, messages / record.turns, size / record.turns)


def _planned_point(case: Case, phase: PhaseMessages, library: bool) -> Point:
    if library:
        return Point(case.ranks, 1.0, 1.0)
    return Point(case.ranks, float(phase.count.sum()), float(phase.count @ phase.bytes))


def fit(points: Sequence[Point], times: Floats) -> Callable[[Point], float]:
    """A function that predicts the seconds at any point: the best hypothesis for `times` (n,) [s]
    at n points.
    """
    if not np.any(times > 0):
        return lambda _: 0.0
    weights = 1 / np.maximum(times, 1e-3 * times.max())  # errors count relative to the time
    best: tuple[float, Hypothesis] = (np.inf, (_one,))
    for hypothesis in _hypotheses():
        error = _prediction_error(_matrix(points, hypothesis), times, weights)
        simpler = len(hypothesis) <= len(best[1])
        if error < best[0] * (1.0 if simpler else MARGIN):
            best = error, hypothesis
    chosen = best[1]
    factors = _factors(_matrix(points, chosen), times, weights)
    return lambda point: float((_matrix([point], chosen) @ factors)[0])


def _one(_: Point) -> float:
    return 1.0


def _hypotheses() -> Iterator[Hypothesis]:
    """All hypotheses, simple ones first."""

    def messages(point: Point) -> float:
        return point.messages

    def size(point: Point) -> float:
        return point.bytes

    powers = [(power, log) for power, log in product(POWERS, LOGARITHMS) if power or log]
    yield (_one,)
    yield (messages,)
    yield (size,)
    yield (messages, size)
    yield (_one, messages)
    yield (_one, size)
    for power, logarithm in powers:
        yield (_one, _growing(power, logarithm, False))
        yield (messages, _growing(power, logarithm, True))
    yield (_one, messages, size)


def _growing(power: Fraction, logarithm: int, by_bytes: bool) -> Term:
    def term(point: Point) -> float:
        growth = point.ranks ** float(power) * np.log2(point.ranks) ** logarithm
        return float(growth) * (point.bytes if by_bytes else 1.0)

    return term


def _matrix(points: Sequence[Point], hypothesis: Hypothesis) -> Floats:
    return np.array([[term(point) for term in hypothesis] for point in points])


def _prediction_error(matrix: Floats, times: Floats, weights: Floats) -> float:
    """Mean square of the relative errors, each run predicted from the others; infinite if the other
    runs do not determine the factors.
    """
    count, terms = matrix.shape
    errors = np.empty(count)
    for left in range(count):
        others = np.arange(count) != left
        scaled = matrix[others] * weights[others, None]
        scale = np.linalg.norm(scaled, axis=0)
        if not scale.all() or np.linalg.matrix_rank(scaled / scale, tol=1e-6) < terms:
            return float("inf")
        factors = _factors(matrix[others], times[others], weights[others])
        errors[left] = (matrix[left] @ factors - times[left]) * weights[left]
    return float(np.mean(errors**2))


def _factors(matrix: Floats, times: Floats, weights: Floats) -> Floats:
    """Non-negative least squares of the relative errors."""
    scaled = matrix * weights[:, None]
    scale = np.linalg.norm(scaled, axis=0)
    scale[scale == 0] = 1.0
    found, _ = nnls(scaled / scale, times * weights)
    return np.asarray(found / scale)

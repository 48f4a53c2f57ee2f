"""The model `measured`: the plan's rounds on the machine's network, fitted to recorded runs.

The terms of a phase are what its rounds of messages need on the described network if all ranks
enter each round together: latency and transfer, within nodes and between them
(phasewise/models/rounds.py). Factors of three sorts are fitted to runs: one for each term, the same
in all phases; one for each phase; and two for waiting, one for the slowest rank of each round and
one for the rank with the most work in each step. A factor that the runs do not determine stays near
1, its value for the machine as described.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phasewise.errors import StudyError
from phasewise.models.computation import IMBALANCE, OTHER, kernel_seconds, overhead_seconds
from phasewise.models.model import Case, Floats, Turn
from phasewise.models.recorded_run import Recorded, read_run
from phasewise.models.rounds import LEVELS, TERMS, RoundCosts, round_costs

NAME = "measured"
TITLE = "rounds of the plan on the described network, fitted to recorded runs"

FEWEST = 3
"""Fewest different runs. With fewer, a run that was disturbed would be taken for the rule."""
PRIOR = 0.1
"""Fitting a factor of 2 instead of 1 counts as much as this relative error of all runs, so that
terms that are a smaller part of the time keep the factor 1 of the description.
"""
NEGLIGIBLE = 0.01
"""Largest share of the communication for terms that no run determines."""
FARTHEST = 4
"""Libraries are assumed to call the same algorithms up to this many times the ranks of the largest
run.
"""
MOST_BY_LIBRARY = 0.1
"""Largest share of the communication for calls of the library beyond that."""


@dataclass(frozen=True)
class Observed:
    """A run: its terms, and the seconds of a turn, means over the ranks.

    transfer: the seconds of phases without the recorded waiting. communicating: those of all
    phases, with the waiting. imbalance: how long the mean rank waits if all ranks enter each step
    together. computing: what passed beside communication. kernels: what the machine's rates give
    for computing.
    """

    ranks: int
    costs: tuple[RoundCosts, ...]
    transfer: Mapping[str, float]
    communicating: float
    imbalance: float
    computing: float
    kernels: float


@dataclass(frozen=True)
class Fit:
    """Factors of the terms (TERMS,), of phases by name, of waiting in rounds and in steps, and of
    computing.

    known (TERMS,): whether any run has the term. ranks: the most ranks of any run.
    """

    terms: Floats
    phases: Mapping[str, float]
    rounds_waiting: float
    steps_waiting: float
    computing: float
    known: tuple[bool, ...]
    ranks: int

    def transfer(self, phase: RoundCosts) -> float:
        """Seconds of the mean rank in a phase, if nobody waits."""
        return self.phases.get(phase.name, 1.0) * float(phase.mean @ self.terms)

    def waiting(self, phase: RoundCosts) -> float:
        """Seconds for which the mean rank waits in a phase for the slowest rank of each round."""
        gap = float((phase.longest - phase.mean) @ self.terms)
        return self.rounds_waiting * self.phases.get(phase.name, 1.0) * gap


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase, if nothing is computed; StudyError as in `follow`."""
    return follow(case, computation=False).phases


def follow(case: Case, computation: bool = True) -> Turn:
    """The turn. StudyError if the runs are too few or of different kinds, or if terms that they do
    not determine are too large a part of the turn.
    """
    found = fit([_observed(run, case) for run in _read(case)])
    costs = round_costs(case, NAME)
    transfer = {one.name: found.transfer(one) for one in costs}
    waiting = {one.name: found.waiting(one) for one in costs}
    _check_levels(case, found, costs)
    _check_library(case, found, costs)
    imbalance, kernels = _computing(case) if computation else (0.0, 0.0)
    waited = sum(waiting.values()) + found.steps_waiting * imbalance
    computing = found.computing * kernels
    communicating = sum(transfer.values()) + waited
    phases = {name: seconds + waiting[name] for name, seconds in transfer.items()}
    return Turn(phases, communicating, waited, computing, computing + communicating)


def _computing(case: Case) -> tuple[float, float]:
    """Seconds of waiting for the rank with the most work, and seconds of the mean rank's
    kernels.
    """
    kernels = kernel_seconds(case)
    imbalance = kernels.pop(IMBALANCE, 0.0)
    kernels.pop(OTHER, None)
    return imbalance, sum(kernels.values())


def _read(case: Case) -> list[Recorded]:
    runs = [read_run(folder) for folder in case.records]
    runs = [run for run in runs if run.record.ranks > 1]
    sources = sorted({run.record.source for run in runs})
    if len(sources) > 1:
        raise StudyError(
            f'model "{NAME}" is fitted to runs of one machine, but some were {sources[0]} and '
            f"others {sources[1]}: give runs of the same kind"
        )
    if len({_shape(run) for run in runs}) < FEWEST:
        raise StudyError(
            f'model "{NAME}" is fitted to {FEWEST} recorded runs or more that differ in ranks or '
            f"sizes, but {len({_shape(run) for run in runs})} were given: add folders of runs with "
            "--fit"
        )
    return runs


def _shape(run: Recorded) -> tuple[int, ...]:
    """What distinguishes runs: the ranks, and the bytes of each phase in a turn."""
    record = run.record
    return record.ranks, *(int(phase.bytes.sum()) // record.turns for phase in record.phases)


def _observed(run: Recorded, case: Case) -> Observed:
    own = Case(run.study, case.machine, run.record.ranks, run.twin, run.pieces)
    imbalance, kernels = _computing(own) if run.computes else (0.0, 0.0)
    transfer = {
        phase.name: float(np.mean(phase.communicating - np.nan_to_num(phase.waiting)))
        / run.record.turns
        for phase in run.record.phases
        if phase.communicates
    }
    communicating = sum(run.phases.values())
    beside = float(np.mean(run.record.rank_seconds)) / run.record.turns - communicating
    return Observed(
        ranks=run.record.ranks,
        costs=round_costs(own, NAME),
        transfer=transfer,
        communicating=communicating,
        imbalance=imbalance,
        computing=max(beside - overhead_seconds(own), 0.0) if run.computes else 0.0,
        kernels=kernels,
    )


def fit(runs: Sequence[Observed]) -> Fit:
    """The factors with which the terms give the seconds of the runs."""
    rows = [
        (one.mean, run.transfer[one.name], run.communicating)
        for run in runs
        for one in run.costs
        if run.transfer.get(one.name, 0.0) > 0 and one.mean.any()
    ]
    matrix = np.array([mean for mean, _, _ in rows]).reshape(-1, len(TERMS))
    times = np.array([seconds for _, seconds, _ in rows])
    # Relative errors count, and those of a phase in proportion to its share of the communication.
    weights = 1 / np.sqrt(times * np.array([whole for _, _, whole in rows]))
    terms = _factors(matrix, times, weights)
    known = tuple(bool(column.any()) for column in matrix.T)
    ranks = max(run.ranks for run in runs)
    of_phases = _phase_factors(runs, terms)
    transfers = Fit(terms, of_phases, 1.0, 1.0, 1.0, known, ranks)
    whole = np.array([run.communicating for run in runs])
    rounds = [sum(map(transfers.waiting, run.costs)) for run in runs]
    waited = whole - [sum(map(transfers.transfer, run.costs)) for run in runs]
    both = np.stack([rounds, [run.imbalance for run in runs]], axis=1)
    in_rounds, in_steps = _factors(both, waited, 1 / np.maximum(whole, 1e-300))
    computing = _ratio([run.computing for run in runs], [run.kernels for run in runs])
    return Fit(terms, of_phases, float(in_rounds), float(in_steps), computing, known, ranks)


def _ratio(measured: Sequence[float], expected: Sequence[float]) -> float:
    """The ratio of the sums; 1 if one of them is nothing."""
    return sum(measured) / sum(expected) if min(sum(measured), sum(expected)) > 0 else 1.0


def _phase_factors(runs: Iterable[Observed], terms: Floats) -> dict[str, float]:
    """What each phase takes, relative to what the terms give."""
    measured: dict[str, float] = {}
    expected: dict[str, float] = {}
    for run in runs:
        for one in run.costs:
            if one.name in run.transfer and one.mean.any():
                measured[one.name] = measured.get(one.name, 0.0) + run.transfer[one.name]
                expected[one.name] = expected.get(one.name, 0.0) + float(one.mean @ terms)
    return {name: measured[name] / seconds for name, seconds in expected.items() if seconds > 0}


def _factors(matrix: Floats, times: Floats, weights: Floats) -> Floats:
    """Non-negative factors of the columns, near 1 where the rows do not determine them."""
    from scipy.optimize import nnls

    scaled, wanted = matrix * weights[:, None], times * weights
    # A column that is a small part of the times would absorb what the others leave and move far
    # from 1; the prior lets it move only as far as it matters.
    prior = PRIOR * (float(np.linalg.norm(wanted)) or 1.0)
    ones = np.ones(matrix.shape[1])
    found, _ = nnls(
        np.concatenate([scaled, np.diag(prior * ones)]), np.concatenate([wanted, prior * ones])
    )
    return np.asarray(found, dtype=np.float64)


def _check_levels(case: Case, found: Fit, costs: Sequence[RoundCosts]) -> None:
    seconds = sum((one.mean for one in costs), np.zeros(len(TERMS)))
    for level, terms in LEVELS.items():
        if not any(found.known[terms]) and seconds[terms].sum() > NEGLIGIBLE * seconds.sum():
            raise StudyError(
                f'model "{NAME}": on {case.ranks} ranks messages go {level}, which they do in '
                "none of the runs that were given: add a run in which they do with --fit"
            )


def _check_library(case: Case, found: Fit, costs: Sequence[RoundCosts]) -> None:
    whole = sum(map(found.transfer, costs))
    called = {one.name: found.transfer(one) for one in costs if one.library}
    if case.ranks > FARTHEST * found.ranks and sum(called.values()) > MOST_BY_LIBRARY * whole:
        largest = max(called, key=lambda name: called[name])
        raise StudyError(
            f'model "{NAME}": on {case.ranks} ranks calls of the library such as {largest} take '
            f"{100 * sum(called.values()) / whole:.0f} % of the communication, and beyond "
            f"{FARTHEST} times the ranks of the largest run, {found.ranks}, it may choose another "
            "algorithm: add a larger run with --fit"
        )

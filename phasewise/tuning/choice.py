"""``phasewise tune``: process grid, layout and algorithms for a machine, predicted and verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from phasewise.models.causes import likely_cause, wrong_prediction
from phasewise.output import message
from phasewise.tuning.candidates import sampled_steps
from phasewise.tuning.search import CandidateSearch, Entry, Problem, finalists, verify
from phasewise.tuning.verification import why_not_here

BOUNDED = 12
"""How many of the best candidates have an interval that takes in uncertain rates."""


@dataclass(frozen=True)
class Tuned:
    """The result of a search: all entries, verified ones first, and the choice. baseline: the
    study as it is; None if it does not suit the ranks.
    """

    problem: Problem
    entries: list[Entry]
    baseline: Entry | None

    @property
    def choice(self) -> Entry:
        """The fastest entry that was verified; if none was, the entry with the best prediction."""
        tried = [entry for entry in self.entries if entry.verified is not None]
        return min(tried, key=_time) if tried else self.entries[0]

    @property
    def gain(self) -> float | None:
        """The time of a turn of the study as it is, divided by that with the choice; both times are
        verified, or neither is. None if one of them is not known, or if nothing takes time, as a
        rank alone that neither computes nor sends.
        """
        before = self.baseline_seconds
        return None if before is None or not self.choice_seconds else before / self.choice_seconds

    @property
    def baseline_seconds(self) -> float | None:
        """Seconds of a turn of the study as it is; they are verified if the choice is."""
        return None if self.baseline is None else _time(self.baseline)

    @property
    def choice_seconds(self) -> float:
        """Seconds of a turn with the choice."""
        return _time(self.choice)

    @property
    def sampled_steps(self) -> list[int] | None:
        """How many of how many steps were simulated to verify; None if all were, or if nothing was
        verified.
        """
        if self.choice.verified is None or self.problem.machine.is_hardware:
            return None
        return sampled_steps(self.problem.study, self.choice.ranks)

    @property
    def wrong(self) -> str | None:
        """The sentence on the choice's prediction, with the likely cause, if the verified time lies
        outside of its interval; else None.
        """
        choice, unit = self.choice, self.problem.timed
        if choice.verified is None or choice.inside:
            return None
        today = datetime.now(UTC).date().isoformat()
        cause = likely_cause(self.problem.machine, choice.core_share, today)
        ends = (choice.low, choice.high)
        whose = f"of the choice by model {choice.model}"
        return wrong_prediction(whose, choice.verified, ends, cause, unit)

    @property
    def disturbed(self) -> str | None:
        """The sentence on the verifying run whose ranks had the least of a core, if that was too
        little.
        """
        tried = [*self.entries, *([self.baseline] if self.baseline else [])]
        shares = [entry.core_share for entry in tried if entry.core_share is not None]
        least = min(shares, key=lambda share: share.share, default=None)
        return least.sentence if least is not None and least.disturbed else None

    def summary(self) -> dict[str, Any]:
        """What ``tune --json`` prints; times [s] are of one turn."""
        problem, choice = self.problem, self.choice
        unit = problem.study.workload.unit.one
        return {
            "machine": problem.machine.name,
            "reference": "hardware" if problem.machine.is_hardware else "simulator",
            "twin": problem.twin,
            "model": problem.model_name,
            "ranks": choice.ranks,
            "threads": choice.threads,
            "seconds_of": unit,
            "first": problem.first,
            "choice": choice.candidate.communication(),
            "expected_seconds": choice.predicted,
            "low": choice.low,
            "high": choice.high,
            "verified_seconds": choice.verified,
            "core_share": None if choice.core_share is None else choice.core_share.share,
            "wrong": self.wrong,
            "baseline_seconds": self.baseline_seconds,
            "gain": self.gain,
            "sampled_steps": self.sampled_steps,
            "candidates": [entry.to_dict() for entry in self.entries],
        }


def tune(problem: Problem, verified: int, cache: Path | None = None) -> Tuned:
    """Search, then run the `verified` best; StudyError or RunError if that cannot be done.

    cache: a folder that keeps verifying simulations; None: they are not kept. If the machine's file
    was measured on another computer, nothing is run and a message says so.
    """
    search = CandidateSearch(problem, message)
    baseline, entries = search.baseline(), search.run()
    chosen = finalists(entries, verified)
    if chosen and not _runs_here(problem, chosen):
        chosen = []
    # The others are far from the choice, and each interval takes several predictions.
    shown = {*map(id, chosen), *map(id, entries[:BOUNDED])}
    entries = [search.with_rates(one) if id(one) in shown else one for one in entries]
    chosen = finalists(entries, len(chosen))
    if not chosen:
        return Tuned(problem, entries, baseline)
    first = [] if baseline is None else [baseline]
    tried = verify(problem, [*first, *chosen], message, cache)
    if first:
        baseline = tried.pop(0)
    left = [entry for entry in entries if entry not in chosen]
    return Tuned(problem, [*sorted(tried, key=_time), *left], baseline)


def _time(entry: Entry) -> float:
    """Seconds of a turn: the verified ones, or else the predicted ones."""
    return entry.predicted if entry.verified is None else entry.verified


def _runs_here(problem: Problem, chosen: Sequence[Entry]) -> bool:
    if not problem.machine.is_hardware:
        return True
    cores = max(entry.ranks * entry.threads for entry in chosen)
    reason = why_not_here(problem.machine, cores)
    if reason is not None:
        message(f"nothing is verified: {reason}")
    return reason is None

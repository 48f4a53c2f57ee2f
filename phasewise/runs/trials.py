"""Finds the fastest of some candidates, one of them the study's own choice, by successive halving
in a bounded number of turns.

In a round each remaining candidate runs one turn to settle (buffers and connections are made on
first use) and then some timed turns; the slower half is dropped. The first candidate is the
baseline: it is never dropped, and it wins unless another one is faster by more than the noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

MAX_TURNS = 60
"""Most turns of a search."""

WARM_UP = 1
"""Turns that a candidate runs before the timed ones whenever it is switched to."""

ENOUGH = 3
"""Fewest timed turns on which a choice may rest."""

FINALISTS = 3
"""Candidates in the last round: the two fastest, and the baseline."""

MIN_GAIN = 0.01
"""Smallest gain for which the study's choice is given up, as a share of its time."""

ERRORS = 2.0
"""Standard errors by which a faster candidate must differ."""


@dataclass
class Trial:
    """One candidate: what it changes in the study's choice, and its timed turns [s]."""

    changes: dict[str, Any]
    seconds: list[float] = field(default_factory=list)
    turns: int = 0
    """All its turns, timed or not."""
    note: str = ""
    """Why it was not tried to the end; empty if it was."""

    @property
    def median(self) -> float:
        """Median of the timed turns [s]; infinite without any."""
        return median(self.seconds) if self.seconds else math.inf

    @property
    def error(self) -> float:
        """Standard error of the median [s], from the median absolute deviation.

        For normal noise of deviation σ the median absolute deviation is σ/1.4826, and the
        median's error is sqrt(π/2) σ/sqrt(n).
        """
        if len(self.seconds) < 2:
            return 0.0
        middle = self.median
        deviation = 1.4826 * median(abs(value - middle) for value in self.seconds)
        return math.sqrt(math.pi / 2 / len(self.seconds)) * deviation

    def beats(self, other: Trial) -> bool:
        """Whether it is faster than `other` by more than the noise of both."""
        noise = ERRORS * math.hypot(self.error, other.error)
        gain = other.median - self.median
        return bool(gain > max(noise, MIN_GAIN * other.median))


Visits = list[tuple[int, int]]
"""Candidates of a round, by number, and how many timed turns each gets."""


class Halving:
    """Successive halving over candidates, independent of ranks and driver."""

    def __init__(
        self, candidates: Sequence[dict[str, Any]], budget: int, turns: str = "turns"
    ) -> None:
        """candidates: the changes of each candidate; first the baseline, which has none, then the
        others, the most promising ones first.

        budget: most turns of the search; if they do not suffice, the last candidates are not tried.
        turns: what the workload calls its turns.
        """
        self.trials = [Trial(changes) for changes in candidates]
        count = len(candidates)
        while count > 1 and turns_needed(count) > budget:
            count -= 1
        for trial in self.trials[count:]:
            trial.note = f"not tried: too few {turns}"
        self._left = list(range(count))
        self._rounds = rounds(count)
        self._done = 0

    @property
    def finished(self) -> bool:
        """Whether `choice` is final."""
        return self._done == len(self._rounds) or len(self._left) < 2

    def next_round(self) -> Visits:
        """The candidates to be tried next, the baseline first."""
        _, timed = self._rounds[self._done]
        return [(number, timed) for number in sorted(self._left)]

    def refuse(self, number: int, note: str) -> None:
        """Take out candidate `number`, which cannot be used."""
        self.trials[number].note = note
        self._left.remove(number)

    def round_done(self) -> None:
        """Drop the slower ones, now that the round's times are in `trials`."""
        self._done += 1
        if self.finished:
            return
        combined = self._combined() if self._done == 1 else {}
        keep = self._rounds[self._done][0] - bool(combined)
        ordered = sorted(self._left, key=lambda number: self.trials[number].median)
        for number in ordered[keep:]:
            if number != 0:
                self.trials[number].note = f"dropped in round {self._done}"
        self._left = sorted({0, *ordered[:keep]})
        if combined:
            self._left.append(len(self.trials))
            self.trials.append(Trial(combined))

    def _combined(self) -> dict[str, Any]:
        """The changes of all candidates that beat the baseline, combined as far as they set
        different keys; empty if fewer than two do.
        """
        base = self.trials[0]
        faster = [self.trials[n] for n in self._left if self.trials[n].beats(base)]
        changes: dict[str, Any] = {}
        used = 0
        for trial in sorted(faster, key=lambda trial: trial.median):
            if not changes.keys() & trial.changes.keys():
                changes |= trial.changes
                used += 1
        return changes if used > 1 else {}

    def choice(self) -> Trial:
        """The fastest candidate with enough timed turns if it beats the baseline, or else the
        baseline.
        """
        base = self.trials[0]
        tried = [self.trials[number] for number in self._left]
        best = min(
            (trial for trial in tried if len(trial.seconds) >= ENOUGH),
            key=lambda trial: trial.median,
            default=base,
        )
        return best if best.beats(base) else base

    def turns(self) -> int:
        """Turns that went into the search."""
        return sum(trial.turns for trial in self.trials)


def rounds(count: int) -> list[tuple[int, int]]:
    """The number of candidates and of timed turns for each in every round; after the first round
    the baseline is not counted.
    """
    if count < 2:
        return []
    if count <= FINALISTS:
        return [(count, ENOUGH), (count, ENOUGH)]
    half = min(count, (count + 1) // 2 + 1)
    first = next(t for t in (3, 2, 1) if t == 1 or count * (WARM_UP + t) <= MAX_TURNS * 0.4)
    return [(count, first), (half, 2), (FINALISTS - 1, ENOUGH)]


def turns_needed(count: int) -> int:
    """The most turns that a search among this number of candidates needs."""
    return sum(
        (most + (index > 0 and count > 2)) * (WARM_UP + timed)
        for index, (most, timed) in enumerate(rounds(count))
    )


def summary_of(trial: Trial) -> Mapping[str, Any]:
    """A trial as `tuning.json` has it: times in s, null without any."""
    return {
        "changes": trial.changes,
        "turns": trial.turns,
        "seconds": trial.median if trial.seconds else None,
        "error": trial.error if trial.seconds else None,
        "timed": len(trial.seconds),
        "note": trial.note,
    }

"""``phasewise compare``: times from runs or from a simulator, relative to those that models
predict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.models import Case, Prediction, predict
from phasewise.models.causes import held_up_on, likely_cause, wrong_prediction
from phasewise.models.discovery import chosen_models
from phasewise.models.interval import residuals_of, spread
from phasewise.models.prediction import bounded
from phasewise.models.recorded_run import Recorded
from phasewise.models.uncertain import widened
from phasewise.traces.unlike import SAMPLED_COMMUNICATION, SAMPLED_TURN


@dataclass(frozen=True)
class Point:
    """One run beside one prediction of it; seconds are of a turn.

    `spread`: where the prediction's interval comes from. Where the turns of the run, or those that
    the model follows, differ from each other, the interval is wider by what their mean may be off.
    """

    run: Recorded
    predicted: Prediction
    spread: str
    machine: Machine

    @property
    def measured_seconds(self) -> float:
        """Communication of all phases, mean over the ranks."""
        return sum(self.run.phases.values())

    @property
    def ratio(self) -> float | None:
        """Measured over predicted; None if nothing is predicted."""
        return ratio(self.measured_seconds, self.predicted.communication_seconds)

    @property
    def measured_waiting(self) -> float:
        """Waiting for late senders, a part of the communication, mean over the ranks."""
        return self.run.waiting

    @property
    def measured_turn(self) -> float | None:
        """The whole turn; None if computation took no time."""
        record = self.run.record
        return record.seconds / max(record.turns, 1) if self.run.computes else None

    @property
    def turn_inside(self) -> bool | None:
        """Whether the measured turn lies in its 90 % interval; None if there is none."""
        turn = self.measured_turn
        return None if turn is None else self.predicted.turn_low <= turn <= self.predicted.turn_high

    @property
    def inside(self) -> bool:
        """Whether the measured time lies in the 90 % interval."""
        return self.predicted.low <= self.measured_seconds <= self.predicted.high

    @property
    def held_up(self) -> str | None:
        """The sentence on what held the ranks of the run up; None where nothing is known to
        have.
        """
        return held_up_on(self.machine, self.run.core_share)

    @property
    def set_aside(self) -> str | None:
        """Why the run's times do not judge a model, in a sentence; None where they do."""
        return self.unlike_predicted or self.held_up

    @property
    def unlike_predicted(self) -> str:
        """In what a simulation was not what is predicted, in a sentence; empty if it was."""
        record = self.run.record
        if record.sampled:
            return f"it was simulated with {record.sampled}: simulate all"
        if record.slow:
            return f"it was simulated {record.slow}; a prediction has no slow ranks"
        return ""

    @property
    def wrong(self) -> str | None:
        """The sentence on a prediction that is off by more than its interval, with the likely
        cause; None where it is not.
        """
        found = (self.measured_turn, self.predicted.turn_low, self.predicted.turn_high)
        inside, what = self.turn_inside, self.run.record.unit.indefinite
        if found[0] is None:
            found = (self.measured_seconds, self.predicted.low, self.predicted.high)
            inside, what = self.inside, f"communication in {what}"
        if inside or found[0] is None or self.unlike_predicted:
            return None
        record = self.run.record
        cause = likely_cause(self.machine, self.run.core_share, self.run.day, record.turns)
        whose = f"of {self.run.directory.resolve().name} by model {self.predicted.model}"
        return wrong_prediction(whose, found[0], found[1:], cause, what)

    @property
    def phase_ratios(self) -> dict[str, float]:
        """Measured over predicted of each phase that has both."""
        measured = self.run.phases
        pairs = {name: (measured.get(name, 0.0), s) for name, s in self.predicted.phases.items()}
        return {name: m / s for name, (m, s) in pairs.items() if s > 0 and name in measured}

    def to_dict(self) -> dict[str, Any]:
        """The point as JSON has it."""
        record, one, turn = self.run.record, self.predicted, self.measured_turn
        share = self.run.core_share
        return {
            "directory": str(self.run.directory),
            "ranks": record.ranks,
            "kind": "simulated" if record.simulated else "run",
            "process_grid": record.grid_text,
            "layout": record.layout,
            "tuned_turns": self.run.tuned_turns,
            "model": one.model,
            "ratio": self.ratio,
            "measured_seconds": self.measured_seconds,
            "predicted_seconds": one.communication_seconds,
            "low": one.low,
            "high": one.high,
            "interval": self.spread,
            "inside": self.inside,
            "phases": self.phase_ratios,
            "measured_waiting_seconds": self.measured_waiting,
            "predicted_waiting_seconds": one.waiting_seconds,
            "measured_turn_seconds": turn,
            "predicted_turn_seconds": one.turn_seconds,
            "turn_low": one.turn_low,
            "turn_high": one.turn_high,
            "turn_ratio": None if turn is None else ratio(turn, one.turn_seconds),
            "turn_inside": self.turn_inside,
            "core_share": None if share is None else share.share,
            "memory_bandwidth": None if share is None else share.bandwidth,
            "disturbed": self.held_up is not None,
            "wrong": self.wrong,
        }


def machine_of(run: Recorded, given: str | None) -> Machine:
    """The machine of --machine, or the one on which the run was simulated."""
    if given is not None:
        return load_machine(given)
    if not run.record.simulated or run.record.machine is None:
        raise StudyError(
            f"{run.directory} was run on real hardware: give its machine's file as --machine, made "
            "by phasewise machine measure"
        )
    try:
        return load_machine(run.record.machine)
    except StudyError:
        raise StudyError(
            f'{run.directory} was simulated on "{run.record.machine}", which is no machine that '
            "phasewise knows: give its file as --machine"
        ) from None


def compare(
    run: Recorded, machine: Machine, models: str | None = None, fit: Sequence[str | Path] = ()
) -> list[Point]:
    """A run beside the prediction of each model. models: names separated by commas; None: the best
    one.
    """
    records = tuple(map(Path, fit))
    # Simulated ranks begin the first turn together.
    turns = run.record.turns if run.record.simulated else 0
    case = Case(
        run.study, machine, run.record.ranks, run.twin, run.pieces, records,
        agreed=turns == 1, turns=turns,
    )  # fmt: skip
    names = chosen_models(models, [str(path) for path in fit], machine)
    residuals = residuals_of(run.study.workload)
    return [
        Point(
            run,
            # A simulation has exactly the rates of the file.
            _of_run(predict(case, name, run.computes, not run.record.simulated), case, run),
            spread(name, machine, run.twin, residuals, run.record.ranks).source,
            machine,
        )
        for name in names
    ]


def _of_run(found: Prediction, case: Case, run: Recorded) -> Prediction:
    """The prediction with the interval of a run's mean turn: the more turns, the less it varies.
    Where some of its steps stand for all, the interval takes in what these may be off.
    """
    record = run.record
    varying = max(found.variation, record.variation)
    own = bounded(found, case, varying / math.sqrt(max(record.turns, 1)))
    if not record.sampled:
        return own
    few, turn = (math.log1p(part) for part in (SAMPLED_COMMUNICATION, SAMPLED_TURN))
    low, high = widened(own.communication_seconds, (own.low, own.high), (few, few))
    turn_low, turn_high = widened(own.turn_seconds, (own.turn_low, own.turn_high), (turn, turn))
    return replace(own, low=low, high=high, turn_low=turn_low, turn_high=turn_high)


def summarise(points: Sequence[Point], machines: Sequence[Machine]) -> dict[str, Any]:
    """What ``compare --json`` prints. Errors are |measured/predicted - 1| of the totals; the runs
    in `excluded` were disturbed, or simulated with some of their steps, and do not count.

    reference: "simulator" if any of the runs was simulated, else "hardware".
    """
    models = {name: errors_of(own) for name, own in by_model(points).items()}
    names = list(dict.fromkeys(machine.name for machine in machines))
    simulated = any(point.run.record.simulated for point in points)
    return {
        "machine": names[0] if len(names) == 1 else names,
        "reference": "simulator" if simulated else "hardware",
        "model": points[0].predicted.model,
        "points": [point.to_dict() for point in points],
        "excluded": list(dict.fromkeys(str(p.run.directory) for p in points if p.set_aside)),
        **errors_of(points),
        "models": models,
    }


def by_model(points: Sequence[Point]) -> dict[str, list[Point]]:
    names = dict.fromkeys(point.predicted.model for point in points)
    return {name: [p for p in points if p.predicted.model == name] for name in names}


def errors_of(points: Sequence[Point]) -> dict[str, float | None]:
    """Mean and worst error of the totals of undisturbed runs; None where there are none."""
    quiet = [point.ratio for point in points if not point.set_aside]
    errors = [abs(ratio - 1) for ratio in quiet if ratio is not None]
    return {
        "mean_error": float(np.mean(errors)) if errors else None,
        "worst_error": max(errors, default=None),
    }


def ratio(measured: float, predicted: float) -> float | None:
    """Measured over predicted; None if nothing is predicted."""
    return measured / predicted if predicted > 0 else None

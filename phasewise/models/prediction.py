"""The time of a turn that a model predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from phasewise.machines import Machine
from phasewise.models.computation import IMBALANCE, OTHER, kernel_seconds, overhead_seconds
from phasewise.models.discovery import load_model
from phasewise.models.interval import interval, residuals_of, turn_interval
from phasewise.models.model import Case, Model, Turn
from phasewise.models.uncertain import OfRates, of_rates, widened
from phasewise.mpi.working import at
from phasewise.output import number_of
from phasewise.readable import Readable, Shown
from phasewise.study import Study
from phasewise.study.laboratory import Pieces, first_pieces


@dataclass(frozen=True, repr=False)
class Prediction(Readable):
    """Seconds of one turn. They are means over the ranks, except for those of the whole turn.

    `communication_seconds` includes `waiting_seconds`, the time before the last of the senders has
    posted its message; [low, high] is its 90 % interval. `phases` has what the model knows about
    each phase; models that add up messages do not know the waiting of each. `exchange_seconds`
    counts only the phases of the workload's own exchange, as the source paper does, without waiting
    that belongs to no phase. `turn_seconds` is the time of the slowest rank, [turn_low, turn_high]
    its 90 % interval. `variation` says by how much single turns differ from each other: their
    standard deviation over their mean, as far as the model follows several turns. `of_rates` has
    what the uncertainties of the machine's rates add to the intervals.
    """

    ranks: int
    model: str
    communication_seconds: float
    waiting_seconds: float
    low: float
    high: float
    exchange_seconds: float
    computation_seconds: float
    turn_seconds: float
    turn_low: float
    turn_high: float
    phases: dict[str, float]
    variation: float = 0.0
    of_rates: OfRates = field(default_factory=OfRates)

    def shown(self) -> Shown:
        """The turn, its communication and its phases [ms], with 90 % intervals."""

        def row(name: str, seconds: float, *ends: float) -> list[str]:
            return [name, f"{1e3 * seconds:.4g}", " … ".join(f"{1e3 * end:.4g}" for end in ends)]

        rows = [
            row("whole", self.turn_seconds, self.turn_low, self.turn_high),
            row("computation", self.computation_seconds),
            row("communication", self.communication_seconds, self.low, self.high),
            row("waiting in it", self.waiting_seconds),
            *(row(f"phase {name}", seconds) for name, seconds in self.phases.items()),
        ]
        on = number_of(self.ranks, "rank")
        return Shown(f"model {self.model}, {on}", rows, ["time of", "ms", "90 % interval"])

    def to_dict(self) -> dict[str, Any]:
        """The prediction as JSON has it."""
        return asdict(self)


def predict(
    case: Case, model: Model | str, computation: bool = True, rates: bool = True
) -> Prediction:
    """The prediction of a model; StudyError if study, machine, ranks and model do not fit.

    computation: whether to predict the time of kernels, and the waiting that it causes, too. rates:
    whether the intervals take in the uncertainties of the machine's rates; each of them takes two
    more predictions.
    """
    chosen = load_model(model) if isinstance(model, str) else model
    turn = turn_of(case, chosen, computation)
    uncertain = OfRates()
    if rates and case.machine.uncertain:
        uncertain = of_rates(case, turn, lambda moved: turn_of(moved, chosen, computation))
    found = Prediction(
        ranks=case.ranks,
        model=chosen.NAME,
        communication_seconds=turn.communicating,
        waiting_seconds=turn.waiting,
        low=turn.communicating,
        high=turn.communicating,
        exchange_seconds=sum((turn.phases.get(name, 0.0) for name in case.main_phases), 0.0),
        computation_seconds=turn.computing,
        turn_seconds=turn.seconds,
        turn_low=turn.seconds,
        turn_high=turn.seconds,
        phases=turn.phases,
        variation=turn.variation,
        of_rates=uncertain,
    )
    return bounded(found, case)


def bounded(found: Prediction, case: Case, variation: float | None = None) -> Prediction:
    """The prediction of a case with the intervals that the kept residuals give.

    variation: by how much the times that it is for differ from each other, standard deviation over
    mean; None: that of single turns, as the model has it.
    """
    residuals = residuals_of(None if case.study is None else case.study.workload)
    varying = found.variation if variation is None else variation
    about = (found.model, case.machine, case.twin, residuals, case.ranks)
    communication = found.communication_seconds
    # The turns' differences are differences of waiting, which is communication.
    of_turn = varying * found.turn_seconds
    own = of_turn / communication if communication > 0.0 else 0.0
    ends = interval(communication, *about, variation=own)
    # The slowest rank may compute longer than the mean one, without any other waiting for it.
    computing = found.turn_seconds - communication
    turn = turn_interval(found.turn_seconds, ends, computing, *about, variation=varying)
    ends = widened(communication, ends, found.of_rates.communication)
    turn = widened(found.turn_seconds, turn, found.of_rates.turn)
    return replace(found, low=ends[0], high=ends[1], turn_low=turn[0], turn_high=turn[1])


def turn_of(case: Case, model: Model | str, computation: bool = True) -> Turn:
    """The turn of a case by a model, without intervals; arguments and errors are as in
    `predict`.
    """
    chosen = load_model(model) if isinstance(model, str) else model
    follow = getattr(chosen, "follow", None)
    turn = _added_up(case, chosen, computation) if follow is None else follow(case, computation)
    beside = overhead_seconds(case) if computation else 0.0
    return replace(turn, computing=turn.computing + beside, seconds=turn.seconds + beside)


def _added_up(case: Case, model: Model, computation: bool) -> Turn:
    """The turn of a model that adds up messages: computing is added, and in each step the mean rank
    waits for the one that has most work.
    """
    phases = model.phase_seconds(case)
    kernels = kernel_seconds(case) if computation else {}
    imbalance = kernels.pop(IMBALANCE, 0.0)
    waiting = imbalance
    kernels.pop(OTHER, None)
    computing, communicating = sum(kernels.values()), sum(phases.values()) + waiting
    return Turn(phases, communicating, waiting, computing, computing + communicating)


def first_turn(
    study: Study, machine: Machine, ranks: int, twin: str = "full", turns: int = 1
) -> Case:
    """The first turn of a run, which all ranks begin together and which has data-dependent pieces
    that later turns do not have; or the mean of this many first turns.
    """
    pieces = first_pieces(study, ranks, turns)
    return Case(study, machine, ranks, twin, pieces, agreed=turns == 1, turns=turns)


def predict_many(
    studies: Mapping[int, Study],
    machine: Machine,
    models: Sequence[str],
    twin: str = "full",
    fit: Sequence[str | Path] = (),
    first: bool = False,
    pieces: Pieces | None = None,
) -> list[Prediction]:
    """Predictions of each model on each number of ranks, model by model; `studies` has a study for
    each number.

    first: predict a run's first turn (`first_turn`). pieces: how often other pieces come, if that
    is known.

    StudyError if one of the numbers does not suit the study or the machine.
    """
    records = tuple(map(Path, fit))
    for number, study in studies.items():
        study.check_ranks(number)
    cases = []
    for number, study in studies.items():
        case = (
            first_turn(study, machine, number, twin)
            if first
            else Case(study, machine, number, twin)
        )
        cases.append(replace(case, pieces={**(pieces or {}), **case.pieces}, records=records))
    pairs = [(model, case) for model in models for case in cases]
    found: list[Prediction] = []
    for model, case in pairs:
        at("prediction", len(found), len(pairs), f"model {model}, {number_of(case.ranks, 'rank')}")
        found.append(predict(case, model))
    return found

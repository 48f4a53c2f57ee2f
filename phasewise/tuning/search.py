"""The search: a model ranks all candidates, then minor keys of the best ones are changed one by
one.

On many ranks a precise model takes seconds per candidate, so a cheap model chooses a shortlist for
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.models import (
    Case,
    Model,
    Prediction,
    default_model,
    first_turn,
    load_model,
    predict,
)
from phasewise.mpi.working import at
from phasewise.runs.choosing import nothing_to_try
from phasewise.runs.core_share import CoreShare
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from phasewise.tuning.candidates import (
    Candidate,
    Given,
    candidates,
    heads_of,
    neighbours,
    node_levels,
)
from phasewise.tuning.verification import simulated_seconds, simulation_task, timed_here

CHEAP = ("6", "4", "5", "3", "2", "1b", "1a", "described")
"""Models that rank all candidates before a precise one does, the most detailed first."""

MANY_RANKS = 256
"""From this number of ranks on, a cheap model ranks all candidates and the precise one only a
shortlist.
"""
SHORTLIST = 16
"""Candidates on the shortlist, beside the best of each process grid and layout."""
PROMISING = 1.05
"""The precise model checks a change if the cheap one finds it slower by at most this factor."""

REFINED = 3
"""How many leading designs are refined; one if there is a shortlist."""
GAIN = 0.998
"""A change is kept if the time falls to this share or below."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Problem:
    """The tuning problem: a study for a machine and a number of ranks, or for cores = ranks ×
    threads. cores: None if threads are not varied; otherwise every split of the cores with at most
    `ranks` ranks is compared. model: the model that ranks the candidates; None: the best for the
    machine.
    """

    study: Study
    machine: Machine
    ranks: int
    cores: int | None = None
    model: str | None = None
    twin: str = "full"

    @property
    def model_name(self) -> str:
        """The model asked for, or the machine's best."""
        return self.model or default_model(self.machine)

    @property
    def first(self) -> bool:
        """Whether times are those of the first turn of a run, which simulations verify, and in
        which every data-dependent piece occurs; on hardware they are those of later turns.
        """
        return not self.machine.is_hardware

    @property
    def timed(self) -> str:
        """What is timed, in words: "a turn", or "the first turn of a run"."""
        unit = self.study.workload.unit
        return f"the first {unit.one} of a run" if self.first else unit.indefinite

    def splits(self) -> list[tuple[int, int]]:
        """Ranks and threads of each split of the cores."""
        if self.cores is None:
            return [(self.ranks, 1)]
        most = min(self.ranks, self.cores)
        return [(n, self.cores // n) for n in range(1, most + 1) if self.cores % n == 0]


@dataclass(frozen=True)
class Entry:
    """A candidate and its times [s] of a whole turn: predicted, with an interval of 90 %, and
    verified. model: the model that predicted; core_share: that of the ranks in the verifying run,
    if known.
    """

    candidate: Candidate
    ranks: int
    threads: int
    model: str
    predicted: float
    low: float
    high: float
    verified: float | None = None
    core_share: CoreShare | None = None

    @property
    def inside(self) -> bool | None:
        """Whether the verified time lies in the interval; None if none was verified."""
        return None if self.verified is None else self.low <= self.verified <= self.high

    @property
    def design(self) -> tuple[object, ...]:
        """The main keys: entries with the same ones differ in minor keys only."""
        return (self.ranks, *self.candidate.design)

    @property
    def place(self) -> tuple[object, ...]:
        """The number of ranks and the place of each."""
        return (self.ranks, *self.candidate.place)

    def to_dict(self) -> dict[str, Any]:
        """The entry as `candidates` of ``tune --json`` lists it."""
        return {
            "communication": self.candidate.communication(),
            "ranks": self.ranks,
            "threads": self.threads,
            "model": self.model,
            "predicted_seconds": self.predicted,
            "low": self.low,
            "high": self.high,
            "verified_seconds": self.verified,
            "inside": self.inside,
            "core_share": None if self.core_share is None else self.core_share.share,
        }


@dataclass
class CandidateSearch:
    """Predicts the candidates of a problem, each once per model, and keeps the results."""

    problem: Problem
    say: Say
    found: dict[tuple[Candidate, int, str], Entry] = field(default_factory=dict)

    def run(self) -> list[Entry]:
        """Every candidate with its best prediction, sorted by time, those of the precise model
        first.

        StudyError if the model cannot be used on the machine, or no process grid suits.
        """
        precise = load_model(self.problem.model_name)
        cheap = self._cheap(precise)
        first = self._first(cheap)
        if precise is cheap:
            ranked = first
        else:
            chosen = shortlist(first, SHORTLIST)
            self.say(f"model {precise.NAME} ranks the best {len(chosen)}")
            ranked = self._entries([(e.candidate, e.ranks, e.threads) for e in chosen], precise)
        if not nothing_to_try(self.problem.study):
            ranked = sorted(ranked, key=_predicted)
            most = REFINED if precise is cheap else 1
            best = _best_of_each(ranked, lambda entry: entry.design)[:most]
            if any(any(self._changes(entry)) for entry in best):
                self.say("changing single keys of the best")
            for entry in best:
                self._refine(entry, precise, cheap)
        return self._merged(precise)

    def baseline(self) -> Entry | None:
        """The entry of the study as it is on all ranks, predicted by the precise model; None if it
        cannot run on them.
        """
        problem = self.problem
        try:
            problem.study.check_ranks(problem.ranks)
        except StudyError:
            return None
        study = settle(problem.study, problem.ranks, problem.machine, problem.twin).study
        threads = 1 if problem.cores is None else max(problem.cores // problem.ranks, 1)
        given = Given(study, problem.ranks, len(heads_of(study)))
        model = load_model(problem.model_name)
        return self._predicted(given, problem.ranks, threads, model, rates=True)

    def _cheap(self, precise: Model) -> Model:
        """`precise` itself if it is quick; else the first model of CHEAP that the machine
        allows.
        """
        problem = self.problem
        if problem.ranks < MANY_RANKS or not getattr(precise, "PRECISE", False):
            return precise
        ranks, threads = problem.splits()[-1]
        trial = candidates(problem.study, ranks, problem.machine)[0]
        for name in CHEAP:
            try:
                model = load_model(name)
                self._entry(trial, ranks, threads, model)
            except StudyError:
                continue
            return model
        return precise

    def _first(self, cheap: Model) -> list[Entry]:
        problem = self.problem
        pairs = [
            (candidate, ranks, threads)
            for ranks, threads in problem.splits()
            for candidate in _valid(problem, ranks)
        ]
        if not pairs:
            candidates(
                problem.study, problem.splits()[-1][0], problem.machine
            )  # raises an error that says why
        self.say(f"model {cheap.NAME} ranks {len(pairs)} candidates")
        return self._entries(pairs, cheap)

    def _entries(self, places: Sequence[tuple[Candidate, int, int]], model: Model) -> list[Entry]:
        found: list[Entry] = []
        for place in places:
            at("candidate", len(found), len(places), f"model {model.NAME}")
            found.append(self._entry(*place, model))
        return found

    def _entry(self, candidate: Candidate, ranks: int, threads: int, model: Model) -> Entry:
        key = (candidate, ranks, model.NAME)
        if key not in self.found:
            self.found[key] = self._predicted(candidate, ranks, threads, model)
        return self.found[key]

    def _predicted(
        self, candidate: Candidate, ranks: int, threads: int, model: Model, rates: bool = False
    ) -> Entry:
        problem = self.problem
        study = candidate.apply(problem.study)
        place = (study, problem.machine, ranks, problem.twin)
        case = first_turn(*place) if problem.first else Case(*place)
        return _as_entry(candidate, ranks, threads, predict(case, model, rates=rates))

    def with_rates(self, entry: Entry) -> Entry:
        """An entry whose interval takes in the uncertainties of the machine's rates."""
        if not self.problem.machine.uncertain:
            return entry
        place = (entry.candidate, entry.ranks, entry.threads)
        found = self._predicted(*place, load_model(entry.model), rates=True)
        return replace(entry, low=found.low, high=found.high)

    def _refine(self, best: Entry, precise: Model, cheap: Model) -> None:
        """Change minor keys of an entry one after another, keeping each gain."""
        index = 0
        # The possible changes depend on those kept before.
        while index < len(keys := self._changes(best)):
            for change in keys[index]:
                best = self._better(change, best, precise, cheap)
            index += 1

    def _changes(self, entry: Entry) -> list[list[Candidate]]:
        """Candidates that differ from an entry in one minor key, key by key."""
        levels = node_levels(self.problem.machine, entry.ranks)
        return list(neighbours(entry.candidate, self.problem.study, levels))

    def _better(self, change: Candidate, best: Entry, precise: Model, cheap: Model) -> Entry:
        """The entry of `change` if it is faster than `best`; else `best`."""
        if precise is not cheap:
            now = self._entry(best.candidate, best.ranks, best.threads, cheap)
            then = self._entry(change, best.ranks, best.threads, cheap)
            if then.predicted > PROMISING * now.predicted:
                return best
        entry = self._entry(change, best.ranks, best.threads, precise)
        return entry if entry.predicted < GAIN * best.predicted else best

    def _merged(self, precise: Model) -> list[Entry]:
        best: dict[tuple[Candidate, int], Entry] = {}
        for (candidate, ranks, name), entry in self.found.items():
            if name == precise.NAME or (candidate, ranks) not in best:
                best[(candidate, ranks)] = entry
        return sorted(best.values(), key=lambda e: (e.model != precise.NAME, e.predicted))


def _valid(problem: Problem, ranks: int) -> Sequence[Candidate]:
    """The candidates of a split; none if no process grid suits it and there are other splits."""
    try:
        return candidates(problem.study, ranks, problem.machine)
    except StudyError:
        if problem.cores is None:
            raise
        return []


def _predicted(entry: Entry) -> float:
    return entry.predicted


def _as_entry(candidate: Candidate, ranks: int, threads: int, prediction: Prediction) -> Entry:
    # Kernels, and waiting for them, are assumed to scale perfectly with threads; the verifying runs
    # show if they do not.
    work = prediction.computation_seconds + prediction.waiting_seconds
    predicted = prediction.turn_seconds - work * (1.0 - 1.0 / threads)
    share = predicted / (prediction.turn_seconds or 1.0)
    return Entry(
        candidate,
        ranks,
        threads,
        prediction.model,
        predicted,
        prediction.turn_low * share,
        prediction.turn_high * share,
    )


def shortlist(entries: Iterable[Entry], most: int) -> list[Entry]:
    """The `most` best entries, and the best of each process grid and layout."""
    ranked = sorted(entries, key=_predicted)
    return _united(ranked[:most], _best_of_each(ranked, lambda entry: entry.place))


def finalists(entries: Iterable[Entry], most: int) -> list[Entry]:
    """The entries to verify: half of them the best of different designs, since a model has similar
    errors within a design, then the best of all.

    `entries` come from one model, or those of the precise model come first. Entries of one kind
    with equal times send the same messages, so only the first of them is used.
    """
    ranked = _best_of_each(
        list(entries),
        lambda entry: (entry.ranks, entry.candidate.kind, f"{entry.predicted:.6e}"),
    )
    designs = _best_of_each(ranked, lambda entry: entry.design)[: (most + 1) // 2]
    return _united(designs, ranked)[:most]


def _best_of_each(ranked: list[Entry], key: Callable[[Entry], object]) -> list[Entry]:
    best: dict[object, Entry] = {}
    for entry in ranked:
        best.setdefault(key(entry), entry)
    return list(best.values())


def _united(first: list[Entry], second: list[Entry]) -> list[Entry]:
    return list(dict.fromkeys([*first, *second]))


def verify(problem: Problem, entries: list[Entry], say: Say, cache: Path | None) -> list[Entry]:
    """`entries` with their verified times: measured by runs on hardware, otherwise simulated.

    cache: the folder that keeps simulations. RunError if a run fails.
    """
    study = problem.study
    if problem.machine.is_hardware:
        tried = []
        for index, entry in enumerate(entries, 1):
            say(f"run {index} of {len(entries)}")
            at("verifying run", index - 1, len(entries))
            timed = timed_here(entry.candidate.apply(study), entry.ranks, entry.threads)
            tried.append(replace(entry, verified=timed.seconds, core_share=timed.core_share))
        return tried
    tasks = [
        simulation_task(study, problem.machine, e.ranks, e.candidate, problem.twin) for e in entries
    ]
    say(f"{len(tasks)} simulations")
    seconds = simulated_seconds(tasks, cache, partial(at, "simulation"))
    return [replace(e, verified=s) for e, s in zip(entries, seconds, strict=True)]

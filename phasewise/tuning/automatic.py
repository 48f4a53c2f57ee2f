"""Chooses what a study leaves open with `process_grid = "auto"`, by predicted turns on a machine.

Model `described` ranks the process grids, then layouts and algorithms on the best two. The model by
which `predict` predicts on the machine then decides among the leading candidates and the default,
unless it would have to follow very many messages. All bounds are counts, so that the same study
always gets the same choice. The workload says what comes in question
(`phasewise.tuning.candidates.Tuning`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.topology import SHARED_LINKS
from phasewise.models import Case, default_model, described, load_model
from phasewise.models.contention import NAME as CONTENTION
from phasewise.models.model import Model, Turn, missing_device
from phasewise.models.prediction import turn_of
from phasewise.output import message
from phasewise.study import Study
from phasewise.study.study import CPU
from phasewise.tuning.candidates import Tuning, node_levels
from phasewise.workload.communication import MACHINE

RANKING = described
"""The model that ranks."""

MOST_RANKS = 2048
"""On more ranks a single prediction takes as long as the choice may, and the default stays."""
PLANNED = 400_000
"""Messages that all predictions together may plan: these take half a second or so. A prediction
counts as FIXED of them at least."""
FIXED = 10_000
FOLLOWED = 300_000
"""Messages that all turns together may send which the deciding model follows where more than
FEWEST are compared: these take a second or less."""
MOST_FOLLOWED = 1_000_000
"""Messages of one turn beyond which that model follows none: such a turn takes more than a
second."""
SHARED_COST = 10
"""A message takes as long as this many where messages share the links of a network."""
FINALISTS, FEWEST = 8, 3
"""The most turns that it predicts, and the fewest: that of the default, and those of the two
leading grids beside it."""
REFINED = 2
"""The number of process grids whose layouts and algorithms are compared."""

Changes = Mapping[str, Any]


@dataclass(frozen=True)
class Settled:
    """A study that leaves nothing open, and what to say of the choice; empty if none was made."""

    study: Study
    sentence: str = ""

    def say(self) -> None:
        """The sentence as a message."""
        if self.sentence:
            message(self.sentence)


def machine_of(study: Study) -> Machine:
    """The machine of the study's [communication], with as many ranks a node as that gives;
    StudyError if there is none of this name.
    """
    own = study.communication
    try:
        found = load_machine(str(getattr(own, "machine", MACHINE.default)))
    except StudyError as error:
        raise StudyError(f"communication.machine: {error}") from None
    if own.node_ranks and found.memory is not None:
        return dataclasses.replace(found, node_ranks=own.node_ranks)
    return found


def settle(study: Study, ranks: int, machine: Machine, twin: str = "full") -> Settled:
    """`study` with what it leaves open chosen for a number of ranks of a machine.

    Keys that the study gives stay. Where there is only one way, or the study gives a process grid,
    it is returned as it is. StudyError if no process grid suits the ranks, or the machine is too
    small for them.
    """
    grids = _open_grids(study, ranks)
    if not grids or (len(grids) == 1 and len(_keys(study, grids[0])) == 1):
        return Settled(study)
    if ranks > MOST_RANKS:
        chosen = _changed(study, grids[0])
        why = f"the default, since nothing is predicted for more than {MOST_RANKS} ranks"
        return Settled(chosen, f"{_words(chosen, _keys(study, grids[0]))}: {why}")
    return _Choice(study, ranks, machine, twin, grids).settled()


def kept(study: Study, ranks: int, earlier: object) -> Settled | None:
    """`study` with what an earlier part of its run had chosen, in its table [communication]; None
    if that does not suit the ranks.
    """
    grids = _open_grids(study, ranks)
    if not grids:
        return Settled(study)
    try:
        had = study.workload.read_communication(earlier, Path())
        keys = _keys(study, grids[0])
        found = _changed(study, {key: getattr(had, key) for key in keys})
        found.check_ranks(ranks)
    except StudyError:
        return None
    if found.communication.leaves_grid_open:
        return None
    return Settled(found, f"{_words(found, keys)}: kept from the run that goes on")


def _open_grids(study: Study, ranks: int) -> Sequence[Changes]:
    """The process grids that come in question; none where the study does not ask for a choice."""
    if ranks == 1 or not study.communication.leaves_grid_open:
        return []
    study.check_ranks(ranks)
    return study.workload.part(Tuning).open_grids(study, ranks)


def _variants(study: Study, grid: Changes, levels: bool) -> list[Changes]:
    """Other ways to exchange on a process grid, without the keys that the study gives."""
    offered = study.workload.part(Tuning).open_variants(study, grid, levels)
    given, own = study.given_communication, study.communication
    free = ({key: value for key, value in one.items() if key not in given} for one in offered)
    distinct = {tuple(one.items()): one for one in free}.values()
    return [one for one in distinct if own.changed(one) != own]


def _keys(study: Study, grid: Changes) -> list[str]:
    """The keys that are open, the process grid first."""
    changes = (grid, *_variants(study, grid, levels=True))
    return list(dict.fromkeys(key for change in changes for key in change))


def _changed(study: Study, changes: Changes) -> Study:
    return dataclasses.replace(study, communication=study.communication.changed(changes))


def _words(study: Study, keys: Sequence[str]) -> str:
    """The values of some keys as text."""
    own = study.communication
    rest = [f"{key} {getattr(own, key)}" for key in keys if key != "process_grid"]
    return ", ".join([f"process grid {own.grid_text}", *rest])


@dataclass(frozen=True)
class _Candidate:
    """A process grid, changes of other keys, and the seconds of a turn that are predicted."""

    grid: Changes
    variant: Changes
    seconds: float

    @property
    def changes(self) -> Changes:
        return {**self.grid, **self.variant}


@dataclass
class _Choice:
    """The choice for a study that leaves its process grid open."""

    study: Study
    ranks: int
    machine: Machine
    twin: str
    grids: Sequence[Changes]
    left: int = field(default=PLANNED)

    def settled(self) -> Settled:
        """The study with the choice, and a sentence with its time and the default's."""
        ranked = self._ranked()
        default = next(one for one in ranked if one.changes == self.grids[0])
        model: Model = RANKING
        if finalists := self._finalists(ranked, default):
            model = self._deciding
            ranked = sorted((self._decided(one, model) for one in finalists), key=_seconds)
            default = next(one for one in ranked if one.changes == default.changes)
        best = ranked[0]
        study = _changed(self.study, best.changes)
        unit = self.study.workload.unit
        usual = _changed(self.study, default.changes).communication.grid_text
        where = "" if self._placed is self.study else "'s CPUs, as its file lacks the device"
        beside = f"{_ms(default.seconds)} with the default, {usual}"
        sentence = (
            f"{_words(study, _keys(self.study, self.grids[0]))}: chosen for {self.ranks} ranks by "
            f"{unit.many} predicted on {self.machine.name}{where} by model {model.NAME}, "
            f"{_ms(best.seconds)} each ({'the default' if best is default else beside})"
        )
        return Settled(study, sentence)

    def _ranked(self) -> list[_Candidate]:
        """Candidates by their time according to the ranking model; the default is among them."""
        turns: list[tuple[Changes, Turn]] = []
        for grid in self.grids:
            if not turns or self._can_predict():
                turns.append((grid, turn_of(self._case(grid), RANKING)))
        turns.sort(key=lambda entry: entry[1].seconds)
        found = [_Candidate(grid, {}, turn.seconds) for grid, turn in turns]
        levels = node_levels(self.machine, self.ranks)
        refined = [
            (grid, turn, _variants(self.study, grid, levels)) for grid, turn in turns[:REFINED]
        ]
        most = max((len(variants) for _, _, variants in refined), default=0)
        for index in range(most):
            for grid, turn, variants in refined:
                if index < len(variants) and self._can_predict():
                    found.append(self._variant(grid, turn, variants[index]))
        return sorted(found, key=_seconds)

    def _variant(self, grid: Changes, turn: Turn, variant: Changes) -> _Candidate:
        """A candidate with the same kernels as the grid's turn, and other messages."""
        messages = turn_of(self._case({**grid, **variant}), RANKING, computation=False)
        others = turn.seconds - sum(turn.phases.values())
        return _Candidate(grid, variant, messages.seconds + others)

    def _finalists(self, ranked: Sequence[_Candidate], default: _Candidate) -> list[_Candidate]:
        """Those that the deciding model compares, the default among them: the best of different
        grids, then the best of all. None where it would have to follow too many messages.
        """
        most = FINALISTS
        if getattr(self._deciding, "PRECISE", False):
            shared = self.machine.network.kind in SHARED_LINKS
            messages = self._messages * (SHARED_COST if shared else 1)
            if messages > MOST_FOLLOWED:
                return []
            most = min(FINALISTS, max(FEWEST, FOLLOWED // messages))
        best = {one.grid["process_grid"]: one for one in reversed(ranked)}
        grids = sorted(best.values(), key=_seconds)[: most - most // 4]
        order = [*grids, *(one for one in ranked if one not in grids)]
        others = [one for one in order if one.changes != default.changes]
        return [*others[: most - 1], default]

    @cached_property
    def _deciding(self) -> Model:
        """The model by which `predict` predicts on the machine; `contention` where the machine's
        file lacks what that model needs.
        """
        model = load_model(default_model(self.machine))
        if getattr(model, "PRECISE", False):
            return model
        try:
            turn_of(self._case(self.grids[0]), model, computation=False)
        except StudyError:
            return load_model(CONTENTION)
        return model

    def _decided(self, one: _Candidate, model: Model) -> _Candidate:
        turn = turn_of(self._case(one.changes), model)
        return dataclasses.replace(one, seconds=turn.seconds)

    def _can_predict(self) -> bool:
        """Whether one more prediction is within the bound, which then counts."""
        self.left -= max(self._messages, FIXED)
        return self.left >= 0

    @cached_property
    def _messages(self) -> int:
        """Messages of a turn with the default, of all ranks."""
        phases = self._case(self.grids[0]).phases
        return max(1, round(self.ranks * sum(float(phase.count.sum()) for phase in phases)))

    def _case(self, changes: Changes) -> Case:
        return Case(_changed(self._placed, changes), self.machine, self.ranks, self.twin)

    @cached_property
    def _placed(self) -> Study:
        """The study as it can be predicted: on the CPU, where the machine's file lacks its
        device.
        """
        if not missing_device(self.study, self.machine):
            return self.study
        running = dataclasses.replace(self.study.running, device=CPU)
        return dataclasses.replace(self.study, running=running)


def _seconds(one: _Candidate) -> float:
    return one.seconds


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.4g} ms"

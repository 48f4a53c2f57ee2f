"""The candidates that a tuner compares, by a workload's contract `Tuning`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.runs.choosing import Choosing
from phasewise.study import Study
from phasewise.study.laboratory import grid_on
from phasewise.workload.interface import Part

GIVEN = "the study's own"


class Candidate(Protocol):
    """One choice of [communication], compared by value."""

    @property
    def place(self) -> tuple[object, ...]:
        """The place of each rank."""

    @property
    def design(self) -> tuple[object, ...]:
        """The main keys: candidates with the same ones differ in minor keys only."""

    @property
    def kind(self) -> tuple[object, ...]:
        """Candidates of one kind that a model finds equally fast send the same messages in the same
        way; candidates of different kinds may differ in ways that no model sees.
        """

    def communication(self) -> dict[str, Any]:
        """The table of a study, without keys that no candidate varies."""

    def apply(self, study: Study) -> Study:
        """`study` with this choice."""

    def replaces(self, study: Study) -> list[str]:
        """Keys that `study` has set, and that `apply` sets otherwise."""

    def columns(self) -> tuple[str, ...]:
        """The cells of the candidate in a table."""


@dataclass(frozen=True)
class PlainCandidate:
    """A value of each key that is varied."""

    values: tuple[tuple[str, Any], ...]

    @property
    def place(self) -> tuple[object, ...]:
        """The values of process grid and layout."""
        return tuple(value for name, value in self.values if name in ("process_grid", "layout"))

    @property
    def design(self) -> tuple[object, ...]:
        """All of them."""
        return self.values

    @property
    def kind(self) -> tuple[object, ...]:
        """All keys are main keys, since nothing is known about their effect."""
        return self.values

    def communication(self) -> dict[str, Any]:
        """The table of a study."""
        return dict(self.values)

    def apply(self, study: Study) -> Study:
        """`study` with this choice."""
        table = study.communication.resolved() | self.communication()
        own = study.workload.read_communication(table, Path())
        return dataclasses.replace(study, communication=own)

    def replaces(self, study: Study) -> list[str]:
        """Keys that `study` has set otherwise."""
        given = study.communication.resolved()
        usual = study.workload.read_communication({}, Path()).resolved()
        return [name for name, value in self.values if given[name] not in (usual[name], value)]

    def columns(self) -> tuple[str, ...]:
        """A column for each key."""
        return tuple(str(value) for _, value in self.values)


@dataclass(frozen=True)
class Given:
    """What the study has in [communication]. ranks: that it runs on. heads: how many cells it takes
    in a table.
    """

    study: Study = field(compare=False)
    ranks: int
    heads: int

    @property
    def place(self) -> tuple[object, ...]:
        """As the study has it."""
        return (GIVEN,)

    design = place
    kind = place

    def communication(self) -> dict[str, Any]:
        """The whole table, resolved."""
        return self.study.communication.resolved()

    def apply(self, study: Study) -> Study:
        """`study` itself."""
        return study

    def replaces(self, _study: Study) -> list[str]:
        """Nothing."""
        return []

    def columns(self) -> tuple[str, ...]:
        """A title with the process grid, and empty cells."""
        grid, layout = grid_on(self.study, self.ranks), self.study.communication.layout_text
        return (f"{GIVEN}: {grid} {layout}", *("",) * (self.heads - 1))


class Tuning(Part):
    """What tuners compare of a workload. By default these are all combinations of its choices
    (`phasewise.runs.choosing.Choosing`).
    """

    MODULE = "tuning"

    def candidates(self, study: Study, ranks: int, machine: Machine) -> Sequence[Candidate]:
        """Distinct and valid candidates, at least one, in an order that is always the same;
        StudyError if none suits the ranks.
        """
        return combinations(study, ranks)

    def neighbours(self, candidate: Any, study: Study, levels: bool) -> Iterable[list[Any]]:
        """Candidates that differ from `candidate` in one minor key, key by key.

        levels: whether some ranks share a node and some do not.
        """
        return ()

    def heads(self, study: Study) -> tuple[str, ...]:
        """The heads of the columns that a candidate has in a table."""
        return tuple(_choices(study, 1))

    def sampled_steps(self, study: Study, ranks: int) -> list[int] | None:
        """How many of how many steps a verifying simulation has, such as [4, 15]; None: all."""
        return None

    def open_grids(self, study: Study, ranks: int) -> list[dict[str, Any]]:
        """The process grids for a study that leaves it open, as changes of its `Communication`: the
        core's default first, then the most promising.
        """
        return []

    def open_variants(
        self, study: Study, grid: Mapping[str, Any], levels: bool
    ) -> list[dict[str, Any]]:
        """Other ways to exchange on one of these grids, the most promising first."""
        return []


def candidates(study: Study, ranks: int, machine: Machine) -> Sequence[Candidate]:
    """The candidates for a number of ranks, at least one; StudyError if none suits them."""
    return study.workload.part(Tuning).candidates(study, ranks, machine)


def _choices(study: Study, ranks: int) -> Mapping[str, Sequence[Any]]:
    return study.workload.part(Choosing).choices(study.model, ranks)


def combinations(study: Study, ranks: int) -> list[PlainCandidate]:
    """Every combination of a workload's choices that suits the ranks."""
    choices = _choices(study, ranks)
    found = [
        PlainCandidate(tuple(zip(choices, values, strict=True)))
        for values in product(*choices.values())
    ]
    valid = [candidate for candidate in found if _suits(candidate, study, ranks)]
    if not valid:
        study.check_ranks(ranks)
        raise StudyError(f"none of the ways to exchange suits {ranks} ranks")
    return valid


def _suits(candidate: Candidate, study: Study, ranks: int) -> bool:
    try:
        candidate.apply(study).check_ranks(ranks)
    except StudyError:
        return False
    return True


def neighbours(candidate: Candidate, study: Study, levels: bool) -> Iterator[list[Candidate]]:
    """Candidates that differ in one minor key, key by key; levels: whether some ranks share a node
    and some do not.
    """
    return iter(study.workload.part(Tuning).neighbours(candidate, study, levels))


def heads_of(study: Study) -> tuple[str, ...]:
    """Heads of a candidate's columns."""
    return study.workload.part(Tuning).heads(study)


def sampled_steps(study: Study, ranks: int) -> list[int] | None:
    """How many of how many steps a verifying simulation has, such as [4, 15]; None: all."""
    return study.workload.part(Tuning).sampled_steps(study, ranks)


def node_levels(machine: Machine, ranks: int) -> bool:
    """Whether some ranks share a node and some do not."""
    return 1 < machine.node_ranks < ranks

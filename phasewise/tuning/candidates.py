"""The candidates that a tuner compares, from a workload's part `tuning`.

* `candidates(study, ranks, machine)`: distinct and valid ones, in an order that is always the same;
* `neighbours(candidate, study, levels)`: those that differ from `candidate` in one minor key, key
  by key;
* `HEADS`: of the columns that a candidate has in a table;
* `sampled_steps(study, ranks)`: how many of how many steps a verifying simulation has, or None.

A workload without that part may define, in its part `choosing`, `choices(model, ranks)`: values by
key of [communication], all combinations of which are compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.study import Study
from phasewise.study.laboratory import grid_on

PART = "tuning"
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


def candidates(study: Study, ranks: int, machine: Machine) -> Sequence[Candidate]:
    """The candidates for a number of ranks, at least one; StudyError if none suits them."""
    found: Sequence[Candidate] = study.workload.offers(PART, "candidates", combinations)(
        study, ranks, machine
    )
    return found


def _choices(study: Study, ranks: int) -> Mapping[str, Sequence[Any]]:
    found: Mapping[str, Sequence[Any]] = study.workload.offers("choosing", "choices", _none)(
        study.model, ranks
    )
    return found


def _none(_model: Any, _ranks: int) -> Mapping[str, Sequence[Any]]:
    return {}


def combinations(study: Study, ranks: int, _machine: Machine) -> list[PlainCandidate]:
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
    return iter(study.workload.offers(PART, "neighbours", _no_neighbours)(candidate, study, levels))


def _no_neighbours(*_given: Any) -> list[list[Candidate]]:
    return []


def heads_of(study: Study) -> tuple[str, ...]:
    """Heads of a candidate's columns."""
    heads: tuple[str, ...] | None = getattr(study.workload.part(PART), "HEADS", None)
    return tuple(_choices(study, 1)) if heads is None else heads


def sampled_steps(study: Study, ranks: int) -> list[int] | None:
    """How many of how many steps a verifying simulation has, such as [4, 15]; None: all."""
    found: list[int] | None = study.workload.offers(PART, "sampled_steps", _all_steps)(study, ranks)
    return found


def _all_steps(*_given: Any) -> None:
    return None


def node_levels(machine: Machine, ranks: int) -> bool:
    """Whether some ranks share a node and some do not."""
    return 1 < machine.node_ranks < ranks

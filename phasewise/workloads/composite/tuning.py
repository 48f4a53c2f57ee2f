"""What tuners compare for several workloads: the choices of the part that divides the ranks, and
with the best of these the choices of each other part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from phasewise.machines import Machine
from phasewise.study import Study
from phasewise.tuning.candidates import Candidate, Tuning
from phasewise.tuning.candidates import candidates as candidates_of
from phasewise.tuning.candidates import neighbours as neighbours_of
from phasewise.workloads.composite.communication import CompositeCommunication
from phasewise.workloads.composite.parts_of import part_of, workload_of

Choices = dict[str, list[Candidate]]


@dataclass(frozen=True)
class Chosen:
    """A candidate of some parts; the others exchange as their study says."""

    names: tuple[str, ...]
    """The names of all parts."""
    parts: tuple[tuple[str, Candidate], ...]
    """The candidates, that of the part which divides the ranks first."""
    others: Choices = field(compare=False, hash=False, repr=False)
    """What the other parts may choose."""

    @property
    def place(self) -> tuple[object, ...]:
        """The place of each rank."""
        return self.parts[0][1].place

    @property
    def design(self) -> tuple[object, ...]:
        """The main keys of all parts."""
        return tuple((name, own.design) for name, own in self.parts)

    @property
    def kind(self) -> tuple[object, ...]:
        """Those of all parts."""
        return tuple((name, own.kind) for name, own in self.parts)

    def communication(self) -> dict[str, Any]:
        """The table of a study."""
        return {name: own.communication() for name, own in self.parts}

    def apply(self, study: Study) -> Study:
        """`study` with this choice."""
        given = cast(CompositeCommunication, study.communication)
        chosen = {name: own.apply(part_of(study, name)).communication for name, own in self.parts}
        changed = dataclasses.replace(given, parts={**given.parts, **chosen})
        return dataclasses.replace(study, communication=changed)

    def replaces(self, study: Study) -> list[str]:
        """Keys that `study` has set otherwise."""
        return [
            f"{name}.{key}"
            for name, own in self.parts
            for key in own.replaces(part_of(study, name))
        ]

    def columns(self) -> tuple[str, ...]:
        """A cell for each part."""
        cells = {name: ", ".join(filter(None, own.columns())) for name, own in self.parts}
        return tuple(cells.get(name, "as given") for name in self.names)

    def with_part(self, name: str, choice: Candidate) -> Chosen:
        """The candidate with the choice of one more part, or with another choice of a part."""
        parts = {**dict(self.parts), name: choice}
        return dataclasses.replace(self, parts=tuple(parts.items()))


class CompositeTuning(Tuning):
    """The choices of the part that divides the ranks, and beside the best of them those of each
    other part.
    """

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[Chosen]:
        workload = workload_of(study)
        found = {
            name: list(candidates_of(part_of(study, name), ranks, machine))
            for name in workload.ring
        }
        host = found.pop(workload.host)
        return [Chosen(workload.named, ((workload.host, own),), found) for own in host]

    def neighbours(self, candidate: Chosen, study: Study, levels: bool) -> Iterator[list[Chosen]]:
        """Those that differ in the choice of another part, or in a minor key of the first one."""
        for name, choices in candidate.others.items():
            yield [candidate.with_part(name, own) for own in choices]
        name, own = candidate.parts[0]
        for near in neighbours_of(own, part_of(study, name), levels):
            yield [candidate.with_part(name, other) for other in near]

    def heads(self, study: Study) -> tuple[str, ...]:
        """The names of the parts."""
        return workload_of(study).named

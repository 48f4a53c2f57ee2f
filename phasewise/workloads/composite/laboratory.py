"""Several workloads for planning, simulating and comparing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from phasewise.study.laboratory import Laboratory, Pieces
from phasewise.workload.interface import Workload
from phasewise.workloads.composite.communication import CompositeCommunication
from phasewise.workloads.composite.model import Models
from phasewise.workloads.composite.workload import ring_of


class CompositeLaboratory(Laboratory):
    """What each part says; the part that divides the ranks has the process grids and places."""

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._name = ring_of(workload).host
        self._parts = {n: own.part(Laboratory) for n, own in ring_of(workload).ring.items()}
        self._host = self._parts[self._name]
        self.GROUPS = self._host.GROUPS
        self.LOADS = {
            f"{name}.{key}": word
            for name, part in self._parts.items()
            for key, word in part.LOADS.items()
        }
        self.WHEN = _joined(part.WHEN for part in self._parts.values())
        self.PIECES = _joined(part.PIECES for part in self._parts.values())

    def process_grids(self, model: Models, places: Iterable[Sequence[int]]) -> list[list[int]]:
        return self._host.process_grids(model.parts[self._name], places)

    def steps(self, model: Models) -> tuple[int, int]:
        """The fewest steps of a part that has some, and the most."""
        found = [part.steps(model.parts[name]) for name, part in self._parts.items()]
        fewest = [few for few, _ in found if few > 0]
        return min(fewest, default=0), max(most for _, most in found)

    def check_simulated(self, model: Models, skeleton: bool) -> None:
        for name, part in self._parts.items():
            part.check_simulated(model.parts[name], skeleton)

    def iterated(
        self, model: Models, communication: CompositeCommunication, iterations: int | None
    ) -> Pieces:
        return self._pieces(
            lambda name, part: part.iterated(
                model.parts[name], communication.parts[name], iterations
            )
        )

    def _pieces(self, found: Callable[[str, Laboratory], Pieces]) -> Pieces:
        return {
            f"{name}.{piece}": count
            for name, part in self._parts.items()
            for piece, count in found(name, part).items()
        }

    def placed(self, communication: CompositeCommunication, record: Any) -> CompositeCommunication:
        own = self._host.placed(communication.parts[self._name], record)
        return dataclasses.replace(communication, parts={**communication.parts, self._name: own})


def _joined(words: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {key: word for part in words for key, word in part.items()}

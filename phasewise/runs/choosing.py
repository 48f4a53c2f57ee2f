"""Which other ways to exchange a run may try: the contract `Choosing` of its workload."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from phasewise.study import Study
from phasewise.tables.declared import flat_of
from phasewise.workload.grids import grid_of, grids
from phasewise.workload.interface import Part
from phasewise.workload.protocols import PROTOCOLS, available, comparable

Shapes = list[list[int]]
"""The process grids of a run."""


class Choosing(Part):
    """The ways in which a workload can exchange: a run may try them, and a tuner compares them.

    By default these are the protocols, and process grids of two dimensions, where [communication]
    has keys for them.
    """

    MODULE = "choosing"
    ALONE: bool = False
    """Whether one rank, which sends nothing, has something to try, such as how kernels go over
    data.
    """

    def nothing_to_try(self, model: Any) -> str:
        """Why there is no other way to exchange; empty if there is one."""
        if self._known("protocol"):
            return ""
        return "this workload knows one way to exchange"

    def study_key(self, model: Any) -> Mapping[str, Any]:
        """What decides how much is sent to whom; a run finds a choice that was kept by it. By
        default it is every flat key of the model.
        """
        return dict(flat_of(model)) if is_dataclass(model) else {}

    def changes(
        self, communication: Any, model: Any, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """Ways to exchange that differ from `communication` in a few keys, on these process grids,
        the most promising first. A single rank sends nothing, so that it has none.

        levels: whether some ranks share a node and some do not.
        """
        if not self._known("protocol") or math.prod(shapes[0]) == 1:
            return []
        return [{"protocol": name} for name in available() if name != communication.protocol]

    def choices(self, model: Any, ranks: int) -> Mapping[str, Sequence[Any]]:
        """The values of each key of [communication]; a tuner compares all combinations of them."""
        protocols = comparable() if ranks > 1 else PROTOCOLS[:1]
        found = {
            "process_grid": [grid_of(*grid) for grid in grids(ranks)],
            "protocol": list(protocols),
        }
        return {key: values for key, values in found.items() if self._known(key)}

    def _known(self, key: str) -> bool:
        return key in self.workload.communication


def study_key(study: Study, shapes: Shapes) -> dict[str, Any]:
    """What decides how much is sent to whom, as the workload sees it, and the study's own choice.

    shapes: the process grids of the run.
    """
    own = study.workload.part(Choosing).study_key(study.model)
    chosen = [[key, value] for key, value in study.communication.flat()]
    return {**own, "process_grid": shapes, "communication": chosen}


def nothing_to_try(study: Study) -> str:
    """Why the study has no other ways to exchange; empty where it has some."""
    return study.workload.part(Choosing).nothing_to_try(study.model)


def tries_alone(study: Study) -> bool:
    """Whether one rank has something to try."""
    return study.workload.part(Choosing).ALONE


def changes(study: Study, shapes: Shapes, levels: bool) -> list[dict[str, Any]]:
    """Ways to exchange that send other messages than the study's own way, on these process grids,
    the most promising first. Each changes one thing.

    levels: whether some ranks share a node and some do not.
    """
    own = study.workload.part(Choosing)
    return own.changes(study.communication, study.model, shapes, levels)

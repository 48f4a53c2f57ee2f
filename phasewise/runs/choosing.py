"""Which other ways to exchange a run may try: the part `choosing` of its workload.

* `nothing_to_try(model)`: why there is no other way to exchange; empty where there are some;
* `changes(communication, model, grids, levels)`: the other ways, each a change of a few keys;
* `study_key(model)`: what decides how much is sent to whom; a cached choice is found by it.
"""

from __future__ import annotations

from typing import Any

from phasewise.study import Study

PART = "choosing"

Shapes = list[list[int]]


def study_key(study: Study, shapes: Shapes) -> dict[str, Any]:
    """What decides how much is sent to whom, as the workload sees it, and the study's own choice.

    shapes: the process grids of the run.
    """
    own = study.workload.offers(PART, "study_key", _nothing)(study.model)
    chosen = [[key, value] for key, value in study.communication.flat()]
    return {**own, "process_grid": shapes, "communication": chosen}


def _nothing(_model: Any) -> dict[str, Any]:
    return {}


def nothing_to_try(study: Study) -> str:
    """Why the study has no other ways to exchange; empty where it has some."""
    offered = study.workload.offers(PART, "nothing_to_try", _no_other_way)
    return str(offered(study.model))


def _no_other_way(_model: Any) -> str:
    return "this workload knows one way to exchange"


def changes(study: Study, shapes: Shapes, levels: bool) -> list[dict[str, Any]]:
    """Other ways than the study's that send other messages on these process grids, the most
    promising first: each changes one thing.

    levels: whether some ranks share a node and some do not.
    """
    offered = study.workload.offers(PART, "changes", _no_changes)
    found: list[dict[str, Any]] = offered(study.communication, study.model, shapes, levels)
    return found


def _no_changes(*_given: Any) -> list[dict[str, Any]]:
    return []

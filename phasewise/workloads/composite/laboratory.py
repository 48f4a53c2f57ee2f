"""Several workloads for planning, simulating and comparing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from phasewise.workloads.composite.communication import CompositeCommunication
from phasewise.workloads.composite.model import Models
from phasewise.workloads.composite.workload import Composite

PART = "laboratory"


def made_for(workload: Composite) -> dict[str, Any]:
    """What depends on the parts."""
    ring, host = workload.ring, workload.host
    parts = {name: own.part(PART) for name, own in ring.items()}

    def offered(name: str, function: str, default: Callable[..., Any]) -> Callable[..., Any]:
        return ring[name].offers(PART, function, default)

    def process_grids(model: Models, places: Iterable[Sequence[int]]) -> list[list[int]]:
        """Those of the part that divides the ranks."""
        found: list[list[int]] = offered(host, "process_grids", _one_grid)(
            model.parts[host], places
        )
        return found

    def steps(model: Models) -> tuple[int, int]:
        """The fewest steps of a part that has some, and the most."""
        found = [offered(name, "steps", _one_step)(model.parts[name]) for name in ring]
        fewest = [few for few, _ in found if few > 0]
        return min(fewest, default=0), max(most for _, most in found)

    def check_simulated(model: Models, skeleton: bool) -> None:
        for name in ring:
            offered(name, "check_simulated", _nothing)(model.parts[name], skeleton)

    def pieces(function: str, model: Models, *given: Any) -> dict[str, float]:
        return {
            f"{name}.{piece}": count
            for name in ring
            for piece, count in offered(name, function, _no_pieces)(
                model.parts[name], *given
            ).items()
        }

    def placed(given: CompositeCommunication, record: Any) -> CompositeCommunication:
        own = offered(host, "placed", _unplaced)(given.parts[host], record)
        return dataclasses.replace(given, parts={**given.parts, host: own})

    def joined(constant: str, prefix: bool) -> dict[str, str]:
        return {
            f"{name}.{key}" if prefix else key: word
            for name, part in parts.items()
            for key, word in getattr(part, constant, {}).items()
        }

    return {
        "process_grids": process_grids,
        "steps": steps,
        "check_simulated": check_simulated,
        "first_pieces": partial(pieces, "first_pieces"),
        "iterated": partial(pieces, "iterated"),
        "placed": placed,
        "LOADS": joined("LOADS", prefix=True),
        "WHEN": joined("WHEN", prefix=False),
        "PIECES": joined("PIECES", prefix=False),
        "GROUPS": getattr(parts[host], "GROUPS", ""),
    }


def _one_grid(_model: Any, places: Iterable[Sequence[int]]) -> list[list[int]]:
    return [[1 + max(along) for along in zip(*places, strict=True)]]


def _one_step(_model: Any) -> tuple[int, int]:
    return 0, 1


def _nothing(*_given: Any) -> None:
    return None


def _no_pieces(*_given: Any) -> dict[str, float]:
    return {}


def _unplaced(communication: Any, _record: Any) -> Any:
    return communication

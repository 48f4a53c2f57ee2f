"""What a bench of messages prints in the terms of other benchmarks: their names for what it times,
and the time that they print of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TIMES = ("seconds", "low", "high", "quickest", "predicted")


@dataclass(frozen=True)
class Counterpart:
    """A benchmark that times the same as one of our operators. share: the part of our time that it
    prints. blocks: whether its size is that of the blocks of all ranks.
    """

    name: str
    share: float = 1.0
    blocks: bool = False


Convention = Mapping[str, Counterpart]
"""The counterparts of operators, by their names."""


def in_convention(result: Mapping[str, Any], name: str, convention: Convention) -> dict[str, Any]:
    """A measurement with the curves that have a counterpart, as it prints them; `benchmark` of a
    curve is its name, and `convention` that of all.
    """
    curves = [
        _printed(curve, convention[curve["operator"]], result["ranks"])
        for curve in result["curves"]
        if curve["operator"] in convention
    ]
    return {**result, "convention": name, "curves": curves}


def _printed(curve: Mapping[str, Any], other: Counterpart, ranks: int) -> dict[str, Any]:
    changed: dict[str, Any] = {
        name: [other.share * value for value in curve[name]] for name in TIMES if name in curve
    }
    if other.blocks:
        changed["bytes"] = [ranks * size for size in curve["bytes"]]
    return {**curve, **changed, "benchmark": other.name}

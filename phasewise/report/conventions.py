"""What a bench of messages prints in the terms of other benchmarks: their names for what it times,
and the time that they print of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from phasewise.errors import StudyError

TIMES = ("seconds", "low", "high", "quickest", "predicted")


@dataclass(frozen=True)
class Counterpart:
    """A benchmark that times the same as one of our operators. share: the part of our time that it
    prints. blocks: whether its size is that of the blocks of all ranks. started: its name where the
    operator is started and finished later.
    """

    name: str
    share: float = 1.0
    blocks: bool = False
    started: str | None = None

    def name_in(self, result: Mapping[str, Any]) -> str:
        """Its name for what a measurement timed."""
        return self.started if self.started and not result.get("blocking", True) else self.name


Convention = Mapping[str, Counterpart]
"""The counterparts of operators, by their names."""


def in_convention(result: Mapping[str, Any], name: str, convention: Convention) -> dict[str, Any]:
    """A measurement with the curves that have a counterpart, as it prints them; `benchmark` of a
    curve is its name, and `convention` that of all. StudyError if none has one.
    """
    curves = [
        _printed(curve, convention[curve["operator"]], result)
        for curve in result["curves"]
        if curve["operator"] in convention and _of_one_pair(curve)
    ]
    if not curves:
        raise StudyError(f"--convention {name} has nothing for several pairs at once: leave it out")
    return {**result, "convention": name, "curves": curves}


def check_operator(name: str, convention: Convention, operator: str | None) -> None:
    """StudyError if a convention has no counterpart of the only operator that is measured."""
    if operator is not None and operator not in convention:
        raise StudyError(
            f'--convention {name} has nothing like the operator "{operator}": it has '
            f"{', '.join(convention)}"
        )


def _of_one_pair(curve: Mapping[str, Any]) -> bool:
    """Whether a curve is of one pair, or of all ranks."""
    pairs = curve.get("pairs")
    return pairs is None or all(word.isdigit() for word in pairs.split("-"))


def _printed(
    curve: Mapping[str, Any], other: Counterpart, result: Mapping[str, Any]
) -> dict[str, Any]:
    changed: dict[str, Any] = {
        name: [other.share * value for value in curve[name]] for name in TIMES if name in curve
    }
    if other.blocks:
        for key in ("bytes", "bandwidth"):
            changed[key] = [result["ranks"] * value for value in curve[key]]
    return {**curve, **changed, "benchmark": other.name_in(result)}

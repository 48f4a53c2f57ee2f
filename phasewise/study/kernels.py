"""What the time of a workload's kernels is made of: the contract `Kernels` (docs/models.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.workload.interface import Part


@dataclass(frozen=True)
class Term:
    """A part of a kernel's time: `amount` units of work, at the rate of this name for this size."""

    name: str
    amount: float
    size: float


class Kernels(Part):
    """The rates from which the time of a workload's kernels follows."""

    MODULE = "kernels"
    UNITS: Mapping[str, str] = {}
    """The names of its rates in a machine file, with the unit of each: "item", "flop" or "byte"."""
    VARIANTS: Mapping[str, Sequence[str]] = {"": ()}
    """Suffixes of these names, each with the variants nearest to it. The rate of a name with a
    suffix replaces that of the plain name; if it was not measured, the nearest variant does.
    """
    BESIDE: tuple[str, ...] = ()
    """Names of terms that count as zero if the machine's file lacks them."""
    FIXED: Mapping[str, float] = {}
    """Seconds of an item of the kernels that take the same time on every machine."""
    ON_HOST: tuple[str, ...] = ()
    """Kernels that the host's processor computes where the others run on a device."""

    def terms(self, model: Any, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """The terms of a kernel's time. By default there is one, with the rate of the kernel's own
        name for each item.
        """
        return [Term(str(kernel["name"]), float(kernel["items"]), 1.0)]

    def instead(self, model: Any, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """The terms of its time where the rates of `terms` were not measured; none by default."""
        return []

    def overheads(self, model: Any, ranks: int) -> list[Term]:
        """The terms of a turn beside its kernels and messages."""
        return []

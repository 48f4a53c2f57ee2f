"""Collects the elements of a lattice while it is translated, and what has no translation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.writing import value
from phasewise.workloads.spacecharge.elements import length_of, read_element
from phasewise.workloads.spacecharge.importers.magnets import Elements, met_from_behind

PICOMETRES = 12
"""Decimals of a drift length in m; the digits beyond them are rounding errors of the elements'
places.
"""
SHORTEST = 1e-12
"""Drifts [m] up to this length are left out: they are rounding errors between two elements."""


@dataclass(frozen=True)
class Untranslated:
    """An element that is not fully translated: its name, kind and place, and in one clause what the
    lattice lacks of it.
    """

    record: str
    reason: str


@dataclass(frozen=True)
class Translation:
    """A lattice file as TOML text, and what was not translated."""

    text: str
    not_translated: list[Untranslated]
    written: str = "lattice"


@dataclass(frozen=True)
class Particle:
    """The reference particle: rest energy [eV], elementary charges with sign, total energy [eV]."""

    mass: float
    charge: float
    energy: float

    @property
    def velocity(self) -> float:
        """Velocity in units of c."""
        return math.sqrt((1 - self.mass / self.energy) * (1 + self.mass / self.energy))


@dataclass
class Lattice:
    """Elements in the order in which the beam meets them."""

    source: str
    particle: Particle
    elements: list[dict[str, Any]] = field(default_factory=list)
    missing: list[Untranslated] = field(default_factory=list)
    length: float = 0.0
    """Length of the elements so far [m]."""

    def add(self, elements: Elements, name: str = "") -> None:
        """Append elements, and give the name to the longest. Consecutive drifts are joined."""
        elements = [one for one in elements if not _empty(one)]
        solid = [one for one in elements if one["kind"] != "drift"]
        named = max(solid, key=length_of, default=None)
        for one in elements:
            self.length += length_of(one)
            last = self.elements[-1] if self.elements else {}
            if one["kind"] == last.get("kind") == "drift":
                last["length"] += one["length"]
                continue
            kept = {"kind": one["kind"]}
            if name and one is named:
                kept["name"] = name
            self.elements.append(kept | {key: v for key, v in one.items() if key != "kind"})

    def turn_round(self) -> None:
        """Put the elements into the order in which a beam meets them that goes the other way."""
        self.elements = [met_from_behind(one) for one in reversed(self.elements)]

    def miss(self, name: str, kind: str, reasons: Iterable[str]) -> None:
        """Record what the lattice lacks of the element that comes next."""
        place = f"{name} ({kind}) at {self.length:.6g} m"
        self.missing += [Untranslated(place, reason) for reason in reasons]

    def translation(self) -> Translation:
        """The lattice file; StudyError if the elements do not make one."""
        if not self.elements:
            raise StudyError(f"{self.source} has no elements")
        for k, one in enumerate(self.elements, 1):
            if one["kind"] == "drift":
                one["length"] = round(one["length"], PICOMETRES)
            read_element(one, f"element {k} of {self.source}")
        head = [
            f"# From {self.source}.",
            *(f"{key} = {value(entry)}" for key, entry in vars(self.particle).items()),
        ]
        blocks = [
            "\n".join(["[[element]]", *(f"{key} = {value(v)}" for key, v in one.items())])
            for one in self.elements
        ]
        return Translation("\n\n".join(["\n".join(head), *blocks]) + "\n", self.missing)


def _empty(element: dict[str, Any]) -> bool:
    return bool(element["kind"] == "drift" and element["length"] <= SHORTEST)

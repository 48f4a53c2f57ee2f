"""Pieces of Xsuite's cut and sliced elements, as the elements that they are shares of.

A piece names its parent and has a share of the parent's length and strengths, its `weight`. The
kinds are those of xtrack: `ThickSliceBend` is a shorter bend without edges, `ThinSliceBend` a thin
kick with a share of the bend's strengths, `ThinSliceBendEntry` its edge, `DriftSliceBend` a drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

GROWING = ("length", "length_straight", "angle", "knl", "ksl", "hxl", "voltage", "crab_voltage")
"""What grows with the length of a piece."""
ORDERS = 4
"""Number of orders that have attributes of their own, from k0 on."""
THIN_MULTIPOLES = ("Bend", "RBend", "Quadrupole", "Sextupole", "Octupole", "Multipole")
"""Kinds whose thin pieces are multipoles."""


class Piece:
    """A share of an element, without edges; a thin one has no length."""

    def __init__(self, parent: Any, share: float, thin: bool = False) -> None:
        self._parent, self._share, self._thin = parent, share, thin

    def __getattr__(self, name: str) -> Any:
        if name == "length" and self._thin:
            return 0.0
        value = getattr(self._parent, name)
        if name in GROWING:
            return value * self._share
        if name.startswith("edge_") and name.endswith("_active"):
            return False
        return value


def parent_of(element: Any, elements: Mapping[str, Any]) -> Any:
    """The element of which this is a piece; None if it is a whole one."""
    name = getattr(element, "parent_name", None)
    return None if name is None else elements[name]


def length_of(element: Any, elements: Mapping[str, Any]) -> float:
    """The length that an element has in its line [m]: that of a thin one only says over what length
    its effect is integrated.
    """
    if not getattr(element, "isthick", False):
        return 0.0
    parent = parent_of(element, elements)
    if parent is None:
        return float(element.length)
    straight = getattr(parent, "rbend_model", "") == "straight-body"
    return float(parent.length_straight if straight else parent.length) * float(element.weight)


def whole(element: Any, parent: Any) -> tuple[str, Any]:
    """The kind of a piece, and an element of that kind that does what the piece does."""
    kind, own = type(element).__name__, type(parent).__name__
    if kind.startswith("Drift"):
        return "Drift", element
    if kind.endswith(("Entry", "Exit")):
        return _edge(kind, own, parent)
    if kind.startswith("ThickSlice"):
        return own, Piece(parent, float(element.weight))
    if kind.startswith("ThinSlice") and own in THIN_MULTIPOLES:
        return "Multipole", _thin(own, parent, float(element.weight))
    if kind.startswith("ThinSlice"):
        return own, Piece(parent, float(element.weight), thin=True)
    return kind, element


def _edge(kind: str, own: str, parent: Any) -> tuple[str, Any]:
    side = "entry" if kind.endswith("Entry") else "exit"
    active = bool(getattr(parent, f"edge_{side}_active", False))
    if not active:
        return "Marker", parent
    if own not in ("Bend", "RBend"):
        return "Fringe", parent
    half = float(parent.angle) / 2 if own == "RBend" else 0.0
    return "DipoleEdge", SimpleNamespace(
        k=_dipole(parent),
        e1=half + float(getattr(parent, f"edge_{side}_angle")),
        hgap=float(getattr(parent, f"edge_{side}_hgap")),
        fint=float(getattr(parent, f"edge_{side}_fint")),
        model=getattr(parent, f"edge_{side}_model"),
    )


def _dipole(parent: Any) -> float:
    """The field of a bend [1/m]."""
    return float(parent.angle / parent.length if parent.k0_from_h else parent.k0)


def _thin(own: str, parent: Any, share: float) -> Any:
    """A thin multipole with a share of an element's integrated strengths."""
    length, curved = float(parent.length), own in ("Bend", "RBend")
    strengths = []
    for integrated, suffix in (("knl", ""), ("ksl", "s")):
        total = [float(value) for value in getattr(parent, integrated)]
        total += [0.0] * (ORDERS - len(total))
        for n in range(1, ORDERS):
            total[n] += float(getattr(parent, f"k{n}{suffix}", 0.0)) * length
        strengths.append(total)
    if curved:
        strengths[0][0] += _dipole(parent) * length
    hxl = float(parent.angle) if curved else float(getattr(parent, "hxl", 0.0))
    return SimpleNamespace(
        knl=[share * value for value in strengths[0]],
        ksl=[share * value for value in strengths[1]],
        hxl=share * hxl,
        length=share * length,
        isthick=False,
    )

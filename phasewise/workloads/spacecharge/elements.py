"""The elements of [[lattice.element]], and what each becomes for the driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import Key, Schema, check_table, nearest, show

Parameters = Iterator[tuple[str, Any]]

ORDERS = 6
"""Number of orders of a multipole, from the dipole to the dodecapole."""

LENGTH = Key("number", least=0, most=1e6, unit="m", hint="lengths are in metres")
STRENGTH = Key("number")
STRENGTHS = Key("any")
STEPS = Key("integer", least=1, most=1000)
ANGLE = Key("number", least=-6.3, most=6.3, unit="rad", hint="angles are in radians")
NAME = Key("text")
OFF_AXIS: Schema = {"normal": STRENGTHS, "skew": STRENGTHS, "steps": STEPS}
BEND: Schema = {
    "length": LENGTH,
    "angle": ANGLE,
    "edges": Key("numbers", length=2, least=-1.57, most=1.57, unit="rad"),
    "edge_order": Key("integers", length=2, least=0, most=2),
    "half_gap": Key("number", least=0, most=10, unit="m"),
    "fringe": Key("number", least=0, most=10),
    "k1": STRENGTH,
    "steps": STEPS,
}

KINDS: dict[str, tuple[Schema, tuple[str, ...]]] = {
    "drift": ({"length": LENGTH}, ("length",)),
    "quadrupole": ({"length": LENGTH, "k1": STRENGTH, **OFF_AXIS}, ("length", "k1")),
    "sextupole": ({"length": LENGTH, "k2": STRENGTH, "steps": STEPS}, ("length", "k2")),
    "octupole": ({"length": LENGTH, "k3": STRENGTH, "steps": STEPS}, ("length", "k3")),
    "multipole": ({"length": LENGTH, **OFF_AXIS}, ()),
    "bend": (BEND, ("length", "angle")),
    "rectangular-bend": (BEND, ("length", "angle")),
    "solenoid": ({"length": LENGTH, "strength": STRENGTH}, ("length", "strength")),
    "constant-focusing": (
        {
            "length": LENGTH,
            "focusing": Key("numbers", length=3, least=0, most=1e6, unit="m⁻² in x, y, z"),
        },
        ("length", "focusing"),
    ),
    "cavity": (
        {
            "length": LENGTH,
            "voltage": Key("number", unit="V"),
            "frequency": Key("number", above=0, unit="Hz"),
            "phase": Key("number", unit="turns"),
        },
        ("voltage", "frequency"),
    ),
    "aperture": (
        {
            "shape": Key("word", "ellipse", choices=("ellipse", "rectangle")),
            "half_width": Key("numbers", length=2, above=0, unit="m"),
        },
        ("half_width",),
    ),
    "matrix": ({"matrix": Key("nested", shape=(6, 6))}, ("matrix",)),
    "second-order": (
        {"matrix": Key("nested", shape=(6, 6)), "tensor": Key("nested", shape=(6, 6, 6))},
        ("matrix", "tensor"),
    ),
    "marker": ({}, ()),
    "monitor": ({}, ()),
}
"""The keys of each kind of element, and which of them are required."""


def read_element(table: object, where: str) -> dict[str, Any]:
    """An element's keys, checked; `kind` says which it is."""
    if not isinstance(table, Mapping) or not isinstance(table.get("kind"), str):
        raise StudyError(f'{where} needs a kind, such as kind = "drift"')
    kind = table["kind"]
    if kind not in KINDS:
        raise StudyError(f"{where}.kind: {show(kind)} is not known{nearest(kind, KINDS)}")
    schema, needed = KINDS[kind]
    rest = {name: value for name, value in table.items() if name != "kind"}
    found = check_table(rest, {"name": NAME, **schema}, where)
    for name in needed:
        if name not in found:
            raise StudyError(f"{where}.{name} is missing: a {kind} needs it")
    for name in ("normal", "skew"):
        if name in found:
            found[name] = _strengths(found[name], f"{where}.{name}")
    return {"kind": kind, **found}


def _strengths(value: object, where: str) -> tuple[float, ...]:
    if (
        not isinstance(value, list | tuple)
        or not 1 <= len(value) <= ORDERS
        or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value)
    ):
        raise StudyError(
            f"{where} must be a list of 1 to {ORDERS} numbers, for the dipole, the quadrupole, …, "
            f"but is {show(value)}"
        )
    return tuple(float(v) for v in value)


def flat_element(element: Mapping[str, Any]) -> Parameters:
    """The driver's parameters of an element (docs/flat-parameters.md)."""
    values = {name: value for name, value in element.items() if name not in ("kind", "name")}
    kind = element["kind"]
    match kind:
        case "quadrupole" | "multipole":
            kind = "magnet" if values.get("length") else "multipole"
            if kind == "multipole":
                values = {k: v for k, v in values.items() if k in ("normal", "skew")}
        case "sextupole" | "octupole":
            own = "k2" if kind == "sextupole" else "k3"
            values["normal"] = (*(0.0,) * int(own[1]), values.pop(own))
            kind = "magnet"
        case "rectangular-bend":
            entry, leaving = values.get("edges", (0.0, 0.0))
            half = values["angle"] / 2
            values["edges"] = (entry + half, leaving + half)
            kind = "bend"
        case "aperture":
            values.setdefault("shape", "ellipse")
    yield "element", kind
    yield from values.items()


def length_of(element: Mapping[str, Any]) -> float:
    """Length of an element along the reference orbit [m]."""
    return float(element.get("length", 0.0))


def couples(element: Mapping[str, Any]) -> bool:
    """Whether an element couples x and y for small amplitudes."""
    if element["kind"] == "solenoid":
        return bool(element["strength"])
    if "matrix" in element:
        rows = element["matrix"]
        return any(rows[6 * i + j] for i in range(4) for j in range(4) if i // 2 != j // 2)
    return any(element.get("skew", ())[1:2])

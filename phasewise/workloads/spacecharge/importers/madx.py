"""Translates a MAD-X sequence into a lattice file, through cpymad.

MAD-X runs the file; the sequence is the one that is asked for, the one that its last USE names, or
its only one.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from phasewise.errors import StudyError
from phasewise.tables.files import read_text
from phasewise.tables.keys import nearest, show
from phasewise.workloads.spacecharge.importers import magnets
from phasewise.workloads.spacecharge.importers.madx_elements import (
    HARMLESS,
    KINDS,
    Ring,
    Values,
    numbers,
)
from phasewise.workloads.spacecharge.importers.magnets import Elements
from phasewise.workloads.spacecharge.importers.translation import Lattice, Particle, Translation

FAULT = re.compile("error|fatal|illegal|undefined", re.IGNORECASE)


def translate(file: str | Path, name: str | None = None) -> Translation:
    """The sequence of a MAD-X file, or that of this name; StudyError if there is none, or MAD-X
    cannot read it.
    """
    path = Path(file)
    if find_spec("cpymad") is None:
        raise StudyError(
            "reading MAD-X files needs cpymad, which is not installed: pip install cpymad"
        )
    read_text(path)
    from cpymad.madx import Madx

    with tempfile.TemporaryFile("w+") as log:
        try:
            with Madx(stdout=log, stderr=log) as madx:
                madx.call(str(path), chdir=True)
                sequence = madx.sequence[_used(madx, path, name)]
                return _lattice(madx, sequence, path).translation()
        except StudyError:
            raise
        except Exception as error:
            # Its process may end at any command, and its parser raises errors of many kinds.
            raise StudyError(f"MAD-X cannot use {path}: {_first_fault(log) or error}") from None


def _used(madx: Any, path: Path, wanted: str | None) -> str:
    """The name of the wanted sequence, else of the one that the file used last, else of its only
    one. It is used now.
    """
    names = list(madx.sequence)
    used = _expanded(madx)
    if wanted is None and used is None and len(names) != 1:
        listed = ", ".join(names) or "none"
        raise StudyError(
            f"{path} must USE the sequence to be translated, or --line name one of those that it "
            f"defines: {listed}"
        )
    name = (wanted or used or names[0]).lower()
    if name != used:
        with suppress(Exception):  # its errors are of many kinds; a LINE is no sequence before
            madx.use(name)
        if _expanded(madx) != name:
            raise StudyError(f"{path} has no sequence {show(wanted)}{nearest(name, names)}")
    return name


def _expanded(madx: Any) -> str | None:
    """The name of the sequence that is in use."""
    active = madx.sequence()
    return str(active.name) if active is not None and active.is_expanded else None


def _first_fault(log: IO[str]) -> str:
    """The first error that MAD-X printed."""
    log.seek(0)
    faults = (line for line in log if line.startswith("+") and FAULT.search(line))
    return next((line.strip(" +=\n") for line in faults), "")


def _lattice(madx: Any, sequence: Any, path: Path) -> Lattice:
    beam = sequence.beam
    particle = Particle(beam.mass * 1e9, float(beam.charge), beam.energy * 1e9)
    lattice = Lattice(f"{path.name}, sequence {sequence.name}", particle)
    ring = Ring(particle, float(sequence.length), bool(madx.options.rbarc), int(beam.bv))
    defaults = Defaults()
    for node in sequence.expanded_elements:
        _add(lattice, node, ring, defaults)
    if ring.bv == -1:
        lattice.turn_round()
    return lattice


class Defaults:
    """The attributes with which MAD-X makes elements of each kind. It is asked once for a kind,
    since an answer takes some tenths of a millisecond.
    """

    def __init__(self) -> None:
        self._of: dict[str, dict[str, list[float]]] = {}

    def kind_of(self, node: Any) -> str:
        """The kind of an element."""
        own = getattr(node, "_attr", {}).get("base_type")  # the public name asks MAD-X again
        return str(own or node.base_type.name)

    def of(self, node: Any) -> dict[str, list[float]]:
        """The default of each attribute of an element."""
        kind = self.kind_of(node)
        if kind not in self._of:
            base = node.base_type
            self._of[kind] = {str(name): numbers(base[name]) for name in base}
        return self._of[kind]


def _add(lattice: Lattice, node: Any, ring: Ring, defaults: Defaults) -> None:
    """Add one element of the sequence, with the apertures at its ends."""
    kind = defaults.kind_of(node)
    values = {str(name): node[name] for name in node}
    name, length = str(node.name).split(":")[0], float(values.get("l") or 0.0)
    if kind == "drift":
        lattice.add(magnets.drift(length))
        return
    if kind == "marker" and name.endswith(("$start", "$end")):
        return  # MAD-X added these markers
    reasons = list(_left_out(kind, node, values, defaults.of(node)))
    aperture, fault = _aperture(values)
    if fault:
        reasons.append(fault)
    signed = ring.signed(kind, values)
    if kind in KINDS:
        body, wanting = KINDS[kind][0](signed, ring)
        reasons += wanting
    else:
        body = magnets.drift(length)
        reasons.append("this kind has no translation; a drift of its length stands in for it")
    if "tilt" in values and kind != "multipole":
        body = magnets.rotated(body, float(signed["tilt"]))
    lattice.miss(name, kind, reasons)
    lattice.add(aperture)
    lattice.add(body, name)
    if length > 0:
        lattice.add(aperture)


def _left_out(
    kind: str, node: Any, values: Values, defaults: dict[str, list[float]]
) -> Iterator[str]:
    """A clause for each attribute that differs from its default and that the translation does not
    read.
    """
    own = KINDS[kind][1] if kind in KINDS else " ".join(values)
    read = f"{HARMLESS} {own}".split()
    for name, value in values.items():
        if name not in read and numbers(value) != defaults[name]:
            yield f"its {name} = {value} is left out"
    for name in ("align_errors", "field_errors", "phase_errors"):
        errors = getattr(node, name, None)
        if errors is not None and any(map(numbers, errors)):
            yield f"its {name.replace('_', ' ')} are left out"


SHAPES: dict[str, tuple[tuple[str, tuple[int, int]], ...]] = {
    "circle": (("ellipse", (0, 0)),),
    "ellipse": (("ellipse", (0, 1)),),
    "rectangle": (("rectangle", (0, 1)),),
    "rectcircle": (("rectangle", (0, 1)), ("ellipse", (2, 2))),
    "lhcscreen": (("rectangle", (0, 1)), ("ellipse", (2, 2))),
    "rectellipse": (("rectangle", (0, 1)), ("ellipse", (2, 3))),
}
"""The apertures that an APERTYPE means, and the indices of their half widths in its parameters."""


def _aperture(values: Values) -> tuple[Elements, str]:
    """The apertures of an element, and a clause on what cannot be translated."""
    given = numbers(values.get("aperture", ()))
    shape = str(values.get("apertype", ""))
    if not given:
        return [], ""
    if shape not in SHAPES or numbers(values.get("aper_offset", ())):
        return [], f"an aperture of type {shape} or with an offset has no translation"
    given += [0.0] * 4
    parts: Elements = [
        {"kind": "aperture", "shape": own, "half_width": [given[k] for k in which]}
        for own, which in SHAPES[shape]
    ]
    whole = all(min(part["half_width"]) > 0 for part in parts)
    return (parts, "") if whole else ([], f"an aperture of type {shape} needs half widths above 0")

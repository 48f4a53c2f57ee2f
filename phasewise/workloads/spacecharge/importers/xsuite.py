"""Translates an Xsuite line into a lattice file, through xtrack, from the JSON file that `to_json`
writes.
"""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.errors import StudyError
from phasewise.tables.files import read_text
from phasewise.tables.keys import show
from phasewise.workloads.spacecharge.importers import magnets
from phasewise.workloads.spacecharge.importers.translation import Lattice, Particle, Translation
from phasewise.workloads.spacecharge.importers.xsuite_elements import (
    ENDS,
    HARMLESS,
    KINDS,
    NO_PLACE,
    Ring,
)
from phasewise.workloads.spacecharge.importers.xsuite_slices import length_of, parent_of, whole

CLASS = "__class__"
"""The key with the kind of an element in a file."""
DRIFTS = ("Drift", "DriftExact")
SAME_LENGTH = 1e-9
"""Largest difference [m] between the length of an element, or of a metre of a line, and that of its
translation.
"""
NO_TRANSLATION = "this kind has no translation; a drift of its length stands in for it"


def translate(file: str | Path, name: str | None = None) -> Translation:
    """The line of a JSON file, or its line of this name; StudyError if there is none, or xtrack
    cannot read it.
    """
    path = Path(file)
    if find_spec("xtrack") is None:
        raise StudyError(
            "reading Xsuite lines needs xtrack, which is not installed: pip install xtrack"
        )
    written = read_text(path)
    import xtrack

    # xtrack reports its progress on both streams; ours have the translation and what it lacks.
    silent = io.StringIO()
    with warnings.catch_warnings(), redirect_stdout(silent), redirect_stderr(silent):
        warnings.simplefilter("ignore")
        try:
            loaded = xtrack.load(os.fspath(path.resolve()))
        except Exception as error:
            raise StudyError(
                f"xtrack cannot read {path}: {error or type(error).__name__}"
            ) from None
        return lattice_of(_line(loaded, path, name), path.name, _properties(written)).translation()


def _line(loaded: Any, path: Path, name: str | None) -> Any:
    """The line itself, the only line of an environment, or its line of this name."""
    lines = dict(loaded.lines) if hasattr(loaded, "lines") else {str(loaded.name): loaded}
    names = ", ".join(lines) or "none"
    if name is not None:
        if name not in lines:
            raise StudyError(f"{path} has no line {show(name)}; it has {names}")
        return lines[name]
    if len(lines) != 1:
        raise StudyError(f"{path} must hold one line, or --line name one of these: {names}")
    return next(iter(lines.values()))


def _properties(written: str) -> Mapping[str, Any]:
    """The properties of the elements as the file has them, which are those that differ from their
    defaults.
    """
    try:
        found = json.loads(written)["elements"]
    except (ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


class _Line:
    """What the translation of an element needs to know of the line."""

    def __init__(self, line: Any, written: Mapping[str, Any], particle: Particle) -> None:
        self.elements = line.element_dict
        self.written = written
        self.length = float(line.get_length())
        revolution = particle.velocity * SPEED_OF_LIGHT / max(self.length, 1e-300)
        self.ring = Ring(particle, revolution)

    def left_out(self, name: str, element: Any, read: list[str]) -> list[str]:
        """A clause for each property that differs from its default and that the translation does
        not read.
        """
        found = self.written.get(name)
        if isinstance(found, Mapping) and all(key in read for key in found if key != CLASS):
            return []
        # The file of an older version has other names; a new dictionary, which takes a
        # millisecond, has today's.
        return list(_left_out(element.to_dict(), read))


def lattice_of(line: Any, source: str, written: Mapping[str, Any] | None = None) -> Lattice:
    """The elements of an xtrack line, with their properties as its file has them; StudyError if it
    has no reference particle, or if the elements do not make up its length.
    """
    reference = line.particle_ref
    if reference is None:
        raise StudyError(f"{source} has no particle_ref, and so no energy")
    energy = float(reference.energy0[0])
    particle = Particle(float(reference.mass0), float(reference.q0), energy)
    lattice = Lattice(source, particle)
    own = _Line(line, written or {}, particle)
    for name in line.element_names:
        element = own.elements[name]
        if hasattr(element, "resolve"):
            name = element.resolve(line, get_name=True)
            element = own.elements[name]
        _add(lattice, name, element, own)
    if abs(lattice.length - own.length) > SAME_LENGTH * max(own.length, 1.0):
        raise StudyError(
            f"{source} is {own.length:.10g} m long, but its translation {lattice.length:.10g} m"
        )
    return lattice


def _add(lattice: Lattice, name: str, element: Any, line: _Line) -> None:
    """Add one element of the line, which keeps the length that it has there."""
    length, before = length_of(element, line.elements), lattice.length
    parent = parent_of(element, line.elements)
    kind, own = whole(element, parent) if parent is not None else (type(element).__name__, element)
    if kind in DRIFTS:
        lattice.add(magnets.drift(length))
        return
    if kind in KINDS:
        translated, read = KINDS[kind]
        body, reasons = translated(own, line.ring)
        if parent is None:
            reasons += line.left_out(name, element, f"{HARMLESS} {read}".split())
        elif kind not in ENDS:
            needed = KINDS.get(type(parent).__name__, KINDS[kind])[1]
            reasons += line.left_out(element.parent_name, parent, f"{HARMLESS} {needed}".split())
        body = magnets.rotated(body, _rotation(element if parent is None else parent))
    else:
        body = magnets.drift(length)
        reasons = [NO_PLACE.get(kind, NO_TRANSLATION)]
    lattice.miss(name, type(element).__name__, reasons)
    lattice.add(body, name)
    if abs(lattice.length - before - length) > SAME_LENGTH * max(length, 1.0):
        raise StudyError(
            f"{lattice.source}: {name} ({type(element).__name__}) is {length:.10g} m long in its "
            f"line, but its translation {lattice.length - before:.10g} m"
        )


def _rotation(element: Any) -> float:
    return float(getattr(element, "rot_s_rad", 0.0))


def _left_out(given: Mapping[str, Any], read: list[str]) -> Iterator[str]:
    """The clauses of _Line.left_out."""
    for name, value in given.items():
        if name in read or name == CLASS:
            continue
        if isinstance(value, str) or _any(value):
            yield f"its {name} = {value} is left out"


def _any(value: Any) -> bool:
    return any(map(_any, value)) if hasattr(value, "__iter__") else bool(value)

"""One file of a BeamBeam3D deck (``beam1.in``, ``beam2.in``): 36 records of numbers, a line each.

The order is that of the code's own reader (BeamBeam3D 1.0, J. Qiang, LBNL). A record's numbers
stand at the start of its line, in Fortran's notation, and the rest of the line is a comment.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.tables.files import read_text
from phasewise.tables.keys import show

RECORDS = (
    ("processors", "columns rows"),
    ("particles", "dimensions macroparticles"),
    ("mesh", "nx ny nz"),
    ("slices", "slices"),
    ("turns", "turns"),
    ("distribution", "kind"),
    ("x", "sigma beta alpha scale momentum_scale centre momentum_centre"),
    ("y", "sigma beta alpha scale momentum_scale centre momentum_centre"),
    ("z", "sigma beta alpha scale momentum_scale centre momentum_centre"),
    ("beam", "population energy mass charge"),
    ("tunes", "x y z"),
    ("alpha", "x y"),
    ("beta", "x y"),
    ("emittance", "x y"),
    ("damping", "first second third switch"),
    ("equilibrium", "sigma_z sigma_delta"),
    ("sweeping", "switch radius tune"),
    ("feedback", "switch"),
    ("squeeze", "switch turns"),
    ("orbit", "x y"),
    ("rms", "z delta"),
    ("crossing", "alpha phi"),
    ("switches", "fixed_domain slice_file second_order third_order fourth_order"),
    ("collisions", "number"),
    ("domain", "xmin xmax ymin ymax zmin zmax"),
    ("groups", "number kind"),
    ("chromaticity", "x y"),
    ("curvature", "curvature"),
    ("luminosity", "every"),
    ("bunches", "bunches steps"),
    ("restart", "switch seconds save"),
    ("resampling", "every"),
    ("output", "particles_every particles_fraction moments_every"),
    ("gains", "first second third fourth"),
    ("crab", "beta frequency"),
    ("series", "particles length every"),
)
"""Name of each record and of the numbers that it must hold."""

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdDqQ][+-]?\d+)?")


@dataclass(frozen=True)
class Deck:
    """The numbers of one deck file by record, and the lines that they stand in (from 1)."""

    path: Path
    values: dict[str, list[float]]
    lines: dict[str, int]

    def number(self, record: str, name: str) -> float:
        """The number ``name`` of ``record``."""
        return self.values[record][_names(record).index(name)]

    def integer(self, record: str, name: str) -> int:
        """The number ``name`` of ``record``; StudyError if it is not an integer."""
        number = self.number(record, name)
        if not number.is_integer():
            raise StudyError(f"{self.where(record)}: {name} = {number:g} must be an integer")
        return int(number)

    def extra(self, record: str, index: int) -> float:
        """The number at ``index`` of a record that may be longer than it must be, or 0 if it is
        not.
        """
        numbers = self.values[record]
        return numbers[index] if index < len(numbers) else 0.0

    def where(self, record: str) -> str:
        """File, line and name of ``record``, for a sentence."""
        return f"{self.path}, line {self.lines[record]} ({record})"

    def place(self, record: str) -> str:
        """File name, line and name of ``record``, for a list."""
        return f"{self.path.name} line {self.lines[record]} ({record})"


def _names(record: str) -> list[str]:
    return dict(RECORDS)[record].split()


def read_deck(path: Path) -> Deck:
    """The deck file ``path``; StudyError, with the line, if it is cut short or garbled."""
    numbered = [(k, t) for k, t in enumerate(read_text(path).splitlines(), 1) if t.strip()]
    values, lines = {}, {}
    for (record, names), entry in zip(RECORDS, numbered, strict=False):
        lines[record], text = entry
        values[record] = _numbers(text)
        wanted, found = names.split(), len(values[record])
        if found < len(wanted):
            raise StudyError(
                f"{path}, line {lines[record]} ({record}): {len(wanted)} number"
                f"{'s' if len(wanted) > 1 else ''} expected ({', '.join(wanted)}), but {found} "
                f"stand{'s' if found == 1 else ''} at the start of {show(text.strip())}"
            )
    if len(numbered) < len(RECORDS):
        raise StudyError(
            f"{path} ends at line {numbered[-1][0] if numbered else 0}, before its record "
            f"{len(numbered) + 1} of {len(RECORDS)} ({RECORDS[len(numbered)][0]})"
        )
    return Deck(path, values, lines)


def _numbers(text: str) -> list[float]:
    """The finite numbers at the start of a line, up to the first word that is none."""
    numbers = []
    for word in text.replace(",", " ").split():
        if not NUMBER.fullmatch(word):
            break
        number = float(re.sub("[dDqQ]", "e", word))
        if not math.isfinite(number):
            break
        numbers.append(number)
    return numbers

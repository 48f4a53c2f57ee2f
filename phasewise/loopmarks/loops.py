"""A loop as it stands in a source file, and the loops of a file by its language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from phasewise.errors import StudyError

C_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".cuh")
FREE_SUFFIXES = (".f90", ".f95", ".f03", ".f08", ".F90", ".F95", ".F03", ".F08")
FIXED_SUFFIXES = (".f", ".for", ".ftn", ".F", ".FOR")
HEADER_SUFFIXES = (".h", ".hh", ".hpp", ".hxx", ".cuh")


class Place(NamedTuple):
    """A line and a column, both from 1; places compare in the order of the text."""

    line: int
    column: int


@dataclass(frozen=True, order=True)
class Loop:
    """A loop of a source file: it begins at `begin`, and `end` is its last character.

    directive: where the directives before it begin, or `begin`; head: the last character before its
    body. A compiler places a loop between the two, except for C's do, whose condition comes last.
    depth: 1 for a loop that is in no other one. shared: a directive divides its iterations among
    threads. leaves: a statement within it may end it early. implied: it is a statement on whole
    arrays, without a loop's keyword.
    """

    begin: Place
    directive: Place
    head: Place
    end: Place
    depth: int
    shared: bool = False
    leaves: bool = False
    implied: bool = False

    def holds(self, place: Place) -> bool:
        """Whether a place lies within the loop or its directives."""
        return self.directive <= place <= self.end

    def heads(self, place: Place) -> bool:
        """Whether a place lies in what stands before the loop's body."""
        return self.directive <= place <= self.head


@dataclass(frozen=True)
class Loops:
    """The loops of a file in the order in which they begin, and where the bodies of its functions,
    lambdas and classes begin and end.
    """

    loops: tuple[Loop, ...]
    bodies: tuple[tuple[Place, Place], ...] = ()

    def headed(self, place: Place) -> Loop | None:
        """The loop that has a place in its head."""
        found = [loop for loop in self.loops if loop.heads(place)]
        return max(found, key=lambda loop: loop.depth, default=None)

    def around(self, place: Place) -> list[Loop]:
        """The loops around a place in the same body, the outer ones first."""
        body = max((b for b, e in self.bodies if b <= place <= e), default=Place(0, 0))
        return [loop for loop in self.loops if loop.holds(place) and loop.begin >= body]


def is_fortran(path: Path) -> bool:
    """Whether a file is in Fortran, by the end of its name."""
    return path.suffix in FREE_SUFFIXES + FIXED_SUFFIXES


def check_language(path: Path) -> None:
    """StudyError if the end of the file's name belongs to no language that can be read."""
    if path.suffix not in C_SUFFIXES + FREE_SUFFIXES + FIXED_SUFFIXES:
        raise StudyError(
            f"{path} is not in a language whose loops can be found: give a file in C (.c), C++ "
            "(.cpp, .cc, .cxx) or Fortran (.f90, .f)"
        )

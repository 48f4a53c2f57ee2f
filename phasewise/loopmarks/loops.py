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

    head: the last character before its body; a compiler places a loop between `begin` and `head`,
    except for C's do, whose condition comes last. depth: 1 for one that no other loop is around.
    shared: the directive before it divides its iterations among threads. leaves: a statement within
    it may end it early. implied: a statement of whole arrays, not a loop by its word.
    """

    begin: Place
    head: Place
    end: Place
    depth: int
    shared: bool = False
    leaves: bool = False
    implied: bool = False

    def holds(self, place: Place) -> bool:
        """Whether a place lies within the loop."""
        return self.begin <= place <= self.end

    def heads(self, place: Place) -> bool:
        """Whether a place lies in what stands before the loop's body."""
        return self.begin <= place <= self.head


def is_fortran(path: Path) -> bool:
    """Whether a file is in Fortran, by the end of its name."""
    return path.suffix in FREE_SUFFIXES + FIXED_SUFFIXES


def check_language(path: Path) -> None:
    """StudyError if the end of the file's name is that of no language that is read."""
    if path.suffix not in C_SUFFIXES + FREE_SUFFIXES + FIXED_SUFFIXES:
        raise StudyError(
            f"{path} is of no language that loops are found in: give a file of C (.c), C++ (.cpp, "
            ".cc, .cxx) or Fortran (.f90, .f)"
        )

"""The table [lattice], which lists elements or names the file that does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import key, schema_of
from phasewise.tables.files import parse, read_text
from phasewise.tables.keys import Key, check_table, show, with_defaults
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.spacecharge.elements import couples, length_of, read_element

MAPS = ("exact", "linear", "second-order")
MOST_ELEMENTS = 100_000
SAME_PARTICLE = 1e-6
"""Largest relative difference of mass, charge or energy between a lattice file and the bunch."""


@dataclass(frozen=True, kw_only=True)
class Lattice:
    """The keys of [lattice]."""

    maps: str = key("word", "exact", choices=MAPS, flat="lattice.maps")
    periods: int = key("integer", 1, least=1, most=MOST_ELEMENTS)
    """How many times the elements are repeated."""
    element: ClassVar[Key] = Key("any")
    file: ClassVar[Key] = Key("text")
    """A lattice file, instead of elements."""
    elements: tuple[dict[str, Any], ...]

    @property
    def length(self) -> float:
        """Length of a passage [m]."""
        return self.periods * sum(map(length_of, self.elements))

    @property
    def along(self) -> list[dict[str, Any]]:
        """The elements of a passage, in order."""
        return [element for _ in range(self.periods) for element in self.elements]

    @property
    def couples(self) -> bool:
        """Whether elements couple x and y."""
        return any(map(couples, self.elements))

    @property
    def apertures(self) -> int:
        """Number of apertures in a passage."""
        return self.periods * len([one for one in self.elements if one["kind"] == "aperture"])

    @property
    def monitors(self) -> int:
        """Number of monitors in a passage."""
        return self.periods * len([one for one in self.elements if one["kind"] == "monitor"])


@dataclass(frozen=True, kw_only=True)
class LatticeFile:
    """The keys of a lattice file: the elements, and the reference particle to which strengths are
    normalised and frequencies belong.
    """

    mass: float = key("number", above=0, unit="eV")
    charge: float = key("number", unit="elementary charges")
    energy: float = key("number", above=0, unit="eV")
    element: Any = key("any")


def read_lattice(table: object, bunch: SharedBunch, folder: Path) -> Lattice:
    """The lattice of a study; StudyError if its keys do not describe one."""
    schema = schema_of(Lattice)
    values = with_defaults(check_table(table, schema, "lattice"), schema)
    given, file = values.pop("element"), values.pop("file")
    where = "lattice.element"
    if file is not None:
        if given is not None:
            raise StudyError("lattice has either a file or elements, not both")
        given, where = _elements_of(folder / file, bunch), f"{file}: element"
    if not isinstance(given, list | tuple) or not given:
        raise StudyError(f"{where} must be a list of tables, but is {show(given)}")
    elements = [read_element(one, f"{where}[{k}]") for k, one in enumerate(given, 1)]
    lattice = Lattice(**values, elements=tuple(elements))
    if len(elements) * lattice.periods > MOST_ELEMENTS:
        raise StudyError(f"the lattice has more than {MOST_ELEMENTS} elements")
    return lattice


def _elements_of(path: Path, bunch: SharedBunch) -> Any:
    """The elements of a lattice file; StudyError if it is for another particle than the bunch's."""
    schema = schema_of(LatticeFile)
    file = with_defaults(check_table(parse(read_text(path), str(path)), schema, path.name), schema)
    for name in ("mass", "charge", "energy"):
        own, found = getattr(bunch, name), file[name]
        if found is not None and abs(found - own) > SAME_PARTICLE * abs(own):
            raise StudyError(
                f"{path} is the lattice of a particle with {name} = {found:.10g}, and the bunch "
                f"has {own:.10g}"
            )
    return file["element"]

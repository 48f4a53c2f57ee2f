"""A bunch with space charge in a lattice: the tables [bunch], [lattice] and [solver]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from phasewise.errors import StudyError
from phasewise.tables.declared import flat_of, key, schema_of, values_of
from phasewise.tables.keys import Key, check_table, show, with_defaults
from phasewise.workloads.bunches import SharedBunch
from phasewise.workloads.spacecharge.bunch import Bunch, read_bunch
from phasewise.workloads.spacecharge.elements import flat_element, length_of, read_element

MAPS = ("exact", "linear", "second-order")
GREENS = ("integrated", "point")
MESHES = ("follow", "fixed")
FEWEST_NODES, MOST_NODES = 8, 4096
MOST_ELEMENTS = 100_000
TABLES = {name: Key("table") for name in ("bunch", "lattice", "solver")}
"""Tables of a study that are of space charge."""


@dataclass(frozen=True, kw_only=True)
class Lattice:
    """The keys of [lattice]."""

    maps: str = key("word", "exact", choices=MAPS, flat="lattice.maps")
    periods: int = key("integer", 1, least=1, most=MOST_ELEMENTS)
    """How often the elements follow each other."""
    element: ClassVar[Key] = Key("any")
    elements: tuple[dict[str, Any], ...]

    @property
    def length(self) -> float:
        """Length of a passage [m]."""
        return self.periods * sum(map(length_of, self.elements))

    @property
    def monitors(self) -> int:
        """Monitors that a passage meets."""
        return self.periods * len([one for one in self.elements if one["kind"] == "monitor"])


@dataclass(frozen=True, kw_only=True)
class Solver:
    """The keys of [solver]."""

    kicks: int = key("integer", least=0, most=MOST_ELEMENTS, flat="solver.kicks")
    """Kicks of a passage, evenly spaced; 0: without space charge."""
    grid: tuple[int, int, int] = key(
        "integers",
        length=3,
        least=FEWEST_NODES,
        most=MOST_NODES,
        unit="nodes in x, y, z",
        flat="solver.grid",
    )
    green_function: str = key("word", GREENS[0], choices=GREENS, flat="solver.green_function")
    mesh: str = key("word", MESHES[0], choices=MESHES, flat="solver.mesh")
    mesh_half_width: tuple[float, float, float] | None = key(
        "numbers", length=3, above=0, most=1e6, unit="m"
    )

    @property
    def nodes(self) -> int:
        """Nodes of the mesh."""
        x, y, z = self.grid
        return x * y * z


@dataclass(frozen=True, kw_only=True)
class SpaceCharge:
    """What a study of space charge holds beside what every study does."""

    bunch: Bunch | None
    """None in a ring where another workload makes the bunches."""
    lattice: Lattice
    solver: Solver
    bunches: tuple[SharedBunch, ...]
    """Those on which it acts."""

    @property
    def kick_length(self) -> float:
        """Length of the lattice whose space charge a kick stands for [m]."""
        return self.lattice.length / max(self.solver.kicks, 1)


def read(tables: Mapping[str, Any], _records: Mapping[str, Any], _folder: Path) -> SpaceCharge:
    """The model that the tables describe; StudyError if they do not describe one."""
    bunch = read_bunch(tables["bunch"])
    lattice, solver = _read_lattice(tables["lattice"]), _read_solver(tables["solver"])
    return SpaceCharge(bunch=bunch, lattice=lattice, solver=solver, bunches=(bunch.shared,))


def read_guest(
    tables: Mapping[str, Any],
    _records: Mapping[str, Any],
    _folder: Path,
    bunches: tuple[SharedBunch, ...],
) -> SpaceCharge:
    """The model of space charge in bunches that another workload of the ring makes."""
    if tables["bunch"] is not None:
        raise StudyError(
            "[bunch] cannot be given: another workload of the ring describes the bunches"
        )
    lattice, solver = _read_lattice(tables["lattice"]), _read_solver(tables["solver"])
    return SpaceCharge(bunch=None, lattice=lattice, solver=solver, bunches=bunches)


def _read_lattice(table: object) -> Lattice:
    if table is None:
        raise StudyError("[lattice] is missing: [[lattice.element]] lists its elements")
    schema = schema_of(Lattice)
    values = with_defaults(check_table(table, schema, "lattice"), schema)
    given = values.pop("element")
    if not isinstance(given, list | tuple) or not given:
        raise StudyError(f"lattice.element must be a list of tables, but is {show(given)}")
    elements = [read_element(one, f"lattice.element[{k}]") for k, one in enumerate(given, 1)]
    lattice = Lattice(**values, elements=tuple(elements))
    if len(elements) * lattice.periods > MOST_ELEMENTS:
        raise StudyError(f"the lattice has more than {MOST_ELEMENTS} elements")
    if not lattice.length > 0:
        raise StudyError("the lattice has no length along which space charge acts")
    return lattice


def _read_solver(table: object) -> Solver:
    if table is None:
        raise StudyError("[solver] is missing: it gives the kicks of a passage and the grid")
    schema = schema_of(Solver)
    values = with_defaults(check_table(table, schema, "solver"), schema)
    for name in ("kicks", "grid"):
        if values[name] is None:
            raise StudyError(f"solver.{name} is missing")
    solver = Solver(**values)
    fixed = solver.mesh == "fixed"
    if fixed != (solver.mesh_half_width is not None):
        raise StudyError('solver.mesh_half_width belongs to mesh = "fixed", which needs it')
    return solver


def resolved(model: SpaceCharge) -> dict[str, Any]:
    """The tables from which `read` makes the model again."""
    elements = [
        {name: _listed(value) for name, value in element.items()}
        for element in model.lattice.elements
    ]
    bunch = {} if model.bunch is None else {"bunch": values_of(model.bunch)}
    return bunch | {
        "lattice": values_of(model.lattice) | {"element": elements},
        "solver": values_of(model.solver),
    }


def _listed(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    nested = {36: (6, 6), 216: (6, 6, 6)}.get(len(value))
    return _nest(list(value), nested) if nested else list(value)


def _nest(values: list[Any], shape: tuple[int, ...]) -> list[Any]:
    if len(shape) == 1:
        return values
    step = len(values) // shape[0]
    return [_nest(values[k : k + step], shape[1:]) for k in range(0, len(values), step)]


def parameters(model: SpaceCharge) -> Iterator[tuple[str, Any]]:
    """The flat parameters of a model, for the driver."""
    lattice, solver = model.lattice, model.solver
    if model.bunch is not None:
        yield from _bunch_parameters(model.bunch)
    yield from flat_of(lattice)
    yield "lattice.count", len(lattice.elements) * lattice.periods
    elements = [element for _ in range(lattice.periods) for element in lattice.elements]
    for k, element in enumerate(elements, 1):
        for name, value in flat_element(element):
            yield f"lattice.{k}.{name}", value
    yield from flat_of(solver)
    if solver.mesh_half_width is not None:
        yield "solver.mesh_half_width", solver.mesh_half_width


def _bunch_parameters(bunch: Bunch) -> Iterator[tuple[str, Any]]:
    yield from flat_of(bunch)
    yield "beam.1.strong", False
    yield "bunch.optics", "matched" if bunch.size is None else "given"
    if bunch.size is not None:
        yield "bunch.size", bunch.size
        yield "bunch.alpha", bunch.alpha
        yield "bunch.dispersion", bunch.dispersion


def model_of(study: Any) -> SpaceCharge:
    """The model of a study of this workload."""
    return cast(SpaceCharge, study.model)

"""A bunch with space charge in a lattice: the tables [bunch], [lattice] and [solver]."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, flat_of, key, nested, schema_of, values_of
from phasewise.tables.keys import Key, check_table, show, with_defaults
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.spacecharge.bunch import Bunch, read_bunch
from phasewise.workloads.spacecharge.elements import flat_element
from phasewise.workloads.spacecharge.lattice import Lattice, read_lattice
from phasewise.workloads.spacecharge.period import in_period

KINDS = ("3d", "2.5d", "frozen")
GREENS = ("integrated", "point")
WEIGHTINGS = ("cic", "tsc")
MESHES = ("follow", "fixed")
BOUNDARIES = ("open", "periodic")
OF_MESH = ("solver.grid", "solver.green_function", "solver.weighting", "solver.mesh")
"""Flat parameters of solvers with a mesh."""
FEWEST_NODES, MOST_NODES = 8, 4096
MOST_KICKS = 100_000
OPTICS = {
    "lattice": "matched",
    "all-planes": "matched-with-rf",
    "with-charge": "matched-with-charge",
}
"""The driver's names for what a bunch is matched to."""
TABLES = {
    "bunch": Key("table", needed="the table that describes the particles"),
    "lattice": Key("table", needed="the table whose elements, [[lattice.element]], make a passage"),
    "solver": Key("table", needed="the table with the kicks of a passage and the grid"),
}
"""Tables of a study that describe space charge."""
OF_GUEST = ("lattice", "solver")
"""Those that it needs where another workload makes the bunches."""

SIZES = Key("numbers", length=3, above=0, unit="m, rms")
OPTICS_SIZES = "optics"
"""The word for sizes that follow from the lattice's optics."""

KICKS_BETWEEN_SORTS = 32
"""Number of kicks between sorts if the study does not give it, about; see
benchmarks/space_charge_kicks.py.
"""


@dataclass(frozen=True, kw_only=True)
class Solver:
    """The keys of [solver]."""

    kicks: int = key(
        "integer", needed="the number of kicks in a passage", least=0, most=MOST_KICKS,
        flat="solver.kicks",
    )  # fmt: skip
    """Kicks per passage, evenly spaced; 0: no space charge."""
    kind: str = key("word", KINDS[0], choices=KINDS)
    grid: tuple[int, int, int] | None = key(
        "integers",
        length=3,
        least=FEWEST_NODES,
        most=MOST_NODES,
        unit="nodes in x, y, z",
        flat="solver.grid",
    )
    """None for a frozen field, which has no mesh."""
    sort_every: int | None = key(
        "integer", least=0, most=MOST_KICKS, unit="turns", flat="solver.sort_every"
    )
    """Passages between sorts of the macroparticles along z; 0: they are never sorted."""
    green_function: str = key("word", GREENS[0], choices=GREENS, flat="solver.green_function")
    weighting: str = key("word", WEIGHTINGS[0], choices=WEIGHTINGS, flat="solver.weighting")
    mesh: str = key("word", MESHES[0], choices=MESHES, flat="solver.mesh")
    mesh_half_width: tuple[float, float, float] | None = key(
        "numbers", length=3, above=0, most=1e6, unit="m"
    )

    boundaries: str = key("word", BOUNDARIES[0], choices=BOUNDARIES)
    """Boundaries along z; those along x and y are open."""
    period: float | None = key("number", above=0, most=1e6, unit="m")

    pipe_radius: float | None = key("number", above=0, most=1e3, unit="m")
    """Radius at which the potential of a long or frozen beam vanishes; without it there is no force
    along z.
    """
    sizes: tuple[float, float, float] | str | None = key("any")
    """Sizes of a frozen bunch on the reference orbit, or OPTICS_SIZES: those of the optics at each
    kick, about the closed orbit; None: the sizes that the bunch has at each kick.
    """

    @property
    def nodes(self) -> int:
        """Nodes of the mesh; 0 without one."""
        return math.prod(self.grid or (0,))


@dataclass(frozen=True, kw_only=True)
class Records:
    """The keys of [records] for a bunch with space charge."""

    particles_every: int = key("integer", 0, least=0, unit="turns")
    """Turns between dumps of the particles; 0: none."""
    particles_fraction: float = key("number", 1.0, above=0, most=1)
    tracked: int = key("integer", 0, least=0, most=10**7)
    """Particles whose coordinates are recorded in each turn."""


@dataclass(frozen=True, kw_only=True)
class SpaceCharge:
    """The model of a study of space charge."""

    bunch: Bunch | None
    """None in a ring in which another workload makes the bunches."""
    lattice: Lattice
    solver: Solver
    bunches: tuple[SharedBunch, ...]
    """The bunches on which space charge acts."""
    records: Records

    @property
    def kick_length(self) -> float:
        """Length of the lattice per kick [m]."""
        return self.lattice.length / max(self.solver.kicks, 1)

    @property
    def revolution_frequency(self) -> float | None:
        """Passages in a second, βc over the length of the lattice [Hz]; None without a length."""
        length = self.lattice.length
        return self.bunches[0].beta * SPEED_OF_LIGHT / length if length > 0 else None


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> SpaceCharge:
    """The model that the tables describe; StudyError if they do not describe one."""
    check_needed(tables, TABLES, "")
    bunch = read_bunch(tables["bunch"], folder)
    solver = _read_solver(tables["solver"])
    bunch = in_period(bunch, solver.period)
    _check_optics_sizes(solver, bunch)
    lattice = read_lattice(tables["lattice"], bunch.shared, folder)
    _check_length(lattice, solver)
    bunches = (bunch.shared,)
    return SpaceCharge(
        bunch=bunch,
        lattice=lattice,
        solver=solver,
        bunches=bunches,
        records=_read_records(records, bunches),
    )


def read_guest(
    tables: Mapping[str, Any],
    records: Mapping[str, Any],
    folder: Path,
    bunches: tuple[SharedBunch, ...],
) -> SpaceCharge:
    """The model of space charge in a ring in which another workload makes the bunches."""
    if tables["bunch"] is not None:
        raise StudyError(
            "[bunch] cannot be given: another workload of the ring describes the bunches"
        )
    check_needed(tables, TABLES, "", OF_GUEST)
    for bunch in bunches:
        lattice = read_lattice(tables["lattice"], bunch, folder)
    solver = _read_solver(tables["solver"])
    _check_length(lattice, solver)
    if solver.boundaries == "periodic":
        raise StudyError(
            'solver.boundaries = "periodic" cannot be given in this ring: only a bunch that '
            "[bunch] describes can fill a period"
        )
    if solver.sizes == OPTICS_SIZES:
        raise StudyError(
            'solver.sizes = "optics" cannot be given in this ring: only a bunch that [bunch] '
            "describes has emittances for it"
        )
    own = _read_records(records, bunches, "records.spacecharge")
    if own.particles_every:
        raise StudyError(
            "records.spacecharge.particles_every cannot be given in this ring: the workload that "
            "makes the bunches dumps their particles"
        )
    return SpaceCharge(bunch=None, lattice=lattice, solver=solver, bunches=bunches, records=own)


def _read_records(
    values: Mapping[str, Any], bunches: tuple[SharedBunch, ...], where: str = "records"
) -> Records:
    fewest = min(bunch.macroparticles for bunch in bunches)
    if values["tracked"] > fewest:
        raise StudyError(
            f"{where}.tracked = {values['tracked']} is more than the {fewest} macroparticles of "
            "a bunch"
        )
    return Records(**values)


def _read_solver(table: object) -> Solver:
    schema = schema_of(Solver)
    values = with_defaults(check_table(table, schema, "solver"), schema)
    check_needed(values, schema, "solver")
    values["sizes"] = _sizes(values["sizes"])
    if values["sort_every"] is None:
        values["sort_every"] = max(1, KICKS_BETWEEN_SORTS // max(1, values["kicks"]))
    if values["kicks"] == 0 and values["grid"] is None and values["kind"] != "frozen":
        values["grid"] = (FEWEST_NODES,) * 3  # no kick reads it
    solver = Solver(**values)
    _check_kind(solver)
    fixed = solver.mesh == "fixed"
    if fixed != (solver.mesh_half_width is not None):
        raise StudyError('solver.mesh_half_width belongs to mesh = "fixed", which needs it')
    _check_period(solver)
    return solver


def _check_length(lattice: Lattice, solver: Solver) -> None:
    if solver.kicks and not lattice.length > 0:
        raise StudyError("the lattice has no length along which space charge acts")


def _sizes(given: object) -> object:
    """Sizes as three numbers, or OPTICS_SIZES."""
    if given is None or given == OPTICS_SIZES:
        return given
    if isinstance(given, str):
        raise StudyError(
            f"solver.sizes = {show(given)} is not known: three numbers (m, rms) or "
            f'"{OPTICS_SIZES}" are accepted'
        )
    return check_table({"sizes": given}, {"sizes": SIZES}, "solver")["sizes"]


def _check_optics_sizes(solver: Solver, bunch: Bunch) -> None:
    if solver.sizes == OPTICS_SIZES and bunch.size is None and bunch.matched == "with-charge":
        raise StudyError(
            'solver.sizes = "optics" are those without space charge, and bunch.matched = '
            '"with-charge" makes a bunch that is not matched to them: give matched = "lattice"'
        )


def _check_kind(solver: Solver) -> None:
    """StudyError if a key is missing that this kind of solver needs, or given that it does not
    have.
    """
    kind, frozen = solver.kind, solver.kind == "frozen"
    if solver.grid is None and not frozen:
        raise StudyError("solver.grid is missing")
    if solver.grid is not None and frozen:
        raise StudyError('solver.grid does not belong to kind = "frozen", which has no mesh')
    if solver.weighting != WEIGHTINGS[0] and frozen:
        raise StudyError('solver.weighting does not belong to kind = "frozen", which has no mesh')
    if solver.mesh == "fixed" and frozen:
        raise StudyError('solver.mesh does not belong to kind = "frozen": give sizes instead')
    if solver.sizes is not None and not frozen:
        raise StudyError('solver.sizes belongs to kind = "frozen"')
    if solver.pipe_radius is not None and kind == "3d":
        raise StudyError(
            'solver.pipe_radius belongs to kind = "2.5d" or "frozen": in three dimensions the '
            "force along z needs no pipe"
        )
    if solver.green_function == "point" and kind != "3d":
        raise StudyError('solver.green_function = "point" belongs to kind = "3d"')


def _check_period(solver: Solver) -> None:
    periodic = solver.boundaries == "periodic"
    if periodic != (solver.period is not None):
        raise StudyError('solver.period belongs to boundaries = "periodic", which needs it')
    if not periodic:
        return
    if solver.grid is not None and solver.grid[2] % 2:
        raise StudyError(
            f"solver.grid = {solver.grid[2]} planes along z make no period: give an even number"
        )
    half = solver.period and solver.period / 2
    if solver.mesh_half_width is not None and solver.mesh_half_width[2] != half:
        raise StudyError(f"solver.mesh_half_width in z must be half of solver.period, {half} m")


def resolved(model: SpaceCharge) -> dict[str, Any]:
    """The tables from which `read` makes the same model."""
    elements = [
        {name: _listed(value) for name, value in element.items()}
        for element in model.lattice.elements
    ]
    bunch = {} if model.bunch is None else {"bunch": values_of(model.bunch)}
    return bunch | {
        "lattice": values_of(model.lattice) | {"element": elements},
        "solver": values_of(model.solver),
        "records": values_of(model.records),
    }


def _listed(value: Any) -> Any:
    """A value of an element as TOML has it: a matrix or a tensor as nested lists."""
    size = len(value) if isinstance(value, tuple) else 0
    return nested(value, {36: (6, 6), 216: (6, 6, 6)}.get(size, ()))


def parameters(model: SpaceCharge) -> Iterator[tuple[str, Any]]:
    """The flat parameters that the driver takes for a model."""
    lattice, solver = model.lattice, model.solver
    if model.bunch is not None:
        yield from _bunch_parameters(model.bunch)
    yield from lattice_parameters(lattice)
    if solver.kind != KINDS[0]:
        yield "solver.kind", solver.kind
    meshless = solver.kind == "frozen"
    yield from (one for one in flat_of(solver) if not meshless or one[0] not in OF_MESH)
    for name in ("mesh_half_width", "period", "pipe_radius", "sizes"):
        value = getattr(solver, name)
        if value == OPTICS_SIZES:
            yield "solver.optics_sizes", True
        elif value is not None:
            yield f"solver.{name}", value
    if model.records.tracked:
        yield "records.tracked", model.records.tracked


def lattice_parameters(lattice: Lattice) -> Iterator[tuple[str, Any]]:
    """The flat parameters of a lattice."""
    yield from flat_of(lattice)
    yield "lattice.count", len(lattice.elements) * lattice.periods
    for k, element in enumerate(lattice.along, 1):
        for name, value in flat_element(element):
            yield f"lattice.{k}.{name}", value


def _bunch_parameters(bunch: Bunch) -> Iterator[tuple[str, Any]]:
    yield from flat_of(bunch)
    yield "beam.1.strong", False
    yield "bunch.bunch_length", bunch.bunch_length or 0.0
    yield "bunch.momentum_spread", bunch.momentum_spread or 0.0
    yield "bunch.optics", OPTICS[bunch.matched] if bunch.size is None else "given"
    if bunch.size is not None:
        yield "bunch.size", bunch.size
        yield "bunch.alpha", bunch.alpha
        yield "bunch.dispersion", bunch.dispersion
    if bunch.coasting:
        yield "bunch.coasting", True


def model_of(study: Any) -> SpaceCharge:
    """The model of a study of this workload."""
    return cast(SpaceCharge, study.model)

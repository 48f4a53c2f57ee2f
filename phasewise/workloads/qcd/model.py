"""The tables of a lattice study: [lattice], [gauge], [quarks], [solver], [measure] and
[update].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, key, schema_of, values_of
from phasewise.tables.keys import Key, check_table, show, with_defaults
from phasewise.workloads.qcd.flow_keys import check_flow, steps_of, with_flow
from phasewise.workloads.qcd.gauge_keys import RECTANGLES, Gauge, check_start, read_files
from phasewise.workloads.qcd.grids import Extents
from phasewise.workloads.qcd.link_records import LinkRecords, with_form
from phasewise.workloads.qcd.places import LONGEST, Places, as_written, flat_of_places, read_places
from phasewise.workloads.qcd.update_checks import check_update
from phasewise.workloads.qcd.update_keys import TABLE as UPDATE
from phasewise.workloads.qcd.update_keys import UpdateTable, read_update, update_values

MOST_ITERATIONS = 1_000_000
TOLERANCE = 1e-12
LIMIT = 10_000
"""Default limit on the iterations of a right-hand side within which a tolerance must be met."""

PIONS = ("point", "smeared")
MOST_SMEARING = 10_000
METHODS = ("cg", "bicgstab")
PRECISIONS = ("double", "single", "mixed")
SINGLE = 1e-6
"""Smallest tolerance that single precision reaches."""


@dataclass(frozen=True, kw_only=True)
class LatticeTable:
    """The keys of [lattice]."""

    size: Extents = key(
        "integers", needed="the extents along x, y, z and t", length=4, least=2, most=LONGEST,
        unit="sites", flat=True,
    )  # fmt: skip
    """Extents along x, y, z and t, all even."""


@dataclass(frozen=True, kw_only=True)
class Quarks:
    """The keys of [quarks]."""

    kappa: float = key(
        "number", needed="1/(2 m + 8) of a quark of mass m", above=0, most=1, flat=True
    )
    """1/(2 m₀ + 8)."""
    phases: tuple[float, float, float, float] = key(
        "numbers", (0.0, 0.0, 0.0, 1.0), length=4, least=-2, most=2, unit="π", flat=True
    )
    """Phases of ψ(x + L) along x, y, z and t."""
    anisotropy: float = key("number", 1.0, above=0, most=100, flat=True)
    """ξ: hops in space, and the clover term of planes in space, are divided by it."""
    velocity: float = key("number", 1.0, above=0, most=100, flat=True)
    """ν: a factor of hops in space."""
    clover: ClassVar[Key] = Key("number", least=-100, most=100)
    """c_sw of all planes."""
    clover_spatial: float = key("number", 0.0, least=-100, most=100, flat=True)
    clover_temporal: float = key("number", 0.0, least=-100, most=100, flat=True)
    """c_sw of the planes in space, and that of the planes with t, instead of `clover`."""
    twisted_mass: float = key("number", 0.0, least=-100, most=100, flat=True)
    """µ of the term iµγ₅."""
    stout_weight: float = key("number", 0.0, least=0, most=1, flat=True)
    stout_steps: int = key("integer", 0, least=0, most=1000, flat=True)
    """ρ and the number of steps of the stout smearing of the links that quarks see."""

    @property
    def diagonal(self) -> float:
        """The coefficient of ψ(x), without clover term and twisted mass."""
        return 1 / (2 * self.kappa) - 3 + 3 * self.velocity / self.anisotropy

    @property
    def has_clover(self) -> bool:
        """Whether there is a clover term."""
        return self.clover_spatial != 0.0 or self.clover_temporal != 0.0


@dataclass(frozen=True, kw_only=True)
class SolverTable:
    """The keys of [solver]."""

    method: str = key("word", METHODS[0], choices=METHODS, flat=True)
    """cg: conjugate gradients for M†M; bicgstab: stabilised biconjugate gradients for M."""
    precision: str = key("word", PRECISIONS[0], choices=PRECISIONS, flat=True)
    """mixed: single, with the residual recomputed in double precision."""
    tolerance: float | None = key("number", above=0, most=0.1)
    """Tolerance of the residual relative to that of the start."""
    iterations: int | None = key("integer", least=1, most=MOST_ITERATIONS)
    """Iterations of each right-hand side, as a fixed amount of work instead of a tolerance."""
    limit: int = key("integer", LIMIT, least=1, most=MOST_ITERATIONS)
    """Iterations within which the tolerance must be met."""

    @property
    def most(self) -> int:
        """Most iterations of a right-hand side."""
        return self.iterations or self.limit

    @property
    def wanted(self) -> float:
        """The tolerance to be met; 0 if the number of iterations is fixed."""
        return 0.0 if self.iterations else self.tolerance or TOLERANCE


@dataclass(frozen=True, kw_only=True)
class Measure:
    """The keys of [measure]."""

    pion: str | None = key(
        "word", choices=PIONS, flat=True, as_flat=lambda value: int(value is not None)
    )
    """Source of the pion's correlator: a point, or a point that is smeared within its time slice.
    The correlator takes twelve right-hand sides.
    """
    width: float = key("number", 0.0, least=0, most=1000, unit="sites", flat=True)
    """w of the smearing of the source, (1 + w²Δ/4n)ⁿ."""
    iterations: int = key("integer", 0, least=0, most=MOST_SMEARING, flat=True)
    """n of the smearing."""
    source: Places = key("any", ((0, 0, 0, 0),), flat=True, as_flat=flat_of_places)
    """The point at which the source is; several points, which solves take in turn; or RANDOM, a
    point for each solve that follows from the seed.
    """
    rectangles: bool = key("flag", False, flat=True)
    """Whether loops of two links by one are measured too; they need a halo of two planes of
    links.
    """
    flow_step: float = key("number", 0.02, above=0, most=1, flat=True)
    flow_until: float = key("number", 0.0, least=0, most=1000)
    """ε of the gradient flow and the flow time, in lattice units, until which it goes; 0: none."""

    every: int = key("integer", 1, least=1)
    """Trajectories from one measurement of flow and pion to the next."""
    thermalisation: int | None = key("integer", least=0)
    """First trajectories that no mean contains; by default their number is chosen."""

    @property
    def flow_steps(self) -> int:
        """Steps of the gradient flow; the last one reaches flow_until, or goes a little beyond."""
        return steps_of(self.flow_step, self.flow_until)


@dataclass(frozen=True, kw_only=True)
class Qcd:
    """The model of a study."""

    lattice: LatticeTable
    gauge: Gauge
    quarks: Quarks | None
    """None: there are none, and links alone are updated or measured."""
    solver: SolverTable
    measure: Measure
    update: UpdateTable | None
    """None: no configurations are made."""
    records: LinkRecords

    @property
    def sites(self) -> int:
        """Sites of the lattice."""
        return math.prod(self.lattice.size)

    @property
    def right_sides(self) -> int:
        """Right-hand sides of each solve."""
        return 12 if self.measure.pion else 1


TABLES: dict[str, type] = {
    "lattice": LatticeTable,
    "gauge": Gauge,
    "quarks": Quarks,
    "solver": SolverTable,
    "measure": Measure,
    UPDATE: UpdateTable,
}
"""The tables of a study, in the order in which it shows them."""


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> Qcd:
    """The model that a study's tables describe; file names are relative to the folder."""
    found: dict[str, Any] = {}
    for name, kind in TABLES.items():
        if name == UPDATE:
            given = tables[name]
            found[name] = None if given is None else read_update(given, found["quarks"])
        elif name == "quarks" and tables[name] is None and _needs_no_quarks(tables, found):
            found[name] = None
        else:
            found[name] = kind(**_values(name, kind, tables[name] or {}, folder))
    if RECTANGLES[found["gauge"].action] != 0.0:
        found["measure"] = replace(found["measure"], rectangles=True)
    model = Qcd(**found, records=with_form(LinkRecords(**records)))
    _check(model)
    return model


def _needs_no_quarks(tables: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a study without [quarks] has something to do: to make links, or to measure those of
    files.
    """
    return tables[UPDATE] is not None or found["gauge"].from_files


def _values(name: str, kind: type, given: Any, folder: Path) -> dict[str, Any]:
    """The values of a table's keys, with every default filled in."""
    schema = schema_of(kind)
    if name == "measure":
        given = with_flow(_with_pion(given))
    values = with_defaults(check_table(given, schema, name), schema)
    check_needed(values, schema, name)
    if name == "quarks":
        values = _with_clover(values, given)
    if name == "gauge":
        values |= read_files(values["file"], values["files"], folder)
    if name == "measure":
        values["source"] = read_places(values["source"])
    return values


def _with_clover(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values with the coefficient of each kind of plane, also if one coefficient is given for
    all.
    """
    found = dict(values)
    one = found.pop("clover")
    if one is None:
        return found
    both = ("clover_spatial", "clover_temporal")
    if other := next((name for name in both if name in given), None):
        raise StudyError(
            f"quarks.clover and quarks.{other} exclude each other: the first is the coefficient "
            "of all planes, the second that of some"
        )
    return found | dict.fromkeys(both, one)


PION_TABLE = {
    "source": Key("word", PIONS[0], choices=PIONS),
    "width": Key("number"),
    "iterations": Key("integer"),
}
"""The keys of measure.pion if it is a table."""


def _with_pion(given: Any) -> Any:
    """The table [measure]; if `pion` is a table in it, its keys are moved to [measure]."""
    if not isinstance(given, Mapping) or not isinstance(given.get("pion"), Mapping):
        return given
    pion = check_table(given["pion"], PION_TABLE, "measure.pion")
    for name in ("width", "iterations"):
        if name in pion and name in given:
            raise StudyError(
                f"measure.{name} and measure.pion.{name} are one key: give one of them"
            )
    own: dict[str, Any] = {name: pion[name] for name in ("width", "iterations") if name in pion}
    return {**given, **own, "pion": pion.get("source", PIONS[0])}


def _check_pion(measure: Measure) -> None:
    given = (
        f"measure.width = {show(measure.width)} and measure.iterations = {show(measure.iterations)}"
    )
    smeared = measure.pion == "smeared"
    if smeared and not (measure.width > 0 and measure.iterations > 0):
        raise StudyError(f'measure.pion = "smeared" needs both above 0, not {given}')
    if not smeared and (measure.width > 0 or measure.iterations > 0):
        source = f"measure.pion = {show(measure.pion)} has" if measure.pion else "there is"
        raise StudyError(
            f"{given} describe a smeared source, and {source} none; give measure.pion = "
            '"smeared", or neither of them'
        )


def _check(model: Qcd) -> None:
    size = model.lattice.size
    if any(extent % 2 for extent in size):
        raise StudyError(
            f"lattice.size = {show(list(size))} has an odd extent; the nearest even ones are "
            f"{show([extent + extent % 2 for extent in size])}"
        )
    check_start(model.gauge)
    if model.solver.tolerance is not None and model.solver.iterations is not None:
        raise StudyError(
            "solver.tolerance and solver.iterations exclude each other: give a tolerance to be "
            "met, or a number of iterations"
        )
    if model.solver.precision == "single" and 0 < model.solver.wanted < SINGLE:
        raise StudyError(
            f"solver.tolerance = {show(model.solver.wanted)} is beyond single precision; give "
            f'{show(SINGLE)} or more, or solver.precision = "mixed"'
        )
    _check_quarks(model)
    _check_pion(model.measure)
    check_flow(model.measure.flow_step, model.measure.flow_until)
    _check_sources(model)
    check_update(model)


def _check_quarks(model: Qcd) -> None:
    quarks = model.quarks
    if quarks is None:
        if model.measure.pion:
            raise StudyError(
                f"measure.pion = {show(model.measure.pion)} needs quarks, and there is no "
                "[quarks]; give quarks.kappa, or leave the pion out"
            )
        return
    if quarks.diagonal == 0 and quarks.twisted_mass == 0 and not quarks.has_clover:
        raise StudyError(
            "quarks.kappa, anisotropy and velocity give a Dirac operator without a diagonal, "
            "1/(2 kappa) - 3 + 3 velocity / anisotropy = 0; change one of them a little"
        )
    if (quarks.stout_weight > 0) != (quarks.stout_steps > 0):
        raise StudyError(
            f"quarks.stout_weight = {show(quarks.stout_weight)} and quarks.stout_steps = "
            f"{show(quarks.stout_steps)} belong together: both are above 0, or neither"
        )


def _check_sources(model: Qcd) -> None:
    """StudyError if a source lies beyond the lattice, or a smeared one has several places."""
    sources = model.measure.source
    if model.measure.pion == "smeared" and len(sources) != 1:
        raise StudyError(
            f"measure.source = {show(as_written(sources))} gives several places, and a smeared "
            "source has one; give one point"
        )
    for point in () if isinstance(sources, str) else sources:
        for axis, extent, at in zip("xyzt", model.lattice.size, point, strict=True):
            if at >= extent:
                raise StudyError(
                    f"measure.source = {show(list(point))} lies beyond the lattice, which has "
                    f"{extent} sites along {axis}"
                )


def resolved(model: Qcd) -> dict[str, Any]:
    """The tables of a model."""
    parts = {name: getattr(model, name) for name in (*TABLES, "records")}
    found = {name: values_of(part) for name, part in parts.items() if part is not None}
    found["measure"]["source"] = as_written(model.measure.source)
    if model.gauge.files:
        found["gauge"]["files"] = [str(one) for one in model.gauge.files]
    if model.update is None:
        # Keys that count trajectories say nothing of solves.
        del found["measure"]["every"], found["records"]["links_every"]
    else:
        found[UPDATE] = update_values(model.update)
    return found


def model_of(study: Any) -> Qcd:
    """The model of a study of this workload."""
    return cast(Qcd, study.model)

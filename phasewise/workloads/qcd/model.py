"""The tables of a lattice study: [lattice], [gauge], [quarks], [solver], [measure] and
[update].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

from phasewise.tables.declared import key
from phasewise.workloads.qcd.flow_keys import steps_of
from phasewise.workloads.qcd.gauge_keys import Gauge
from phasewise.workloads.qcd.grids import Extents
from phasewise.workloads.qcd.link_records import LinkRecords
from phasewise.workloads.qcd.places import LONGEST, Places, flat_of_places
from phasewise.workloads.qcd.quark_keys import Quarks
from phasewise.workloads.qcd.update_keys import TABLE as UPDATE
from phasewise.workloads.qcd.update_keys import UpdateTable, monomials, solving_monomials

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

    @property
    def monomials(self) -> tuple[str, ...]:
        """The terms of the action; none without molecular dynamics."""
        return () if self.update is None else monomials(self.update, self.quarks)

    @property
    def solving_monomials(self) -> tuple[str, ...]:
        """Those whose forces take solves."""
        return () if self.update is None else solving_monomials(self.update, self.quarks)


TABLES: dict[str, type] = {
    "lattice": LatticeTable,
    "gauge": Gauge,
    "quarks": Quarks,
    "solver": SolverTable,
    "measure": Measure,
    UPDATE: UpdateTable,
}
"""The tables of a study, in the order in which it shows them."""


def model_of(study: Any) -> Qcd:
    """The model of a study of this workload."""
    return cast(Qcd, study.model)

"""What follows from a study of lattice QCD before it runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.workloads.qcd.gauge.files import open_links
from phasewise.workloads.qcd.gauge.stored import Stored
from phasewise.workloads.qcd.grids import Extents
from phasewise.workloads.qcd.model import Qcd
from phasewise.workloads.qcd.update_keys import HEAT_BATH, UpdateTable

LINKS = 4 * 144
"""Memory [B] of the links of a site."""
LATTICE_BYTES = 2 * LINKS + 150
"""The same of links, also in vectors of sites, and of the numbers of sites and neighbours."""
FIELD = 96
"""The same of a field of spinors on half of the sites, over all sites."""
HOPPING_BYTES = 2 * LINKS
"""The same of the hopping matrix: the links ahead of a site and behind it."""
SOLVER_BYTES = HOPPING_BYTES + 15 * FIELD
"""The same of a solver, with its source and its solution."""
CLOVER_BYTES = 72 * 8 + 36 * 8
"""The same of the clover term: two blocks, and on odd sites their inverses."""
SINGLE = 0.5
"""Size of a number of mixed precision's solver over that of double precision."""
MIXED_BYTES = SINGLE * (HOPPING_BYTES + 4 * FIELD)
"""The same of the matrix and the fields of mixed precision, beside those of double precision."""
STOUT_BYTES = 2 * LINKS
FLOW_BYTES = 3 * LINKS + 270
"""The same of a gradient flow: links, their changes, both in vectors, and four terms."""
HEAT_BATH_BYTES = LINKS
HMC_BYTES = 3 * LINKS + 60
"""The same of trajectories: the momenta, the links at the start, and links in vectors."""
FORCE_BYTES = LINKS + HOPPING_BYTES + 16 * FIELD
"""The same of the forces of quarks, with their solver."""
CLOVER_FORCE_BYTES = CLOVER_BYTES + 2 * 6 * 144 + LINKS
"""The same of the force of a clover term: six matrices, also in vectors, and links in vectors."""


@dataclass(frozen=True)
class DerivedQcd:
    """What follows from a study."""

    sites: int
    bare_mass: float | None
    """m₀ in lattice units; None without quarks."""
    memory_bytes: int
    """Memory of all ranks together [B]."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary that can be written as JSON."""
        return asdict(self) | {"warnings": list(self.warnings)}


def derive(model: Qcd) -> DerivedQcd:
    """Sites, the bare mass, and the memory."""
    quarks = model.quarks
    return DerivedQcd(
        sites=model.sites,
        bare_mass=None if quarks is None else 1 / (2 * quarks.kappa) - 4,
        memory_bytes=round(model.sites * _site_bytes(model)),
    )


def _site_bytes(model: Qcd) -> float:
    """Memory of a site [B]."""
    found: float = LATTICE_BYTES
    if model.measure.flow_steps:
        found += FLOW_BYTES
    if model.quarks is not None and model.quarks.stout_steps:
        found += STOUT_BYTES
    if model.quarks is not None and (model.update is None or model.measure.pion):
        found += _solver_bytes(model, SOLVER_BYTES, CLOVER_BYTES)
    if model.update is not None:
        found += _update_bytes(model, model.update)
    return found


def _solver_bytes(model: Qcd, own: float, clover: float) -> float:
    """Memory of a solver and of what stands beside it, if there is a clover term too."""
    assert model.quarks is not None
    mixed = model.solver.precision == "mixed"
    found = own + (MIXED_BYTES if mixed else 0)
    if model.quarks.has_clover:
        found += clover + (SINGLE * CLOVER_BYTES if mixed else 0)
    return found


def _update_bytes(model: Qcd, update: UpdateTable) -> float:
    """Memory of what makes configurations."""
    if update.method == HEAT_BATH:
        return HEAT_BATH_BYTES
    if model.quarks is None:
        return HMC_BYTES
    fields = FIELD * len(model.solving_monomials)
    return HMC_BYTES + fields + _solver_bytes(model, FORCE_BYTES, CLOVER_FORCE_BYTES)


def files_left_out(model: Qcd, count: int) -> str:
    """A sentence where a study of so many solves has more files than solves; else empty."""
    files = len(model.gauge.files or ())
    if model.update is not None or files <= count:
        return ""
    return f"{count} of {files} files are measured; give solves = {files} for all of gauge.files"


def links_of_size(path: Path, size: Extents) -> Stored:
    """The file of links; StudyError if it is not one, or if its lattice does not have the extents
    lattice.size.
    """
    stored = open_links(path, size)
    if stored.size != tuple(size):
        sizes = ["×".join(map(str, one)) for one in (stored.size, size)]
        raise StudyError(
            f"{path} has a lattice of {sizes[0]} sites, and lattice.size is {sizes[1]}"
        )
    return stored

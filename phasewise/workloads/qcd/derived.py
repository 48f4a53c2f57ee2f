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

LINK_BYTES = 4 * 144 * 2
SITE_BYTES = LINK_BYTES + 10 * 192
"""Memory of a site: links twice, and ten fields of spinors on half of the sites and on all."""
FLOW_BYTES = 4 * 144 * 2 + 4 * 64 + 36 + 32
"""The same with a gradient flow: links twice more, K, the neighbours' numbers, and four terms."""

UPDATE_BYTES = 3 * 4 * 144
"""The same of updates: the momenta, the links at the start of a trajectory, and forces."""
PSEUDOFERMION_BYTES = 3 * 96
"""The same of a pseudofermion and of its solutions, on half of the sites."""


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
        memory_bytes=model.sites * _site_bytes(model),
    )


def _site_bytes(model: Qcd) -> int:
    """Memory of a site [B]."""
    found = LINK_BYTES if model.quarks is None else SITE_BYTES
    if model.measure.flow_steps:
        found += FLOW_BYTES
    if model.update is not None:
        found += UPDATE_BYTES + PSEUDOFERMION_BYTES * len(model.solving_monomials)
    return found


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

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

SITE_BYTES = 4 * 144 * 2 + 10 * 192
"""Memory of a site: links twice, and ten fields of spinors on half of the sites and on all."""
FLOW_BYTES = 4 * 144 * 2 + 4 * 64 + 36 + 32
"""The same with a gradient flow: links twice more, K, the neighbours' numbers, and four terms."""


@dataclass(frozen=True)
class DerivedQcd:
    """What follows from a study."""

    sites: int
    bare_mass: float
    """m₀ in lattice units."""
    memory_bytes: int
    """Memory of all ranks together [B]."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary that can be written as JSON."""
        return asdict(self) | {"warnings": list(self.warnings)}


def derive(model: Qcd) -> DerivedQcd:
    """Sites, the bare mass, and the memory."""
    return DerivedQcd(
        sites=model.sites,
        bare_mass=1 / (2 * model.quarks.kappa) - 4,
        memory_bytes=model.sites * (SITE_BYTES + (FLOW_BYTES if model.measure.flow_steps else 0)),
    )


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

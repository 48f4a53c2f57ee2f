"""The table [communication] of shallow water: how the ranks sum over latitudes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, ROW_FIRST, TUNE, Communication
from phasewise.workload.protocols import PROTOCOL, STORING
from phasewise.workloads.sphere.model import Sphere

TRANSPOSE = "transpose"
RING = "ring"
DISTRIBUTED = (RING, "hypercube", "node-aware")
"""Algorithms by which the ranks sum coefficients and share them again."""
LEGENDRES = (TRANSPOSE, *DISTRIBUTED)
TRANSPOSES = ("pairwise", "ring", "bruck", "alltoallw")
ORDER_FREE, PLAIN = "order-free", "plain"
MOST_BLOCKS = 64
FAST, BY_LEVEL, FIXED = "fast", "plain", "fixed"
"""Kernels: all levels at once, loops over single levels, and the number of levels compiled in."""
FIXED_LEVELS = (1, 18, 66, 96)
"""Numbers of levels that are compiled in."""
GLOBAL_SUMS = ("recursive-doubling", "mpi", "binomial", "dissemination", "node-aware", "put")


@dataclass(frozen=True, kw_only=True)
class SphereCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = (
        "legendre", "transpose", "protocol", "sums", "blocks", "kernel", "padding", "global_sum",
    )  # fmt: skip
    LAYOUT: ClassVar[str] = ROW_FIRST
    GRID: ClassVar[str] = "all"
    """Each rank has latitudes, and no grid of ranks is formed."""

    legendre: str = key("word", TRANSPOSE, choices=LEGENDRES, flat=True)
    """Where Legendre transforms are summed over the latitudes."""
    transpose: str = key("word", TRANSPOSES[0], choices=TRANSPOSES, flat=True)
    protocol: str = declared(PROTOCOL)
    """The protocol of distributed sums."""
    sums: str = key("word", ORDER_FREE, choices=(ORDER_FREE, PLAIN), flat=True)
    """Whether the groups of latitudes are added without rounding, so that no bit depends on the
    ranks and their algorithm.
    """
    blocks: int = key("integer", 4, least=1, most=MOST_BLOCKS, flat=True)
    """Blocks of wavenumbers in a distributed sum."""
    kernel: str = key("word", FAST, choices=(FAST, BY_LEVEL, FIXED), flat=True)
    """How loops go over the levels."""
    padding: bool = key("flag", True, flat=True)
    """Whether rows have some unused values between them in memory."""
    global_sum: str = key("word", GLOBAL_SUMS[0], choices=GLOBAL_SUMS, flat=True)
    """How the invariants are summed."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def distributed(self) -> bool:
        """Whether coefficients are summed over the ranks instead of transposed."""
        return self.legendre != TRANSPOSE

    def check(self) -> None:
        """StudyError if distributed sums cannot go by the protocol."""
        if self.distributed and self.protocol in STORING:
            raise StudyError(
                f'communication.protocol = "{self.protocol}" stores what arrives, but '
                f'communication.legendre = "{self.legendre}" adds it; any protocol but '
                f"{', '.join(STORING[:-1])} and {STORING[-1]} can"
            )

    def check_ranks(self, model: Sphere, ranks: int) -> None:
        """StudyError if latitudes or wavenumbers are too few for the ranks, or if no kernel is
        compiled for the levels.
        """
        if self.kernel == FIXED and model.levels not in FIXED_LEVELS:
            known = f"{', '.join(map(str, FIXED_LEVELS[:-1]))} and {FIXED_LEVELS[-1]}"
            raise StudyError(
                f'communication.kernel = "{FIXED}" is compiled for {known} levels, not for '
                f'sphere.levels = {model.levels}; kernel = "{FAST}" takes any number'
            )
        most = most_ranks(model, self)
        if ranks <= most:
            return
        waves = model.truncation + 1
        parts = model.latitude_groups if self.distributed else model.pairs
        what = "groups of latitudes" if self.distributed else "pairs of latitudes"
        raise StudyError(
            f"{ranks} ranks are too many: with communication.legendre = "
            f'"{self.legendre}" each needs one of the {parts} {what} and of the {waves} '
            f"wavenumbers, which is possible for {most} at most{_more(model, self)}"
        )


def most_ranks(model: Sphere, communication: SphereCommunication) -> int:
    """The most ranks among which a study can be divided."""
    parts = model.latitude_groups if communication.distributed else model.pairs
    return min(parts, model.truncation + 1)


def _more(model: Sphere, communication: SphereCommunication) -> str:
    """Which key gives more ranks something to do, in words."""
    groups = min(model.pairs, model.truncation + 1)
    if communication.distributed and model.latitude_groups < groups:
        return f"; sphere.latitude_groups = {groups} gives {groups}"
    if model.pairs <= model.truncation:
        return "; a larger sphere.latitudes gives more"
    return "; a larger sphere.truncation gives more"

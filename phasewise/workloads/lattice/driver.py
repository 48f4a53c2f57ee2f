"""What a compiled run of solves adds to those of all workloads (core/lattice/bindings.cpp)."""

from __future__ import annotations

from typing import Protocol

from phasewise.driver import Floats, Run
from phasewise.workloads.lattice.grids import Extents


class LatticeRun(Run, Protocol):
    """A run of solves as Python sees it: this rank's box of the lattice, and its links."""

    @property
    def extents(self) -> Extents: ...
    @property
    def origin(self) -> Extents: ...
    def set_links(self, links: Floats) -> None: ...
    def links(self) -> Floats: ...

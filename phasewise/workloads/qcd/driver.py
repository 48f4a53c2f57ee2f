"""What a compiled run of solves adds to those of all workloads (core/qcd/bindings.cpp)."""

from __future__ import annotations

from typing import Protocol

from phasewise.driver import Floats, Run
from phasewise.workloads.qcd.grids import Extents


class QcdRun(Run, Protocol):
    """A run of solves as Python sees it: this rank's box of the lattice, and its links."""

    @property
    def extents(self) -> Extents: ...
    @property
    def origin(self) -> Extents: ...
    def set_links(self, links: Floats) -> None: ...
    def links(self) -> Floats: ...

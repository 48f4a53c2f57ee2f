"""Sources of quarks: a field for each spin and colour, [t][z][y][x][spin][colour]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from phasewise.errors import StudyError
from phasewise.workloads.qcd.driver import QcdRun
from phasewise.workloads.qcd.fields.links import Links
from phasewise.workloads.qcd.fields.part import (
    SPINOR,
    ComplexField,
    extents_of,
    phase_of,
    reals,
    run_of,
)
from phasewise.workloads.qcd.grids import Extents


class Source(Protocol):
    """What a propagator begins with. site: its time, and where phases of momenta are 1."""

    @property
    def site(self) -> Extents: ...
    def field(self, links: Links, spin: int, colour: int) -> ComplexField: ...


@dataclass(frozen=True)
class Point:
    """A unit spinor at a site x, y, z, t."""

    site: Extents = (0, 0, 0, 0)

    def field(self, links: Links, spin: int, colour: int) -> ComplexField:
        """The field with this spin and colour at the site."""
        _check_site(self.site, links.size)
        found = _zeros(links)
        at = links.part.index_of(self.site)
        if at is not None:
            found[(*at, spin, colour)] = 1.0
        return found


@dataclass(frozen=True)
class Wall:
    """e^{ipx} on all sites of a time slice, with p = 2π n/L for the whole numbers n of `momentum`.
    It turns with the gauge, so that links should be in a gauge that is fixed.
    """

    time: int = 0
    momentum: tuple[int, int, int] = (0, 0, 0)

    @property
    def site(self) -> Extents:
        """The origin of its time slice."""
        return 0, 0, 0, self.time

    def field(self, links: Links, spin: int, colour: int) -> ComplexField:
        """The field with this spin and colour."""
        _check_site(self.site, links.size)
        found = _zeros(links)
        phase = phase_of([-one for one in self.momentum], self.site, links.part)
        at = np.flatnonzero(links.part.coordinates(3) == self.time)
        found[at, :, :, :, spin, colour] = phase
        return found


@dataclass(frozen=True)
class Noise:
    """Z₂ noise: 1 or -1 on each site of a time slice, for each spin and colour alone (Foster,
    Michael, Phys. Rev. D 59 (1999) 074503). It follows from the seed and the site, on any ranks.
    """

    seed: int
    time: int = 0

    @property
    def site(self) -> Extents:
        """The origin of its time slice."""
        return 0, 0, 0, self.time

    def field(self, links: Links, spin: int, colour: int) -> ComplexField:
        """The field with this spin and colour."""
        _check_site(self.site, links.size)
        found = _zeros(links)
        x, y, z, _ = links.size
        random = np.random.Generator(np.random.Philox(key=[self.seed, self.time]))
        signs = 1.0 - 2.0 * random.integers(0, 2, size=(z, y, x))
        at = np.flatnonzero(links.part.coordinates(3) == self.time)
        found[at, :, :, :, spin, colour] = signs[links.part.slices[1:]]
        return found


class Smeared:
    """A point that is widened within its time slice, (1 + w²Δ/4n)ⁿ, with the covariant Laplacian of
    space (Güsken et al., Phys. Lett. B 227 (1989) 266).
    """

    def __init__(self, width: float, iterations: int, site: Iterable[int] = (0, 0, 0, 0)) -> None:
        """w [sites], n, and the site x, y, z, t of the point."""
        x, y, z, t = map(int, site)
        self.width, self.iterations = width, iterations
        self.site: Extents = (x, y, z, t)
        self._made: tuple[Links, QcdRun] | None = None

    def field(self, links: Links, spin: int, colour: int) -> ComplexField:
        """The field with this spin and colour at the point; collective."""
        _check_site(self.site, links.size)
        if self._made is None or self._made[0] is not links:
            self._made = links, self._run(links)
        plain = np.asarray(self._made[1].source(spin, colour))
        return plain.view(np.complex128).reshape(*links.part.shape, *SPINOR)

    def _run(self, links: Links) -> QcdRun:
        smearing = {"source": "smeared", "width": self.width, "iterations": self.iterations}
        measure = {"pion": smearing, "source": list(self.site)}
        run = run_of(links.part, {"quarks": {"kappa": 0.1}, "measure": measure})
        run.set_links(reals(links.array))
        run.take_links()
        return run


def _zeros(links: Links) -> ComplexField:
    return np.zeros((*links.part.shape, *SPINOR), np.complex128)


def _check_site(site: Extents, size: Extents) -> None:
    x, y, z, t = site
    if any(not 0 <= at < extent for at, extent in zip((x, y, z, t), size, strict=True)):
        raise StudyError(
            f"the source at {site} lies beyond the lattice, whose extents along x, y, z and t are "
            f"{extents_of(size)}"
        )

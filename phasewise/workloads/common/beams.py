"""What Python shows of the bunches of a simulation and of results: particles, records, dumps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays, Floats
from phasewise.errors import RunError
from phasewise.runs.results import Results
from phasewise.workloads.common.dumps import dumps_in, read_dump
from phasewise.workloads.common.views import Pictures

Integers = NDArray[np.int64]


class BeamView:
    """The living particles of one beam that this process holds, in any order.

    The arrays share the driver's memory: writing to them moves the particles. They are valid until
    the next step; fetch them again after it.
    """

    def __init__(self, particles: Callable[[], Arrays], number: int) -> None:
        self._particles = particles
        self.number = number

    def _column(self, name: str) -> NDArray[Any]:
        return self._particles()[name]

    @property
    def x(self) -> Floats:
        """(n,) horizontal position [m]."""
        return self._column("x")

    @property
    def px(self) -> Floats:
        """(n,) Px/P0."""
        return self._column("px")

    @property
    def y(self) -> Floats:
        """(n,) vertical position [m]."""
        return self._column("y")

    @property
    def py(self) -> Floats:
        """(n,) Py/P0."""
        return self._column("py")

    @property
    def z(self) -> Floats:
        """(n,) longitudinal position, ahead positive [m]."""
        return self._column("z")

    @property
    def delta(self) -> Floats:
        """(n,) (P - P0)/P0."""
        return self._column("delta")

    @property
    def id(self) -> NDArray[np.uint32]:
        """(n,) numbers of the particles in their beam, from 0."""
        return self._column("id")

    def __len__(self) -> int:
        return len(self.id)


def sizes_of(covariance: Floats) -> Floats:
    """(..., 3): rms sizes in x, y and z [m] from second moments (..., 6, 6)."""
    diagonal = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.asarray(np.sqrt(diagonal[..., [0, 2, 4]]))


class BeamRecords:
    """Records of one beam over T turns; every access reads from the file."""

    def __init__(self, results: Results, number: int) -> None:
        self._results = results
        self.number = number

    def _rows(self, name: str) -> NDArray[Any]:
        return self._results.rows(f"beam{self.number}/{name}")

    @property
    def mean(self) -> Floats:
        """(T, 6): means of x, px, y, py, z, delta [m, 1]."""
        return self._rows("mean")

    @property
    def covariance(self) -> Floats:
        """(T, 6, 6): central second moments [m², m, 1]."""
        return self._rows("covariance")

    @property
    def emittance(self) -> Floats:
        """(T, 3): geometric emittances in x, y (without dispersion) and z [m]."""
        return self._rows("emittance")

    @property
    def particles(self) -> Integers:
        """(T,): living macroparticles."""
        return self._rows("particles")

    @property
    def losses(self) -> Integers:
        """(T,): macroparticles lost so far."""
        return self._rows("losses")

    @property
    def tracked(self) -> Floats:
        """(T, K, 6): coordinates of the K tracked particles [m, 1]; NaN once lost."""
        return self._rows("tracked")

    @property
    def size(self) -> Floats:
        """(T, 3): rms sizes in x, y and z [m]."""
        return sizes_of(self.covariance)


class Dumps(Pictures):
    """The particle dumps of a run, and its pictures."""

    def dumps(self) -> list[Path]:
        """Particle dumps of the run, oldest first."""
        results = self._results
        return list(dumps_in(results.folder / results.workload.dump_folder).values())

    def particles(self, beam: int = 1, dump: Path | None = None) -> dict[str, NDArray[Any]]:
        """Particles of `beam` in a dump, the last by default: id and the six coordinates x, px, y,
        py, z, delta [m, 1], (n,) each. RunError where the run has no dump.
        """
        dumps = self.dumps() if dump is None else [dump]
        if not dumps:
            raise RunError(
                f"{self._results.folder} holds no particle dumps; set records.particles_every"
            )
        return read_dump(dumps[-1], beam)

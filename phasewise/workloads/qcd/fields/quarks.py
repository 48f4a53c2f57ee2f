"""Wilson quarks on links: the Dirac operator, solves, and propagators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import load_core
from phasewise.errors import RunError
from phasewise.mpi.ranks import collectively
from phasewise.workloads.qcd.fields.links import Links
from phasewise.workloads.qcd.fields.part import SPINOR, ComplexField, Part, reals, run_of
from phasewise.workloads.qcd.fields.propagator import Propagator
from phasewise.workloads.qcd.fields.sources import Point, Source

SPINS, COLOURS = SPINOR


@dataclass(frozen=True)
class Solution:
    """x of D x = b.

    Attributes:
        x: This rank's part, (T, Z, Y, X, 4, 3).
        iterations: How many were needed.
        residual: ‖b - D x‖/‖b‖, recomputed in double precision.
        residuals: Those of the solver's system over that of its start, after each iteration.
    """

    x: ComplexField
    iterations: int
    residual: float
    residuals: NDArray[np.float64]


class Quarks:
    """Wilson quarks with the keys of the table [quarks] of a study (docs/qcd.md).

    A field is a complex array of the shape (T, Z, Y, X, 4, 3): this rank's sites along t, z, y and
    x, spin in the chiral basis of DeGrand and Rossi, and colour. Under mpiexec each rank has its
    part (`links.part`), and all ranks call the same methods.
    """

    def __init__(
        self,
        links: Links,
        kappa: float,
        *,
        solver: Mapping[str, Any] | None = None,
        threads: int = 1,
        **quarks: Any,
    ) -> None:
        """Quarks on these links; collective.

        Args:
            links: What they move in.
            kappa: 1/(2 m₀ + 8).
            solver: Keys of [solver], such as {"method": "bicgstab", "precision": "mixed",
                "tolerance": 1e-10}.
            threads: Threads of this process.
            quarks: Further keys of [quarks], such as `clover`, `phases`, `twisted_mass`.

        Raises:
            StudyError: A key or a value cannot be used.
        """
        self.links = links
        tables = {"quarks": {"kappa": kappa, **quarks}, "solver": dict(solver or {})}
        self._run = run_of(links.part, tables, threads)
        self.phases: tuple[float, ...] = tuple(quarks.get("phases", (0.0, 0.0, 0.0, 1.0)))
        self._run.set_links(reals(links.array))
        _computed(self._run.take_links)

    @property
    def part(self) -> Part:
        """The sites of this rank."""
        return self.links.part

    def D(self, psi: ArrayLike) -> ComplexField:
        """D psi; StudyError if psi is not (T, Z, Y, X, 4, 3)."""
        return self._applied(psi, False)

    def D_dagger(self, psi: ArrayLike) -> ComplexField:
        """D† psi; StudyError if psi is not (T, Z, Y, X, 4, 3)."""
        return self._applied(psi, True)

    def D_dagger_D(self, psi: ArrayLike) -> ComplexField:
        """D† D psi; StudyError if psi is not (T, Z, Y, X, 4, 3)."""
        return self.D_dagger(self.D(psi))

    def solve(self, b: ArrayLike) -> Solution:
        """x of D x = b; collective.

        Args:
            b: This rank's part of the source, (T, Z, Y, X, 4, 3).

        Raises:
            StudyError: b has another shape.
            RunError: The solver does not converge within `limit` iterations.
        """
        field = self._checked("b", b)
        x, iterations, residual, converged, residuals = _computed(
            lambda: self._run.solve(reals(field))
        )
        if not converged:
            raise RunError(
                f"the solver did not converge: after {iterations} iterations the residual is "
                f"{residual:.3g}; raise solver.limit or solver.tolerance, or lower kappa"
            )
        return Solution(self._field(x), iterations, residual, np.asarray(residuals))

    def propagator(self, source: Source | None = None) -> Propagator:
        """The solutions for all spins and colours of a source, by default a point at the origin;
        collective. RunError if one of the twelve solves does not converge.
        """
        begin = source or Point()
        columns = [
            self.solve(begin.field(self.links, spin, colour))
            for spin in range(SPINS)
            for colour in range(COLOURS)
        ]
        array = np.stack([one.x for one in columns], axis=-1)
        return Propagator(
            array.reshape(*array.shape[:-1], SPINS, COLOURS),
            self.part,
            begin.site,
            self.phases,
            sum(one.iterations for one in columns),
            max(one.residual for one in columns),
        )

    def _applied(self, psi: ArrayLike, dagger: bool) -> ComplexField:
        field = self._checked("psi", psi)
        return self._field(_computed(lambda: self._run.dirac(reals(field), dagger)))

    def _checked(self, name: str, field: ArrayLike) -> ComplexField:
        return collectively(load_core(), lambda: self.part.checked(name, field, SPINOR))

    def _field(self, plain: NDArray[np.float64]) -> ComplexField:
        return np.asarray(plain).view(np.complex128).reshape(*self.part.shape, *SPINOR)


def _computed(action: Any) -> Any:
    """What the core computes; RunError if it cannot."""
    try:
        return action()
    except (RuntimeError, ValueError) as error:
        raise RunError(" ".join(str(error).split())) from error
    except MemoryError:
        raise RunError("there is not enough memory for these quarks") from None

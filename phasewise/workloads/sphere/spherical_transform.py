"""Spherical harmonics of many levels, on one rank or on many.

>>> import numpy as np
>>> from phasewise.workloads.sphere import SphericalTransform
>>> t = SphericalTransform(truncation=42)
>>> coefficients = t.analyse(np.ones(t.shape))
>>> bool(abs(coefficients[0] - np.sqrt(4 * np.pi)) < 1e-13)
True
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import Floats, load_core
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively
from phasewise.study.study import flat_text
from phasewise.tables.keys import nearest, show
from phasewise.workloads.sphere.cases import FILE
from phasewise.workloads.sphere.communication import SphereCommunication
from phasewise.workloads.sphere.grid import gaussian_latitudes
from phasewise.workloads.sphere.model import Sphere, parameters, read

Complexes = NDArray[np.complex128]

NORMS = {"orthonormal": 1.0, "4pi": 4 * math.pi}
"""The integral of |Y|² over the sphere."""


class SphericalTransform:
    """Transforms between fields on a Gaussian grid and their spherical harmonic coefficients.

    A field is real, (levels, latitudes, longitudes), from north to south and from longitude 0
    eastward. Coefficients are complex, (levels, coefficients), of f = Σ f_lm Y_lm. Since f is real,
    those with m ≥ 0 are enough; they stand by m from 0 and then by l from m to the truncation, as
    in SHTns and ducc0. With one level the first axis may be left out, and is left out of results
    then.

    Under mpiexec each rank has some latitudes and some wavenumbers m (`latitudes`, `wavenumbers`),
    hands over its part of a field, and gets its coefficients; all ranks call the same methods.
    Results have the same bits on any number of ranks and threads.
    """

    def __init__(
        self,
        truncation: int,
        levels: int = 1,
        *,
        latitudes: int = 0,
        longitudes: int = 0,
        radius: float = 6.37122e6,
        normalisation: str = "orthonormal",
        condon_shortley: bool = True,
        functions: str = "auto",
        transpose: str = "pairwise",
        threads: int = 1,
    ) -> None:
        """Transforms up to a triangular truncation; collective.

        Args:
            truncation: M: degrees and orders are at most M.
            levels: Fields that are transformed at once.
            latitudes: Of the Gaussian grid, an even number; 0: the usual grid of the truncation.
            longitudes: The same.
            radius: Of the sphere [m], for winds, gradients and the Laplacian.
            normalisation: "orthonormal", ∫ Y Y* = 1 over the sphere, or "4pi".
            condon_shortley: Whether Y_lm has the factor (-1)^m.
            functions: Whether Legendre functions are kept ("table") or made as they are used
                ("panels"); "auto": by the memory of this machine.
            transpose: The algorithm of the exchange: pairwise, ring, bruck or alltoallw.
            threads: Of this rank.

        Raises:
            StudyError: An argument is none that can be used.
        """
        own = {
            "case": FILE, "file": "none", "truncation": truncation, "levels": levels,
            "latitudes": latitudes, "longitudes": longitudes, "timestep": 1.0, "radius": radius,
            "functions": functions,
        }  # fmt: skip
        self._ranks = load_core()
        model, text = collectively(
            self._ranks,
            lambda: _parameters(own, transpose, normalisation, self._ranks.size()),
        )
        core = cast(Any, self._ranks)

        def made() -> Any:
            try:
                return core.SphericalTransform(text, threads, NORMS[normalisation], condon_shortley)
            except (ValueError, MemoryError) as error:
                what = "not enough memory for the transforms" if not str(error) else str(error)
                raise StudyError(what) from None

        self._core = collectively(self._ranks, made)
        self.truncation, self.levels, self.radius = truncation, levels, radius
        self.latitudes: NDArray[np.int64] = np.array(self._core.latitudes)
        """This rank's latitudes, counted from the north."""
        self.wavenumbers: NDArray[np.int64] = np.array(self._core.wavenumbers)
        """This rank's m."""
        sines, weights = gaussian_latitudes(model.latitudes)
        self.sines: Floats = sines.copy()
        """Of all latitudes of the grid, from the north."""
        self.weights: Floats = weights.copy()
        """Of all latitudes in a sum over the sphere; they add up to 2."""
        shape = (len(self.latitudes), model.longitudes)
        self.shape = shape if levels == 1 else (levels, *shape)
        """Of a field on this rank."""
        degrees = [np.arange(m, truncation + 1) for m in self.wavenumbers]
        self.degrees: NDArray[np.int64] = np.concatenate(degrees)
        """l of each coefficient of this rank."""
        self.orders: NDArray[np.int64] = np.repeat(self.wavenumbers, [len(d) for d in degrees])
        """m of each coefficient of this rank."""

    def analyse(self, field: ArrayLike) -> Complexes:
        """The coefficients of a field: f_lm = ∫ f Y*_lm over the sphere, over ∫ Y Y*."""
        return self._coefficients(self._core.analyse(self._field(field)), field)

    def synthesise(self, coefficients: ArrayLike) -> Floats:
        """The field with these coefficients: f = Σ f_lm Y_lm."""
        return self._fields(self._core.synthesise(self._given(coefficients)), coefficients)

    def adjoint_synthesis(self, field: ArrayLike) -> Complexes:
        """S† f of the synthesis S: the sums of f Y*_lm over the points of the grid.

        For real fields ⟨S x, f⟩ = Re Σ (2 - δ_m0) x*_lm (S† f)_lm, over m ≥ 0.
        """
        found = self._core.analyse(self._field(field), adjoint=True)
        return self._coefficients(found, field)

    def winds(self, vorticity: ArrayLike, divergence: ArrayLike) -> tuple[Floats, Floats]:
        """The winds u to the east and v to the north [m/s] with these coefficients of vorticity and
        divergence [1/s].
        """
        u, v = self._core.winds(self._given(vorticity), self._given(divergence))
        return self._fields(u, vorticity), self._fields(v, vorticity)

    def vorticity_divergence(self, u: ArrayLike, v: ArrayLike) -> tuple[Complexes, Complexes]:
        """The coefficients of vorticity and divergence [1/s] of winds [m/s]."""
        vorticity, divergence = self._core.curl(self._field(u), self._field(v))
        return self._coefficients(vorticity, u), self._coefficients(divergence, u)

    def gradient(self, coefficients: ArrayLike) -> tuple[Floats, Floats]:
        """The derivatives of a field to the east and to the north, per metre."""
        change = self.laplacian(coefficients)
        return self.winds(np.zeros_like(change), change)

    def laplacian(self, coefficients: ArrayLike) -> Complexes:
        """The coefficients of ∇² f, per square metre."""
        return self._given(coefficients) * self._laplacian

    def inverse_laplacian(self, coefficients: ArrayLike) -> Complexes:
        """The coefficients of ∇⁻² f, whose mean is 0."""
        factor = np.divide(1.0, self._laplacian, where=self.degrees > 0, out=np.zeros(self._count))
        return self._given(coefficients) * factor

    @property
    def _laplacian(self) -> Floats:
        return -self.degrees * (self.degrees + 1.0) / self.radius**2

    @property
    def _count(self) -> int:
        return len(self.degrees)

    def _field(self, field: ArrayLike) -> Floats:
        def checked() -> Floats:
            given: Floats = _array(field, "a field", np.float64)
            if given.size != math.prod(self.shape) or given.shape[-2:] != self.shape[-2:]:
                raise StudyError(
                    f"a field of the shape {given.shape} was given, and this rank's is {self.shape}"
                )
            return given

        return collectively(self._ranks, checked)

    def _given(self, coefficients: ArrayLike) -> Complexes:
        def checked() -> Complexes:
            given: Complexes = _array(coefficients, "coefficients", np.complex128)
            if given.size != self.levels * self._count or given.shape[-1] != self._count:
                whole = (self.levels, self._count) if self.levels > 1 else (self._count,)
                raise StudyError(
                    f"coefficients of the shape {given.shape} were given, and this rank's are "
                    f"{whole}"
                )
            return given

        return collectively(self._ranks, checked)

    def _fields(self, found: Floats, like: ArrayLike) -> Floats:
        keeps_level = self.levels > 1 or np.ndim(like) == 2
        return found.reshape((self.levels, *self.shape[-2:]) if keeps_level else self.shape[-2:])

    def _coefficients(self, found: Complexes, like: ArrayLike) -> Complexes:
        keeps_level = self.levels > 1 or np.ndim(like) == 3
        return found.reshape((self.levels, self._count) if keeps_level else (self._count,))


def _parameters(
    own: dict[str, Any], transpose: str, normalisation: str, ranks: int
) -> tuple[Sphere, str]:
    """The grid of a transform, and its flat parameters; StudyError if there is none."""
    if normalisation not in NORMS:
        raise StudyError(
            f"normalisation = {show(normalisation)} is not known{nearest(normalisation, NORMS)}"
        )
    model = read({"sphere": own}, {"stations": (), "maps_every": 0, "netcdf": False}, Path())
    communication = SphereCommunication.read({"transpose": transpose}, Path())
    communication.check_ranks(model, ranks)
    return model, flat_text([*parameters(model), *communication.parameters()])


def _array(given: ArrayLike, what: str, kind: type[Any]) -> Any:
    """Numbers in a row in memory; StudyError if they are none, or if they would lose a part."""
    try:
        found = np.asarray(given)
    except (ValueError, TypeError):
        found = np.array(None)
    if found.dtype.kind not in ("biufc" if kind is np.complex128 else "biuf"):
        numbers = "complex numbers" if kind is np.complex128 else "real numbers"
        raise StudyError(f"{what} must be an array of {numbers}, but has the type {found.dtype}")
    return np.ascontiguousarray(found, dtype=kind)

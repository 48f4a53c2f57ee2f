"""Fields of the whole grid, and the spectrum of the kinetic energy, put together on rank 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays, Communicator, Floats
from phasewise.workloads.sphere.driver import SphereRun
from phasewise.workloads.sphere.model import Sphere

Integers = NDArray[np.int64]


def whole_field(run: SphereRun, comm: Communicator, model: Sphere, name: str) -> Floats | None:
    """A field of all levels, (levels, latitudes, longitudes), on rank 0; None elsewhere.
    Collective.
    """
    own = np.asarray(run.latitudes, dtype=np.int64)
    parts = comm.gather(own.tobytes())
    values = comm.gather(np.ascontiguousarray(run.field(name)).tobytes())
    if comm.rank() != 0:
        return None
    return assembled(
        [np.frombuffer(part, np.int64) for part in parts],
        [np.frombuffer(part, np.float64) for part in values],
        (model.levels, model.latitudes, model.longitudes),
    )


def assembled(
    rows: Sequence[Integers], values: Sequence[Floats], shape: tuple[int, int, int]
) -> Floats:
    """The field (levels, latitudes, longitudes) of which each rank has rows,
    [latitude][longitude][level].
    """
    levels, _, longitudes = shape
    found = np.empty(shape)
    for own, part in zip(rows, values, strict=True):
        found[:, own, :] = part.reshape(len(own), longitudes, levels).transpose(2, 0, 1)
    return found


def orders_and_degrees(truncation: int) -> tuple[Integers, Integers]:
    """m and l of each coefficient in the order of their ids, m first."""
    count = truncation + 1
    order = np.repeat(np.arange(count), np.arange(count, 0, -1))
    degree = np.concatenate([np.arange(m, count) for m in range(count)])
    return order, degree


def energy_spectrum(run: SphereRun, comm: Communicator, model: Sphere) -> Floats | None:
    """Kinetic energy by degree l [m²/s²], (levels, M+1), on rank 0; None elsewhere. Collective.

    Its sum over l is the mean of v²/2 over the sphere: with f = Σ f_lm P_lm(sin φ) e^{imλ} and
    ∫P² dμ = 1, a degree has a²/(4 l(l+1)) Σ (2 - δ_m0)(|ζ|² + |δ|²).
    """
    rows = run.state()["coefficients"]
    own = np.asarray(rows["id"], dtype=np.int64)
    parts = comm.gather(own.tobytes())
    squares = comm.gather(_squares(rows, model.levels).tobytes())
    if comm.rank() != 0:
        return None
    ids = np.concatenate([np.frombuffer(part, np.int64) for part in parts])
    values = np.concatenate([np.frombuffer(part).reshape(-1, model.levels) for part in squares])
    ordered = np.empty_like(values)
    ordered[ids] = values  # the order of the sums must not depend on the ranks
    return spectrum_of(ordered, model)


def _squares(rows: Arrays, levels: int) -> Floats:
    """|ζ|² + |δ|² of a rank's coefficients after the last timestep, (coefficients, levels)."""
    found = np.zeros((len(rows["id"]), levels))
    for level in range(levels):
        for name in ("vorticity", "divergence"):
            for part in ("re", "im"):
                found[:, level] += np.asarray(rows[f"new_{name}_{part}_{level}"]) ** 2
    return found


def spectrum_of(squares: Floats, model: Sphere) -> Floats:
    """The same from |ζ|² + |δ|² of all coefficients, (coefficients, levels), by their ids."""
    order, degree = orders_and_degrees(model.truncation)
    twice = np.where(order == 0, 1.0, 2.0)
    weight = twice * model.radius**2 / (4.0 * np.maximum(degree * (degree + 1.0), 1.0))
    found = np.zeros((model.truncation + 1, squares.shape[1]))
    np.add.at(found, degree, weight[:, None] * squares)
    return np.ascontiguousarray(found.T)

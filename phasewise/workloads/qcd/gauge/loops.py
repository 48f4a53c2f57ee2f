"""Plaquette and link trace of a box of a file's links, as sums that add up over boxes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.qcd.gauge.stored import Floats, Stored
from phasewise.workloads.qcd.grids import Extents

Matrices = NDArray[np.complex128]

AXES = 4
PLANES = AXES * (AXES - 1) // 2
COLOURS = 3

LoopSums = tuple[float, float]
"""Σ Re tr of the plaquettes that begin in a box, and that of its links."""


def loop_sums(stored: Stored, links: Floats, origin: Extents) -> LoopSums:
    """The sums for the links of a box, which were read from the file. The neighbours that the
    plaquettes need beyond the box are read here.
    """
    own = matrices(links)
    extents: Extents = links.shape[3::-1]
    faces = [_face_ahead(stored, own, axis, origin, extents) for axis in range(AXES)]
    plaquettes = 0.0
    for mu, nu in combinations(range(AXES), 2):
        first = own[..., mu, :, :] @ _moved(own, faces, mu, nu)
        second = own[..., nu, :, :] @ _moved(own, faces, nu, mu)
        plaquettes += float(np.vdot(second, first).real)
    return plaquettes, float(np.trace(own, axis1=-2, axis2=-1).real.sum())


def mean_loops(size: Extents, parts: Iterable[LoopSums]) -> dict[str, float]:
    """Plaquette and link trace, 1 for unit matrices, from the sums of all boxes."""
    plaquettes, traces = map(math.fsum, zip(*parts, strict=True))
    sites = math.prod(size) * COLOURS
    return {"plaquette": plaquettes / (PLANES * sites), "link_trace": traces / (AXES * sites)}


def matrices(links: Floats) -> Matrices:
    """Links of real and imaginary parts as complex matrices."""
    return np.asarray(links[..., 0] + 1j * links[..., 1])


def _face_ahead(
    stored: Stored, own: Matrices, axis: int, origin: Extents, extents: Extents
) -> Matrices:
    """The plane of links just beyond a box along an axis, with the lattice periodic."""
    if extents[axis] == stored.size[axis]:
        return np.take(own, [0], axis=3 - axis)
    first, thick = list(origin), list(extents)
    first[axis], thick[axis] = (origin[axis] + extents[axis]) % stored.size[axis], 1
    x, y, z, t = first
    lx, ly, lz, lt = thick
    return matrices(stored.read((x, y, z, t), (lx, ly, lz, lt)))


def _moved(own: Matrices, faces: list[Matrices], mu: int, nu: int) -> Matrices:
    """U_nu(x + mu) at x."""
    inner = [slice(None)] * AXES
    inner[3 - mu] = slice(1, None)
    beyond = faces[mu][..., nu, :, :]
    return np.concatenate([own[..., nu, :, :][tuple(inner)], beyond], axis=3 - mu)

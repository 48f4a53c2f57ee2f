"""The mesh of the design bunches, which a run's first turn has up to the sample of its particles.

It is chosen as core/collision/mesh/mesh_choice.cpp and mesh_levels.cpp choose it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.derived.beam_beam import closest_separation
from phasewise.workloads.collision.derived.crabs import crab_shift, crab_waves
from phasewise.workloads.collision.derived.overlap import square_sizes
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair
from phasewise.workloads.collision.tables.point import InteractionPoint

Array = NDArray[np.float64]

MARGIN_CELLS = 2
"""Cells that a mesh keeps beyond its extent on each side."""

COMMON_WINDOW = 1.5
"""Slices share a window of the mesh that is up to this many times as wide as the widest slice
needs.
"""

SNAP_PARTS = 8
"""A slice's own window moves in steps of its width divided by this."""

PAIR_REACH = 1.25
"""The smallest windows of pairs of slices reach this many times as far as the narrowest pair
needs.
"""

WAIST_REACH = 1.25
"""Where slices cross at an angle the finest level in y reaches this many times as far as the lowest
slices need.
"""

NO_CHARGE = 1e-15
"""Share of a bunch below which a slice counts as empty."""


@dataclass(frozen=True)
class Slices:
    """Slices of a Gaussian bunch, from the head: means and rms of z (S,), and the planes between
    which the field is interpolated (S + 1,) [m].
    """

    z: Array
    rms: Array
    plane: Array

    @classmethod
    def of(cls, point: InteractionPoint, beam: Beam) -> Slices:
        """The slices of ``beam``, cut as core/beam/slices.cpp cuts them."""
        cuts = _cuts(point, point.slices[beam.number - 1])
        edges = [math.inf, *cuts, -math.inf]
        parts = [_part(high, low) for high, low in itertools.pairwise(edges)]
        z, rms = (np.array(column) for column in zip(*parts, strict=True))
        if cuts:
            head, tail = max(2 * z[0] - cuts[0], cuts[0]), min(2 * z[-1] - cuts[-1], cuts[-1])
        else:
            head, tail = rms[0], -rms[0]
        plane = np.array([head, *cuts, tail])
        return cls(*(beam.bunch_length * values for values in (z, rms, plane)))

    @property
    def at_waist(self) -> int:
        """The slice that is nearest to the bunch's centre."""
        return int(np.abs(self.z).argmin())


def _cuts(point: InteractionPoint, slices: int) -> list[float]:
    """Cuts of a bunch of rms 1, decreasing."""
    steps = [k / slices for k in range(1, slices)]
    if point.slicing == "equal-width":
        return [point.slice_extent * (1 - 2 * step) for step in steps]
    return [-NormalDist().inv_cdf(step) for step in steps]


def _part(high: float, low: float) -> Pair:
    """Mean and rms of a normal deviate between two cuts."""
    if high < -low:
        mean, rms = _part(-low, -high)
        return -mean, rms
    share = (math.erfc(low / math.sqrt(2)) - math.erfc(high / math.sqrt(2))) / 2
    if share < NO_CHARGE:
        return (low if math.isinf(high) else (high + low) / 2), 0.0
    at_low, at_high = NormalDist().pdf(low), NormalDist().pdf(high)
    mean = (at_low - at_high) / share
    ends = (0.0 if math.isinf(low) else low * at_low) - (
        0.0 if math.isinf(high) else high * at_high
    )
    return mean, math.sqrt(max(1 + ends / share - mean * mean, 0.0))


@dataclass(frozen=True)
class _Axis:
    """The mesh along one axis: cell [m], centre [m], and whether all slices share one window."""

    cell: float
    centre: float
    common: bool


class DesignMesh:
    """The mesh that follows the design bunches at an interaction point."""

    def __init__(self, model: Collision, ip: int) -> None:
        self._model, self._ip, self._point = model, ip, model.ips[ip]
        self._slices = [Slices.of(self._point, beam) for beam in model.beams]
        self._slope = [_tilt(model, ip, beam) for beam in model.beams]
        separation = closest_separation(self._point.separation, self._point.separation_ramp)
        self._centre = [tuple(sign * d / 2 for d in separation) for sign in (1, -1)]

    @property
    def is_common(self) -> bool:
        """Whether one window holds all slices; otherwise slices, or pairs of them, have windows of
        their own.
        """
        return self._axis(0).common and self._axis(1).common

    def cells_at_waist(self) -> Pair:
        """Size of a cell [m] in x and y where the slices at the bunches' centres meet."""
        return self._cell_at_waist(0), self._cell_at_waist(1)

    def _cell_at_waist(self, axis: int) -> float:
        found = self._axis(axis)
        if not found.common:
            return min(found.cell, self._cell_of_pair(axis))
        return self._finest(found) if axis == 1 else found.cell

    def _ends(self, beam: int, axis: int, slices: slice, s: Array) -> tuple[Array, Array]:
        """Lower and upper ends [m] that these slices of a beam (0, 1) reach at distances ``s`` [m]
        along it; (S, n) for ``s`` of that shape.
        """
        own, slope = self._slices[beam], self._slope[beam][axis]
        centre = self._centre[beam][axis] + slope * own.z[slices, None]
        tilt = slope * own.rms[slices, None]
        variance = square_sizes(self._model.beams[beam], self._ip, s)[axis] + tilt * tilt
        half = self._point.mesh_extent * np.sqrt(variance)
        return centre - half, centre + half

    def _axis(self, axis: int) -> _Axis:
        lower, upper = [], []
        for beam in (0, 1):
            own, other = self._slices[beam], self._slices[1 - beam]
            s = (own.z[:, None] - other.plane[None, [0, -1]]) / 2
            low, high = self._ends(beam, axis, slice(None), s)
            lower.append(low.min(axis=1))
            upper.append(high.max(axis=1))
        low, high = np.concatenate(lower), np.concatenate(upper)
        widest = float((high - low).max()) / 2
        half = float(high.max() - low.min()) / 2
        nodes = self._point.grid[axis]
        cells = nodes - 1 - 2 * MARGIN_CELLS
        common = half <= COMMON_WINDOW * widest
        if not common:
            half, cells = widest, cells - max(1, nodes // SNAP_PARTS)
        return _Axis(quantised(2 * half / cells), float(high.max() + low.min()) / 2, common)

    def _cell_of_pair(self, axis: int) -> float:
        """The cell of the window that holds both slices that meet at the bunches' centres."""
        ends: list[Array] = []
        for beam in (0, 1):
            own, other = self._slices[beam], self._slices[1 - beam]
            i, j = own.at_waist, other.at_waist
            s = np.array([[own.plane[i] - other.plane[j + 1], own.plane[i + 1] - other.plane[j]]])
            ends += self._ends(beam, axis, slice(i, i + 1), s / 2)
        # One cell less, since windows are moved to nodes.
        cells = self._point.grid[axis] - 2 - 2 * MARGIN_CELLS
        return quantised(PAIR_REACH * float(np.max(ends) - np.min(ends)) / cells)

    def _finest(self, y: _Axis) -> float:
        """The cell in y of the finest level that holds both bunches' central slices on the plane of
        the opposing bunch that they meet nearest to the waist.
        """
        nodes = self._point.grid[1]
        middle = nodes // 2 - (0.5 if self._point.weighting == "tsc" else 0.0)
        reach = min(middle, nodes - 1 - middle) - MARGIN_CELLS
        needed = max(self._reach_at_waist(beam, y.centre) for beam in (0, 1))
        level = max(math.floor(math.log2(reach * y.cell / needed)), 0)
        cell = math.ldexp(y.cell, -level)
        x = self._axis(0)
        angled = not x.common and self._cell_of_pair(0) < x.cell
        if angled and level > 0:
            return quantised(WAIST_REACH * needed / reach)
        return cell

    def _reach_at_waist(self, beam: int, centre: float) -> float:
        """How far from ``centre`` a beam's central slice, and the opposing slices on both sides of
        the plane nearest to it, reach where they meet.
        """
        own, other = self._slices[beam], self._slices[1 - beam]
        linear = self._point.interpolation == "linear"
        planes = other.plane if linear else other.z
        i = own.at_waist
        k = int(np.abs(planes - own.z[i]).argmin())
        beside = slice(max(k - 1, 0), k + 1) if linear else slice(k, k + 1)
        boundaries = np.stack([other.plane[:-1], other.plane[1:]], axis=1)
        ends = [
            self._ends(beam, 1, slice(i, i + 1), (own.plane[None, i : i + 2] - planes[k]) / 2),
            self._ends(1 - beam, 1, beside, (boundaries[beside] - own.z[i]) / 2),
        ]
        return max(float(np.abs(part - centre).max()) for pair in ends for part in pair)


def shares_planes(model: Collision, ip: int) -> bool:
    """Whether neighbouring slices share the planes between them at an interaction point: if the
    study asks for it, and one window of the mesh holds all slices of the design bunches.
    """
    point = model.ips[ip]
    if not point.has_two_planes or point.planes != "shared":
        return False
    return point.mesh == "fixed" or DesignMesh(model, ip).is_common


def quantised(cell: float) -> float:
    """The next power of 2^(1/16) at or above a cell's size."""
    return math.exp2(math.ceil(16 * math.log2(cell)) / 16)


def _tilt(model: Collision, ip: int, beam: Beam) -> Pair:
    """Slopes of x and y along z that crab cavities leave of the crossing angle within one rms."""
    point, rms = model.ips[ip], beam.bunch_length
    ends = crab_shift(np.array([-rms, rms]), crab_waves(model, beam, ip))
    left = float(ends[1] - ends[0]) / (2 * rms)
    slope = math.tan(point.half_crossing_angle) * left
    return slope * math.cos(point.crossing_plane), slope * math.sin(point.crossing_plane)

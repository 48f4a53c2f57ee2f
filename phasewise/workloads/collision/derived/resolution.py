"""How finely meshes, slices and macroparticles resolve the collision of a study."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from phasewise.workloads.collision.derived.beam_beam import closest_separation
from phasewise.workloads.collision.derived.overlap import crossing_widths
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair
from phasewise.workloads.collision.tables.point import InteractionPoint

MARGIN_CELLS = 5
"""Cells that a mesh that follows the beams keeps beyond its extent, on both sides together."""

COMMON_WINDOW = 1.5
"""Slices share a window of the mesh that is up to this many times as wide as the widest slice
needs.
"""

SNAP_PARTS = 8
"""A slice's own window moves in steps of its width divided by this."""


@dataclass(frozen=True)
class PointResolution:
    """One interaction point; None where its model has no mesh or no slices.

    cells_per_sigma: of the smaller beam at the waist, in x and y. particles_per_slice: of the
    tracked beam with fewest. slice_over_beta: length of a slice at the bunch's centre over the
    smallest β* or, if it is shorter, the length over which the bunches overlap at the angle.
    """

    cells_per_sigma: Pair | None
    particles_per_slice: float | None
    slice_over_beta: float | None


@dataclass(frozen=True)
class Resolution:
    """The worst resolution of all interaction points and both planes, and that of each point."""

    cells_per_sigma: float | None
    particles_per_slice: float | None
    slice_over_beta: float | None
    ips: tuple[PointResolution, ...]


def resolution(model: Collision) -> Resolution:
    """The resolution of ``model`` at its interaction points."""
    ips = tuple(_point(model, k) for k in range(len(model.ips)))
    cells = [cell for ip in ips for cell in ip.cells_per_sigma or ()]
    particles = [ip.particles_per_slice for ip in ips if ip.particles_per_slice is not None]
    lengths = [ip.slice_over_beta for ip in ips if ip.slice_over_beta is not None]
    return Resolution(
        min(cells, default=None), min(particles, default=None), max(lengths, default=None), ips
    )


def _point(model: Collision, ip: int) -> PointResolution:
    point = model.ips[ip]
    if point.model == "none":
        return PointResolution(None, None, None)
    tracked = [
        beam.macroparticles / point.slices[beam.number - 1]
        for beam in model.beams
        if not beam.strong
    ]
    longest = max(slice_length(point, beam) for beam in model.beams)
    return PointResolution(
        _cells(model, ip) if point.model == "strong-strong" else None,
        min(tracked),
        longest / min(shortest_beta(model, ip), overlap_length(model, ip)),
    )


def _cells(model: Collision, ip: int) -> Pair:
    """Cells per rms size of the smaller beam at the waist."""
    sizes = [min(beam.size(ip)[plane] for beam in model.beams) for plane in (0, 1)]
    point = model.ips[ip]
    if point.mesh_half_width is not None:
        x, y = (
            2 * half / (nodes - 1)
            for half, nodes in zip(point.mesh_half_width, point.grid, strict=True)
        )
    else:
        x, y = _Axis.of(model, ip, 0).cell, _Axis.of(model, ip, 1).cell_at_waist(model, ip)
    return sizes[0] / x, sizes[1] / y


@dataclass(frozen=True)
class _Axis:
    """Size of a cell [m] along one axis of a mesh that follows the beams, and whether all slices
    share one window (core/collision/mesh/mesh_choice.cpp).
    """

    cell: float
    common: bool

    @classmethod
    def of(cls, model: Collision, ip: int, plane: int) -> _Axis:
        point, nodes = model.ips[ip], model.ips[ip].grid[plane]
        widest = apart = 0.0
        for beam, other in zip(model.beams, reversed(model.beams), strict=True):
            slope = abs(_tilt(model, ip, beam)[plane])
            s = _farthest_meeting(point, beam, other)
            within = slope * slice_length(point, beam) / math.sqrt(12)
            widest = max(widest, math.hypot(_size_at(beam, ip, plane, s), within))
            apart = max(apart, slope * _outermost_slice(point, beam)[0])
        apart += abs(_separation(model, ip)[plane]) / 2
        half = point.mesh_extent * widest
        common = half + apart <= COMMON_WINDOW * half
        cells = nodes - MARGIN_CELLS - (0 if common else max(1, nodes // SNAP_PARTS))
        return cls(2 * (half + apart if common else half) / cells, common)

    def cell_at_waist(self, model: Collision, ip: int) -> float:
        """The size of a cell in y, where a common window is halved as long as it still holds slices
        within a slice's length of the waist (core/collision/mesh/mesh_levels.hpp).
        """
        point = model.ips[ip]
        if not self.common:
            return self.cell
        length = max(slice_length(point, beam) for beam in model.beams)
        height = max(_size_at(beam, ip, 1, length) for beam in model.beams)
        apart = abs(_separation(model, ip)[1]) / 2
        room = (point.grid[1] // 2 - MARGIN_CELLS / 2) * self.cell
        levels = math.floor(math.log2(room / (point.mesh_extent * height + apart)))
        return self.cell * 0.5 ** max(0, levels)


def _tilt(model: Collision, ip: int, beam: Beam) -> Pair:
    """Slopes of x and y along z that crab cavities leave of the crossing angle."""
    point = model.ips[ip]
    left = math.tan(point.half_crossing_angle) * (1 - beam.optics[ip].crab[0])
    return left * math.cos(point.crossing_plane), left * math.sin(point.crossing_plane)


def _separation(model: Collision, ip: int) -> Pair:
    point = model.ips[ip]
    return closest_separation(point.separation, point.separation_ramp)


def _farthest_meeting(point: InteractionPoint, beam: Beam, other: Beam) -> float:
    """Distance [m] from the IP at which the first slice of a Gaussian bunch meets the last plane of
    the opposing bunch. That plane lies as far beyond the opposing bunch's last slice as the cut
    before that slice lies in front of it.
    """
    mean, _ = _outermost_slice(point, beam)
    last, cut = _outermost_slice(point, other)
    return (mean + 2 * last - cut) / 2


def _outermost_slice(point: InteractionPoint, beam: Beam) -> tuple[float, float]:
    """Mean of a beam's first slice and the cut behind it [m]; a single slice counts as cut one rms
    away.
    """
    slices, rms = point.slices[beam.number - 1], beam.bunch_length
    if slices == 1:
        return 0.0, -rms
    normal = NormalDist()
    cut = (
        normal.inv_cdf(1 - 1 / slices)
        if point.slicing == "equal-charge"
        else point.slice_extent * (1 - 2 / slices)
    )
    beyond = math.erfc(cut / math.sqrt(2)) / 2
    # If the cut is so far out that no tail is left beyond it, the mean is at the cut.
    return rms * (normal.pdf(cut) / beyond if beyond > 0 else cut), rms * cut


def _size_at(beam: Beam, ip: int, plane: int, s: float) -> float:
    """The larger rms size [m] of those at ``s`` [m] before and behind the IP."""
    optics = beam.optics[ip]
    beta, alpha, gamma = optics.beta[plane], optics.alpha[plane], optics.gamma[plane]
    growth = 1 + (2 * abs(alpha) * s + gamma * s * s) / beta
    return beam.size(ip)[plane] * math.sqrt(growth)


def slice_length(point: InteractionPoint, beam: Beam) -> float:
    """Length [m] of a slice at the bunch's centre: the charge of a slice divided by the density
    there.
    """
    slices = point.slices[beam.number - 1]
    if point.slicing == "equal-width":
        return 2 * point.slice_extent * beam.bunch_length / slices
    return math.sqrt(2 * math.pi) * beam.bunch_length / slices


def shortest_beta(model: Collision, ip: int) -> float:
    """The smallest β [m] of both beams and planes."""
    return min(b for beam in model.beams for b in beam.optics[ip].beta)


def overlap_length(model: Collision, ip: int) -> float:
    """Distance [m] in z1 - z2 at which two slices miss each other by the rms of both widths, at
    the angle that crab cavities leave; infinite without one.
    """
    left = max(abs(1 - beam.optics[ip].crab[0]) for beam in model.beams)
    tilt = abs(math.tan(model.ips[ip].half_crossing_angle)) * left
    return math.hypot(*crossing_widths(model, ip)) / tilt if tilt else math.inf

"""How finely meshes, slices and macroparticles resolve the collision of a study."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from phasewise.workloads.collision.derived.overlap import crossing_widths
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair
from phasewise.workloads.collision.tables.point import InteractionPoint

MARGIN_CELLS = 5
"""Cells that a mesh that follows the beams keeps beyond its extent, on both sides together."""


@dataclass(frozen=True)
class PointResolution:
    """One interaction point; None where its model has no mesh or no slices.

    cells_per_sigma: of the smaller beam at the waist, in x and y. particles_per_slice: of the
    tracked beam with fewest. slice_over_beta: length of a slice at the bunch's centre over the
    smallest β* or, where it is shorter, the length over which the bunches overlap at the angle.
    """

    cells_per_sigma: Pair | None
    particles_per_slice: float | None
    slice_over_beta: float | None


@dataclass(frozen=True)
class Resolution:
    """The least of all interaction points, of both planes, and each point's own."""

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
    """Cells that the smaller beam's rms size has at the waist."""
    sizes = [min(beam.size(ip)[plane] for beam in model.beams) for plane in (0, 1)]
    x, y = _cell(model, ip, 0), _cell(model, ip, 1)
    return (sizes[0] / x, sizes[1] / y * 2 ** _level_at_waist(model, ip, y))


def _cell(model: Collision, ip: int, plane: int) -> float:
    """Size of a cell [m] of the mesh that all slices share, which holds the largest one, far from
    the waist.
    """
    point = model.ips[ip]
    if point.mesh_half_width is not None:
        return 2 * point.mesh_half_width[plane] / (point.grid[plane] - 1)
    widest = max(
        _size_at(beam, ip, plane, _farthest_meeting(point, beam, other))
        for beam, other in zip(model.beams, reversed(model.beams), strict=True)
    )
    return 2 * point.mesh_extent * widest / (point.grid[plane] - MARGIN_CELLS)


def _level_at_waist(model: Collision, ip: int, cell: float) -> int:
    """How many times a mesh that follows the beams halves its cells in y at the waist
    (core/collision/mesh_levels.hpp): as often as it still holds slices within a slice's length.
    """
    point = model.ips[ip]
    if point.mesh_half_width is not None:
        return 0
    length = max(slice_length(point, beam) for beam in model.beams)
    height = max(_size_at(beam, ip, 1, length) for beam in model.beams)
    room = (point.grid[1] // 2 - MARGIN_CELLS / 2) * cell
    return max(0, math.floor(math.log2(room / (point.mesh_extent * height))))


def _farthest_meeting(point: InteractionPoint, beam: Beam, other: Beam) -> float:
    """Distance [m] from the IP at which the first slice of a Gaussian bunch meets the last plane of
    the opposing one, which lies as far beyond that one's last slice as the cut before it.
    """
    mean, _ = _outermost_slice(point, beam)
    last, cut = _outermost_slice(point, other)
    return (mean + 2 * last - cut) / 2


def _outermost_slice(point: InteractionPoint, beam: Beam) -> tuple[float, float]:
    """Mean of a beam's first slice and the cut behind it [m]; a single one counts as cut an rms
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
    return rms * normal.pdf(cut) / (1 - normal.cdf(cut)), rms * cut


def _size_at(beam: Beam, ip: int, plane: int, s: float) -> float:
    """The larger rms size [m] of those at ``s`` [m] before and behind the IP."""
    optics = beam.optics[ip]
    beta, alpha, gamma = optics.beta[plane], optics.alpha[plane], optics.gamma[plane]
    growth = 1 + (2 * abs(alpha) * s + gamma * s * s) / beta
    return beam.size(ip)[plane] * math.sqrt(growth)


def slice_length(point: InteractionPoint, beam: Beam) -> float:
    """Length [m] of a slice at the bunch's centre, the charge of a slice over the density there."""
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

"""How finely meshes, slices and macroparticles resolve the collision of a study."""

from __future__ import annotations

import math
from dataclasses import dataclass

from phasewise.workloads.collision.derived.crabs import crab_strength, crab_waves
from phasewise.workloads.collision.derived.design_mesh import DesignMesh
from phasewise.workloads.collision.derived.overlap import crossing_widths
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair
from phasewise.workloads.collision.tables.point import InteractionPoint


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
        x, y = DesignMesh(model, ip).cells_at_waist()
    return sizes[0] / x, sizes[1] / y


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
    left = max(abs(1 - crab_strength(crab_waves(model, beam, ip))) for beam in model.beams)
    tilt = abs(math.tan(model.ips[ip].half_crossing_angle)) * left
    return math.hypot(*crossing_widths(model, ip)) / tilt if tilt else math.inf

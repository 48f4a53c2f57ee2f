"""Luminosity per crossing of two Gaussian bunches, by integrating over where their slices meet.

In the frame in which the bunches collide head-on (Hirata, Phys. Rev. Lett. 74 (1995) 2228) slices
at z1 and z2, each ahead of its own bunch's centre, meet at S = (z1 - z2)/(2 cos φ) from the
interaction point, where the beams' centres are apart by

    Δ = d + (z1 - z2) tan φ (cos α, sin α),

d being the separation and crab cavities taking s sin(kz)/k off each z. With Σ² = σ1²(S) + σ2²(S) in
each plane,

    L = N1 N2 ∫∫ ρ1(z1) ρ2(z2) exp(-Δx²/2Σx² - Δy²/2Σy²) / (2π Σx Σy) dz1 dz2,

or, where a beam is tilted, with the sum Σ of both covariances exp(-Δ·Σ⁻¹Δ/2) / (2π sqrt(det Σ)).
Hourglass, crossing and crab reductions are its special cases. The trapezoidal rule converges
exponentially here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.derived.crabs import crab_shift, crab_waves, waist_slope
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision

Array = NDArray[np.float64]

EXTENT = 9.0
"""Rms of z to which the integral goes: exp(-9²/2) is 3e-18."""

MAX_POINTS_LINE, MAX_POINTS_PLANE = 2_000_000, 1000
MOST_BESIDE = 500
"""Nodes in x on each side, for a crab waist."""


@dataclass(frozen=True)
class Effects:
    """Which effects the integral includes; by default all of them."""

    hourglass: bool = True
    angle: bool = True
    crab: bool = True
    separation: bool = True


def luminosity(model: Collision, ip: int, effects: Effects) -> float:
    """Luminosity per crossing [m⁻²] at interaction point ``ip`` (from 0), at turn 0."""
    point, (one, two) = model.ips[ip], model.beams
    phi = point.half_crossing_angle if effects.angle else 0.0
    separation = point.separation[:2] if effects.separation else (0.0, 0.0)
    waves = [crab_waves(model, beam, ip) if effects.crab else () for beam in model.beams]
    waist = [waist_slope(model, beam, ip) if effects.crab else 0.0 for beam in model.beams]
    crabbed = phi != 0 and any(waves)
    step = z_step(model, ip, phi)
    # Without crab cavities only z1 - z2 counts, whose rms is the root of the sum of squares.
    lengths = (one.bunch_length, two.bunch_length) if crabbed else (_rms_difference(model), 0.0)
    most = MAX_POINTS_PLANE if crabbed else MAX_POINTS_LINE
    z1, weight1 = z_nodes(lengths[0], step, most)
    z2, weight2 = z_nodes(lengths[1], step, most)
    along1, along2 = z1, z2
    if crabbed:
        along1, along2 = crab_shift(z1, waves[0]), crab_shift(z2, waves[1])
    total = 0.0
    for z, along, weight in zip(z2, along2, weight2, strict=True):
        s = (z1 - z) / (2 * math.cos(phi) ** 2) if effects.hourglass else np.zeros_like(z1)
        x, y = square_sizes(one, ip, s), square_sizes(two, ip, -s)
        sum_x, sum_y = x[0] + y[0], x[1] + y[1]
        shift = (along1 - along) * math.tan(phi)
        dx = separation[0] + shift * math.cos(point.crossing_plane)
        dy = separation[1] + shift * math.sin(point.crossing_plane)
        sum_xy = square_tilt(one, ip, s) + square_tilt(two, ip, -s)
        if phi != 0 and any(waist):
            density = _overlap_of_waists(model, ip, s, dx, dy, waist)
        else:
            density = _overlap(dx, dy, sum_x, sum_y, sum_xy)
        total += float(weight * np.dot(weight1, density))
    return one.bunch_population * two.bunch_population * total / (2 * math.pi)


def _overlap(dx: Array, dy: Array, xx: Array, yy: Array, xy: Array) -> Array:
    """2π times the overlap of two Gaussians whose covariances add up to these."""
    if not xy.any():
        return np.asarray(np.exp(-0.5 * (dx * dx / xx + dy * dy / yy)) / np.sqrt(xx * yy))
    determinant = xx * yy - xy * xy
    square = (dx * dx * yy + dy * dy * xx - 2 * dx * dy * xy) / determinant
    return np.asarray(np.exp(-0.5 * square) / np.sqrt(determinant))


def _overlap_of_waists(
    model: Collision, ip: int, s: Array, dx: Array, dy: Array, waist: list[float]
) -> Array:
    """2π times the overlap in a horizontal crossing where a particle of a beam that is x off the
    beam's axis has its waist in y at s = -kx; dx and dy are beam 1 minus beam 2.
    """
    one, two = model.beams
    xx = square_sizes(one, ip, s)[0], square_sizes(two, ip, -s)[0]
    both = xx[0] + xx[1]
    (m1, y1), (m2, y2) = height_beside(one, ip, s), height_beside(two, ip, -s)
    # Beams of different tilt overlap in a narrower part of x.
    narrow = (m1 - m2) ** 2 * xx[0] * xx[1] / both / (y1 + y2)
    half = min(math.ceil(16 * math.sqrt(1 + float(narrow.max()))), MOST_BESIDE)
    # Where a Gaussian of the product's rms has its place, from the centre of beam 1.
    t = np.linspace(-5.6, 5.6, 2 * half + 1)[:, None]
    x = -dx * xx[0] / both + t * np.sqrt(xx[0] * xx[1] / both)
    weight = np.exp(-0.5 * t * t)
    sign = math.cos(model.ips[ip].crossing_plane)
    slope, yy = height_beside(one, ip, s + sign * waist[0] * x)
    other_slope, other_yy = height_beside(two, ip, -s + sign * waist[1] * (x + dx))
    dy, yy = dy + slope * x - other_slope * (x + dx), yy + other_yy
    density = np.exp(-0.5 * dy * dy / yy) / np.sqrt(yy)
    mean = (weight * density).sum(axis=0) / weight.sum()
    return np.asarray(mean * np.exp(-0.5 * dx * dx / both) / np.sqrt(both))


def height_beside(beam: Beam, ip: int, s: Array) -> tuple[Array, Array]:
    """How far the charge of a beam stands off its axis in y over how far it is in x, by coupling,
    and the square of its rms height [m²] at one x, at distances ``s`` [m] along the beam.
    """
    xx, yy = square_sizes(beam, ip, s)
    slope = square_tilt(beam, ip, s) / xx
    return slope, yy - slope * slope * xx


def _rms_difference(model: Collision) -> float:
    return math.hypot(model.beams[0].bunch_length, model.beams[1].bunch_length)


def z_nodes(rms: float, step: float, most: int) -> tuple[Array, Array]:
    """Nodes [m] over ± EXTENT rms and their weights for a Gaussian of that rms, summing to 1."""
    if rms == 0:
        return np.zeros(1), np.ones(1)
    half = min(max(math.ceil(EXTENT * rms / step), 40), most // 2)
    z = np.linspace(-EXTENT * rms, EXTENT * rms, 2 * half + 1)
    weight = np.exp(-0.5 * (z / rms) ** 2)
    return z, weight / weight.sum()


def z_step(model: Collision, ip: int, phi: float) -> float:
    """Step [m] that resolves the bunches, the overlap at the angle, and the waists.

    The trapezoidal rule with step h errs by exp(-2π²w²/h²) on a Gaussian of rms w, and by
    exp(-2πd/h) on a function with a pole at distance d: 1/γ in S, hence 2/γ in z.
    """
    lengths = [beam.bunch_length for beam in model.beams]
    waists = [2 / g for beam in model.beams for g in beam.optics[ip].gamma]
    overlap = min(crossing_widths(model, ip)) / abs(math.tan(phi)) if phi else math.inf
    return min(min(lengths) / 3, min(waists) / 8, overlap / 3)


def crossing_widths(model: Collision, ip: int) -> list[float]:
    """Rms width [m] of each beam along the line on which the other one crosses it."""
    alpha = model.ips[ip].crossing_plane
    return [_width(beam, ip, math.cos(alpha), math.sin(alpha)) for beam in model.beams]


def _width(beam: Beam, ip: int, along_x: float, along_y: float) -> float:
    """Rms width [m] of a beam's cut along a line through its centre in this direction."""
    x, y = beam.size(ip)
    if not beam.optics[ip].coupled:
        return 1 / math.hypot(along_x / x, along_y / y)
    xy = float(square_tilt(beam, ip, np.zeros(1))[0])
    square = (along_x * y) ** 2 + (along_y * x) ** 2 - 2 * along_x * along_y * xy
    return math.sqrt(((x * y) ** 2 - xy * xy) / square)


def square_sizes(beam: Beam, ip: int, s: Array) -> tuple[Array, Array]:
    """σx² and σy² [m²] at distance ``s`` [m] along the beam from the interaction point."""
    optics = beam.optics[ip]
    if optics.coupled:
        m = optics.covariance(beam.geometric_emittance, beam.momentum_spread)
        x, y = (m[u, u] + 2 * s * m[u, u + 1] + s * s * m[u + 1, u + 1] for u in (0, 2))
        return x, y
    squares = []
    for plane in (0, 1):
        d, dp = optics.dispersion[2 * plane : 2 * plane + 2]
        dispersive = (d + dp * s) * beam.momentum_spread
        squares.append(beam.geometric_emittance[plane] * optics.beta_at(plane, s) + dispersive**2)
    return squares[0], squares[1]


def square_tilt(beam: Beam, ip: int, s: Array) -> Array:
    """<xy> [m²] at distance ``s`` [m] along the beam from the interaction point, by its coupling;
    0 without any.
    """
    optics = beam.optics[ip]
    if not optics.coupled:
        return np.zeros_like(s)
    m = optics.covariance(beam.geometric_emittance, beam.momentum_spread)
    return np.asarray(m[0, 2] + s * (m[0, 3] + m[1, 2]) + s * s * m[1, 3])

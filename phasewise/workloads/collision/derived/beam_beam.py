"""Beam-beam parameters: head-on, and with crossing angle, crab cavities, hourglass and separation.

A particle at the centre of its bunch meets the opposing bunch's slice at z at S = -z/(2 cos²φ) from
the interaction point, where the slice's centre is away from it by

    Δ = d - (z - s sin(kz)/k) tan φ (cos α, sin α),

d being the separation and the bracket what crab cavities leave of z. With r0 the classical radius
of the particle itself, the tune shift of small amplitudes is

    ξx = N r0 |q q'|/(2πγ) ∫ ρ(z) βx(S) ∂Ex/∂x(Δ; σx(S), σy(S)) dz,

E the field of a Gaussian of unit charge, -grad of u = -ln r far away. Head-on it is
N r0 |q q'| βx/(2πγ σx(σx + σy)). In a tilted bunch, of covariance Σ and D² = det Σ, the gradient at
the centre is the matrix (Σ + D)⁻¹. A crossing angle in x alone turns σx into σx sqrt(1 + Φ²)
(K. Ohmi et al., PRSTAB 7 (2004) 104401).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from phasewise.constants import classical_radius
from phasewise.workloads.collision.derived.crabs import (
    crab_shift,
    crab_strength,
    crab_waves,
    waist_slope,
)
from phasewise.workloads.collision.derived.overlap import (
    height_beside,
    square_sizes,
    square_tilt,
    z_nodes,
    z_step,
)
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair

Array = NDArray[np.float64]

MAX_POINTS = 4_000
BLOCK = 512
"""Distances whose gradients are computed at once, which bounds the memory."""
STEP = 0.25
"""Step in ln q of the trapezoidal rule, which errs by exp(-π²/STEP) = 1e-17."""
MARGIN = 37.0
"""ln q goes this far beyond the smallest and the largest square: exp(-37) = 1e-16."""


def head_on_parameters(model: Collision, number: int, ip: int) -> Pair:
    """ξ in x and y of beam ``number`` at interaction point ``ip`` (from 0), both positive, as if
    the bunches met head-on at the waist.

    The tune shift of small amplitudes is +ξ for opposite charges and -ξ for like ones.
    """
    other = model.beam(3 - number)
    sx, sy = other.size(ip)
    bx, by = model.beam(number).optics[ip].beta
    if other.optics[ip].coupled:
        tilt = float(square_tilt(other, ip, np.zeros(1))[0])
        root = math.sqrt((sx * sy) ** 2 - tilt * tilt)
        common = _strength(model, number) / (root * (sx * sx + sy * sy + 2 * root))
        return (common * bx * (sy * sy + root), common * by * (sx * sx + root))
    common = _strength(model, number) / (sx + sy)
    return (common * bx / sx, common * by / sy)


def effective_parameters(model: Collision, number: int, ip: int) -> Pair:
    """ξ in x and y of a particle at the centre of beam ``number``, by the module's integral.

    It has the sign of the head-on parameter's shift: a separation of some σ turns it negative. If
    the separation changes, its smaller end counts.
    """
    own, other = model.beam(number), model.beam(3 - number)
    point = model.ips[ip]
    phi = point.half_crossing_angle
    z, weight = z_nodes(other.bunch_length, z_step(model, ip, phi), MAX_POINTS)
    s = -z / (2 * math.cos(phi) ** 2)
    along = crab_shift(z, crab_waves(model, other, ip)) * math.tan(phi)
    dx, dy = closest_separation(point.separation, point.separation_ramp)
    sign = 1 if number == 1 else -1  # separations are beam 1 minus beam 2
    x = sign * dx - along * math.cos(point.crossing_plane)
    y = sign * dy - along * math.sin(point.crossing_plane)
    # Where this beam has gone s past the interaction point, the other one is still -s before it.
    sx2 = square_sizes(other, ip, -s)[0]
    waist = waist_slope(model, other, ip) * math.cos(point.crossing_plane)
    slope, sy2 = height_beside(other, ip, waist * x - s)
    found = []
    gradients = gaussian_gradients(x, y, sx2, sy2 + slope * slope * sx2, slope * sx2)
    for plane, gradient in enumerate(gradients):
        beta = own.optics[ip].beta_at(plane, s)
        found.append(_strength(model, number) * float(np.dot(weight, beta * gradient)))
    return (found[0], found[1])


def met_sizes(model: Collision, number: int, ip: int) -> tuple[float, float, float]:
    """Rms sizes x, y and length [m] of beam ``number`` as a particle of the other one meets it.

    The angle that crab cavities leave tilts the bunch, which adds to x and y their shares of tan φ
    σz, and keeps the particle inside of it for only 1/sqrt(1 + Φ²) of its length (P. Raimondi, D.
    Shatilov, M. Zobov, physics/0702033).
    """
    beam, point = model.beam(number), model.ips[ip]
    x, y = beam.size(ip)
    left = 1 - crab_strength(crab_waves(model, beam, ip))
    tilt = math.tan(point.half_crossing_angle) * left * beam.bunch_length
    along_x, along_y = tilt * math.cos(point.crossing_plane), tilt * math.sin(point.crossing_plane)
    inside = beam.bunch_length / math.sqrt(1 + (along_x / x) ** 2 + (along_y / y) ** 2)
    return math.hypot(x, along_x), math.hypot(y, along_y), inside


def disruption(model: Collision, number: int, ip: int) -> Pair:
    """Disruption parameters of beam ``number``, the opposing bunch's length over its focal length:
    Dx = 2 N r0 |q q'| σz/(γ σx(σx + σy)), with the sizes and length that the beam meets
    (K. Yokoya, P. Chen, Lecture Notes in Physics 400 (1992) 415).
    """
    x, y, length = met_sizes(model, 3 - number, ip)
    common = 4 * math.pi * _strength(model, number) * length / (x + y)
    return common / x, common / y


def _strength(model: Collision, number: int) -> float:
    """N r0 |q q'|/(2πγ) [m]."""
    own, other = model.beam(number), model.beam(3 - number)
    charges = abs(own.charge * other.charge)
    return other.bunch_population * classical_radius(own.mass) * charges / (2 * math.pi * own.gamma)


def closest_separation(separation: tuple[float, float, float, float], ramp: Pair) -> Pair:
    """The smaller of the separations before and after a ramp [m]."""
    ends = [separation[:2]] if not any(ramp) else [separation[:2], separation[2:]]
    return min(ends, key=lambda end: math.hypot(*end))


def gaussian_gradients(
    x: Array, y: Array, sx2: Array, sy2: Array, sxy: Array | None = None
) -> tuple[Array, Array]:
    """∂Ex/∂x and ∂Ey/∂y [1/m²], each (n,), of a Gaussian of unit charge at distances x, y [m], its
    squared rms sizes sx2, sy2 and, if it is tilted, its <xy> sxy [m²].

    From u = -½ ∫ (1 - exp(-r·A⁻¹r)) / sqrt(det A) dq with the matrix A = 2Σ + q, q > 0
    (S. Kheifets, PETRA Note 119, 1976), by the trapezoidal rule in ln q.
    """
    sxy = np.zeros_like(sx2) if sxy is None else sxy
    parts = [
        _gradients(*(np.atleast_1d(a)[first : first + BLOCK] for a in (x, y, sx2, sy2, sxy)))
        for first in range(0, len(x), BLOCK)
    ]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _gradients(x: Array, y: Array, sx2: Array, sy2: Array, sxy: Array) -> tuple[Array, Array]:
    least = min(sx2.min(), sy2.min())
    if sxy.any():
        least = float(((sx2 * sy2 - sxy * sxy) / (sx2 + sy2)).min())
    low = 2 * least
    high = max(2 * sx2.max(), 2 * sy2.max(), float((x * x + y * y).max()))
    q = np.exp(np.arange(math.log(low) - MARGIN, math.log(high) + MARGIN, STEP))[None, :]
    a, b = 2 * sx2[:, None] + q, 2 * sy2[:, None] + q
    if sxy.any():
        return _tilted_gradients(x[:, None], y[:, None], a, b, 2 * sxy[:, None], q)
    x2, y2 = (x * x)[:, None], (y * y)[:, None]
    common = STEP * q * np.exp(-x2 / a - y2 / b) / np.sqrt(a * b)
    in_x = common * (1 - 2 * x2 / a) / a
    in_y = common * (1 - 2 * y2 / b) / b
    return in_x.sum(axis=1), in_y.sum(axis=1)


def _tilted_gradients(
    x: Array, y: Array, a: Array, b: Array, c: Array, q: Array
) -> tuple[Array, Array]:
    """The same for A = [[a, c], [c, b]], at the values q of the rule."""
    determinant = a * b - c * c
    in_x, in_y = (b * x - c * y) / determinant, (a * y - c * x) / determinant
    common = STEP * q * np.exp(-x * in_x - y * in_y) / np.sqrt(determinant)
    along_x = common * (b / determinant - 2 * in_x * in_x)
    along_y = common * (a / determinant - 2 * in_y * in_y)
    return along_x.sum(axis=1), along_y.sum(axis=1)

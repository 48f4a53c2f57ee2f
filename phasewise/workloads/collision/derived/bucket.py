"""The RF bucket: its height, and the share of a Gaussian bunch that it does not hold.

With δ → δ + a [sin(φ + kz) - sin φ], z → z - ηCδ, a = |q|V/(β²E) and k = 2πh/C, slow motion keeps
|η|C δ²/2 + U(z), U = ± {(a/k) [cos φ - cos(φ + kz)] - a z sin φ} with the sign of η. Its barriers
stand at kz = π - 2φ and one period of the RF behind; the lower one is the separatrix (S. Y. Lee,
Accelerator Physics, section 3.II).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.longitudinal import rf_kick, slip_factor
from phasewise.workloads.collision.tables.model import Collision

OfPlace = Callable[[float], float]

POINTS = 2001
"""Nodes in z. They integrate the density times a function that ends like a square root to 1e-5."""


@dataclass(frozen=True)
class Bucket:
    """A bucket's half height in δ, its ends in z [m], and the share of the bunch outside."""

    height: float
    ends: tuple[float, float]
    debunched: float


def bucket(model: Collision, beam: Beam) -> Bucket | None:
    """The bucket of ``beam``; None without RF."""
    rf, length = beam.arc.rf, model.circumference
    if rf is None or length is None:
        return None
    slip = slip_factor(beam)
    phase, k = 2 * math.pi * rf.phase, 2 * math.pi * rf.harmonic / length
    kick = rf_kick(beam, rf) * math.copysign(1, slip)

    def potential(z: float) -> float:
        curve = math.cos(phase) - math.cos(phase + k * z)
        return kick * (curve / k - z * math.sin(phase))

    # The synchronous phase is within a quarter of a turn of 0 or of a half.
    front = ((math.pi - 2 * phase + math.pi) % (2 * math.pi) - math.pi) / k
    front += 2 * math.pi / k if front <= 0 else 0.0
    back = front - 2 * math.pi / k
    top = min(potential(front), potential(back))
    ends = (_end(potential, back, top), _end(potential, front, top))
    return Bucket(
        height=math.sqrt(2 * top / (abs(slip) * length)),
        ends=ends,
        debunched=_outside(beam, ends, lambda z: 2 * (top - potential(z)) / (abs(slip) * length)),
    )


def _end(potential: OfPlace, barrier: float, top: float) -> float:
    """Where the separatrix crosses δ = 0 towards a barrier."""
    if potential(barrier) <= top:
        return barrier
    inside, outside = 0.0, barrier
    while abs(outside - inside) > 1e-12 * abs(barrier):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if potential(middle) < top else (inside, middle)
    return inside


def _outside(beam: Beam, ends: tuple[float, float], squares: OfPlace) -> float:
    """Share of a Gaussian bunch, cut where the study cuts it, outside of δ² = squares(z)."""
    rms, spread, cut = beam.bunch_length, beam.momentum_spread, beam.cut[2] or math.inf
    reach = min(cut, 40.0)
    z = np.linspace(max(ends[0], -reach * rms), min(ends[1], reach * rms), POINTS)
    limit = np.sqrt(np.maximum([squares(at) for at in z], 0.0))
    if spread > 0:
        within = np.sqrt(np.maximum(cut**2 - (z / rms) ** 2, 0.0)) * spread
        # SciPy's erf would take longer to import than all ranks take to start.
        held = np.array([math.erf(u) for u in np.minimum(limit, within) / (math.sqrt(2) * spread)])
    else:
        held = np.ones_like(z)
    density = np.exp(-0.5 * (z / rms) ** 2) / (math.sqrt(2 * math.pi) * rms)
    whole = 1 - math.exp(-0.5 * cut**2)
    return float(max(0.0, 1 - np.trapezoid(density * held, z) / whole))

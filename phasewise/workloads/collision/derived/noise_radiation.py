"""What the noise of macroparticles adds to the energy loss by beamstrahlung, as an estimate.

A slice of n macroparticles has, beside the field of its charge, a random one. On a mesh its mean
square where the density is ν is, with the spectrum of point charges and the filters exp(-k²w²) of
the mesh and 1 - exp(-k²s²) of the slice's own size,

    ⟨E²⟩ = ν ∫ dφ ½ ln(1 + s²/w²),   s² = σx² cos² φ + σy² sin² φ,   w² likewise with hx and hy,

over the directions φ of k. In a Gaussian slice only its centre and its size are noisy: w is s. The
loss goes with the square of the field, whose mean over a Gaussian slice is 0.59 n²/(σx + σy)²
(0.575 for round beams, 0.603 for flat ones), and ν is n/(4πσxσy) on average.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.workloads.collision.tables.point import slices_of

SMOOTHING = 0.75
"""w² over the square of a cell: h²/6 by the charge's weights, h²/12 by the Green function, h²/6 by
the weights of reading, h²/3 by the central difference, half of each for E, twice for E².
"""

MEAN_SQUARE = 0.59


def noise_share(study: Mapping[str, Any], derived: Mapping[str, Any], number: int) -> float | None:
    """Share of the energy loss of beam ``number`` that the noise of the other beam's macroparticles
    makes, over the points where particles radiate; to a factor of about two. None if the beam is
    not tracked.
    """
    if "macroparticles" not in study["beam"][str(number)]:
        return None
    shares = [
        _share(point, derived, index, 3 - number, study["beam"][str(3 - number)])
        for index, point in enumerate(study["ip"][str(k + 1)] for k in range(len(study["ip"])))
        if "beamstrahlung" in point
    ]
    return float(np.mean(shares)) if shares else None


def _share(
    point: Mapping[str, Any],
    derived: Mapping[str, Any],
    ip: int,
    other: int,
    beam: Mapping[str, Any],
) -> float:
    if point["model"] in ("weak-strong", "none"):
        return 0.0
    count = beam["macroparticles"] / slices_of(point)[other - 1]
    x, y = derived["ips"][ip]["beams"][other - 1]["size"]
    angle = np.linspace(0, math.pi / 2, 65)[:-1] + math.pi / 256
    size = (x * np.cos(angle)) ** 2 + (y * np.sin(angle)) ** 2
    smooth = size
    cells = derived["resolution"]["ips"][ip]["cells_per_sigma"]
    if cells is not None:
        hx, hy = x / cells[0], y / cells[1]
        smooth = SMOOTHING * ((hx * np.cos(angle)) ** 2 + (hy * np.sin(angle)) ** 2)
    noise = math.pi * float(np.mean(np.log1p(size / smooth)))
    share: float = noise * (x + y) ** 2 / (4 * math.pi * x * y * count * MEAN_SQUARE)
    return share

"""What the noise of macroparticles adds to the energy loss by beamstrahlung, as an estimate.

The charge of a slice of n macroparticles that are placed at random has, beside its mean, a noise
whose field e(d) is that of a macroparticle as wide as the mesh makes it. With C(d), the density of
the distances d of two particles, the mean square of the field is that of n particles at C(d), less
that of their mean field, so that the loss, which goes with the square, has the share

    [(σx + σy)² ∫ C(d) e²(d) d²d/0.59 - 1]/n,

since the mean square of a Gaussian slice's field is 0.59 n²/(σx + σy)² (0.575 for round beams,
0.603 for flat ones). In a Gaussian slice only its centre and its size are noisy; both together make
about 2/n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.workloads.collision.derived.beamstrahlung import field_magnitude
from phasewise.workloads.collision.tables.point import radiates, slices_of

SMOOTHING = 0.75
"""Variance of a macroparticle's charge over the square of a cell: h²/6 by the charge's weights,
h²/12 by the Green function, h²/6 by the weights of reading, h²/3 by the central difference.
"""

GAUSSIAN = 2.0
"""Share of a Gaussian slice's noise, times n."""

NODES = 40
"""Of Gauss's rules in the logarithms of the distances."""

MEAN_SQUARE = 0.59


def noise_share(study: Mapping[str, Any], derived: Mapping[str, Any], number: int) -> float:
    """Share of the energy loss of beam ``number`` that the noise of the other beam's macroparticles
    makes, over the points where particles radiate; to a factor of about two.
    """
    shares = [
        _share(point, derived, index, 3 - number, study["beam"][str(3 - number)])
        for index, point in enumerate(study["ip"][str(k + 1)] for k in range(len(study["ip"])))
        if radiates(point)
    ]
    return float(np.mean(shares))


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
    cells = derived["resolution"]["ips"][ip]["cells_per_sigma"]
    if cells is None:
        return float(GAUSSIAN / count)
    wide = [math.sqrt(SMOOTHING) * size / cell for size, cell in zip((x, y), cells, strict=True)]
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    distances, parts = [], []
    for size, width in zip((x, y), wide, strict=True):
        low, high = math.log(1e-3 * width), math.log(12 * size)
        d = np.exp(low + (nodes + 1) / 2 * (high - low))
        distances.append(d)
        # Both signs of d, and the density of the difference of two Gaussians.
        density = np.exp(-((d / size) ** 2) / 4) / (math.sqrt(math.pi) * size)
        parts.append(weights * (high - low) / 2 * d * density)
    field = field_magnitude(
        distances[0][:, None], distances[1][None, :], np.array(wide[0]), np.array(wide[1])
    )
    square = float(parts[0] @ field**2 @ parts[1])
    return float(((x + y) ** 2 * square / MEAN_SQUARE - 1) / count)

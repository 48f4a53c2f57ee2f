"""Spectrum of the photons of beamstrahlung: by the integral over Gaussian bunches that stay as they
are during a collision, and the shares between which a run counts its photons.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from phasewise.constants import classical_radius
from phasewise.workloads.collision.derived.beamstrahlung import EVEN, Widths, bends
from phasewise.workloads.collision.derived.photon_spectrum import FINE_STRUCTURE, photons_between
from phasewise.workloads.collision.tables.model import Collision

Array = NDArray[np.float64]

DECADES, PER_DECADE = 8, 10
"""Of `core/collision/radiation/photon_tally.hpp`."""

EDGES = np.logspace(-DECADES, 0, DECADES * PER_DECADE + 1)
"""Shares of the energy between which photons are counted; the first bin has those below, too."""

UPSILONS = 300
"""Values of Υ that stand for all, evenly in its logarithm."""

FAINTEST = 1e-7
"""Smallest of them over the largest; fainter fields count as such, and make few photons."""


def photons_by_share(
    model: Collision, number: int, ip: int, widths: tuple[Widths, Widths] = EVEN
) -> Array:
    """Photons per particle and collision in each bin of ``EDGES`` that beam ``number`` radiates at
    interaction point ``ip`` (from 0); those below the first edge are left out.
    """
    own = model.beam(number)
    radius = classical_radius(own.mass)
    found = list(bends(model, number, ip, widths))
    per_curvature = own.gamma**2 * radius / FINE_STRUCTURE
    largest = per_curvature * max(sharpest for _, _, sharpest in found)
    if largest == 0:
        return np.zeros(EDGES.size - 1)
    ends = np.linspace(math.log(FAINTEST * largest), math.log(largest), UPSILONS + 1)
    numbers = np.zeros(UPSILONS)
    for curvature, path, _ in found:
        upsilon = np.maximum(per_curvature * curvature, FAINTEST * largest)
        place = np.clip(np.log(upsilon), ends[0], ends[-1])
        numbers += np.histogram(place, ends, weights=path * curvature)[0]
    rate = 2.5 / math.sqrt(3) * FINE_STRUCTURE * own.charge**2 * own.gamma
    middles = np.exp((ends[1:] + ends[:-1]) / 2)
    return np.asarray(rate * numbers @ photons_between(middles, EDGES))

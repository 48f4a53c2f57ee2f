"""The incoherent tune shift by space charge at small amplitudes, the Laslett shift of a bunch.

ΔQ = -1/(4π) Σ β k over the kicks, where each kick has the gradient k [1/m] that the charge has at
the centre of the bunch. That gradient depends on the density at the centre alone (O. D. Kellogg,
Foundations of Potential Theory, chapter VII). With f = ρ(0) σx σy σz/N it is

    k = (4π/3) N q² r0 f R_D(σy², γ²σz²; σx²) L/(β²γ²)

with Carlson's R_D, and for a bunch that is long against its width in its rest frame

    k = 4π N q² r0 f L/(β²γ³ σz σx (σx + σy)).

Sizes and β are those of the lattice without space charge. The particles of a file are taken for a
Gaussian bunch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from phasewise.analysis.spectrum import Floats
from phasewise.constants import classical_radius
from phasewise.workloads.spacecharge.bunch import Bunch
from phasewise.workloads.spacecharge.model import SpaceCharge
from phasewise.workloads.spacecharge.optics import COLUMNS, Optics, optics_of

FLAT = 1 / math.sqrt(12)
"""Line density times the rms length, of a bunch that is uniform in z."""
# f of each distribution. A uniform ellipsoid has the semi-axes √5 σ, and the cross-section of a KV
# bunch 2 σ. A ball of six dimensions with the radius √8 σ has 8/(π² √8³) at the centre of the three
# in space.
GAUSSIAN: float = (2 * math.pi) ** -1.5
CENTRAL: dict[str, float] = {
    "uniform": 3 / (4 * math.pi * 5**1.5),
    "waterbag": 8 / (math.pi**2 * 8**1.5),
    "kv": FLAT / (4 * math.pi),
}
COASTING: dict[str, float] = {"kv": CENTRAL["kv"]}
"""f of a beam that is uniform in z; that of a Gaussian cross-section is below."""
GAUSSIAN_COASTING = FLAT / (2 * math.pi)
CYLINDER = "kv"
"""A distribution that is uniform in z, so that it has the field of a cylinder."""


@dataclass(frozen=True)
class Spread:
    """Rms length [m] and momentum spread of a bunch, the one that is not given by the cavities."""

    length: float
    momentum: float


def spread_of(bunch: Bunch, optics: Optics) -> Spread:
    """Length and momentum spread of a bunch in the lattice of these optics, without space charge.

    The cavities give the one that the study leaves open: σz/σδ = |dz/dδ|/sin 2πQs.
    """
    length, momentum = bunch.bunch_length, bunch.momentum_spread
    ratio = 0.0
    if optics.synchrotron_tune:
        ratio = abs(optics.slip) / math.sin(2 * math.pi * optics.synchrotron_tune)
    if length is None:
        length = (momentum or 0.0) * ratio
    if momentum is None:
        momentum = length / ratio if ratio else 0.0
    return Spread(length, momentum)


def tune_shift(model: SpaceCharge) -> tuple[float, float] | None:
    """ΔQ in x and y at small amplitudes; None without kicks, for a bunch without emittance or one
    that another workload makes. StudyError if the lattice has no periodic optics.
    """
    bunch, kicks = model.bunch, model.solver.kicks
    if bunch is None or not kicks or min(bunch.geometric_emittance) == 0:
        return None
    places: Floats = (np.arange(kicks, dtype=np.float64) + 0.5) * model.kick_length
    optics = optics_of(model, places)
    at = dict(zip(COLUMNS, optics.along[1:].T, strict=True))
    spread = spread_of(bunch, optics)
    if not spread.length > 0:
        return None
    beta = np.array([at["BETX"], at["BETY"]])
    sizes = transverse_sizes(bunch, beta, np.array([at["DX"], at["DY"]]), spread)
    length = spread.length
    if isinstance(given := model.solver.sizes, tuple):
        sizes, length = np.array(given[:2])[:, None] * np.ones_like(sizes), given[2]
    gradients = _gradients(model, bunch, sizes, length)
    x, y = -(beta * gradients).sum(axis=1) / (4 * math.pi)
    return float(x), float(y)


def transverse_sizes(bunch: Bunch, beta: Floats, dispersion: Floats, spread: Spread) -> Floats:
    """Rms sizes in x and y [m], (2, N), where β and dispersion are (2, N) [m]."""
    emittance = np.array(bunch.geometric_emittance)[:, None]
    return np.asarray(np.sqrt(beta * emittance + (dispersion * spread.momentum) ** 2))


def _gradients(model: SpaceCharge, bunch: Bunch, sizes: Floats, length: float) -> Floats:
    """k of each kick in x and y [1/m], (2, kicks)."""
    radius = bunch.charge**2 * classical_radius(bunch.mass)
    strength = bunch.bunch_population * radius * model.kick_length / bunch.beta_gamma**2
    strength *= 4 * math.pi * _central_density(model, bunch)
    own, other = sizes, sizes[::-1]
    if model.solver.kind != "3d" or bunch.coasting or bunch.distribution == CYLINDER:
        return np.asarray(strength / (bunch.gamma * length * own * (own + other)))
    from scipy.special import elliprd

    along = np.full_like(own, bunch.gamma * length)
    return np.asarray(strength / 3 * elliprd(other**2, along**2, own**2))


def _central_density(model: SpaceCharge, bunch: Bunch) -> float:
    """f of the bunch whose field the solver has: a frozen one is Gaussian whatever the particles
    are.
    """
    shape = "gaussian" if model.solver.kind == "frozen" else bunch.distribution
    if bunch.coasting:
        return COASTING.get(shape, GAUSSIAN_COASTING)
    return CENTRAL.get(shape, GAUSSIAN)

"""What follows from a study of space charge before it runs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from phasewise.constants import classical_radius
from phasewise.workloads.spacecharge.bunch import Bunch
from phasewise.workloads.spacecharge.detuning import detuned
from phasewise.workloads.spacecharge.model import SpaceCharge

FEW_PARTICLES = 0.1
"""Macroparticles per node of the mesh, below which the field is mostly noise."""


@dataclass(frozen=True)
class DerivedSpaceCharge:
    """Speed, lengths and perveance; warnings: a sentence for each setting that is probably a
    mistake.
    """

    gamma: float
    beta_gamma: float
    length: float
    """Length of a passage [m]."""
    kick_length: float
    """Length of the lattice per kick [m]."""
    peak_perveance: float | None
    """Generalised perveance 2 N r0 q² λ/(β²γ³ N) at the highest line density λ of the bunch; None
    if another workload makes the bunches, or if the length follows from the cavities.
    """
    particles_per_node: float | None
    """Macroparticles per node; None without a mesh."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary that can be written as JSON."""
        return asdict(self) | {"warnings": list(self.warnings)}


def derive(model: SpaceCharge) -> DerivedSpaceCharge:
    """The quantities that follow from a model."""
    bunch = min(model.bunches, key=lambda one: one.macroparticles)
    nodes = model.solver.nodes
    per_node = bunch.macroparticles / nodes if nodes and model.solver.kicks else None
    warnings = [*detuned(model)]
    if per_node is not None and per_node < FEW_PARTICLES:
        warnings.append(
            f"{bunch.macroparticles} macroparticles on {nodes} nodes are "
            f"{per_node:.2g} a node: the field will be mostly noise"
        )
    return DerivedSpaceCharge(
        gamma=bunch.gamma,
        beta_gamma=math.sqrt((bunch.gamma - 1) * (bunch.gamma + 1)),
        length=model.lattice.length,
        kick_length=model.kick_length,
        peak_perveance=None if model.bunch is None else _peak_perveance(model.bunch),
        particles_per_node=per_node,
        warnings=tuple(warnings),
    )


def _peak_perveance(bunch: Bunch) -> float | None:
    if bunch.bunch_length is None:
        return None
    density = bunch.bunch_population / bunch.bunch_length * _peak(bunch)
    radius = bunch.charge**2 * classical_radius(bunch.mass)
    return 2 * density * radius / (bunch.beta_gamma**2 * bunch.gamma)


def _peak(bunch: Bunch) -> float:
    """The highest line density times the rms length, of a bunch of charge 1."""
    flat = 1 / math.sqrt(12)
    # A parabola over ±√5 rms, and a ball of six dimensions over ±√8 rms: (1 - u²/8)^(5/2).
    parabola = 3 / (4 * math.sqrt(5))
    waterbag = 16 / (5 * math.pi * math.sqrt(8))
    gaussian = 1 / math.sqrt(2 * math.pi)
    if bunch.coasting:
        return flat
    return {"kv": flat, "uniform": parabola, "waterbag": waterbag}.get(bunch.distribution, gaussian)

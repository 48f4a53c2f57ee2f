"""The terms of which the time of a collision's kernels consists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Term
from phasewise.workloads.collision.derived.design_mesh import shares_planes
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.point import InteractionPoint

UNITS = {
    "bounds": "item", "moments": "flop", "sort": "item", "arc": "flop", "green": "flop",
    "clear": "byte", "encounter": "item", "encounter_mesh": "item", "encounter_cold": "item",
    "solve": "flop", "field": "byte", "luminosity": "byte", "gaussian_encounter": "item",
    "slice_moments": "item", "mesh": "item", "overlap_factor": "item", "turn": "item",
    "step": "item",
}  # fmt: skip
"""The unit of work of each rate. For `encounter`, `encounter_mesh`, `gaussian_encounter` and
`slice_moments` an item is a particle that meets a slice. For `encounter_cold` it is a node of the
mesh of a slice that meets another, for `bounds` and `sort` a particle, for `mesh` and
`overlap_factor` a pair of slices at a plane. For `turn` and `step` it is a turn or a step, whose
time is that outside kernels and messages.
"""

CROSSING = "_crossing"
SHARED = "_shared"
LANES = "_lanes"
VARIANTS = {
    "": (),
    "_tsc": ("",),
    "_2": ("_2_shared", ""),
    "_tsc_2": ("_tsc_2_shared", "_2", ""),
    "_2_shared": ("_2", ""),
    "_tsc_2_shared": ("_tsc_2", "_2_shared", "_2", ""),
    CROSSING: ("",),
    LANES: ("",),
}
"""Suffixes of a name, each with the variants nearest to it: `_tsc` for quadratic weights, `_2` for
two field planes, `_2_shared` for encounters whose planes are shared by neighbouring slices and for
the field that they read, `_crossing` for passes that take particles into a collision's own frame or
back, `_lanes` for solves by transforms of several rows at once. The rate of a name with a suffix
replaces that of the plain name.
"""

BESIDE = tuple(
    name + suffix for name in ("encounter_mesh", "encounter_cold") for suffix in VARIANTS
)
"""Terms that count as zero if they were not measured."""

UNRATED = ("debunched", "optical_depths", "energy_losses")
"""Kernels without a measured rate."""

ON_HOST = ("green", "mesh", "overlap_factor")
"""Kernels that the host computes where the others run on a device."""


def terms(model: Collision, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
    """The terms of a kernel's time on the mean rank."""
    point = int(kernel["part"])
    tracked = [beam for beam in model.beams if not beam.strong]
    particles = sum(beam.macroparticles for beam in tracked) / ranks
    held = 2 if ranks == 1 and len(tracked) == 2 else 1
    return terms_at(kernel, model, point - 1, particles, held)


def overheads(model: Collision, _ranks: int) -> list[Term]:
    """The terms of a turn and of its steps beside kernels and messages."""
    steps = sum(ip.steps for ip in model.ips if ip.model != "none")
    return [Term("turn", 1.0, 1.0), Term("step", float(steps), 1.0)]


def terms_at(
    kernel: Mapping[str, Any], model: Collision, point: int, particles: float, held: int
) -> list[Term]:
    """The terms of a kernel's time at one interaction point, counted from 0.

    kernel: name, items, flops and bytes of a rank in a turn at that point. particles: those of a
    rank, which holds particles of `held` beams.
    """
    ip = model.ips[point]
    name, items = str(kernel["name"]), float(kernel["items"])
    cells = float(ip.grid[0] * ip.grid[1])
    work = {"item": items, "flop": float(kernel["flops"]), "byte": float(kernel["bytes"])}
    if name == "encounter":
        variant = encounter_variant_of(model, point)
        meetings = particles * model.slices_met(ip)
        meshes = held * float(math.prod(ip.slices))
        return [
            Term("encounter" + variant, meetings, particles),
            Term("encounter_mesh" + variant, meetings, cells),
            Term("encounter_cold" + variant, meshes * cells, cells),
        ]
    if name in ("moments", "arc"):
        frame = CROSSING if has_own_frame(ip) else ""
        return [Term(name + frame, work[UNITS[name]], particles)]
    if name == "sort":
        strips = "_2" if ip.has_two_planes else ""
        return [Term(name + strips, items, particles)]
    if name in ("bounds", "gaussian_encounter", "slice_moments"):
        return [Term(name, work[UNITS[name]], particles)]
    if name in ("mesh", "overlap_factor", *UNRATED):
        return [Term(name, items, 1.0)]
    variants = {"solve": solve_variant_of, "field": field_variant_of}
    variant = variants.get(name, variant_of)(ip)
    return [Term(name + variant, work[UNITS[name]], cells)]


def has_own_frame(ip: InteractionPoint) -> bool:
    """Whether the beams collide in a frame that is not their own (core/collision/frame.hpp)."""
    return ip.model != "none" and (ip.half_crossing_angle != 0 or any(ip.separation))


def variant_of(ip: InteractionPoint) -> str:
    """The suffix in VARIANTS that applies to an interaction point."""
    weights = "_tsc" if ip.weighting == "tsc" else ""
    return weights + ("_2" if ip.interpolation == "linear" else "")


def encounter_variant_of(model: Collision, point: int) -> str:
    """The suffix in VARIANTS that applies to the encounters at an interaction point. The rate of
    pairs stands in where a study shares planes and the windows of its slices do not let them.
    """
    shares = shares_planes(model, point)
    return variant_of(model.ips[point]) + (SHARED if shares else "")


def field_variant_of(ip: InteractionPoint) -> str:
    """The suffix in VARIANTS that applies to what particles read of the field at a point: of planes
    that the study shares, with linear weights, the potentials (core/collision/mesh/kick_nodes.hpp).
    """
    shares = ip.has_two_planes and ip.planes == "shared" and ip.weighting == "cic"
    return variant_of(ip) + (SHARED if shares else "")


def solve_variant_of(ip: InteractionPoint) -> str:
    """The suffix in VARIANTS that applies to the solves at an interaction point."""
    return LANES if ip.in_lanes else ""

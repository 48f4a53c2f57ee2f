"""Rough memory and time of a run, so that a study too large for the machine is seen before it
starts.
"""

from __future__ import annotations

from phasewise.study.model import Beam, InteractionPoint, Study

PARTICLE_BYTES = 6 * 8 + 4
"""Six coordinates in double precision and a 32-bit identity."""

WORKSPACE = 2.0
"""Sorting by slice keeps a second copy of the particles."""

PLANES_PER_SLICE = 3
"""Charge, potential and Green function of a slice, each on the doubled mesh."""

ARC_SECONDS = 20e-9
"""Per particle and turn: arc, slicing and moments, on one core at about 2 GHz."""

ENCOUNTER_SECONDS = {
    "strong-strong": 30e-9,
    "soft-gaussian": 60e-9,
    "weak-strong": 60e-9,
    "none": 0.0,
}
"""Per particle and opposing slice, on one core at about 2 GHz."""

INTERPOLATION = 50 / 30
"""Cost of the interpolation in z between slice boundaries relative to one field plane."""


def memory_bytes(study: Study) -> float:
    """Bytes of all ranks together."""
    particles = sum(_tracked(beam) for beam in study.beams)
    meshes = [
        2 * (ip.slices + 1) * PLANES_PER_SLICE * 4 * ip.grid[0] * ip.grid[1] * 8
        for ip in study.ips
        if ip.model == "strong-strong"
    ]
    return particles * PARTICLE_BYTES * WORKSPACE + max(meshes, default=0)


def seconds_per_turn(study: Study) -> float:
    """Seconds of one core at about 2 GHz."""
    particles = sum(_tracked(beam) for beam in study.beams)
    return particles * (ARC_SECONDS + sum(_encounters(ip) for ip in study.ips))


def _tracked(beam: Beam) -> int:
    return 0 if beam.strong else beam.macroparticles


def _encounters(ip: InteractionPoint) -> float:
    """Seconds per particle."""
    seconds = ENCOUNTER_SECONDS[ip.model] * ip.slices
    if ip.model == "strong-strong" and ip.interpolation == "linear":
        seconds *= INTERPOLATION
    return seconds

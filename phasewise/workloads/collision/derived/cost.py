"""Rough memory and time of a run, so that a study too large for the machine is seen before it
starts.
"""

from __future__ import annotations

import math

from phasewise.workloads.collision.derived.design_mesh import shares_planes
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.point import InteractionPoint

PARTICLE_BYTES = 6 * 8 + 4
"""Six coordinates in double precision and a 32-bit identity."""

WORKSPACE = 2.0
"""Sorting by slice keeps a second copy of the particles."""

PLANES_PER_SLICE = 3
"""Charge, potential and Green function of a slice, each on the doubled mesh."""

TURN_SECONDS = 45e-9
"""Seconds per particle and turn for arc, slicing and moments, on one core at about 2 GHz."""

ENCOUNTER_SECONDS = {"none": 10e-9, "shared": 15e-9, "pair": 19e-9}
"""Seconds per particle and opposing slice on a mesh: for kick and deposit in one plane; or for a
kick by two planes in all directions, and a deposit in one plane or in two; on one core at about 2
GHz.
"""

GAUSSIAN_SECONDS = 30e-9
"""Seconds per particle and opposing slice in the models with a Gaussian field, on one core at 2
GHz.
"""

SOLVE_SECONDS = {
    "rows": ((14.0, 38e-6), (18.0, 1.36e-3)),
    "lanes": ((14.0, 13e-6), (18.0, 0.55e-3)),
}
"""log2 of the points M of a doubled mesh, and seconds of one field solve on it by transforms of a
row at a time, or of several rows in the lanes of vectors: for 64 × 64 cells, which stay in the
cache, and 256 × 256, which do not. The former were measured on one core at about 2 GHz; the latter
are these times the ratio that `benchmarks/mesh_solves.py` found.
"""


def memory_bytes(model: Collision) -> float:
    """Bytes of all ranks together."""
    particles = sum(_tracked(beam) for beam in model.beams)
    meshes = [
        2 * (min(ip.slices) + 1) * PLANES_PER_SLICE * 4 * ip.grid[0] * ip.grid[1] * 8
        for ip in model.ips
        if ip.model == "strong-strong"
    ]
    return particles * PARTICLE_BYTES * WORKSPACE + max(meshes, default=0)


def seconds_per_turn(model: Collision) -> float:
    """Seconds of one core at about 2 GHz."""
    particles = sum(_tracked(beam) for beam in model.beams)
    points = [(ip, _kind(model, k)) for k, ip in enumerate(model.ips)]
    per_particle = TURN_SECONDS + sum(_encounters(model, ip, kind) for ip, kind in points)
    return particles * per_particle + sum(_solves(ip, kind) for ip, kind in points)


def _tracked(beam: Beam) -> int:
    return 0 if beam.strong else beam.macroparticles


def _kind(model: Collision, ip: int) -> str:
    """The planes of slices at an interaction point with a mesh, as in `ENCOUNTER_SECONDS`."""
    if model.ips[ip].interpolation == "none":
        return "none"
    return "shared" if shares_planes(model, ip) else "pair"


def _encounters(model: Collision, ip: InteractionPoint, kind: str) -> float:
    """Seconds per particle."""
    if ip.model == "none":
        return 0.0
    each = ENCOUNTER_SECONDS[kind] if ip.model == "strong-strong" else GAUSSIAN_SECONDS
    return each * model.slices_met(ip)


def _solves(ip: InteractionPoint, kind: str) -> float:
    """Seconds of the fields of every slice on every plane that it meets, in both directions."""
    if ip.model != "strong-strong":
        return 0.0
    first, second = ip.slices
    pairs = 2 * first * second
    planes = {"none": pairs, "shared": pairs + first + second, "pair": 2 * pairs}[kind]
    return planes * solve_seconds(*ip.grid, in_lanes=ip.in_lanes)


def solve_seconds(nx: int, ny: int, in_lanes: bool) -> float:
    """Seconds of one field solve: c M log2 M, M = 4 nx ny, with c between those measured."""
    points = 4 * nx * ny
    depth = math.log2(points)
    (small, first), (large, second) = SOLVE_SECONDS["lanes" if in_lanes else "rows"]
    low, high = first / (2**small * small), second / (2**large * large)
    share = min(max((depth - small) / (large - small), 0.0), 1.0)
    return (low + share * (high - low)) * points * depth

"""Random small studies of colliding beams, over nearly all of their keys."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.torture.draw import Draw

PARTICLES = {"proton": 9.38e8, "electron": 5.11e5, "positron": 5.11e5, "ion": 1.9e11}
"""Masses [eV], about."""
REDUCE = ("mesh", "direct", "hypercube", "node-aware", "mpi", "mpi-allreduce")
SIDES = ("both", "before", "behind")
TRANSPOSE = ("pairwise", "ring", "bruck", "alltoallw")


def ways(draw: Draw) -> dict[str, Any]:
    """A table [communication], less `node_size`."""
    return draw.words(
        layout=("random", "row-first", "column-first"),
        reduce=REDUCE,
        broadcast=(*REDUCE, "mpi-gatherv"),
        schedule=("ring", "pairwise"),
        transpose=TRANSPOSE,
        aggregate=(True, False),
        crossing=("4a", "4b"),
        overlap=(True, False),
        padded=(True, False),
    )


def study(draw: Draw) -> dict[str, Any]:
    """Tables of a study, which the reader may refuse."""
    first = _beam(draw)
    alike = {"like": "beam.1", "offset_sigma": draw.numbers(1, 6)}
    second = alike if draw.often(0.5) and "offset" not in first else _beam(draw)
    points = range(1, draw.one((1, 1, 1, 2, 2, 3)) + 1)
    weak = draw.one((1, 2)) if draw.often(0.15) else 0
    every = {name: draw.whole(0, 3) for name in ("slices_every", "pair_luminosity_every")}
    return {
        "turns": draw.whole(2, 4),
        "seed": draw.whole(0, 10**6),
        "beam": {"1": first, "2": second},
        "arc": _arc(draw),
        "ring": {"circumference": 3e3},
        "ip": {str(k): _point(draw, weak) for k in points},
        "records": {"moments_order": draw.one((2, 4)), "tracked": draw.whole(0, 5)} | every,
    }


def _beam(draw: Draw) -> dict[str, Any]:
    kind = draw.one(tuple(PARTICLES))
    beam: dict[str, Any] = {
        "particle": kind,
        "energy": PARTICLES[kind] * draw.scale(1.5, 2e4),
        "bunch_population": draw.scale(1e6, 1e11),
        "macroparticles": draw.one((draw.whole(8, 40), draw.whole(40, 900))),
        "normalized_emittance": [draw.scale(1e-9, 1e-6) for _ in "xy"],
        "bunch_length": draw.scale(1e-3, 0.3),
        "momentum_spread": draw.scale(1e-5, 2e-3),
        "distribution": draw.one(("gaussian", "quiet")),
    }
    if draw.often(0.4):
        beam |= _shape(draw) | {"quiet": draw.often(0.5)}
        if draw.often(0.5):
            second = {"share": draw.between(0.05, 0.9), "size": draw.scale(0.2, 5)}
            beam["second"] = second | _shape(draw)
    if draw.often(0.3):
        particles = [beam["bunch_population"], *(draw.scale(1e6, 1e11) for _ in range(2))]
        beam["population_ramp"] = {"turns": [0, 2, 3], "particles": particles}
    if kind == "ion":
        beam |= {"mass": PARTICLES[kind], "charge": draw.one((1, -1, 82, 2.5))}
    if draw.often(0.4):
        beam["offset_sigma"] = draw.numbers(1, 6)
    elif draw.often(0.3):
        beam["offset"] = draw.numbers(1e-5, 6)
    if draw.often(0.3):
        beam["cut"] = draw.between(1, 5)
    return beam


def _shape(draw: Draw) -> dict[str, Any]:
    """The distribution of a bunch, or of a part of it."""
    kind = draw.one(("q-gaussian", "parabolic", "hollow"))
    return {"distribution": kind} | (
        {"q": [draw.between(-2, 1.6) for _ in range(3)]} if kind == "q-gaussian" else {}
    )


def _arc(draw: Draw) -> dict[str, Any]:
    arc: dict[str, Any] = {"tune": [draw.between(0.01, 60) for _ in "xy"]}
    if draw.often(0.5):
        arc["chromaticity"] = draw.numbers(5, 2)
    if draw.often(0.4):
        arc["damping_turns"] = [draw.one((0, draw.between(10, 1e4))) for _ in range(3)]
    if draw.often(0.4):
        arc["aperture_sigma"] = [draw.between(1.5, 6) for _ in "xy"]
    if draw.often(0.3):
        arc["noise"] = [draw.scale(1e-9, 1e-6) for _ in range(4)]
    if draw.often(0.5):
        arc["synchrotron_tune"] = draw.between(-0.1, 0.1)
    return arc


def _crabs(draw: Draw) -> dict[str, Any]:
    """Crab waist and crab cavities at a point."""
    crabs: dict[str, Any] = {}
    if draw.often(0.3):
        crabs["crab_waist"] = draw.between(-1, 1)
        if draw.often(0.5):
            places = {side: {"beta": [draw.scale(1, 1e3) for _ in "xy"]} for side in SIDES[1:]}
            crabs["crab_sextupoles"] = places
    if draw.often(0.4):
        crabs["crab_cavities"] = [_cavity(draw) for _ in range(draw.whole(1, 3))]
    elif draw.often(0.2):
        crabs["crab"] = {"strength": draw.between(-1, 2), "frequency": draw.one((0, 4e8))}
    return crabs


def _cavity(draw: Draw) -> dict[str, Any]:
    cavity: dict[str, Any] = {
        "side": draw.one(SIDES),
        "frequency": draw.scale(1e7, 1e9),
        "strength": draw.between(-1, 2),
        "phase": draw.one((0, draw.between(-0.5, 0.5))),
    }
    if draw.often(0.5):
        cavity |= {"beta": draw.scale(1, 1e3), "phase_advance": draw.between(0.1, 0.4)}
    if draw.often(0.5):
        cavity |= {"phase_noise": draw.scale(1e-4, 1), "amplitude_noise": draw.scale(1e-4, 1)}
        cavity["common_noise"] = cavity["side"] == "both" and draw.often(0.5)
    if draw.often(0.3):
        cavity["phase_spectrum"] = [[1e3, 1e-9], [8e3, draw.scale(1e-9, 1e-6)], [4e4, 0]]
    if draw.often(0.3):
        cavity["drift"] = {"phase": draw.between(-1, 1), "turns": [1, 3]}
    return cavity


def _point(draw: Draw, weak: int) -> dict[str, Any]:
    point: dict[str, Any] = {
        "beta": [draw.scale(0.01, 20) for _ in "xy"],
        "grid": [draw.whole(8, 33) for _ in "xy"],
        "slices": draw.one((draw.whole(1, 6), [draw.whole(1, 6), draw.whole(1, 6)])),
        "slicing": draw.one(("equal-charge", "equal-width")),
        "weighting": draw.one(("cic", "tsc")),
        "interpolation": draw.one(("linear", "none")),
        "longitudinal_kick": draw.often(0.5),
        "luminosity": draw.often(0.85),
        "green_function": draw.one(("as-needed", "every-step")),
    }
    usual = ("strong-strong",) * 4 + ("soft-gaussian", "none")
    point["model"] = draw.one(("weak-strong", "none") if weak else usual)
    if weak:
        point["strong_beam"] = weak
    if draw.often(0.5):
        point |= {"half_crossing_angle": draw.between(-3e-3, 3e-3)}
        point |= {"crossing_plane": draw.one((0, math.pi, math.pi / 2, draw.between(-3, 3)))}
        point |= _crabs(draw)
        if draw.often(0.4):
            point["beam"] = {"2": _crabs(draw)}
    if draw.often(0.2):
        point["coupling_r"] = draw.numbers(0.1, 4)
    if draw.often(0.2):
        point["separation_sigma"] = draw.numbers(2, 2)
    if draw.often(0.3):
        point |= {"mesh": "fixed", "mesh_half_width": [draw.scale(1e-5, 1e-2) for _ in "xy"]}
    return point

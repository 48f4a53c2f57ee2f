"""Random small studies of lattice QCD, over nearly all of their keys."""

from __future__ import annotations

from typing import Any

from benchmarks.torture.draw import Draw
from phasewise.workload.protocols import available

PHASES = ([0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0.5, 0, 0, 1])


def ways(draw: Draw) -> dict[str, Any]:
    """A table [communication], less `node_size`."""
    found = draw.words(
        layout=("x-first", "t-first", "bricks", "random"),
        halo=tuple(available()),
        spinors=("half", "full"),
        kernel=("fast", "plain"),
        blocks=("packed", "runs", "derived"),
        overlap=(False, True, "thread"),
        link_reals=(18, 12),
    )
    if found["blocks"] == "derived":
        found |= {"spinors": "full", "kernel": "plain"}
    if found["kernel"] == "plain":
        del found["link_reals"]
    return found


def study(draw: Draw) -> dict[str, Any]:
    """Tables of a study, which the reader may refuse."""
    size = [draw.one((2, 4, 4, 6)) for _ in "xyz"] + [draw.one((2, 4, 6, 8, 12))]
    draw.rng.shuffle(size)
    gauge: dict[str, Any] = {"start": draw.one(("cold", "hot", "hot"))}
    if draw.often(0.5):
        actions = ("wilson", "symanzik", "iwasaki")
        gauge |= {"action": draw.one(actions), "beta": draw.between(0.1, 9)}
    found: dict[str, Any] = {
        "workload": "qcd",
        "solves": draw.whole(1, 2),
        "seed": draw.whole(0, 10**6),
        "lattice": {"size": size},
        "gauge": gauge,
        "quarks": _quarks(draw),
        "solver": _solver(draw),
    }
    measured = _measured(draw, size)
    return found | ({"measure": measured} if measured else {})


def _quarks(draw: Draw) -> dict[str, Any]:
    phases = draw.one((*PHASES, draw.numbers(1, 4)))
    found: dict[str, Any] = {"kappa": draw.between(0.01, 0.13), "phases": phases}
    if draw.often(0.3):
        found |= {"anisotropy": draw.between(0.5, 3), "velocity": draw.between(0.5, 1.5)}
    if draw.often(0.3):
        found["clover"] = draw.between(-1, 2)
    elif draw.often(0.3):
        found |= {f"clover_{way}": draw.between(0, 1.5) for way in ("spatial", "temporal")}
    if draw.often(0.3):
        found["twisted_mass"] = draw.between(-0.5, 0.5)
    if draw.often(0.3):
        found |= {"stout_weight": draw.between(0, 0.15), "stout_steps": draw.whole(0, 3)}
    return found


def _solver(draw: Draw) -> dict[str, Any]:
    found = draw.words(method=("cg", "bicgstab"), precision=("double", "single", "mixed"))
    if draw.often(0.6):
        return found | {"iterations": draw.whole(1, 12)}
    least = 1e-6 if found["precision"] == "single" else 1e-12
    return found | {"tolerance": draw.scale(least, 1e-3), "limit": draw.one((10000, 300))}


def _measured(draw: Draw, size: list[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if draw.often(0.3):
        found["pion"] = draw.one(("point", "smeared"))
        if found["pion"] == "smeared":
            found |= {"width": draw.between(0.5, 3), "iterations": draw.whole(1, 4)}
        if draw.often(0.5):
            found["source"] = [draw.whole(0, n - 1) for n in size]
    if draw.often(0.4):
        found["rectangles"] = True
    return found

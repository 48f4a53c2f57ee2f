"""The terms of which the time of the kernels of a bunch with space charge consists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.spacecharge.model import SpaceCharge

SOLVED = ("charge_local", "potential", "kick")
"""Kernels that depend on the solver."""


class SpaceChargeKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS = {
        "charge_local": "item", "charge_nodes": "item", "kick": "item", "kick_nodes": "item",
        "kick_alone": "item", "potential": "flop", "box_green": "flop", "extent": "item",
        "plane_sort": "item", "lattice": "flop", "lattice_exact": "flop", "passage": "item",
        "kick_step": "item",
    }  # fmt: skip
    """The unit of work of each rate. For `charge_local`, `kick`, `kick_alone`, `extent` and
    `plane_sort` an item is a particle, for `charge_nodes` and `kick_nodes` a node of the mesh. For
    `passage` and `kick_step` it is a passage or a kick, whose time is that outside kernels and
    messages. `kick_alone` is the kick where a rank has fewer particles than the mesh nodes.
    """

    def terms(self, model: SpaceCharge, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """The terms of a kernel's time on the mean rank."""
        particles = sum(bunch.macroparticles for bunch in model.bunches)
        return terms_of(kernel, model, particles / ranks / _passages(model, ranks))

    def overheads(self, model: SpaceCharge, ranks: int) -> list[Term]:
        """The terms of a passage and of its kicks beside kernels and messages."""
        passages = _passages(model, ranks)
        return [
            Term("passage", passages, 1.0),
            Term("kick_step", passages * model.solver.kicks, 1.0),
        ]


def _passages(model: SpaceCharge, ranks: int) -> float:
    """Passages of the mean rank in a turn: several bunches take a rank each, if there are enough,
    and each bunch has its own mesh.
    """
    return max(1.0, len(model.bunches) / ranks)


def terms_of(kernel: Mapping[str, Any], model: SpaceCharge, particles: float) -> list[Term]:
    """The same with this number of particles on a rank.

    kernel: name, items, flops and bytes of a rank in a turn.
    """
    name, items, flops = str(kernel["name"]), float(kernel["items"]), float(kernel["flops"])
    solver = model.solver
    nodes = float(solver.nodes)
    if name in (*SOLVED, "green") and (solver.kind, solver.weighting) != ("3d", "cic"):
        return [Term(f"{name}_{solver.kind}_{solver.weighting}", items, nodes)]  # not measured
    meshes = nodes * items / particles
    if name == "charge_local":
        return [Term(name, items, nodes), Term("charge_nodes", meshes, nodes)]
    if name == "kick" and nodes > particles:
        return [Term("kick_alone", items, nodes)]
    if name == "kick":
        return [Term(name, items, nodes), Term("kick_nodes", meshes, nodes)]
    if name == "potential":
        return [Term(name, flops, nodes)]
    if name == "arc":
        maps = "lattice_exact" if model.lattice.maps == "exact" else "lattice"
        return [Term(maps, flops, particles)]
    if name == "moments":
        return [Term(name, flops, particles)]
    # Other workloads' kernels of these names do something else.
    if name == "green":
        return [Term("box_green", flops, nodes)]
    return [Term("plane_sort" if name == "sort" else name, items, particles)]

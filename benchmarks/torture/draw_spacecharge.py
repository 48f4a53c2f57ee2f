"""Random small studies of space charge, over nearly all of their keys, and random lattices."""

from __future__ import annotations

from typing import Any

from benchmarks.torture.draw import Draw

MASSES = {"proton": 9.38e8, "antiproton": 9.38e8, "electron": 5.11e5, "ion": 2.2e11}
"""About [eV]."""
KINDS = (
    *("drift", "drift", "quadrupole", "quadrupole", "sextupole", "octupole", "multipole"),
    *("bend", "rectangular-bend", "solenoid", "aperture", "monitor", "marker", "cavity"),
    *("matrix", "second-order"),
)
LONG = ("drift", "quadrupole", "sextupole", "octupole", "bend", "rectangular-bend", "solenoid")
NAMES = ("q", "Ω ☃", "a b", "x" * 50)
UNITY = [[float(i == j) for j in range(6)] for i in range(6)]
OWN = ("direct", "hypercube", "node-aware")


def ways(draw: Draw) -> dict[str, Any]:
    """A table [communication], less `node_size`."""
    return draw.words(
        charge=("reduce-scatter", "allreduce", *OWN),
        field=("allgatherv", "gatherv-bcast", "allreduce", *OWN),
        schedule=("ring", "pairwise"),
        transpose=("pairwise", "ring", "bruck", "alltoallw"),
        decomposition=("slabs", "pencils"),
    )


def study(draw: Draw) -> dict[str, Any]:
    """Tables of a study, which the reader may refuse."""
    own = solver(draw)
    coasting = draw.often(0.2)
    if coasting or draw.often(0.2):
        own |= {"boundaries": "periodic", "period": draw.scale(0.5, 20)}
    bunch = _bunch(draw, coasting)
    return {
        "workload": "spacecharge",
        "turns": draw.whole(1, 3),
        "seed": draw.one((0, 2**63 - 1, draw.whole(0, 10**6))),
        "bunch": bunch,
        "lattice": lattice(draw, cell="matched" in bunch),
        "solver": own,
        "records": {"every": draw.whole(1, 2)},
    }


def solver(draw: Draw) -> dict[str, Any]:
    """The table [solver]."""
    kind = draw.one(("3d", "3d", "3d", "2.5d", "frozen"))
    found: dict[str, Any] = {"kicks": draw.whole(0, 5), "kind": kind}
    if kind == "frozen":
        if draw.often(0.3):
            found["sizes"] = [draw.scale(1e-4, 1e-2), draw.scale(1e-4, 1e-2), draw.scale(1e-2, 1)]
    else:
        found["grid"] = [draw.whole(8, 22) for _ in "xyz"]
        found["weighting"] = draw.one(("cic", "tsc"))
        if draw.often(0.2):
            half_width = [draw.scale(1e-3, 0.1), draw.scale(1e-3, 0.1), draw.scale(1e-2, 3)]
            found |= {"mesh": "fixed", "mesh_half_width": half_width}
    if kind == "3d":
        found["green_function"] = draw.one(("integrated", "point"))
    elif draw.often(0.5):
        found["pipe_radius"] = draw.scale(0.02, 0.2)
    if draw.often(0.3):
        found["sort_every"] = draw.whole(0, 3)
    return found


def lattice(draw: Draw, cell: bool) -> dict[str, Any]:
    """The table [lattice]; cell: elements between the quadrupoles of a cell that may be stable."""
    found = draw.words(maps=("exact", "linear", "second-order"), periods=(1, 1, 2, 3))
    own = [element(draw) for _ in range(draw.whole(0, 2) if cell else draw.whole(1, 8))]
    if not cell:
        return found | {"element": own}
    strength = draw.between(0.3, 1.5)
    quadrupoles = [{"kind": "quadrupole", "length": 0.3, "k1": k} for k in (strength, -strength)]
    drift = {"kind": "drift", "length": 1.0}
    ring = [quadrupoles[0], drift, *own, quadrupoles[1], drift]
    if draw.often(0.5):
        voltage, frequency = draw.scale(1e2, 1e5), draw.scale(1e6, 3e7)
        ring.append({"kind": "cavity", "voltage": voltage, "frequency": frequency, "phase": 0.5})
    return found | {"element": ring}


def element(draw: Draw) -> dict[str, Any]:
    """A table [[lattice.element]]."""
    kind = draw.one(KINDS)
    found: dict[str, Any] = {"kind": kind}
    if kind in LONG:
        found["length"] = draw.scale(0.01, 1.5)
    found |= _strengths(draw, kind)
    if draw.often(0.2):
        found["name"] = draw.one(NAMES)
    return found


def _strengths(draw: Draw, kind: str) -> dict[str, Any]:
    if kind == "quadrupole":
        skew = {"skew": [0, draw.between(-1, 1)], "steps": draw.whole(1, 5)}
        return {"k1": draw.between(-8, 8)} | (skew if draw.often(0.2) else {})
    if kind == "sextupole":
        return {"k2": draw.between(-30, 30)}
    if kind == "octupole":
        return {"k3": draw.between(-300, 300)}
    if kind == "multipole":
        normal = [*draw.numbers(1e-3, 1), *draw.numbers(0.1, draw.whole(0, 5))]
        return {"normal": normal, "skew": draw.numbers(1e-3, draw.whole(1, 6))}
    if kind.endswith("bend"):
        found: dict[str, Any] = {"angle": draw.between(-0.3, 0.3), "edges": draw.numbers(0.1, 2)}
        found |= {"half_gap": draw.between(0, 0.05), "fringe": draw.between(0, 0.6)}
        return found | ({"k1": draw.between(-1, 1)} if draw.often(0.4) else {})
    if kind == "solenoid":
        return {"strength": draw.between(-1, 1)}
    if kind == "aperture":
        half_width = [draw.scale(1e-3, 0.1) for _ in "xy"]
        return {"half_width": half_width, "shape": draw.one(("ellipse", "rectangle"))}
    if kind == "cavity":
        found = {"voltage": draw.scale(1e2, 1e6), "frequency": draw.scale(1e6, 4e8)}
        return found | draw.words(phase=(0, 0.5, draw.between(0, 1)), length=(0, 0.3))
    if kind == "matrix":
        return {"matrix": UNITY}
    if kind == "second-order":
        return {"matrix": UNITY, "tensor": [[_sparse(draw) for _ in range(6)] for _ in range(6)]}
    return {}


def _sparse(draw: Draw) -> list[float]:
    return [draw.between(-0.1, 0.1) if draw.often(0.03) else 0.0 for _ in range(6)]


def _bunch(draw: Draw, coasting: bool) -> dict[str, Any]:
    kind = draw.one(tuple(MASSES))
    found: dict[str, Any] = {
        "particle": kind,
        "kinetic_energy": MASSES[kind] * draw.scale(1e-3, 3),
        "bunch_population": draw.scale(1e5, 1e10),
        "macroparticles": draw.whole(20, 1500),
        "geometric_emittance": [draw.scale(1e-8, 1e-5) for _ in "xy"],
        "momentum_spread": draw.scale(1e-5, 3e-3),
        "distribution": draw.one(("gaussian", "gaussian", "kv", "waterbag", "uniform")),
        "quiet": draw.often(0.5),
    }
    if kind == "ion":
        found |= {"mass": MASSES[kind], "charge": draw.one((1, 28, 73))}
    if draw.often(0.4):
        found["matched"] = draw.one(("lattice", "lattice", "all-planes", "with-charge"))
    else:
        found["beta"] = [draw.scale(0.2, 5) for _ in "xy"]
        if draw.often(0.4):
            found |= {"alpha": draw.numbers(1, 2), "dispersion": draw.numbers(0.1, 4)}
    found |= {"coasting": True} if coasting else {"bunch_length": draw.scale(0.005, 0.5)}
    if draw.often(0.3):
        found["cut"] = draw.between(1.5, 5)
    if draw.often(0.3):
        found["offset"] = draw.numbers(1e-4, 6)
    return found

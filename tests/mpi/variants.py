"""Turns of many kinds of collision, each in many ways of exchanging data, with fingerprints.

    mpiexec -n RANKS python -m tests.mpi.variants

Every variant for so many ranks runs in turn in the same processes. Rank 0 says on standard error
which one begins, and prints one JSON object: the SHA-256 of all that was recorded and of every
particle, by variant. On one rank these are the references, the kinds of collision by their names.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import phasewise
from phasewise.driver import load_core
from phasewise.workloads.collision.tables.communication import AT_ONCE
from tests.mpi.pairwise import Choice, cover, written
from tests.physics.machines import COORDINATES, study

ARC: dict[str, Any] = {
    "tune": [0.31, 0.32],
    "synchrotron_tune": 0.01,
    "chromaticity": [3.0, -2.0],
    "damping_turns": [100, 200, 50],
    "aperture_sigma": [2.5, 2.5],
    "noise": [1e-7, 1e-7, 1e-7, 1e-7],
}
BEAM: dict[str, Any] = {"macroparticles": 2203, "bunch_population": 1e12}
OTHER: dict[str, Any] = {"macroparticles": 1800, "offset_sigma": [0.2, 0, 0.1, 0, 0, 0]}
ANGLE: dict[str, Any] = {"half_crossing_angle": 2e-4, "crossing_plane": 0.3, "slices": 5}
SMALL: dict[str, Any] = {"grid": [48, 40]}
# Rows that no number of processes divides, nor the columns of their transform.
UNEVEN: dict[str, Any] = {"grid": [46, 42]}
SEPARATED: dict[str, Any] = {"separation_sigma": [8.0, 3.0]}
PLANE: dict[str, Any] = {"interpolation": "none"}
NOISY: list[dict[str, Any]] = [
    {"frequency": 4e8, "strength": 0.6, "phase_noise": 1e-3, "amplitude_noise": 1e-3},
    {"frequency": 8e8, "strength": 0.2, "side": "before", "beta": 900.0, "phase_advance": 0.2},
]
IPS: dict[str, dict[str, Any]] = {
    "linear weights, interpolated": ANGLE | SMALL,
    "linear weights, one plane": ANGLE | UNEVEN | PLANE | {"slices": [3, 1]},
    "quadratic weights, interpolated": ANGLE | UNEVEN | {"weighting": "tsc", "slices": [1, 4]},
    "finer at the waist": SMALL | {"beta": [0.55, 0.02], "slices": [4, 5]},
    "a large Piwinski angle": SMALL
    | {"beta": [0.55, 0.02], "half_crossing_angle": 3e-3, "slices": [9, 7]},
    "quadratic weights, one plane": ANGLE | SMALL | PLANE | {"weighting": "tsc"},
    "fixed mesh that many are outside of": ANGLE
    | SMALL
    | {"mesh": "fixed", "mesh_half_width": [3e-5, 3e-5]},
    "equal widths": ANGLE | SMALL | {"slicing": "equal-width", "slice_extent": 4.0},
    "planes of pairs": ANGLE | SMALL | {"planes": "pair"},
    "beams apart": SMALL | SEPARATED | {"slices": 5},
    "soft-gaussian": ANGLE | {"model": "soft-gaussian", "slices": [2, 5]},
    "weak-strong": ANGLE | {"model": "weak-strong"},
    "crab cavities": ANGLE | SMALL | {"crab": {"strength": 0.8, "frequency": 4e8}},
    "crab waist and noisy cavities": SMALL
    | {"half_crossing_angle": 3e-3, "slices": [4, 3], "crab_waist": 0.8, "crab_cavities": NOISY},
    "crab waist of Gaussian slices": {
        "half_crossing_angle": 3e-3,
        "slices": [4, 3],
        "crab_waist": 1.0,
        "model": "soft-gaussian",
    },
}
TWO_POINTS = "two interaction points"
RANDOM_BUNCHES = "random bunches"
SHAPED_BUNCHES = "shaped and coupled bunches of changing population"
KINDS = (*IPS, TWO_POINTS, RANDOM_BUNCHES, SHAPED_BUNCHES)

PLACES = (
    *("1", "2", "3", "4", "7"),
    *("3 2x1 1x1", "3 1x1 1x2", "4 2x1", "4 1x2", "4 3x1 1x1"),
    *("6 1x3", "6 3x1", "6 1x1 5x1", "7 2x2 3x1", "7 1x4 1x3", "7 4x1 1x3", "7 1x5 2x1"),
)
"""Ranks, and the process grid of the beams where it is not chosen for them.

Rows and columns that divide slices, mesh and particles and that do not, a column for each of five
slices and more columns than slices; beams with the same and with different grids.
"""

KEYS: dict[str, tuple[str, ...]] = {
    "place": PLACES,
    "kind": KINDS,
    "reduce": ("direct", "mesh", "hypercube", "node-aware", "mpi", "mpi-allreduce"),
    "broadcast": (
        *("direct", "mesh", "hypercube", "node-aware", "mpi", "mpi-gatherv", "mpi-allreduce"),
    ),
    "transpose": ("pairwise", "ring", "bruck", "alltoallw"),
    "layout": ("row-first", "column-first", "random", "file"),
    "schedule": ("ring", "pairwise"),
    "aggregate": ("yes", "no"),
    "crossing": ("4a", "4b"),
    "overlap": ("no", "yes"),
    "green_function": ("as-needed", "every-step"),
    "node_size": ("0", "2", "3"),
    "phases": ("alike", "different"),
    "threads": ("1", "2", "3"),
    "device": ("cpu", "direct", "staged"),
}
"""The device: the CPU, or an emulated one with what is exchanged so."""


def ranks_of(choice: Choice) -> int:
    """Ranks that a variant runs on."""
    return int(choice["place"].partition(" ")[0])


def variants(ranks: int) -> list[Choice]:
    """Those of a cover of all pairs of values that run on so many ranks."""
    return [choice for choice in cover(KEYS) if ranks_of(choice) == ranks]


def machine(kind: str, communication: dict[str, Any], green: str) -> phasewise.Study:
    """A study of two turns."""
    records = {"moments_order": 4, "tracked": 5, "slices_every": 1}
    beam, ip, points = dict(BEAM), dict(IPS.get(kind, SMALL | {"slices": 3})), []
    if kind == TWO_POINTS:
        points = [UNEVEN | SEPARATED | {"slices": 2, "weighting": "tsc", "static_kick": False}]
    if kind == RANDOM_BUNCHES:
        beam |= {"distribution": "gaussian", "cut": 3.0}
    if kind == SHAPED_BUNCHES:
        ramp = {"turns": [0, 3], "particles": [BEAM["bunch_population"], 2e11]}
        second = {"share": 0.2, "size": 2.0, "distribution": "hollow"}
        beam |= {"distribution": "q-gaussian", "q": [1.2, 0.5, 0.0], "second": second}
        beam |= {"population_ramp": ramp}
        ip |= {"coupling_r": [0.01, 0.02, 0.003, -0.01]}
    for point in (ip, *points):
        if "grid" in point:
            point["green_function"] = green
    common: dict[str, Any] = {"turns": 2, "records": records, "communication": communication}
    return study(beam, OTHER, arc=ARC, ip=ip, points=points, **common)


def communication(choice: Choice, folder: Path) -> dict[str, Any]:
    """The study's table of a variant."""
    table: dict[str, Any] = {key: choice[key] for key in ("reduce", "broadcast", "transpose")}
    table |= {key: choice[key] for key in ("schedule", "crossing", "layout")}
    table |= {key: choice[key] == "yes" for key in ("aggregate", "overlap")}
    table["node_size"] = int(choice["node_size"])
    if choice["phases"] == "different":
        table["phase"] = phases(choice)
    shapes = choice["place"].split()[1:]
    if shapes:
        table["process_grid"] = [shapes[0], shapes[-1]]
    if choice["layout"] == "file":
        table["layout"] = str(places_file(ranks_of(choice), shapes, folder))
    return table


def phases(choice: Choice) -> dict[str, Any]:
    """Phases that differ from the others, of those that the chosen algorithms have."""
    table: dict[str, Any] = {"green": {"algorithm": "bruck"}, "solve": {"aggregate": False}}
    if choice["reduce"] not in AT_ONCE:
        table["reduce_row"] = {"algorithm": "direct", "schedule": "pairwise", "aggregate": False}
    if choice["broadcast"] not in AT_ONCE:
        table["broadcast_column"] = {"algorithm": "mpi-gatherv"}
    return table


def places_file(ranks: int, shapes: list[str], folder: Path) -> Path:
    """A layout in which the beams take turns, the last processes first."""
    shapes = shapes or [f"{ranks - ranks // 2}x1", f"{max(ranks // 2, 1)}x1"]
    beams = []
    for beam, shape in enumerate((shapes[0], shapes[-1]), 1):
        prow, pcol = map(int, shape.split("x"))
        beams.append([f"{beam} {c} {r}" for c in range(prow) for r in range(pcol)][::-1])
    longest = max(map(len, beams))
    lines = [beam[i] for i in range(longest) for beam in beams if i < len(beam)]
    path = folder / "places.txt"
    path.write_text("\n".join(lines[:ranks]) + "\n")
    return path


def fingerprint(plan: phasewise.Study, threads: int) -> str:
    """SHA-256 of the records of all turns, of the slices and of the particles; on rank 0."""
    simulation = phasewise.Simulation(plan, threads)
    digest = hashlib.sha256()
    for _ in range(plan.turns):
        simulation.step()
        record = simulation.record()
        for name in sorted(record):
            # Rank 0 alone knows the tracked particles; it is the one that prints.
            digest.update(name.encode() + np.asarray(record[name]).tobytes())
        for ip in range(1, len(plan.ips) + 1):
            digest.update(simulation.driver.pair_luminosity(ip).tobytes())
            for arrays in simulation.driver.slices(ip).values():
                for name in sorted(arrays):
                    digest.update(arrays[name].tobytes())
    for beam in (1, 2):
        digest.update(particles(simulation, beam))
    return digest.hexdigest()


def particles(simulation: phasewise.Simulation, beam: int) -> bytes:
    """The ids and coordinates of a beam's living particles by their ids, on rank 0."""
    view = simulation.beam(beam)
    rows = np.column_stack([view.id, *(getattr(view, name) for name in COORDINATES)])
    parts = [np.frombuffer(part) for part in simulation.comm.gather(rows.tobytes())]
    everyone = np.concatenate(parts).reshape(-1, 7) if parts else np.empty((0, 7))
    assert len(set(everyone[:, 0])) == len(everyone)
    return everyone[everyone[:, 0].argsort()].tobytes()


def main() -> None:
    """Every variant for these ranks; rank 0 prints."""
    comm = load_core()
    found: dict[str, str] = {}
    if comm.size() == 1:
        found = {kind: fingerprint(machine(kind, {}, "as-needed"), 1) for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        for choice in variants(comm.size()):
            name = written(choice)
            if comm.rank() == 0:
                print(name, file=sys.stderr, flush=True)
            table = communication(choice, Path(folder))
            plan = machine(choice["kind"], table, choice["green_function"])
            if choice["device"] != "cpu":
                device = {"device": "emulated", "device_buffers": choice["device"]}
                plan = plan.replace(run=device)
            found[name] = fingerprint(plan, int(choice["threads"]))
    if comm.rank() == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

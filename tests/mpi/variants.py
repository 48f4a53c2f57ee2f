"""Turns of many kinds of collision, and a fingerprint of each: one rank of an mpiexec run.

    mpiexec -n RANKS python -m tests.mpi.variants THREADS

Rank 0 prints one JSON object, the SHA-256 of all that was recorded, by variant.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

import phasewise
from phasewise.driver import load_core
from tests.physics.machines import study

ARC: dict[str, Any] = {
    "tune": [0.31, 0.32],
    "synchrotron_tune": 0.01,
    "chromaticity": [3.0, -2.0],
    "damping_turns": [100, 200, 50],
    "aperture_sigma": [2.5, 2.5],
    "noise": [1e-7, 1e-7, 1e-7, 1e-7],
}
BEAM: dict[str, Any] = {"macroparticles": 2003, "bunch_population": 1e12}
OTHER: dict[str, Any] = {"macroparticles": 1500, "offset_sigma": [0.2, 0, 0.1, 0, 0, 0]}
ANGLE: dict[str, Any] = {"half_crossing_angle": 2e-4, "crossing_plane": 0.3, "slices": 5}
SMALL: dict[str, Any] = {"grid": [24, 20]}
SEPARATED: dict[str, Any] = {"separation_sigma": [8.0, 3.0]}
IPS: dict[str, dict[str, Any]] = {
    "linear weights, interpolated": ANGLE | SMALL,
    "linear weights, one plane": ANGLE | SMALL | {"interpolation": "none"},
    "quadratic weights, interpolated": ANGLE | SMALL | {"weighting": "tsc"},
    "quadratic weights, one plane": ANGLE | SMALL | {"weighting": "tsc", "interpolation": "none"},
    "fixed mesh that many are outside of": ANGLE
    | SMALL
    | {"mesh": "fixed", "mesh_half_width": [3e-5, 3e-5]},
    "equal widths": ANGLE | SMALL | {"slicing": "equal-width", "slice_extent": 4.0},
    "beams apart": SMALL | SEPARATED | {"slices": 2},
    "soft-gaussian": ANGLE | {"model": "soft-gaussian"},
    "weak-strong": ANGLE | {"model": "weak-strong"},
    "crab cavities": ANGLE | SMALL | {"crab": {"strength": 0.8, "frequency": 4e8}},
}


def variants() -> dict[str, phasewise.Study]:
    """Studies of four turns, by what is special in them."""
    records = {"moments_order": 4, "tracked": 5, "slices_every": 2}
    common: dict[str, Any] = {"arc": ARC, "turns": 4, "records": records}
    studies = {name: study(BEAM, OTHER, ip=ip, **common) for name, ip in IPS.items()}
    first = SMALL | {"slices": 3}
    studies["two interaction points"] = study(
        BEAM, OTHER, ip=first, points=[SEPARATED | {"slices": 1, "weighting": "tsc"}], **common
    )
    studies["random bunches"] = study(
        BEAM | {"distribution": "gaussian", "cut": 3.0}, OTHER, ip=first, **common
    )
    return studies


def fingerprint(machine: phasewise.Study, threads: int) -> str:
    """SHA-256 of the records of all turns, of the last slices and of the pairs' luminosity."""
    simulation = phasewise.Simulation(machine, threads)
    digest = hashlib.sha256()
    for _ in range(machine.turns):
        simulation.step()
        record = simulation.record()
        for name in sorted(record):
            # Rank 0 alone knows the tracked particles; it is the one that prints.
            digest.update(name.encode() + np.asarray(record[name]).tobytes())
        for ip in range(1, len(machine.ips) + 1):
            digest.update(simulation.driver.pair_luminosity(ip).tobytes())
            for arrays in simulation.driver.slices(ip).values():
                for name in sorted(arrays):
                    digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def main() -> None:
    """Every variant, on all ranks; rank 0 prints."""
    threads = int(sys.argv[1])
    found = {name: fingerprint(machine, threads) for name, machine in variants().items()}
    if load_core().rank() == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

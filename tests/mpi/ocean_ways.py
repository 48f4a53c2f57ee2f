"""Timesteps of an ocean in many ways on the ranks of this run; rank 0 prints a hash of each."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workload.protocols import STORING, available
from phasewise.workloads.ocean.communication import BALANCED, CURVE, KERNELS, SUMS
from tests.mpi.pairwise import Choice, written
from tests.physics.ocean import FLAT, GLOBE

RANKS = (1, 2, 3, 4, 6, 7, 8)
TIMESTEPS = 3
CASES: dict[str, dict[str, Any]] = {
    "globe": {**GLOBE, "solver": "pcsi", "preconditioner": "evp", "evp_block": [6, 5], "wind": 1.0},
    "gyre": {**GLOBE, "solver": "chrongear", "wind_profile": "gyre", "advection": "centred"},
    "channel": {
        **FLAT, "grid": [29, 24, 3], "periodic": "x", "mask": "continents", "baroclinic": False,
        "coriolis": 1e-4, "initial": "wave", "wave_height": 0.1, "solver": "pipelined",
    },
    "torus": {
        **FLAT, "grid": [29, 22, 2], "initial": "wave", "wave_height": 0.1, "solver": "pcsi",
        "coriolis": 1e-4, "viscosity": 1e4, "drag": 1e-3,
    },
}  # fmt: skip
"""Each has results of its own."""
LAYOUTS: dict[str, dict[str, Any]] = {
    "a block each": {},
    "blocks": {"blocks": [4, 4]},
    **{name: {"blocks": [6, 5], "distribution": name} for name in (BALANCED, CURVE)},
}
MESSAGES = ("irecv-isend", "ordered", "sendrecv", "isend-recv", "irecv-send", "persistent")
"""Protocols of more than two ranks: with more ranks than cores, one that waits for a flag in memory
takes the core of the one that sets it.
"""


def keys() -> dict[str, tuple[str, ...]]:
    """What differs between the ways of this build beside ranks and cases."""
    adding = tuple(name for name in available() if name not in STORING)
    return {
        "layout": tuple(LAYOUTS),
        "boundary": tuple(available()),
        "halo": tuple(available()),
        "protocol": adding,
        "sum": tuple(name for name in SUMS if name != "put"),
        "aggregate": ("1", "0"),
        "kernel": KERNELS,
        "together": ("1", "2"),
        "node_size": ("0", "2", "3"),
        "threads": ("1", "2"),
    }


def ways(ranks: int) -> list[Choice]:
    """Each case on so many ranks in two layouts; the values of every other key take turns, each
    key at a pace of its own. On two ranks a case takes every protocol.
    """
    place, found = RANKS.index(ranks), []
    for at, case in enumerate(CASES):
        for again in range(2):
            number = 2 * (len(CASES) * place + at) + again
            choice = {"ranks": str(ranks), "case": case}
            for pace, (key, values) in enumerate(keys().items(), 1):
                few = ranks > 2 and key in ("boundary", "halo", "protocol")
                among = MESSAGES if few else values
                choice[key] = among[number // pace % len(among)]
            found.append(choice | ({"threads": "1"} if ranks > 2 else {}))
    if ranks == 2:
        last = keys()
        for number, name in enumerate(last["halo"]):
            adding = last["protocol"][number % len(last["protocol"])]
            found.append({**found[1], "boundary": name, "halo": name, "protocol": adding})
    return found


def study(case: str, communication: dict[str, Any]) -> Study:
    """A few timesteps of a case."""
    return Study.from_dict(
        {
            "workload": "ocean",
            "timesteps": TIMESTEPS,
            "ocean": CASES[case],
            "communication": communication,
        }
    )


def chosen(choice: Choice) -> Study:
    """The study of a way."""
    own: dict[str, Any] = {
        **LAYOUTS[choice["layout"]], "boundary": choice["boundary"], "solver_halo": choice["halo"],
        "solver_sum": choice["sum"], "solver_sum_protocol": choice["protocol"],
        "aggregate": choice["aggregate"] == "1", "kernel": choice["kernel"],
        "node_size": int(choice["node_size"]),
    }  # fmt: skip
    if choice["together"] == "2" and choice["case"] == "torus":
        own["iterations_per_exchange"] = 2
    return study(choice["case"], own)


def fingerprint(of: Study, threads: int) -> str:
    """A hash of all that the timesteps record, and of the state at the end."""
    core, found = load_core(), hashlib.sha256()
    run = core.start(of.parameters(), threads)
    for _ in range(of.count):
        run.step()
        record = run.record()
        assert record["kinetic_energy"] > 0 and record["converged"] == 1
        for name in sorted(record):
            found.update(np.ascontiguousarray(record[name]).tobytes())
    for rows in (run.state()[name] for name in ("cells", "columns")):
        names = sorted(rows)
        parts = core.gather(np.stack([rows[name].astype("f8") for name in names]).tobytes())
        if core.rank() == 0:
            shape = (len(names), -1)
            table = np.concatenate([np.frombuffer(part).reshape(shape) for part in parts], axis=1)
            found.update(table[:, np.argsort(table[names.index("id")])].tobytes())
    return found.hexdigest()


def main() -> None:
    """Every way of these ranks; on one rank each case as it is by default besides."""
    core = load_core()
    found: dict[str, str] = {}
    if core.size() == 1:
        found = {case: fingerprint(study(case, {}), 1) for case in CASES}
    for choice in ways(core.size()):
        name = written(choice)
        if core.rank() == 0:
            print(name, file=sys.stderr, flush=True)
        found[name] = fingerprint(chosen(choice), int(choice["threads"]))
    if core.rank() == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

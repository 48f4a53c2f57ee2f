"""Timesteps of a gas in many ways on the ranks of this run; rank 0 prints a hash of each."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workload.protocols import available
from phasewise.workloads.hydro.communication import GLOBAL_SUMS, KERNELS, PENCILS, SLABS, TRANSPOSES
from tests.mpi.pairwise import Choice, written

RANKS = (1, 2, 3, 4, 6, 7, 8)
TIMESTEPS = 3
CASES: dict[str, dict[str, Any]] = {
    "shear": {"problem": "kelvin-helmholtz", "zones": [22, 18]},
    "blast": {"problem": "evh1", "zones": [20, 17], "order": "xyz", "riemann": "converged"},
    "cube": {"problem": "sedov", "zones": [11, 10, 9], "energy": 2.0, "radius": 0.4},
    "fixed cube": {"problem": "sedov", "zones": [9, 11, 10], "order": "xyz", "radius": 0.4},
}
"""Each has results of its own; the cubes come as slabs and as pencils."""
OVERLAPS = "overlap"
"""The way in which the messages of a batch are under way during the next one."""
MESSAGES = ("irecv-isend", "ordered", "sendrecv", "isend-recv", "irecv-send", "persistent")
"""Protocols of more than two ranks: with more ranks than cores, one that waits for a flag in memory
takes the core of the one that sets it.
"""
SUMS = tuple(name for name in GLOBAL_SUMS if name != "put")


def keys() -> dict[str, tuple[str, ...]]:
    """What differs between the ways of this build beside ranks, cases and redistributions."""
    return {
        "protocol": tuple(available()),
        "batch": ("1", "3", "16", "4096"),
        "kernel": KERNELS,
        "sum": SUMS,
        "node_size": ("0", "2", "3"),
        "threads": ("1", "2"),
    }


def divided() -> list[tuple[str, str]]:
    """The cases, each with every way to divide its grid."""
    both = {case: (SLABS, PENCILS) if "cube" in case else (SLABS,) for case in CASES}
    return [(case, way) for case, ways_of_case in both.items() for way in ways_of_case]


def ways(ranks: int) -> list[Choice]:
    """Each case on so many ranks, redistributed at once and during sweeps; the values of every
    other key take turns, each key at a pace of its own. On two ranks a case takes every protocol.
    """
    place, found = RANKS.index(ranks), []
    for at, (case, way) in enumerate(divided()):
        for late in (False, True):
            number = 2 * (len(divided()) * place + at) + late
            moved = OVERLAPS if late else TRANSPOSES[(place + at) % len(TRANSPOSES)]
            choice = {"ranks": str(ranks), "case": case, "divided": way, "moved": moved}
            for pace, (key, values) in enumerate(keys().items(), 1):
                among = MESSAGES if key == "protocol" and ranks > 2 else values
                choice[key] = among[number // pace % len(among)]
            found.append(choice | ({"threads": "1"} if ranks > 2 else {}))
    if ranks == 2:
        first = next(choice for choice in found if choice["moved"] == OVERLAPS)
        found += [first | {"protocol": name} for name in keys()["protocol"]]
    return found


def study(case: str, communication: dict[str, Any]) -> Study:
    """A few timesteps of a case."""
    return Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": TIMESTEPS,
            "hydro": {"until": 10.0} | CASES[case],
            "records": {"l1_every": 2},
            "communication": communication,
        }
    )


def chosen(choice: Choice) -> Study:
    """The study of a way."""
    late = choice["moved"] == OVERLAPS
    own: dict[str, Any] = {
        "decomposition": choice["divided"], "overlap": late, "protocol": choice["protocol"],
        "batch": int(choice["batch"]), "kernel": choice["kernel"], "global_sum": choice["sum"],
        "node_size": int(choice["node_size"]), **({} if late else {"transpose": choice["moved"]}),
    }  # fmt: skip
    return study(choice["case"], own)


def fingerprint(of: Study, threads: int) -> str:
    """A hash of all that the timesteps record, and of the zones at the end."""
    core, found = load_core(), hashlib.sha256()
    run = core.start(of.parameters(), threads)
    for _ in range(of.count):
        run.step()
        record = run.record()
        assert np.isfinite(record["energy"]) and record["dt"] > 0
        for name in sorted(record):
            found.update(np.ascontiguousarray(record[name]).tobytes())
    rows = run.state()["zones"]
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

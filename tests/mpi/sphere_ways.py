"""Timesteps on the sphere in many ways on the ranks of this run; rank 0 prints a hash of each."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workload.protocols import available
from phasewise.workloads.sphere.choosing import adding
from phasewise.workloads.sphere.communication import DISTRIBUTED, TRANSPOSE, TRANSPOSES
from tests.mpi.pairwise import Choice, written

RANKS = (1, 2, 3, 4, 6, 7, 8)
TIMESTEPS = 2
MANY_RANKS = 4
"""From here on ranks have one thread, and three algorithms stand for all."""
CASES: dict[str, dict[str, Any]] = {
    "mountain": {"case": "williamson-5", "truncation": 10, "levels": 3, "filter": 0.05},
    "tilted": {"case": "williamson-2", "truncation": 11, "angle": 0.7, "diffusion": 1e5},
    "jet": {"case": "galewsky", "truncation": 13, "scheme": "explicit", "timestep": 100.0},
}
"""Each has results of its own."""
MESSAGES = ("irecv-isend", "ordered", "sendrecv", "isend-recv", "irecv-send", "persistent")
"""Protocols of more than two ranks: with more ranks than cores, one that waits for a flag in memory
takes the core of the one that sets it.
"""
STATIONS = [[40.46, 255.94], [-89.0, 1.0]]


LEGENDRES = (*(f"{TRANSPOSE} {name}" for name in TRANSPOSES), *DISTRIBUTED)


def keys() -> dict[str, tuple[str, ...]]:
    """What differs between the ways of this build beside ranks and algorithm."""
    return {
        "protocol": tuple(adding(available())),
        "blocks": ("1", "3", "16"),
        "manner": ("fast padded", "fast", "plain padded"),
        "functions": ("table", "panels"),
        "node_size": ("0", "2", "3"),
        "case": tuple(CASES),
        "threads": ("1", "2"),
    }


def ways(ranks: int) -> list[Choice]:
    """Several algorithms on so many ranks; the values of every other key take turns, each key at a
    pace of its own. On two ranks a ring takes every protocol.
    """
    place, many = RANKS.index(ranks), ranks >= MANY_RANKS
    every = list(enumerate(LEGENDRES))
    if many:
        left_out = every[len(TRANSPOSES) + place % len(DISTRIBUTED)]
        every = [every[place % len(TRANSPOSES)], *every[len(TRANSPOSES) :]]
        every.remove(left_out)
    found = []
    for at, legendre in every:
        number = len(LEGENDRES) * place + at
        choice = {"ranks": str(ranks), "legendre": legendre}
        for pace, (key, values) in enumerate(keys().items(), 1):
            among = MESSAGES if key == "protocol" and ranks > 2 else values
            choice[key] = among[number // pace % len(among)]
        found.append(choice | ({"threads": "1"} if many else {}))
    if ranks == 2:
        ring = next(choice for choice in found if choice["legendre"] == DISTRIBUTED[0])
        found += [ring | {"protocol": name} for name in keys()["protocol"]]
    return found


def study(case: str, functions: str, communication: dict[str, Any]) -> Study:
    """A few timesteps of a case."""
    own = {"timestep": 900.0, "latitude_groups": 8, "functions": functions} | CASES[case]
    return Study.from_dict(
        {
            "workload": "sphere",
            "timesteps": TIMESTEPS,
            "sphere": own,
            "records": {"stations": STATIONS},
            "communication": communication,
        }
    )


def chosen(choice: Choice) -> Study:
    """The study of a way."""
    legendre, _, transpose = choice["legendre"].partition(" ")
    kernel, _, padded = choice["manner"].partition(" ")
    own: dict[str, Any] = {
        "legendre": legendre, "blocks": int(choice["blocks"]), "kernel": kernel,
        "padding": bool(padded), "node_size": int(choice["node_size"]),
        "protocol": choice["protocol"], **({"transpose": transpose} if transpose else {}),
    }  # fmt: skip
    return study(choice["case"], choice["functions"], own)


def fingerprint(of: Study, threads: int) -> str:
    """A hash of all that the timesteps record."""
    run, found = load_core().start(of.parameters(), threads), hashlib.sha256()
    for _ in range(of.count):
        run.step()
        record = run.record()
        assert np.isfinite(np.asarray(record["stations"])).all()
        for name in sorted(record):
            found.update(np.ascontiguousarray(record[name]).tobytes())
    return found.hexdigest()


def main() -> None:
    """Every way of these ranks; on one rank each case as it is by default besides."""
    core = load_core()
    found: dict[str, str] = {}
    if core.size() == 1:
        found = {case: fingerprint(study(case, "table", {}), 1) for case in CASES}
    for choice in ways(core.size()):
        name = written(choice)
        if core.rank() == 0:
            print(name, file=sys.stderr, flush=True)
        found[name] = fingerprint(chosen(choice), int(choice["threads"]))
    if core.rank() == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

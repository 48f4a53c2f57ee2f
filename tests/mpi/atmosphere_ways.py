"""Timesteps of columns in many ways on the ranks of this run; rank 0 prints a hash of each."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workload.protocols import available
from phasewise.workloads.atmosphere.communication import BALANCES, DIVISIONS, EXCHANGES, KERNELS
from tests.mpi.pairwise import Choice, written

RANKS = (1, 2, 3, 4, 6, 7, 8)
TIMESTEPS = 6
OF_RANKS = ("load_before", "load_after", "moved", "bytes")
"""Records that tell how the ranks share the columns."""
CASES: dict[str, dict[str, Any]] = {
    # A whole day in six timesteps.
    "day": {
        "grid": [10, 14], "levels": 7, "timestep": 14400.0, "long_wave_bands": 2,
        "short_wave_bands": 2,
    },
    # Columns that no chunk divides, at another season.
    "winter": {
        "grid": [9, 11], "levels": 5, "timestep": 3600.0, "day": 20, "hour": 3.5,
        "long_wave_bands": 1, "short_wave_bands": 3,
    },
    "dry": {
        "grid": [8, 12], "levels": 6, "timestep": 1800.0, "adjustment": False,
        "long_wave_bands": 3, "short_wave_bands": 1,
    },
}  # fmt: skip
"""Each has results of its own."""
MESSAGES = ("irecv-isend", "ordered", "sendrecv", "isend-recv", "irecv-send", "persistent")
"""Protocols of more than two ranks: with more ranks than cores, one that waits for a flag in memory
takes the core of the one that sets it.
"""
CHANGING = "changing"
"""Another scheme in each timestep."""


def keys() -> dict[str, tuple[str, ...]]:
    """What differs between the ways of this build beside ranks and cases."""
    return {
        "division": DIVISIONS,
        "balance": (*BALANCES, CHANGING),
        "exchange": EXCHANGES,
        "columns": tuple(available()),
        "chunk": ("16", "1", "5", "64"),
        "kernel": KERNELS,
        "node_size": ("0", "2", "3"),
        "threads": ("1", "2"),
    }


def ways(ranks: int) -> list[Choice]:
    """Each case on so many ranks by each scheme; the values of every other key take turns, each
    key at a pace of its own. On two ranks a case takes every protocol.
    """
    place, found = RANKS.index(ranks), []
    for at, case in enumerate(CASES):
        for again, balance in enumerate(keys()["balance"]):
            if case == "winter" and balance == "twin":
                continue  # its longitudes are odd
            number = again + 7 * (len(CASES) * place + at)
            choice = {"ranks": str(ranks), "case": case}
            for pace, (key, values) in enumerate(keys().items(), 1):
                among = MESSAGES if ranks > 2 and key == "columns" else values
                choice[key] = among[number // pace % len(among)]
            found.append(choice | {"balance": balance} | ({"threads": "1"} if ranks > 2 else {}))
    if ranks == 2:
        both = {**found[4], "balance": "all", "exchange": "messages", "division": "latitudes"}
        found += [{**both, "columns": name} for name in keys()["columns"]]
    return found


def study(case: str, communication: dict[str, Any], timesteps: int = TIMESTEPS) -> Study:
    """A few timesteps of a case."""
    return Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": timesteps,
            "atmosphere": CASES[case],
            "communication": communication,
        }
    )


def given(timesteps: int) -> str:
    """Parameters of 96 columns with costs of microseconds at two times, without their scheme."""
    text = study("dry", {"division": "blocks", "costs_every": 2}, timesteps).parameters()
    kept = [line for line in text.splitlines() if not line.startswith("communication.balance")]
    costs = [1e-6 * (1 + (7 * n + n // 96) % 5 + 20 * (n % 96 < 12)) for n in range(2 * 96)]
    written_costs = " ".join(map(repr, costs))
    return "\n".join(
        [*kept, f"atmosphere.costs = {written_costs}", "atmosphere.cost_times = 2",
         "atmosphere.column_bytes = 100 60", ""]
    )  # fmt: skip


def settings(choice: Choice, balance: str) -> dict[str, Any]:
    """The keys of a way."""
    return {
        "division": choice["division"], "balance": balance, "exchange": choice["exchange"],
        "columns": choice["columns"], "chunk": int(choice["chunk"]), "kernel": choice["kernel"],
        "node_size": int(choice["node_size"]),
    }  # fmt: skip


def schemes(choice: Choice) -> list[str]:
    """The scheme of each timestep."""
    if choice["balance"] != CHANGING:
        return [choice["balance"]] * TIMESTEPS
    able = [name for name in BALANCES if name != "twin" or choice["case"] != "winter"]
    return [able[n % len(able)] for n in range(TIMESTEPS)]


def fingerprint(case: str, own: list[dict[str, Any]], threads: int) -> str:
    """A hash of all that the timesteps record, and of the state at the end; the keys of each
    timestep.
    """
    core, found = load_core(), hashlib.sha256()
    run = core.start(study(case, own[0]).parameters(), threads)
    for n, given in enumerate(own):
        if n > 0 and given != own[n - 1]:
            text = study(case, given).parameters().splitlines()
            kept = [line for line in text if line.startswith("communication.")]
            fixed = ("node_size", "process_grid", "layout", "places")
            run.set_communication(
                "\n".join(line for line in kept if line.split(" ")[0].split(".")[1] not in fixed)
            )
        run.step()
        record = run.record()
        assert 150 < record["temperature"] < 350
        for name in sorted(set(record) - set(OF_RANKS)):
            found.update(np.ascontiguousarray(record[name]).tobytes())
    for rows in (run.state()[name] for name in ("levels", "columns")):
        names = sorted(set(rows) - {"cost"})
        parts = core.gather(np.stack([rows[name].astype("f8") for name in names]).tobytes())
        if core.rank() == 0:
            shape = (len(names), -1)
            table = np.concatenate([np.frombuffer(part).reshape(shape) for part in parts], axis=1)
            found.update(table[:, np.argsort(table[names.index("id")])].tobytes())
    return found.hexdigest()


def main() -> None:
    """Every way of these ranks; on one rank each case as it is without balance besides."""
    core = load_core()
    found: dict[str, str] = {}
    if core.size() == 1:
        found = {case: fingerprint(case, [{"balance": "none"}] * TIMESTEPS, 1) for case in CASES}
    for choice in ways(core.size()):
        name = written(choice)
        if core.rank() == 0:
            print(name, file=sys.stderr, flush=True)
        own = [settings(choice, balance) for balance in schemes(choice)]
        found[name] = fingerprint(choice["case"], own, int(choice["threads"]))
    if core.rank() == 0:
        print(json.dumps(found) + "\n", end="")


if __name__ == "__main__":
    main()

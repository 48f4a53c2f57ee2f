"""Every operator by every algorithm, blocking or not, on all ranks of mpiexec; rank 0 prints what
was wrong, and where a rank sent other messages than planned.
"""

from __future__ import annotations

import json
from typing import Any

import phasewise._core as core
from phasewise.study import Study
from phasewise.workload.protocols import available
from phasewise.workloads.collectives.choosing import algorithms
from phasewise.workloads.collectives.model import OPERATORS, model_of

SIZES = (8, 40, 64)
TURNS = 2


def study(operator: str, size: int, algorithm: str, blocking: bool) -> Study:
    keys = {"operator": operator, "bytes": size, "blocking": blocking, "work": 1e3}
    table = {"workload": "collectives", "exchanges": TURNS, "collectives": keys}
    return Study.from_dict(table | {"communication": {"algorithm": algorithm, "node_size": 2}})


def faults(own: Study, name: str) -> list[str]:
    """What is wrong with a study on this rank."""
    run: Any = core.start(own.parameters())
    found = []
    for _ in range(TURNS):
        run.step()
        if run.record()["wrong"] != 0:
            found.append(f"rank {core.rank()}: {name} leaves wrong values")
    phase = model_of(own).operator.replace("-", "_")
    (done,) = [p for p in run.phases() if p["name"] == phase] or [{"messages": 0, "bytes": 0}]
    planned = core.plan(own.parameters(), core.size(), 1, core.rank())["phases"]
    (due,) = [p for p in planned if p["name"] == phase] or [{"messages": 0, "bytes_per_rank": 0}]
    return found + [
        f"rank {core.rank()}: {name} has {done[key]} {key}, not {due[other]} a turn"
        for key, other in (("messages", "messages"), ("bytes", "bytes_per_rank"))
        if done[key] != TURNS * due[other]
    ]


def main() -> None:
    wrong = []
    for operator in OPERATORS:
        for size in SIZES:
            usual = study(operator, size, "library", True)
            for algorithm in algorithms(model_of(usual), available()):
                for blocking in (True, False):
                    own = study(operator, size, algorithm, blocking)
                    wrong += faults(own, f"{operator} of {size} B by {algorithm}, {blocking}")
    every = core.gather(json.dumps(wrong).encode())
    if core.rank() == 0:
        print(json.dumps([fault for part in every for fault in json.loads(part)]))


if __name__ == "__main__":
    main()

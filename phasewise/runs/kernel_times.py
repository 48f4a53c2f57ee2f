"""How long each kernel of a run takes in a turn, on the mean rank, with all ranks at work."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from phasewise.driver import Core, Run
from phasewise.errors import StudyError
from phasewise.study import Study

TURNS = 7
"""Number of turns that are timed after the first one. A kernel's time is the median over them,
which is the usual time under the other load of the machine.
"""

COUNTS = ("items", "flops", "bytes")

KernelTimes = dict[str, dict[str, float]]
"""Items, flops, bytes and seconds of a turn, by the kernel's name."""


def usual_turn(core: Core, driver: Run, seconds: float) -> tuple[KernelTimes, float]:
    """The kernels of a turn, and the seconds of a turn beside kernels and communication.

    TURNS of them are timed, or as many as fit into `seconds`, but at least one, after a first one.
    A kernel that the first turn alone has is that of the first turn. Collective.
    """
    started = time.perf_counter()
    first = _turn(core, driver)
    turns = [_turn(core, driver)]
    while len(turns) < TURNS and not core.any(time.perf_counter() - started > seconds):
        turns.append(_turn(core, driver))
    usual = {name: median(turn[name] for turn in turns) for name in turns[0]}
    for name in {key.split(":")[0] for key in first if ":" in key}:
        if usual[f"{name}:items"] == 0:
            usual |= {key: value for key, value in first.items() if key.startswith(f"{name}:")}
    everyone = core.gather(json.dumps(usual).encode())
    text = json.dumps([json.loads(part) for part in everyone]).encode() if everyone else b""
    ranks: list[dict[str, float]] = json.loads(core.broadcast(text))
    kernels: KernelTimes = {}
    for key in {key: None for rank in ranks for key in rank if ":" in key}:
        name, what = key.split(":")
        value = sum(rank.get(key, 0.0) for rank in ranks) / len(ranks)
        kernels.setdefault(name, {})[what] = value
    return kernels, sum(rank["rest"] for rank in ranks) / len(ranks)


def usual_turn_of(
    core: Core, study: Study, threads: int, seconds: float
) -> dict[str, KernelTimes] | None:
    """The kernels of a study's turn, timed for about this number of seconds, under `kernels`; None
    where the ranks are too many for it. Collective.
    """
    try:
        study.check_ranks(core.size())
    except StudyError:
        return None
    driver = core.start(study.parameters(), threads)
    return {"kernels": usual_turn(core, driver, seconds)[0]}


def _turn(core: Core, driver: Run) -> dict[str, float]:
    """One turn of this rank: `kernel:items` and the like, and `rest` [s]."""
    kernels, phases = _totals(driver.kernels()), _communicating(driver)
    core.barrier()
    start = time.perf_counter()
    driver.step()
    seconds = time.perf_counter() - start
    core.barrier()
    after = _totals(driver.kernels())
    spent = {key: value - kernels.get(key, 0.0) for key, value in after.items()}
    computing = sum(value for key, value in spent.items() if key.endswith(":seconds"))
    rest = seconds - computing - (_communicating(driver) - phases)
    return spent | {"rest": rest}


def _totals(kernels: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {f"{k['name']}:{what}": float(k[what]) for k in kernels for what in (*COUNTS, "seconds")}


def _communicating(driver: Run) -> float:
    return sum(float(phase["seconds"]) for phase in driver.phases())


def communication_phases(driver: Run) -> list[dict[str, Any]]:
    """The phases in which this rank exchanges something; kernels have phases too, for the time
    line, and exchange nothing.
    """
    return [phase for phase in driver.phases() if phase["calls"] or phase["messages"]]

"""How long a turn computes: the work of its kernels at the machine's rates.

Where a machine file has no `[kernels]`, a kernel takes the longer of its flops and its bytes at the
rates of `[processor]`, as `phasewise simulate` charges it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from phasewise.machines.kernel_rates import find_rate, terms
from phasewise.models.model import Case, load_core, refusals
from phasewise.study.process_grid import check_process_grid

IMBALANCE = "imbalance"
"""Seconds that the mean rank waits, step by step, for the one that has most work."""
OTHER = "other"
"""Seconds of a turn beside its kernels and messages: choosing meshes and planning the exchanges,
starting threads, calling the driver.
"""

PACKING = "packing"
"""Seconds of adding up and storing what messages bring."""
MOVED = {"reduce": 3.0, "broadcast": 2.0, "cross": 2.0}
"""Bytes of memory traffic for each byte that comes, by a phase's pattern: what comes is read, and
added to a value or written in its place (core/comm/executor.cpp).
"""


class _Core(Protocol):
    """The part of `phasewise._core` that counts work; it needs no MPI."""

    def work(
        self, parameters: str, ranks: int, pieces: Mapping[str, float]
    ) -> list[dict[str, Any]]: ...


def kernel_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each kernel, of the mean rank; IMBALANCE, PACKING, OTHER beside them.

    Their sum is what a turn takes without its messages. StudyError where the study does not fit the
    ranks; RunError without the compiled core.
    """
    seconds: dict[str, float] = {}
    imbalance = 0.0
    for kernel in kernel_work(case):
        own = _seconds(case, kernel)
        name = str(kernel["name"])
        seconds[name] = seconds.get(name, 0.0) + own
        imbalance += own * (float(kernel["load"]) - 1.0)
    return seconds | {IMBALANCE: imbalance, PACKING: _packing(case), OTHER: _other(case)}


def kernel_work(case: Case) -> list[dict[str, Any]]:
    """`_core.work` of the case: name, part of a turn (from 1), items, flops, bytes, load."""
    check_process_grid(case.study, case.ranks)
    core = cast(_Core, load_core())
    with refusals():
        return core.work(case.study.parameters(), case.ranks, case.pieces)


def _seconds(case: Case, kernel: dict[str, Any]) -> float:
    machine = case.machine
    ip = case.study.ips[int(kernel["part"]) - 1]
    tracked = [beam for beam in case.study.beams if not beam.strong]
    particles = sum(beam.macroparticles for beam in tracked) / case.ranks
    held = 2 if case.ranks == 1 and len(tracked) == 2 else 1
    total = 0.0
    for term in terms(kernel, ip, particles, held):
        rate = find_rate(machine.kernels, term.name)
        if rate is None:
            if term.name in ("slice_moments", "encounter_mesh", "encounter_cold"):
                continue
            return machine.processor.seconds(float(kernel["flops"]), float(kernel["bytes"]))
        total += term.amount * rate.at(term.size)
    return total


def _packing(case: Case) -> float:
    moved = sum(
        MOVED.get(phase.pattern, 0.0) * float(phase.count @ phase.bytes) for phase in case.phases
    )
    return moved / case.machine.processor.bandwidth


def _other(case: Case) -> float:
    """Per turn, and per step of a collision."""
    turn, step = (find_rate(case.machine.kernels, name) for name in ("turn", "step"))
    steps = sum(2 * ip.slices - 1 for ip in case.study.ips if ip.model != "none")
    total = turn.at(1.0) if turn else 0.0
    return total + (steps * step.at(1.0) if step else 0.0)

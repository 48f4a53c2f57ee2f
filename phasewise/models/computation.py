"""How long a turn computes: the work of its kernels at the machine's rates.

Where a machine file has no `[kernels]`, a kernel takes the longer of its flops and its bytes at the
rates of `[processor]`, as `phasewise simulate` charges it. If the study runs on a device, the
rates are those of `[device]`. The workload says of which terms a kernel's time consists
(`phasewise.study.kernels.Kernels`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from phasewise.driver import load_planner
from phasewise.machines import Machine
from phasewise.machines.device import Device
from phasewise.machines.kernel_rates import KernelRate, find_rate
from phasewise.models.model import Case, refusals
from phasewise.runs.roof import TO_DEVICE, TO_HOST, computed_by_host
from phasewise.study import Study
from phasewise.study.kernels import Kernels, Term

IMBALANCE = "imbalance"
"""Seconds that the mean rank waits in all steps for the rank with most work."""
OTHER = "other"
"""Seconds of a turn that neither kernels nor messages take: choosing meshes, planning the
exchanges, starting threads, calling the driver.
"""

PACKING = "packing"
"""Seconds of packing, of storing and of adding up received data."""


def kernel_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each kernel, of the mean rank; IMBALANCE, PACKING, OTHER beside them.

    Their sum is the time of a turn without its messages; IMBALANCE is waiting. Empty for a case
    without a study. StudyError if the study does not fit the ranks; RunError without the compiled
    core.
    """
    if case.study is None:
        return {}
    seconds: dict[str, float] = {}
    imbalance = 0.0
    for kernel in kernel_work(case):
        own = _seconds(case, case.study, kernel)
        name = str(kernel["name"])
        seconds[name] = seconds.get(name, 0.0) + own
        imbalance += own * (float(kernel["load"]) - 1.0)
    other = _other(case, case.study)
    return seconds | {IMBALANCE: imbalance, PACKING: _packing(case), OTHER: other}


def rates_of(case: Case) -> dict[str, Any]:
    """How long a rank computes, for a model that follows the turn: `flop` and `byte`, seconds of a
    flop and of a byte moved; `kernels`, where the machine has their rates or they take the same
    time on every machine, a list of name, part and seconds of a flop, or of a byte if a kernel has
    no flops; `unit`, where the processor has a vector unit.
    """
    if case.study is None:
        return {}
    machine, fixed = case.machine, case.study.workload.part(Kernels).FIXED
    processor, kernels = machine.processor, []
    for kernel in kernel_work(case) if machine.kernels or case.device or fixed else ():
        if not (machine.kernels or case.device or kernel["name"] in fixed):
            continue
        work = float(kernel["flops"]) or float(kernel["bytes"])
        if work > 0:
            seconds = _seconds(case, case.study, kernel)
            kernels.append((str(kernel["name"]), int(kernel["part"]), seconds / work))
    found = {"flop": 1 / processor.flops, "byte": 1 / processor.bandwidth, "kernels": kernels}
    return found | ({"unit": vector_unit(machine)} if machine.vector else {})


def vector_unit(machine: Machine) -> dict[str, float]:
    """The vector unit of a machine's processor as the core has it; empty without one."""
    return machine.vector.unit(machine.processor.flops) if machine.vector else {}


def device_of(case: Case, kernel: str) -> Device | None:
    """The device on which a kernel of a case runs; None: on the processors of the ranks."""
    if case.study is None or kernel in computed_by_host(case.study.workload):
        return None
    return case.device


def overhead_seconds(case: Case) -> float:
    """Seconds of a turn that neither kernels nor messages take (OTHER)."""
    return 0.0 if case.study is None else _other(case, case.study)


def kernel_work(case: Case) -> list[dict[str, Any]]:
    """`_core.work` of the case: name, part (from 1), calls, items, flops, bytes, load of each
    kernel, and `charged`, flops that take the machine's vector unit as long.
    """
    core, parameters = load_planner(), case.parameters("of computation")
    with refusals():
        return core.work(parameters, case.ranks, case.pieces, unit=vector_unit(case.machine))


def _seconds(case: Case, study: Study, kernel: Mapping[str, Any]) -> float:
    if given := float(kernel.get("seconds", 0.0)):
        return given
    machine, moved = case.machine, float(kernel["bytes"])
    fixed = study.workload.part(Kernels).FIXED.get(str(kernel["name"]))
    if fixed is not None:
        return fixed * float(kernel["items"])
    device = device_of(case, str(kernel["name"]))
    if device is None:
        roof = machine.processor.seconds(float(kernel["charged"]), moved)
        return _by_rates(case, study, kernel, machine.kernels, roof)
    calls = float(kernel["calls"])
    if kernel["name"] in (TO_DEVICE, TO_HOST):
        each = device.transfers.seconds_of(str(kernel["name"]), moved / calls) if calls else 0.0
        return calls * each
    # A call starts one kernel of the device at least.
    roof = device.seconds(float(kernel["flops"]), moved)
    return max(_by_rates(case, study, kernel, device.kernels, roof), calls * device.launch)


def _by_rates(
    case: Case,
    study: Study,
    kernel: Mapping[str, Any],
    rates: Mapping[str, KernelRate],
    otherwise: float,
) -> float:
    """Seconds of a kernel by its rates, or `otherwise` if one of them was not measured."""
    part = study.workload.part(Kernels)
    for terms in (part.terms, part.instead):
        found = _sum_of(terms(study.model, kernel, case.ranks), rates, part.BESIDE)
        if found is not None:
            return found
    return otherwise


def _sum_of(
    terms: Sequence[Term], rates: Mapping[str, KernelRate], beside: Collection[str]
) -> float | None:
    """Seconds of these terms; None if there are none or a rate was not measured."""
    total = 0.0 if terms else None
    for term in terms:
        rate = find_rate(rates, term.name)
        if total is None or (rate is None and term.name not in beside):
            return None
        total += 0.0 if rate is None else term.amount * rate.at(term.size)
    return total


def _packing(case: Case) -> float:
    return sum(phase.copied for phase in case.phases) / case.machine.processor.bandwidth


def _other(case: Case, study: Study) -> float:
    """Seconds of the terms whose rate is known."""
    terms = study.workload.part(Kernels).overheads(study.model, case.ranks)
    known = case.machine.kernels if case.device is None else case.device.kernels
    rates = [(term, find_rate(known, term.name)) for term in terms]
    return float(sum(t.amount * rate.at(t.size) for t, rate in rates if rate is not None))

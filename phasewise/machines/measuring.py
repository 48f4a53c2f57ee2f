"""``phasewise machine measure``: times the messages of a machine and writes its file.

It also writes NAME.samples.jsonl with every sample and NAME.svg with the curves. A measurement of
this machine keeps all that is measured in NAME.partial.jsonl until nothing is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from phasewise.driver import load_planner
from phasewise.errors import RunError, StudyError
from phasewise.machines.core_distance import CoreWatch, core_distances
from phasewise.machines.curves import Curve, Measured, find
from phasewise.machines.deadline import Deadline
from phasewise.machines.device import Device, measured_device
from phasewise.machines.journal import Journal, journal_path, sample_line
from phasewise.machines.kernel_measurement import MeasuredKernels, measure_kernels
from phasewise.machines.load import load_now
from phasewise.machines.machine import Machine, load_machine, machine_path, parse_machine
from phasewise.machines.machine_file import (
    description_of,
    device_tables,
    hardware_description,
    measured_tables,
)
from phasewise.machines.measure import Measurement, Samples
from phasewise.machines.targets import HardwareTarget, SimulatedTarget, Target, this_host
from phasewise.mpi.launch import TooLongError, this_machine
from phasewise.runs.core_share import CoreShare
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.runs.roof import measure_device
from phasewise.study.study import CPU
from phasewise.tables.files import read_text
from phasewise.version import __version__

LAUNCHES = 3

RATES, MESSAGES, KERNELS = 0.3, 0.5, 0.5
"""Shares of the time left: for the ranks' rates, then for the messages, then for the kernels if a
device is measured too. The last part of the measurement gets the rest.
"""


@dataclass(frozen=True)
class Plan:
    """How a measurement of this machine is made. limit [s]: what is not measured by then is left
    out; resume: go on with the journal of the machine's file `output`; device: measured too, unless
    it is the CPU.
    """

    output: Path
    quick: bool
    limit: float
    resume: bool
    device: str = CPU


@dataclass(frozen=True)
class MeasuredMachine:
    """A measurement: the machine as its new file describes it, and every sample; missing: what
    there was no time for, in words.
    """

    machine: Machine
    text: str
    samples: Samples
    missing: tuple[str, ...] = ()
    core_share: CoreShare | None = None
    """How much of a core the ranks had while kernels were timed; None if unknown."""


def measure_simulated(
    name: str, twin: str, ranks: int, quick: bool, say: Callable[[str], None]
) -> MeasuredMachine:
    """Measure the simulated twin of the machine `name`; StudyError if it cannot have that many
    ranks.
    """
    machine = load_machine(name)
    target = SimulatedTarget(machine, twin, ranks)
    _check_ranks(ranks)
    measurement = Measurement(target, quick, say)
    curves = measurement.measure()
    text = description_of(read_text(machine_path(name)))
    return _result(text, _measured(target, twin=twin), curves, measurement.samples)


def measure_here(
    ranks: int, plan: Plan, say: Callable[[str], None], keep: Callable[[Samples], object]
) -> MeasuredMachine:
    """Measure the machine, or the batch allocation, that this runs on.

    keep: called with the samples of the messages when they are complete, before the kernels are
    measured. RunError if the time is too short for a file that can be used.
    """
    _check_ranks(ranks)
    load = load_now()
    say(load.sentence)
    device = _device(plan.device, say)
    deadline = Deadline(plan.limit)
    journal = Journal(journal_path(plan.output), _head(ranks, plan), plan.resume)
    watch = CoreWatch(_distances, journal.cores())
    target = HardwareTarget(ranks, 1 if plan.quick else LAUNCHES, watch)
    if target.crowded:
        say(
            f"{ranks} ranks share {this_machine().cores} cores: their times show the scheduler, "
            "not the machine, and every curve is marked noisy"
        )
    _look(target, journal, deadline, watch)
    measurement = Measurement(target, plan.quick, say, deadline.part(MESSAGES), journal)
    curves = measurement.measure()
    keep(measurement.samples)
    if watch.sentence:
        say(watch.sentence)
    if target.crowded:
        curves = tuple(Curve(**(vars(curve) | {"noisy": True})) for curve in curves)
    _check_curves(measurement, curves)
    say("kernels")
    own = deadline if device is None else deadline.part(KERNELS)
    kernels = measure_kernels(ranks, journal.path, own)
    if kernels.core_share is not None and kernels.core_share.disturbed:
        say(kernels.core_share.sentence)
    missing = [*measurement.missing, *_lacking(kernels, "kernels")]
    measured = _measured(target, target.host, load=load.average if load.busy else 0.0)
    measured = replace(measured, core_seconds=watch.seconds)
    description = hardware_description(
        target.host, _per_node(target), len(set(target.nodes)), target.rates, curves, kernels.rates
    )
    if device is not None:
        say(f"kernels on the device {device.name}")
        there = measure_kernels(1, journal.path, deadline, device=device.kind)
        missing += _lacking(there, f"kernels on the device {device.name}")
        description += "\n" + device_tables(replace(device, kernels=there.rates))
    result = _result(description, measured, curves, measurement.samples)
    return replace(result, missing=tuple(missing), core_share=kernels.core_share)


def _distances() -> tuple[float, ...]:
    """How far the cores are from each other; unknown in an allocation, whose ranks have others."""
    return () if this_machine().allocated else core_distances(load_planner())


def _lacking(kernels: MeasuredKernels, what: str) -> list[str]:
    """The timings for which there was no time, in words."""
    left = kernels.wanted - kernels.timings
    return [f"{left} of {kernels.wanted} timings of {what}"] if left else []


def _device(kind: str, say: Callable[[str], None]) -> Device | None:
    """The device with its roof, launches and copies, or None for the CPU. StudyError, before
    anything else takes time, if there is no such device.
    """
    if kind == CPU:
        return None
    say(f"device {kind}")
    return measured_device(kind, measure_device(load_planner(), kind))


def _head(ranks: int, plan: Plan) -> dict[str, object]:
    """What must be the same for a measurement to go on."""
    own = {"host": this_host(), "ranks": ranks, "quick": plan.quick, "version": __version__}
    return own | {"device": plan.device}


def _look(target: HardwareTarget, journal: Journal, deadline: Deadline, watch: CoreWatch) -> None:
    """Find the nodes and the rates of the ranks, or take them from the journal; RunError if it
    takes too long.
    """
    if found := journal.first():
        target.know(*found)
        return
    try:
        target.look(RATES * deadline.left)
    except TooLongError as error:
        raise RunError(f"the ranks' rates could not be measured: {error}; {GIVE_MORE}") from None
    line = {"nodes": list(target.nodes), "rates": target.rates.to_dict()}
    journal.add(line | {"cores": list(watch.first)})


GIVE_MORE = "give a longer --limit, or measure when the machine is quiet"


def _check_curves(measurement: Measurement, curves: tuple[Curve, ...]) -> None:
    """RunError if a curve is missing without which a file cannot describe its machine."""
    for probe in measurement.probes:
        needed = probe.benchmark == "ping-pong"
        needed |= (probe.benchmark, probe.level) == ("ping-ping", "network")
        if needed and find(curves, probe.benchmark, level=probe.level) is None:
            raise RunError(
                f"there was no time for {probe.name}, without which no machine file can be "
                f"written; go on with the same command and --resume; {GIVE_MORE}"
            )


def _per_node(target: HardwareTarget) -> int:
    """Ranks per node; for a single node, at least as many as it has cores."""
    nodes = list(target.nodes)
    most = max(nodes.count(node) for node in set(nodes))
    return max(most, this_machine().cores) if len(set(nodes)) == 1 else most


def _check_ranks(ranks: int) -> None:
    if ranks < 2:
        raise StudyError("messages need at least two ranks; give --ranks 2 or more")


def _measured(target: Target, host: str = "", twin: str = "", load: float = 0.0) -> Measured:
    today = datetime.now(UTC).date().isoformat() if target.reference == "hardware" else ""
    return Measured(target.reference, target.ranks, today, host, twin, load)


def _result(
    description: str, measured: Measured, curves: tuple[Curve, ...], samples: Samples
) -> MeasuredMachine:
    text = f"{description}\n{measured_tables(measured, curves)}"
    return MeasuredMachine(parse_machine(text, "the measured machine's file"), text, samples)


def write(result: MeasuredMachine, output: Path) -> list[Path]:
    """Write the machine's file and the samples; RunError if the disk refuses."""
    samples = write_samples(result.samples, output)
    write_text(output, result.text)
    return [output, samples]


def write_samples(samples: Samples, output: Path) -> Path:
    """Write the samples beside the machine's file `output`; RunError as for `write`."""
    path = output.with_suffix(".samples.jsonl")
    write_text(path, "".join(_sample_lines(samples)))
    return path


def write_text(path: Path, text: str) -> None:
    """Write a file beside itself and rename it; RunError if the disk refuses."""
    try:
        replace_text(path, text)
    except OSError as error:
        raise RunError(f"{path} cannot be written: {disk_reason(error)}") from error


def _sample_lines(samples: Samples) -> list[str]:
    return [json.dumps(sample_line(launch, sample)) + "\n" for launch, sample in samples.taken]

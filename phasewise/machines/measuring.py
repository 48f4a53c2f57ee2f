"""``phasewise machine measure``: times the messages of a machine and writes its file.

It also writes NAME.samples.jsonl with every sample and NAME.svg with the curves.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from phasewise.errors import RunError, StudyError
from phasewise.machines.curves import Curve, Measured
from phasewise.machines.kernel_measurement import measure_kernels
from phasewise.machines.machine import Machine, load_machine, machine_path, parse_machine
from phasewise.machines.machine_file import description_of, hardware_description, measured_tables
from phasewise.machines.measure import Measurement, Samples
from phasewise.machines.targets import HardwareTarget, SimulatedTarget, Target
from phasewise.mpi.launch import this_machine
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.tables.files import read_text

LAUNCHES = 3


@dataclass(frozen=True)
class MeasuredMachine:
    """A measurement: the machine as its new file describes it, and every sample."""

    machine: Machine
    text: str
    samples: Samples


def measure_simulated(
    name: str, twin: str, ranks: int, quick: bool, say: Callable[[str], None]
) -> MeasuredMachine:
    """Measure the simulated twin of the machine `name`; StudyError if it has no such ranks."""
    machine = load_machine(name)
    target = SimulatedTarget(machine, twin, ranks)
    _check_ranks(ranks)
    measurement = Measurement(target, quick, say)
    curves = measurement.measure()
    text = description_of(read_text(machine_path(name)))
    return _result(text, _measured(target, twin=twin), curves, measurement.samples)


def measure_here(
    ranks: int, quick: bool, say: Callable[[str], None], keep: Callable[[Samples], object]
) -> MeasuredMachine:
    """Measure the machine, or the batch allocation, that this runs on.

    keep: called with the samples of the messages when they are complete, before the kernels are
    measured.
    """
    _check_ranks(ranks)
    target = HardwareTarget(ranks, 1 if quick else LAUNCHES)
    if target.crowded:
        say(
            f"{ranks} ranks share {this_machine().cores} cores: their times show the scheduler, "
            "not the machine, and every curve is marked noisy"
        )
    measurement = Measurement(target, quick, say)
    curves = measurement.measure()
    keep(measurement.samples)
    if target.crowded:
        curves = tuple(Curve(**(vars(curve) | {"noisy": True})) for curve in curves)
    nodes = list(target.nodes)
    per_node = max(nodes.count(node) for node in set(nodes))
    if len(set(nodes)) == 1:
        per_node = max(per_node, this_machine().cores)
    say("kernels")
    text = hardware_description(
        target.host, per_node, len(set(nodes)), target.roof, curves, measure_kernels(ranks)
    )
    return _result(text, _measured(target, host=target.host), curves, measurement.samples)


def _check_ranks(ranks: int) -> None:
    if ranks < 2:
        raise StudyError("a machine's messages need two ranks at least; give --ranks 2 or more")


def _measured(target: Target, host: str = "", twin: str = "") -> Measured:
    today = datetime.now(UTC).date().isoformat() if target.reference == "hardware" else ""
    return Measured(target.reference, target.ranks, today, host, twin)


def _result(
    description: str, measured: Measured, curves: tuple[Curve, ...], samples: Samples
) -> MeasuredMachine:
    text = f"{description}\n{measured_tables(measured, curves)}"
    return MeasuredMachine(parse_machine(text, "the measured machine's file"), text, samples)


def write(result: MeasuredMachine, output: Path) -> list[Path]:
    """Write the machine's file and the samples; RunError if the disk refuses."""
    samples = write_samples(result.samples, output)
    _replace(output, result.text)
    return [output, samples]


def write_samples(samples: Samples, output: Path) -> Path:
    """Write the samples beside the machine's file `output`; RunError as for `write`."""
    path = output.with_suffix(".samples.jsonl")
    _replace(path, "".join(_sample_lines(samples)))
    return path


def _replace(path: Path, text: str) -> None:
    try:
        replace_text(path, text)
    except OSError as error:
        raise RunError(f"{path} cannot be written: {disk_reason(error)}") from error


def _sample_lines(samples: Samples) -> list[str]:
    return [
        json.dumps(
            sample.probe.labels
            | {
                "bytes": sample.size,
                "launch": launch,
                "seconds": sample.seconds.tolist(),
                "skew": sample.skew.tolist(),
                "missed": [int(missed) for missed in sample.missed],
            }
        )
        + "\n"
        for launch, sample in samples.taken
    ]

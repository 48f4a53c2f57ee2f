"""``phasewise machine measure``: times the messages of a machine and writes its file.

Beside NAME.toml stand NAME.samples.jsonl, every sample that was taken, and NAME.svg, the curves.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from phasewise.disk import disk_reason, replace_text
from phasewise.errors import RunError, StudyError
from phasewise.launch import this_machine
from phasewise.machines.curves import Curve, Measured
from phasewise.machines.kernel_measurement import measure_kernels
from phasewise.machines.machine import Machine, load_machine, machine_path, parse_machine
from phasewise.machines.machine_file import description_of, hardware_description, measured_tables
from phasewise.machines.measure import Measurement, Samples
from phasewise.machines.targets import HardwareTarget, SimulatedTarget, Target
from phasewise.output import message, print_json, print_table
from phasewise.report.curves import draw_curves
from phasewise.report.style import scale
from phasewise.study.files import read_text

SIMULATED_RANKS = 64
LAUNCHES = 3


@dataclass(frozen=True)
class Result:
    """What was measured: the machine as its file now describes it, and every sample."""

    machine: Machine
    text: str
    samples: Samples


def main(options: argparse.Namespace) -> int:
    """Measure ``options.machine``, or this machine, into ``options.output``; the exit status."""
    output = Path(options.output)
    if output.suffix != ".toml":
        raise StudyError(f"--output {output}: a machine's file ends in .toml")
    if not output.resolve().parent.is_dir():
        raise StudyError(f"--output {output}: there is no folder {output.parent}")
    _check_writable(output)
    if options.machine is not None:
        ranks = options.ranks or SIMULATED_RANKS
        result = measure_simulated(options.machine, options.twin, ranks, options.quick, message)
    else:
        ranks = options.ranks or this_machine().cores
        # The kernels take a minute yet: what was timed until then is not to be lost with them.
        keep = partial(write_samples, output=output)
        result = measure_here(ranks, options.quick, message, keep)
    files = write(result, output)
    if options.json:
        print_json(summary(result.machine, files))
    else:
        show(result.machine)
        message(f"wrote {', '.join(map(str, files))}")
    return 0


def _check_writable(output: Path) -> None:
    """StudyError or RunError where the files could not be written once all is measured."""
    if output.is_dir():
        raise StudyError(f"--output {output} is a folder: name a file in it")
    try:
        with TemporaryFile(dir=output.resolve().parent):
            pass
    except OSError as error:
        raise RunError(
            f"--output {output}: no file can be made in {output.parent} ({disk_reason(error)})"
        ) from error


def measure_simulated(
    name: str, twin: str, ranks: int, quick: bool, say: Callable[[str], None]
) -> Result:
    """Measure the simulated twin of the machine `name`; StudyError where it has no such ranks."""
    machine = load_machine(name)
    target = SimulatedTarget(machine, twin, ranks)
    _check_ranks(ranks)
    measurement = Measurement(target, quick, say)
    curves = measurement.measure()
    text = description_of(read_text(machine_path(name)))
    return _result(text, _measured(target, twin=twin), curves, measurement.samples)


def measure_here(
    ranks: int, quick: bool, say: Callable[[str], None], keep: Callable[[Samples], object]
) -> Result:
    """Measure the machine, or the batch allocation, that this runs on.

    keep: takes the samples of the messages as soon as all are there, before the kernels.
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
) -> Result:
    text = f"{description}\n{measured_tables(measured, curves)}"
    return Result(parse_machine(text, "the measured machine's file"), text, samples)


def write(result: Result, output: Path) -> list[Path]:
    """Write the machine's file, the samples and the picture; RunError where the disk refuses."""
    samples = write_samples(result.samples, output)
    picture = output.with_suffix(".svg")
    _replace(picture, draw_curves(result.machine))
    _replace(output, result.text)
    return [output, samples, picture]


def write_samples(samples: Samples, output: Path) -> Path:
    """Write the samples to beside the machine's file `output`; RunError as `write`."""
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


def summary(machine: Machine, files: list[Path]) -> dict[str, Any]:
    """What ``machine measure --json`` prints."""
    assert machine.measured is not None
    return {
        "name": machine.name,
        "reference": machine.measured.reference,
        "ranks": machine.measured.ranks,
        "curves": [{"name": curve.name, **vars(curve)} for curve in machine.curves],
        "noisy": [curve.name for curve in machine.curves if curve.noisy],
        "files": [str(path) for path in files],
    }


def show(machine: Machine) -> None:
    """Print the curves' lines as a table."""
    measured = machine.measured
    assert measured is not None
    twin = f", {measured.twin} twin: a simulator, not hardware" if measured.twin else ""
    print_table(
        f"{machine.name}: {measured.ranks} ranks{twin}",
        ["benchmark", "latency [µs]", "MB/s", "off the line", "new protocol from", ""],
        [
            [
                curve.name,
                f"{curve.latency * 1e6:.2f}",
                f"{curve.bandwidth / 1e6:.0f}",
                f"{100 * curve.residual:.0f} %",
                ", ".join(_size_text(size) for size in curve.bends) or "–",
                "noisy" if curve.noisy else "",
            ]
            for curve in machine.curves
        ],
    )


def _size_text(size: int) -> str:
    factor, unit = scale(size, "B")
    return f"{size * factor:.3g} {unit}"

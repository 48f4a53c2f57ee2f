"""``phasewise machine``: lists machines, shows one, measures one and writes its file, or imports
curves of published benchmarks.

`measure` also writes NAME.samples.jsonl, with every sample, and NAME.svg, with the curves, beside
NAME.toml.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from phasewise.errors import RunError, StudyError
from phasewise.machines import TWINS
from phasewise.machines.curves import Curve
from phasewise.machines.device import Device
from phasewise.machines.importing import KINDS, LEVELS, curve_tables, import_curves, with_curves
from phasewise.machines.journal import journal_path
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.measuring import (
    MeasuredMachine,
    Plan,
    measure_here,
    measure_simulated,
    write,
    write_samples,
    write_text,
)
from phasewise.machines.schema import DEVICES
from phasewise.machines.shown import show_list, show_machine
from phasewise.mpi.launch import this_machine
from phasewise.options import Parser, add_json, count
from phasewise.output import console, message, print_json, print_table
from phasewise.report.curves import draw_curves
from phasewise.report.style import scale
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.runs.roof import TO_DEVICE, TO_HOST
from phasewise.study.study import CPU

SIMULATED_RANKS = 64

LIMIT_MINUTES = 10.0
LEAST_MINUTES, MOST_MINUTES = 0.1, 1e5


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print what was measured as JSON")
    parser.add_argument(
        "action",
        choices=["measure", "list", "show", "import"],
        help="measure a machine, list those that phasewise knows, show one, or import curves",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="show: the machine, or its file; import: osu, imb or netpipe, and what it printed",
    )
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="import: whether the messages were within a node or between two (network)",
    )
    parser.add_argument(
        "--machine",
        metavar="M",
        help="a simulated machine (by default, the machine that this runs on); import: the machine "
        "that gets the curves",
    )
    parser.add_argument("--ranks", type=count, metavar="N", help="ranks that take part")
    parser.add_argument(
        "--twin", choices=TWINS, default="full", help="which twin of a simulated machine to measure"
    )
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions")
    parser.add_argument(
        "--limit",
        type=float,
        metavar="MINUTES",
        help=f"time for a measurement of this machine ({LIMIT_MINUTES:g}); what does not fit is "
        "left out",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with an unfinished measurement",
    )
    parser.add_argument(
        "--device",
        choices=DEVICES,
        metavar="D",
        help=f"measure a device of this machine too: {' or '.join(DEVICES)}",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="measure: the machine's file")


def main(options: argparse.Namespace) -> int:
    """Do what ``options.action`` says, and return the exit status."""
    _check_names(options.action, options.names)
    _check_unused(options)
    if options.action == "list":
        show_list(options.json)
    elif options.action == "show":
        show_machine(options.names[0], options.json)
    elif options.action == "import":
        _import(options)
    else:
        _measure(options)
    return 0


def _check_names(action: str, names: Sequence[str]) -> None:
    """StudyError unless the action has as many names as it takes."""
    if action == "show" and len(names) != 1:
        raise StudyError("give machine show the name of one machine, or its file")
    if action == "import" and not names:
        raise StudyError(f"give machine import {' | '.join(KINDS)} FILE…")
    if action in ("list", "measure") and names:
        raise StudyError(f"machine {action} takes no name, but {names[0]} is given")


def _check_unused(options: argparse.Namespace) -> None:
    """StudyError if an option is given with an action that has no use for it."""
    measures = ("ranks", "limit", "device", "quick", "resume")
    uses: dict[str, tuple[str, ...]] = {
        "measure": (*measures, "machine", "output"),
        "import": ("machine", "output", "level"),
    }
    for name in (*measures, "machine", "output", "level"):
        if getattr(options, name) and name not in uses.get(options.action, ()):
            others = " and ".join(f"machine {one}" for one in uses if name in uses[one])
            raise StudyError(f"--{name} is for {others}, not for machine {options.action}")


def _import(options: argparse.Namespace) -> None:
    """Print the curves of published benchmarks, or write them into a machine's file."""
    kind, *files = options.names
    if (options.machine is None) != (options.output is None):
        raise StudyError(
            "machine import writes a file where both are given: --machine, the machine that gets "
            "the curves, and --output, its new file"
        )
    if options.output is not None:
        output = _output_file(options)
    curves = import_curves(kind, [Path(file) for file in files], options.level or "network")
    if options.output is not None:
        text = with_curves(options.machine, curves)
        write_text(output, text)
    if options.json:
        print_json({"curves": curve_entries(curves)})
    elif options.output is not None:
        show(parse_machine(text, str(output)))
        message(f"wrote {output}")
    else:
        console().print(curve_tables(curves), soft_wrap=True, markup=False, highlight=False)


def _output_file(options: argparse.Namespace) -> Path:
    """The file that is to be written; StudyError or RunError if it cannot be."""
    if options.output is None:
        raise StudyError("machine measure writes a file: name it with --output, as here.toml")
    output = Path(options.output)
    if output.suffix != ".toml":
        raise StudyError(f"--output {output}: a machine's file ends in .toml")
    if not output.resolve().parent.is_dir():
        raise StudyError(f"--output {output}: there is no folder {output.parent}")
    _check_writable(output)
    return output


def _measure(options: argparse.Namespace) -> None:
    """Measure ``options.machine``, or this machine, into ``options.output``."""
    output = _output_file(options)
    _check_options(options)
    if options.machine is not None:
        ranks = options.ranks or SIMULATED_RANKS
        result = measure_simulated(options.machine, options.twin, ranks, options.quick, message)
    else:
        ranks = options.ranks or this_machine().cores
        # Measuring the kernels takes another minute, so the samples of the messages are written
        # first.
        keep = partial(write_samples, output=output)
        minutes = LIMIT_MINUTES if options.limit is None else options.limit
        plan = Plan(output, options.quick, 60 * minutes, options.resume, options.device or CPU)
        try:
            result = measure_here(ranks, plan, message, keep)
        except KeyboardInterrupt:
            message(f"{journal_path(output)} keeps what is measured: --resume goes on from there")
            raise
    picture = output.with_suffix(".svg")
    _write_picture(result.machine, picture)
    files = [*write(result, output), picture]
    if options.json:
        print_json(summary(result, files))
    else:
        show(result.machine)
        message(f"wrote {', '.join(map(str, files))}")
    if options.machine is None:
        _end_journal(result, output)


def _end_journal(result: MeasuredMachine, output: Path) -> None:
    """Remove the journal if nothing is missing; otherwise say what is missing, and how to go on."""
    journal = journal_path(output)
    if not result.missing:
        journal.unlink(missing_ok=True)
        return
    message(
        f"warning: there was no time for {', '.join(result.missing)}; {output} can be used without "
        f"them, and {journal} keeps what is measured: go on with the same command and --resume"
    )


def _check_options(options: argparse.Namespace) -> None:
    """StudyError if --limit, --resume and --device cannot be used as given."""
    of_this_machine = {
        "--limit": options.limit is not None,
        "--resume": options.resume,
        "--device": options.device is not None,
    }
    for name, given in of_this_machine.items():
        if given and options.machine is not None:
            raise StudyError(f"{name} is for measuring this machine; leave it out with --machine")
    limit = options.limit
    if limit is not None and not LEAST_MINUTES <= limit <= MOST_MINUTES:
        raise StudyError(
            f"--limit {limit:g} is not between {LEAST_MINUTES:g} and {MOST_MINUTES:g} minutes"
        )


def _write_picture(machine: Machine, path: Path) -> None:
    try:
        replace_text(path, draw_curves(machine))
    except OSError as error:
        raise RunError(f"{path} cannot be written: {disk_reason(error)}") from error


def _check_writable(output: Path) -> None:
    """Check before measuring that the files can be written; StudyError or RunError if not."""
    if output.is_dir():
        raise StudyError(f"--output {output} is a folder: name a file in it")
    try:
        with TemporaryFile(dir=output.resolve().parent):
            pass
    except OSError as error:
        raise RunError(
            f"--output {output}: no file can be made in {output.parent} ({disk_reason(error)})"
        ) from error


def summary(result: MeasuredMachine, files: list[Path]) -> dict[str, Any]:
    """What ``machine measure --json`` prints."""
    machine = result.machine
    assert machine.measured is not None
    return {
        "name": machine.name,
        "reference": machine.measured.reference,
        "ranks": machine.measured.ranks,
        "curves": curve_entries(machine.curves),
        "noisy": [curve.name for curve in machine.curves if curve.noisy],
        "files": [str(path) for path in files],
        "device": None if machine.device is None else asdict(machine.device),
        "missing": list(result.missing),
        "core_share": None if result.core_share is None else result.core_share.share,
    }


def curve_entries(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Curves as JSON has them."""
    return [{"name": curve.name, **vars(curve)} for curve in curves]


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
    if machine.device is not None:
        console().print(device_sentence(machine.device), soft_wrap=True)


def device_sentence(device: Device) -> str:
    """What a device can do, in a sentence."""
    moved = max(device.transfers.sizes)
    there, back = (
        moved / device.transfers.seconds_of(way, moved) / 1e9 for way in (TO_DEVICE, TO_HOST)
    )
    return (
        f"device {device.name}: {device.bandwidth / 1e9:.4g} GB/s, {device.flops / 1e9:.4g} "
        f"Gflop/s, {device.additions / 1e9:.3g}e9 additions/s, a kernel takes "
        f"{device.launch * 1e6:.3g} µs after another and {device.wait * 1e6:.3g} µs if the host "
        f"waits for it, copies run at {there:.3g} GB/s to the device and {back:.3g} GB/s back"
    )


def _size_text(size: int) -> str:
    factor, unit = scale(size, "B")
    return f"{size * factor:.3g} {unit}"

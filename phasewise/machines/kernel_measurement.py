"""Measures the rates of the workloads' kernels on this machine, timing by timing.

The contract `Measuring` (kernel_rates.py) says what is timed of a workload.

    python -m phasewise.machines.kernel_measurement FILE THREADS END DEVICE

is one of the ranks; the first writes a line behind FILE for each timing, and all end at the moment
END [s since 1970]. What FILE has already is not timed again.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.driver import Core, load_core
from phasewise.errors import RunError
from phasewise.machines.deadline import Deadline
from phasewise.machines.journal import append, kernel_lines
from phasewise.machines.kernel_rates import KernelRate, Measuring
from phasewise.mpi.launch import TooLongError, launch_command, run_to_end
from phasewise.mpi.ranks import together
from phasewise.output import describe, message
from phasewise.runs.core_share import CoreShare, ProcessorTimes, core_share_of, node_facts
from phasewise.runs.roof import computed_by_host
from phasewise.scratch import temporary_folder
from phasewise.study.study import CPU
from phasewise.workload.discovery import with_part
from phasewise.workload.interface import Workload


@dataclass(frozen=True)
class MeasuredKernels:
    """Rates by name, how many of how many timings they come from, and how much of a core the ranks
    had in these.
    """

    rates: dict[str, KernelRate]
    timings: int
    wanted: int
    core_share: CoreShare | None


def measure_kernels(
    ranks: int, file: Path, deadline: Deadline, threads: int = 1, device: str = CPU
) -> MeasuredKernels:
    """Start ranks here and time the kernels, less what `file` has, until the deadline.

    RunError if the ranks fail. On a quiet machine they take about a minute; `ranks` times `threads`
    should be all cores of a node. On a device there should be one rank, which has it alone.
    """
    if not deadline.passed:
        _time_kernels(ranks, file, deadline, threads, device)
    lines = kernel_lines(file)
    rates: dict[str, KernelRate] = {}
    for name, part in with_part(Measuring).items():
        keys = {case: _key(name, case, device) for case in _cases(part, device)}
        own = {case: lines[key]["timed"] for case, key in keys.items() if key in lines}
        found = part.rates(own)
        rates |= found if device == CPU else _of_device(part.workload, found)
    wanted = _all_cases(device)
    done = [lines[key] for key in wanted if key in lines]
    return MeasuredKernels(rates, len(done), len(wanted), _usual_share(done))


def _of_device(workload: Workload, rates: Mapping[str, KernelRate]) -> dict[str, KernelRate]:
    """The rates of kernels that run on the device, less those that the host computes."""
    host = computed_by_host(workload)
    return {name: rate for name, rate in rates.items() if name not in host}


def _usual_share(lines: Iterable[Mapping[str, Any]]) -> CoreShare | None:
    """The share of a core in the timing whose ranks had the median share of all timings."""
    found = [core_share_of(line["processor"], line["processor"]["rank"]) for line in lines]
    known = sorted((share for share in found if share is not None), key=lambda share: share.share)
    return known[len(known) // 2] if known else None


def _time_kernels(ranks: int, file: Path, deadline: Deadline, threads: int, device: str) -> None:
    end = time.time() + deadline.left
    words = [str(file.absolute()), str(threads), repr(end), device]
    command = [sys.executable, "-m", __name__, *words]
    environment: Mapping[str, str] = os.environ
    if ranks > 1:
        command, environment = launch_command(command, ranks, threads, alone=True)
    with temporary_folder("kernels") as folder:
        try:
            status, sentence = run_to_end(command, environment, Path(folder), deadline.left)
        except TooLongError:
            return  # a timing that did not end is lost, those before it are in the file
    if status:
        raise RunError(f"the kernels could not be measured: {sentence or 'a rank died'}")


def _all_cases(device: str) -> dict[str, tuple[Measuring, str]]:
    """What is timed of all workloads, by its name in the file."""
    return {
        _key(name, case, device): (part, case)
        for name, part in with_part(Measuring).items()
        for case in _cases(part, device)
    }


def _key(name: str, case: str, device: str) -> str:
    return f"{name}: {case}" if device == CPU else f"{name} on {device}: {case}"


def _cases(part: Measuring, device: str) -> Sequence[str]:
    return part.cases() if device == CPU else part.device_cases()


def time_all(
    core: Core,
    threads: int,
    known: Collection[str],
    left: Callable[[], float],
    keep: Callable[[str, Any, dict[str, Any]], None],
    device: str = CPU,
) -> None:
    """Time what is not known with the ranks of this run at work; collective.

    left: seconds until the end; each timing gets its share of them. keep: called on rank 0 with
    the name of each timing, the timing, and what the system gave the ranks meanwhile.
    """
    wanted = {key: of for key, of in _all_cases(device).items() if key not in known}
    for number, (key, (part, case)) in enumerate(wanted.items()):
        seconds = left()
        if core.any(core.rank() == 0 and seconds <= 0):
            return
        share = seconds / (len(wanted) - number)
        processor = ProcessorTimes()
        with processor.counted():
            timed = part.time_case(core, threads, case, share, device)
        mine = processor.to_dict() | {"seconds": processor.seconds}
        ranks = [json.loads(part) for part in core.gather(json.dumps(mine).encode())]
        if core.rank() == 0:
            keep(key, timed, node_facts(threads) | {"rank": ranks})


def main(argv: Sequence[str]) -> int:
    """One of the ranks."""
    file, threads, end, device = Path(argv[0]), int(argv[1]), float(argv[2]), argv[3]
    core = load_core()

    def keep(key: str, timed: Any, processor: dict[str, Any]) -> None:
        append(file, {"kernel": key, "timed": timed, "processor": processor})

    def here() -> int:
        mine = json.dumps([*kernel_lines(file)]).encode() if core.rank() == 0 else b""
        known = json.loads(core.broadcast(mine))
        time_all(core, threads, known, lambda: end - time.time(), keep, device)
        return 0

    try:
        return together(core, here)
    except Exception as error:  # of a rank alone
        message(f"phasewise: {describe(error)}")
        return RunError.exit_status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

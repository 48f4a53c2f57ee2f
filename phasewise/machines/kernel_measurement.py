"""Measures the rates of the workloads' kernels on this machine: a workload's part `measuring` has
`measure(core, threads)`, which runs on all ranks at once, since they share the memory.

    python -m phasewise.machines.kernel_measurement FILE THREADS

is one of the ranks; the first writes what was measured into FILE.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from phasewise.driver import Core, load_core
from phasewise.errors import RunError
from phasewise.machines.kernel_rates import KernelRate
from phasewise.mpi.launch import launch_command, run_to_end
from phasewise.mpi.ranks import together
from phasewise.workloads.discovery import with_part

LIMIT = 600.0
"""Time limit of the measurement [s]."""


def measure_kernels(ranks: int, threads: int = 1) -> dict[str, KernelRate]:
    """Start ranks here and measure the rates; RunError if they fail.

    They take about a minute; `ranks` times `threads` should be all cores of a node.
    """
    with TemporaryDirectory(prefix="phasewise-kernels-") as folder:
        out = Path(folder) / "rates.json"
        command = [sys.executable, "-m", "phasewise.machines.kernel_measurement"]
        command += [str(out), str(threads)]
        environment: Mapping[str, str] = os.environ
        if ranks > 1:
            command, environment = launch_command(command, ranks, threads, alone=True)
        status, sentence = run_to_end(command, environment, Path(folder), LIMIT)
        if status or not out.is_file():
            raise RunError(f"the kernels could not be measured: {sentence or 'a rank died'}")
        return {
            name: KernelRate(rate["unit"], tuple(rate["sizes"]), tuple(rate["seconds"]))
            for name, rate in json.loads(out.read_text(encoding="utf-8")).items()
        }


def measure_all(core: Core, threads: int) -> dict[str, KernelRate]:
    """The rates of all workloads' kernels with the ranks of this run at work; collective."""
    rates: dict[str, KernelRate] = {}
    for workload in with_part("measuring").values():
        rates |= workload.offers("measuring", "measure", _nothing)(core, threads)
    return rates


def _nothing(_core: Core, _threads: int) -> dict[str, KernelRate]:
    return {}


def main(argv: Sequence[str]) -> int:
    """One of the ranks."""
    out, threads = Path(argv[0]), int(argv[1])
    core = load_core()

    def here() -> int:
        rates = measure_all(core, threads)
        if core.rank() == 0:
            out.write_text(json.dumps({name: asdict(rate) for name, rate in rates.items()}))
        return 0

    return together(core, here)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

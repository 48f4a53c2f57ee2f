"""The time of a solve of lattice QCD in every variant: protocols × faces × overlap.

    .venv/bin/python -m benchmarks.qcd_variants --ranks 2 --threads 2 --grid 1x1x2x1
    .venv/bin/python -m benchmarks.qcd_variants --ranks 64 --machine xt4 --size 24 24 24 48

The time is that of the fastest of some solves on the ranks of this machine, or, with --machine,
that of a solve on simulated ranks. All ranks begin a solve together, and the last rank ends it.
Variants that are unavailable are left out, with one sentence. Faces in runs are many messages, for
which the simulator takes minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

from phasewise.driver import load_core
from phasewise.errors import PhasewiseError, StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.overhead import check_overhead
from phasewise.machines.turn_times import time_turns
from phasewise.mpi.launch import launch_command
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.simulated.simulate import Request
from phasewise.simulated.timing import time_simulated
from phasewise.study import Study
from phasewise.workload.protocols import NOT_SIMULATED, PROTOCOLS, available
from phasewise.workloads.qcd.communication import THREAD

MODULE = "benchmarks.qcd_variants"
FACES: dict[str, dict[str, str]] = {
    "half": {"spinors": "half", "blocks": "packed"},
    "half runs": {"spinors": "half", "blocks": "runs"},
    "full": {"spinors": "full", "blocks": "packed"},
    "full runs": {"spinors": "full", "blocks": "runs", "kernel": "plain"},
    "full derived": {"spinors": "full", "blocks": "derived", "kernel": "plain"},
}
"""Spinors and blocks, with the kernel that orders the sites if they are sent from a field."""
OVERLAPS: dict[str, bool | str] = {"": False, "overlap": True, "thread": THREAD}
BATCH = 8
"""How many simulations one run of the simulator makes."""
REPETITIONS = 3


@dataclass(frozen=True)
class Variant:
    """A protocol, a kind of face and an overlap, by their names."""

    protocol: str
    faces: str
    overlap: str

    @property
    def name(self) -> str:
        """The variant in words."""
        return " ".join(word for word in (self.protocol, self.faces, self.overlap) if word)

    def study(self, options: argparse.Namespace) -> Study:
        """A solve of few iterations."""
        overlap = OVERLAPS[self.overlap]
        own = {"halo": self.protocol, "overlap": overlap, "process_grid": options.grid}
        return Study.from_dict(
            {
                "workload": "qcd",
                "solves": 1,
                "lattice": {"size": options.size},
                "quarks": {"kappa": 0.12},
                "solver": {"iterations": options.iterations},
                "communication": own | FACES[self.faces],
            }
        )


def asked(options: argparse.Namespace) -> list[Variant]:
    """All variants that the options ask for."""
    overlaps = ["" if word == "none" else word for word in options.overlaps]
    return [Variant(*one) for one in product(options.protocols, options.faces, overlaps)]


def refusal(variant: Variant, options: argparse.Namespace, machine: Machine | None) -> str:
    """Why a variant is unavailable; empty if it is available."""
    try:
        study = variant.study(options)
        study.check_ranks(options.ranks)
        if machine is not None:
            check_overhead(machine, study.communication)
    except StudyError as error:
        return str(error)
    if machine is not None and variant.protocol in NOT_SIMULATED:
        return f"SimGrid lacks {variant.protocol}"
    if machine is None and variant.protocol not in available():
        return f"this build lacks {variant.protocol}"
    if variant.overlap == THREAD and options.threads == 1:
        return "with one thread a rank a thread that communicates is overlap = true"
    return ""


def simulated(variants: Sequence[Variant], options: argparse.Namespace) -> list[float]:
    """Seconds of a solve of each variant on simulated ranks, with messages without contents."""
    request = Request(load_machine(options.machine), options.ranks, skeleton=True)
    parts = [variants[i : i + BATCH] for i in range(0, len(variants), BATCH)]

    def times(part: Sequence[Variant]) -> list[float]:
        found = time_simulated([variant.study(options) for variant in part], request)
        return [one.seconds for one in found]

    with ThreadPoolExecutor(options.workers) as pool:
        return [seconds for part in pool.map(times, parts) for seconds in part]


def measured(variants: Sequence[Variant], options: argparse.Namespace) -> list[float]:
    """Seconds of a solve of each variant on ranks of this machine, which run this script."""
    words = [[variant.protocol, variant.faces, variant.overlap] for variant in variants]
    given = {name: getattr(options, name) for name in ("size", "iterations", "grid", "threads")}
    program = [sys.executable, "-m", MODULE, "--here", json.dumps({"variants": words, **given})]
    command, environment = launch_command(program, options.ranks, options.threads)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StudyError(f"the ranks failed: {done.stderr.strip()[-500:]}")
    return [float(seconds) for seconds in json.loads(done.stdout.splitlines()[-1])]


def on_this_rank(text: str) -> None:
    """Time what `measured` asks for; rank 0 prints."""
    given = json.loads(text)
    options = argparse.Namespace(**given)
    studies = [Variant(*words).study(options) for words in given["variants"]]
    core = load_core()
    found = time_turns(core, studies, options.threads, REPETITIONS)
    if core.rank() == 0:
        print(json.dumps([one.quickest for one in found]))


def show(found: dict[Variant, float], left_out: dict[str, list[str]], title: str) -> None:
    """Print the times in ms, as a table of protocols and faces for each overlap."""
    by_place = {(one.protocol, one.faces, one.overlap): s for one, s in found.items()}
    faces = list(dict.fromkeys(variant.faces for variant in found))
    for overlap in dict.fromkeys(variant.overlap for variant in found):
        rows = []
        for protocol in dict.fromkeys(variant.protocol for variant in found):
            times = [by_place.get((protocol, one, overlap)) for one in faces]
            rows.append([protocol, *("" if s is None else f"{1e3 * s:.4g}" for s in times)])
        print_table(f"{title}, {overlap or 'no overlap'}", ["ms", *faces], rows)
    for why, names in left_out.items():
        message(f"{len(names)} left out, as {names[0]}: {why}")


def read_options(words: Sequence[str]) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description="Every variant of a lattice's exchanges.")
    parser.add_argument("--ranks", type=count, default=2, metavar="R")
    parser.add_argument("--threads", type=count, default=1, metavar="T")
    parser.add_argument("--machine", metavar="M", help="simulated ranks of it")
    parser.add_argument("--size", type=count, nargs=4, default=[8, 8, 8, 16], metavar="L")
    parser.add_argument("--grid", default="auto", metavar="XxYxZxT")
    parser.add_argument("--iterations", type=count, default=1, metavar="N")
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=PROTOCOLS)
    parser.add_argument("--faces", nargs="+", choices=tuple(FACES), default=tuple(FACES))
    overlaps = tuple(word or "none" for word in OVERLAPS)
    parser.add_argument("--overlaps", nargs="+", choices=overlaps, default=overlaps)
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="simulators")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Time all variants and print the times; return the exit status."""
    if words[:1] == ["--here"]:
        on_this_rank(words[1])
        return 0
    options = read_options(words)
    left_out: dict[str, list[str]] = {}
    possible: list[Variant] = []
    try:
        machine = load_machine(options.machine) if options.machine else None
        for variant in asked(options):
            if why := refusal(variant, options, machine):
                left_out.setdefault(why, []).append(variant.name)
            else:
                possible.append(variant)
        seconds = (simulated if machine else measured)(possible, options)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    found = dict(zip(possible, seconds, strict=True))
    where = f"simulated ranks of {options.machine}" if machine else "ranks of this machine"
    head: dict[str, Any] = {"ranks": options.ranks, "threads": options.threads, "where": where}
    if options.json:
        rows = [{**vars(variant), "seconds": s} for variant, s in found.items()]
        print_json({**head, "variants": rows, "left_out": left_out})
    else:
        size = "×".join(map(str, options.size))
        show(found, left_out, f"a solve of {size} on {options.ranks} {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

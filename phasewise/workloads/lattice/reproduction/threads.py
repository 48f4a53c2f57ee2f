"""The claim on threads, measured on this computer: 8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from phasewise.errors import RunError
from phasewise.machines.load import load_now
from phasewise.mpi.children import child
from phasewise.mpi.launch import this_machine, without_mpi
from phasewise.reproduction.claim import Claim
from phasewise.workloads.lattice.reproduction.published import SOURCE

CASE = "small"
"""8³×16."""
SHARE = 0.78
NEAR = 0.05
"""By how much the share may be off."""
TIMES, QUICK_TIMES = 2, 1
"""How often each is measured."""
SOLVES = 20
"""Timed in a measurement, of which the fastest counts: others may use the computer too."""
BUSY = " Others used it meanwhile, so that the share may be that of their work."
SECONDS = 120.0
"""A measurement that takes longer has failed."""


def claim(quick: bool) -> Claim:
    """Measure both in turn; without two cores, or without MPI, it is not looked at."""
    if this_machine().cores < 2:
        return SOURCE.claim("8", "–", None, "This computer gives it one core.", real=True)
    load = load_now()
    rates: dict[tuple[int, int], float] = {}
    try:
        for _ in range(QUICK_TIMES if quick else TIMES):
            for ranks, threads in ((2, 1), (1, 2)):
                rate = fastest_rate(_measured(ranks, threads))
                rates[ranks, threads] = max(rate, rates.get((ranks, threads), 0.0))
    except RunError as error:
        return SOURCE.claim("8", "–", None, f"It could not be measured: {error}.", real=True)
    return judge(rates[2, 1], rates[1, 2], BUSY if load.busy else "")


def judge(processes: float, threads: float, remark: str = "") -> Claim:
    """8: a process of two threads has 78 ± 5 % of the rate [Gflop/s] of two processes; remark: what
    else the computer did.
    """
    share = threads / processes
    return SOURCE.claim(
        "8",
        f"{100 * share:.0f} %: {threads:.2f} Gflop/s with two threads, {processes:.2f} with two "
        "processes",
        abs(share - SHARE) <= NEAR,
        "Both bound to two cores of this computer, memory first touched by the thread that uses "
        f"it; without clover term.{remark}",
        real=True,
    )  # fmt: skip


def fastest_rate(found: Mapping[str, Any]) -> float:
    """Gflop/s of the fastest solve; the bench gives that of the median."""
    median = float(found["four_figures"]["overall_gigaflops"])
    return median * float(found["seconds_per_solve"]) / float(found["fastest_solve"])


def _measured(ranks: int, threads: int) -> Mapping[str, Any]:
    """What `bench lattice` prints; RunError with its sentence if it fails."""
    own = ["bench", "lattice", "--case", CASE, "--turns", str(SOLVES), "--json"]
    shape = ["--ranks", str(ranks), "--threads", str(threads)]
    command = [sys.executable, "-m", "phasewise", *own, *shape]
    with child(command, without_mpi(os.environ), stdout=subprocess.PIPE) as process:
        try:
            text, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise RunError(f"bench lattice took more than {SECONDS:.0f} s") from None
    try:
        found: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"bench lattice ended with status {process.returncode}") from error
    if process.returncode:
        raise RunError(str(found.get("error", f"status {process.returncode}")))
    return found

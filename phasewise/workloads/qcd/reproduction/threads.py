"""The claim on threads, measured on this computer: 8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phasewise.errors import RunError
from phasewise.machines.load import load_now
from phasewise.mpi.children import child
from phasewise.mpi.launch import this_machine, without_mpi
from phasewise.reproduction.claim import NOTHING, Claim
from phasewise.workloads.qcd.reproduction.published import SOURCE

CASE = "small"
"""The lattice 8³×16."""
SHARE = 0.78
NEAR = 0.05
"""Largest accepted difference of the share from the source's."""
TIMES, QUICK_TIMES = 5, 2
"""Number of pairs of measurements; the two of a pair directly follow each other."""
SOLVES = 10
"""Solves that a measurement times; the fastest counts, since others may use the computer too."""
AGREED = 0.10
"""Largest spread of the middle half of the shares; if it is larger, the claim is not decided."""
BUSY = " Other programs used the computer meanwhile, so that the share may reflect their work."
SECONDS = 120.0
"""A measurement that takes longer than this counts as failed."""


def claim(quick: bool) -> Claim:
    """Claim 8, measured in turn with processes and with threads; without two cores or MPI it is not
    checked.
    """
    if this_machine().cores < 2:
        return SOURCE.claim(
            "8", NOTHING, None, "This process may use only one core of this computer.", real=True
        )
    load = load_now()
    times = QUICK_TIMES if quick else TIMES
    try:
        pairs = [_pair(threads_first=number % 2 == 1) for number in range(times)]
    except RunError as error:
        return SOURCE.claim("8", NOTHING, None, f"It could not be measured: {error}.", real=True)
    return judge(pairs, BUSY if load.busy else "")


def _pair(threads_first: bool) -> tuple[float, float]:
    """The rates with two processes and with two threads. They are measured one right after the
    other, so that whatever slows the computer for seconds slows both; threads_first: which is
    measured first.
    """
    shapes = [(2, 1), (1, 2)]
    order = reversed(shapes) if threads_first else shapes
    rates = {shape: fastest_rate(_measured(*shape)) for shape in order}
    return rates[shapes[0]], rates[shapes[1]]


def judge(pairs: Sequence[tuple[float, float]], remark: str = "") -> Claim:
    """Claim 8: a process with two threads has 78 ± 5 % of the rate [Gflop/s] of two processes, as
    the median over pairs; it is not decided if the pairs differ too much. remark: what else the
    computer was doing.
    """
    shares = [threads / processes for processes, threads in pairs]
    low, share, high = np.quantile(shares, (0.25, 0.5, 0.75))
    processes, threads = np.median(np.array(pairs), axis=0)
    agreed = high - low <= AGREED
    decided = "" if agreed else " That is too much to decide."
    return SOURCE.claim(
        "8",
        f"{100 * share:.0f} %: {threads:.2f} Gflop/s with two threads, {processes:.2f} with two "
        "processes",
        bool(abs(share - SHARE) <= NEAR) if agreed else None,
        "Both are bound to two cores of this computer, and each thread is the first to touch the "
        f"memory that it uses; without clover term. Medians of {len(pairs)} pairs, measured in "
        f"turn; the middle half of their shares lies between {100 * low:.0f} and {100 * high:.0f} "
        f"%.{decided}{remark}",
        real=True,
    )  # fmt: skip


def fastest_rate(found: Mapping[str, Any]) -> float:
    """The rate of the fastest solve [Gflop/s]; the bench gives that of the median."""
    median = float(found["four_figures"]["overall_gigaflops"])
    return median * float(found["seconds_per_solve"]) / float(found["fastest_solve"])


def _measured(ranks: int, threads: int) -> Mapping[str, Any]:
    """What `bench qcd` prints; RunError with its sentence if it fails."""
    own = ["bench", "qcd", "--case", CASE, "--turns", str(SOLVES), "--json"]
    shape = ["--ranks", str(ranks), "--threads", str(threads)]
    command = [sys.executable, "-m", "phasewise", *own, *shape]
    with child(command, without_mpi(os.environ), stdout=subprocess.PIPE) as process:
        try:
            text, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise RunError(f"bench qcd took more than {SECONDS:.0f} s") from None
    try:
        found: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"bench qcd ended with status {process.returncode}") from error
    if process.returncode:
        raise RunError(str(found.get("error", f"status {process.returncode}")))
    return found

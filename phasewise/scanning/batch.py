"""Runs several points of a scan in one process, which share launches of kernels on a device:
``python -m phasewise.scanning.batch``, with the points as JSON on its input.

It prints a line of JSON for each point that has ended: its number, why it failed, and whether it
was stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasewise.errors import PhasewiseError, StoppedError
from phasewise.runs.batch import Outcome, Planned, run_batch
from phasewise.study import load
from phasewise.traces.kept_summary import keep_summary


def main() -> int:
    """Run the points that are given on standard input; returns 0 if none has failed, else 1."""
    wanted: Sequence[Mapping[str, Any]] = json.load(sys.stdin)
    points, plans, failed = list[int](), list[Planned](), 0
    threads = 1
    for one in wanted:
        threads = one["threads"]
        try:
            plans.append(_plan(one))
            points.append(one["number"])
        except PhasewiseError as error:
            failed += _say(one["number"], str(error))

    def ended(place: int, outcome: Outcome) -> None:
        nonlocal failed
        failed += _say(points[place], _why(outcome), isinstance(outcome, StoppedError))

    run_batch(plans, threads, ended=ended)
    return 1 if failed else 0


def _plan(one: Mapping[str, Any]) -> Planned:
    source = Path(one["study"])
    return Planned(load(source, one["overrides"]), Path(one["folder"]), source, one["resume"])


def _why(outcome: Outcome) -> str:
    """Why a run failed; empty if its summary was kept."""
    if isinstance(outcome, PhasewiseError):
        return str(outcome)
    try:
        keep_summary(outcome)
    except PhasewiseError as error:
        return str(error)
    return ""


def _say(number: int, why: str, stopped: bool = False) -> bool:
    """Tell the scan how a point ended; returns whether it has failed, or was stopped and can go
    on.
    """
    told = {"number": number, "why": "" if stopped else why, "stopped": stopped}
    sys.stdout.write("\n" + json.dumps(told) + "\n")
    sys.stdout.flush()
    return bool(why)


if __name__ == "__main__":
    sys.exit(main())

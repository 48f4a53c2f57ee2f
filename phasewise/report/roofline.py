"""The kernels of a run on a device against the device's roof: bandwidth of its memory,
multiply-adds in double precision, additions to values that threads share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import PhasewiseError, StudyError
from phasewise.machines import load_machine
from phasewise.machines.device import words_of
from phasewise.report.reported_run import ReportedRun
from phasewise.runs.roof import bound_elsewhere, from_rates, held_against, of_device
from phasewise.study.study import CPU

COUNTS = ("seconds", "flops", "bytes", "additions", "calls", "working_sets", "single")


@dataclass(frozen=True)
class Roofline:
    """What bounds each kernel of a run on a device, by its name. about: a sentence that says where
    the roof comes from, or why there is none.
    """

    about: str = ""
    bounds: dict[str, dict[str, Any]] | None = None

    def cells(self, kernel: str) -> tuple[str, str]:
        """What bounds a kernel, and the share of that bound that it reaches, as texts."""
        held = (self.bounds or {}).get(kernel)
        if held is None:
            return ("–", "–")
        share = held["roof_share"]
        return (str(held["bound"]), "–" if share is None else f"{100 * share:.0f}")


def roofline_of(run: ReportedRun, machine: str | None = None) -> Roofline:
    """The roofline of a run; empty for one on the CPU.

    The roof is that of [device] in a machine's file if one is given; otherwise it is measured here.
    StudyError if the machine has no such device.
    """
    device = run.performance.get("device", CPU)
    if device == CPU:
        if machine is not None:
            raise StudyError(
                f"--machine is for a run on a device, and the kernels of {run.directory} ran on "
                "the CPU"
            )
        return Roofline()
    try:
        roof, source = _roof(str(device), machine)
    except PhasewiseError as error:
        if machine is not None:
            raise
        return Roofline(
            f"It has no roof here ({error}): give the file of a machine measured with --device "
            f"{device} as --machine."
        )
    about = (
        f"The roof of the device {roof['name']}, {source}, is {roof['bytes_per_second'] / 1e9:.4g} "
        f"GB/s, {roof['flops_per_second'] / 1e9:.4g} Gflop/s in double precision and "
        f"{roof['additions_per_second'] / 1e9:.3g}e9 additions/s to shared values."
    )
    return Roofline(about, _bounds(run, roof))


def _roof(device: str, machine: str | None) -> tuple[dict[str, Any], str]:
    """The roof of a device, and where it comes from."""
    if machine is None:
        return of_device(load_planner(), device), "measured now and here"
    found = load_machine(machine).device
    if found is None or found.kind != device:
        raise StudyError(
            f'--machine {machine} has {words_of(found)}, and the run was on device "{device}": '
            f"measure it with phasewise machine measure --device {device}"
        )
    return from_rates(found.rates), f"of {machine}"


def _bounds(run: ReportedRun, roof: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What bounds each kernel that was called in the run."""
    elsewhere = bound_elsewhere(run.workload)
    given = run.performance.get("kernels")
    bounds: dict[str, dict[str, Any]] = {}
    for kernel in given if isinstance(given, list) else ():
        if not is_counted(kernel, COUNTS) or not kernel["calls"]:
            continue
        name = str(kernel["name"])
        other = {"bound": elsewhere[name], "roof_share": None} if name in elsewhere else None
        bounds[name] = other or held_against(roof, kernel)
    return bounds


def is_counted(entry: Any, names: tuple[str, ...]) -> bool:
    """Whether an entry of a performance file has these numbers; older files have fewer."""
    return (
        isinstance(entry, dict)
        and "name" in entry
        and all(isinstance(entry.get(name), int | float) for name in names)
    )

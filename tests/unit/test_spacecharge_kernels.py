"""Rates of the kernels of space charge: what a machine's measurement finds, and what it is for."""

from __future__ import annotations

from typing import Any

import pytest

from phasewise.driver import load_core
from phasewise.machines.kernel_rates import KernelRate, Measuring, rated
from phasewise.workload.discovery import find_workload
from phasewise.workloads.spacecharge import measuring
from phasewise.workloads.spacecharge.kernels import SpaceChargeKernels, terms_of
from phasewise.workloads.spacecharge.model import model_of

MEASURING = find_workload("spacecharge").part(Measuring)

pytest.importorskip("phasewise._core", reason="the core is not built")

ITEMS = {"charge_local": 4.0, "kick": 4.0, "extent": 4.0, "arc": 5.0, "sort": 1.0}
"""Particles that a kernel works on in a turn of four kicks, per particle of a rank."""


def seconds_per_unit(name: str) -> float:
    """A rate of its own for each name."""
    return 1e-9 * (1 + sorted(SpaceChargeKernels.UNITS).index(name))


def values(name: str) -> dict[str, Any]:
    """A timing in which each kernel takes what its terms say."""
    case = measuring._cases()[name]
    model = model_of(case.study(1))
    kernels: dict[str, dict[str, float]] = {}
    for kernel, each in {**ITEMS, "potential": 1.0, "green": 1.0}.items():
        work = {"items": each * case.particles, "flops": 80.0 * case.particles, "bytes": 0.0}
        found = terms_of({"name": kernel, **work}, model, float(case.particles))
        seconds = sum(term.amount * seconds_per_unit(term.name) for term in found)
        kernels[kernel] = {**work, "seconds": seconds}
    rest = seconds_per_unit("passage") + case.kicks * seconds_per_unit("kick_step")
    return {"kernels": kernels, "rest": rest}


def test_a_measurement_recovers_the_rates_that_made_its_timings() -> None:
    found = MEASURING.rates({name: values(name) for name in MEASURING.cases()})
    assert found.keys() == SpaceChargeKernels.UNITS.keys() <= rated().keys()
    for name, rate in found.items():
        assert isinstance(rate, KernelRate) and rate.unit == SpaceChargeKernels.UNITS[name]
        assert rate.seconds == pytest.approx([seconds_per_unit(name)] * len(rate.sizes), rel=1e-9)


@pytest.mark.parametrize(
    ("case", "names"),
    [
        ("one kick", set()),
        ("mesh 16x16x32, 0.25 particles a node", {"kick_alone"}),
        ("mesh 16x16x32, 8 particles a node", {"potential", "box_green"}),
        ("exact maps, 200000 particles", {"lattice_exact"}),
        ("second-order maps, 200000 particles", {"lattice", "extent", "plane_sort"}),
    ],
)
def test_a_timing_alone_gives_the_rates_that_follow_from_it(case: str, names: set[str]) -> None:
    assert MEASURING.rates({}) == {}
    assert MEASURING.rates({case: values(case)}).keys() == names


def test_a_case_is_timed_with_all_its_kernels() -> None:
    timed = MEASURING.time_case(load_core(), 1, MEASURING.cases()[0], 0.0)
    assert timed["kernels"].keys() >= {*ITEMS, "potential"} - {"sort"}
    assert MEASURING.rates({"one kick": timed}) == {}

"""Rates of the kernels of a solve: what a machine's measurement finds, and where they apply."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from phasewise.machines import load_machine
from phasewise.machines.kernel_rates import KernelRate, Measuring, rated
from phasewise.models import Case
from phasewise.study import Study
from phasewise.workload.discovery import find_workload
from phasewise.workloads.qcd.kernels import WHOLE, QcdKernels
from phasewise.workloads.qcd.measuring import KINDS

MEASURING = find_workload("qcd").part(Measuring)
KERNELS = {"hopping": (1320.0, 1536.0), "local": (96.0, 576.0), "turn": (96.0, 384.0)}
"""Flops and bytes of an item."""


def timed(seconds: float, items: float = 100.0) -> dict[str, Any]:
    """A timing in which each kernel takes so long for an item."""
    kernels = {
        name: {"items": items, "flops": flops * items, "bytes": moved * items}
        for name, (flops, moved) in KERNELS.items()
    }
    for own in kernels.values():
        own["seconds"] = seconds * items
    return {"kernels": kernels}


def test_each_kernel_has_the_time_of_its_own_unit_by_the_sites_of_a_rank() -> None:
    cases = [case for case in MEASURING.cases() if "gradients" in case]
    found = MEASURING.rates({case: timed(1e-9 * (1 + n)) for n, case in enumerate(cases)})
    hopping, local = found["hopping"], found["local"]
    assert hopping.sizes == tuple(sorted(hopping.sizes)) and len(hopping.sizes) == len(cases)
    assert hopping.seconds[0] == pytest.approx(1e-9 / 1320.0)
    assert (local.unit, local.seconds[1]) == ("byte", pytest.approx(2e-9 / 576.0))
    assert "turn" not in found and found["turn_direction"].unit == "byte"
    assert found[WHOLE].seconds[0] == pytest.approx(3e-9 / (1320.0 + 96.0 + 96.0))
    assert found.keys() <= QcdKernels.UNITS.keys() <= rated().keys()


def test_the_studies_that_are_timed_have_every_kernel_with_a_rate() -> None:
    core = pytest.importorskip("phasewise.driver").load_core()
    found = MEASURING.rates(
        {case: MEASURING.time_case(core, 1, case, 0.0) for case in MEASURING.cases()[: len(KINDS)]}
    )
    # One rank has no faces to pack or to unpack.
    assert found.keys() == QcdKernels.UNITS.keys() - {"faces", "force_faces"}


def seconds(rates: dict[str, KernelRate]) -> dict[str, float]:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    from phasewise.models.computation import kernel_seconds

    tables = {
        "workload": "qcd",
        "solves": 1,
        "lattice": {"size": [8, 8, 8, 8]},
        "quarks": {"kappa": 0.1},
        "solver": {"iterations": 10},
    }
    machine = replace(load_machine("bassi"), kernels=rates)
    return kernel_seconds(Case(Study.from_dict(tables), machine, 2))


def test_a_kernel_without_a_rate_takes_that_of_whole_iterations() -> None:
    whole, own = KernelRate("flop", (1.0,), (1e-9,)), KernelRate("flop", (1.0,), (3e-9,))
    alone, both = seconds({WHOLE: whole}), seconds({WHOLE: whole, "hopping": own})
    assert both["hopping"] == pytest.approx(3 * alone["hopping"])
    assert both["norm"] == alone["norm"] > 0

"""The table [device] of a machine file: written, read, and predicted from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from phasewise.machines import Machine, load_machine
from phasewise.machines.device import Device, Transfers, measured_device
from phasewise.machines.kernel_rates import KernelRate
from phasewise.machines.machine import parse_machine
from phasewise.machines.machine_file import device_tables
from phasewise.models import Case, predict
from phasewise.models.computation import kernel_seconds, kernel_work, rates_of
from phasewise.runs.roof import TO_DEVICE, TO_HOST
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from tests.sentences import Nearest, one_sentence, refused
from tests.unit.study_tables import tables

pytest.importorskip("phasewise._core", reason="the core is not built")

COPIES = Transfers((64, 2**20), (1e-6, 1e-3), (2e-6, 2e-3))
DEVICE = Device(
    name="a GPU", kind="emulated", memory=8e10, bandwidth=2e12, flops=3e13, additions=1e10,
    launch=3e-9, wait=1e-5, transfers=COPIES,
    kernels={
        "arc": KernelRate("flop", (1.0,), (1e-12,)),
        "step": KernelRate("item", (1.0,), (1e-6,)),
    },
)  # fmt: skip
NODE = """
name = "node"
network = { kind = "none" }
node.ranks = 2
memory = { latency = 1e-6, rank_bandwidth = 1e9, bandwidth = 2e9 }
processor = { peak = 1e9, flops = 1e9, bandwidth = 1e9 }
"""


def machine(device: Device | None = DEVICE) -> Machine:
    return replace(parse_machine(NODE, "node.toml"), device=device)


def study(device: str, **changes: Any) -> Study:
    return Study.from_dict(tables(run__device=device, **changes))


def case(device: str, ranks: int = 1, on: Machine | None = None, **changes: Any) -> Case:
    return Case(study(device, **changes), on or machine(), ranks)


def test_a_file_keeps_the_device_that_was_measured() -> None:
    found = parse_machine(f"{NODE}\n{device_tables(DEVICE)}", "node.toml")
    assert found.device == DEVICE
    assert parse_machine(NODE, "node.toml").device is None


def test_a_device_has_the_rates_that_the_core_measured() -> None:
    measured = {
        "name": "a GPU", "memory": 8e10, "bytes_per_second": 2e12, "flops_per_second": 3e13,
        "additions_per_second": 1e10, "launch_seconds": 3e-9, "wait_seconds": 1e-5,
        "copies": [
            {"bytes": 64.0, "in": 1e-6, "out": 2e-6},
            {"bytes": 1048576.0, "in": 1e-3, "out": 2e-3},
        ],
    }  # fmt: skip
    assert measured_device("emulated", measured) == replace(DEVICE, kernels={})


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ('kind = "emulated"', 'kind = "cudaa"', ("device.kind", '"cudaa"', Nearest("cuda"))),
        ("launch = 3e-09", "launch = -1", ("device.launch = -1", 0)),
        ("launch = 3e-09", "launches = 3e-09", ("device", '"launches"', Nearest("launch"))),
        ("wait = 1e-05\n", "", ("device.wait", "missing")),
        ("sizes = [64, 1048576]", "sizes = [64]", ("device.transfers.sizes", "increase")),
        ("to_host = ", "to_hosts = ", ("device.transfers", '"to_hosts"', Nearest("to_host"))),
        ("[device.kernels.arc]", "[device.kernels.ark]", ("device.kernels", '"ark"')),
        (
            "seconds_per_flop = [1e-12]",
            "",
            ("device.kernels.arc.seconds_per_flop", "missing"),
        ),
    ],
)
def test_a_wrong_table_is_one_sentence(old: str, new: str, facts: tuple[object, ...]) -> None:
    text = device_tables(DEVICE)
    assert old in text
    with refused("node.toml", *facts):
        parse_machine(f"{NODE}\n{text.replace(old, new)}", "node.toml")


def test_kernels_of_a_study_on_a_device_take_its_rates_or_its_roof() -> None:
    one = case("emulated")
    found, work = kernel_seconds(one), {kernel["name"]: kernel for kernel in kernel_work(one)}
    assert found["arc"] == pytest.approx(1e-12 * work["arc"]["flops"])
    # Nothing was measured of encounters: additions to a mesh in the device's memory.
    moved, flops = work["encounter"]["bytes"], work["encounter"]["flops"]
    assert found["encounter"] == pytest.approx(max(moved / 2e12, flops / 3e13))
    assert found["other"] == pytest.approx(7e-6)  # steps of 4 slices with 4
    # The host chooses meshes, at the rates of its processor.
    assert found["mesh"] == pytest.approx(
        max(work["mesh"]["flops"], work["mesh"]["bytes"]) / 1e9, rel=1e-12
    )


def test_each_call_of_a_kernel_on_a_device_takes_a_launch_at_least() -> None:
    one = case("emulated", on=machine(replace(DEVICE, launch=0.5)))
    found = kernel_seconds(one)
    calls = {kernel["name"]: kernel["calls"] for kernel in kernel_work(one)}
    # Each beam is pushed once; in each of 7 steps there is an encounter, and one after the last.
    assert (calls["arc"], calls["encounter"]) == (2, 8)
    assert (found["arc"], found["encounter"]) == (1.0, 4.0)
    assert found["mesh"] < 0.1  # of the host


def test_on_the_cpu_a_device_changes_nothing() -> None:
    assert kernel_seconds(case("cpu")) == kernel_seconds(case("cpu", on=machine(None)))


@pytest.mark.parametrize("kind", ["cuda", "emulated"])
def test_auto_stands_for_a_gpu_where_the_file_has_one(kind: str) -> None:
    there = machine(replace(DEVICE, kind=kind))
    expected = kernel_seconds(case("cuda" if kind == "cuda" else "cpu", 2, there))
    assert kernel_seconds(case("auto", 2, there)) == expected


def test_copies_between_the_host_and_the_device_take_the_times_of_the_curves() -> None:
    plain = {"ip__1__luminosity": False, "ip__1__interpolation": "none"}
    one = case("emulated", 2, run__device_buffers="staged", **plain)
    found, mesh = kernel_seconds(one), 8 * 64 * 64
    # Of 4 slices with 4, 1 to 4 pairs meet in a step: all charges go to the host, and those of a
    # pair come back to its solver; so do the potentials.
    steps = [COPIES.seconds_of(TO_HOST, pairs * mesh) for pairs in (1, 2, 3, 4, 3, 2, 1)]
    assert found["to_host"] == pytest.approx(
        sum(steps) + 16 * COPIES.seconds_of(TO_HOST, mesh), rel=1e-12
    )
    assert found["to_device"] == pytest.approx(found["to_host"] / 2)
    # One rank exchanges nothing, and what MPI takes from the device itself is not copied.
    for direct in (case("emulated", 1), case("emulated", 2)):
        assert not {TO_HOST, TO_DEVICE} & kernel_seconds(direct).keys()


def test_a_model_that_follows_the_turn_gets_the_devices_rates() -> None:
    of_kernels = {name: seconds for name, _, seconds in rates_of(case("emulated", 2))["kernels"]}
    assert of_kernels["arc"] == pytest.approx(1e-12)
    slower = replace(DEVICE, transfers=Transfers((64,), (1.0,), (1.0,)))
    turns = [
        predict(
            case("emulated", 2, machine(device), run__device_buffers="staged"), "contention"
        ).turn_seconds
        for device in (DEVICE, slower)
    ]
    # 23 copies each way, of which two ranks make as many at once.
    assert turns[1] - turns[0] > 40.0


@pytest.mark.parametrize(
    ("device", "has"), [(None, "[device]"), (DEVICE, '[device] of kind "emulated"')]
)
@pytest.mark.parametrize("model", ["described", "contention"])
def test_a_file_without_the_device_is_refused_in_one_sentence(
    device: Device | None, has: str, model: str
) -> None:
    with refused('run.device = "cuda"', has, "phasewise machine measure --device cuda"):
        predict(case("cuda", 2, machine(device)), model)


def test_a_process_grid_is_chosen_where_the_file_lacks_the_device() -> None:
    modern = load_machine("modern")
    open_grid = {"communication__process_grid": "auto"}
    settled = settle(study("cuda", **open_grid), 8, modern)
    on_cpu = settle(study("cpu", **open_grid), 8, modern)
    one_sentence(settled.sentence, "modern", "CPUs", "device")
    assert settled.study.communication == on_cpu.study.communication
    assert settled.study.running.device == "cuda"


def test_a_workload_without_kernels_for_a_device_is_not_predicted_on_one() -> None:
    halo = Study.from_dict(
        {"workload": "halo", "exchanges": 1, "halo": {"words": 8}, "run": {"device": "emulated"}}
    )
    with refused("halo", "device"):
        predict(Case(halo, machine(), 2), "contention")

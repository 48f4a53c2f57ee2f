"""The time of a turn's kernels: a machine's measured rates, or its processor's."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from phasewise.machines import Machine, load_machine
from phasewise.machines.kernel_rates import (
    KernelRate,
    find_rate,
    kernel_tables,
    read_kernels,
)
from phasewise.models import Case
from phasewise.study import Study
from tests.sentences import Nearest, refused
from tests.unit.study_tables import tables

RATES = {
    "arc": KernelRate("flop", (1.0,), (1e-10,)),
    "solve": KernelRate("flop", (64.0, 4096.0), (1e-10, 2e-10)),
    "encounter": KernelRate("item", (1.0,), (1e-8,)),
    "encounter_mesh": KernelRate("item", (1.0,), (2e-9,)),
    "encounter_cold": KernelRate("item", (1.0,), (5e-10,)),
    "turn": KernelRate("item", (1.0,), (1e-4,)),
    "step": KernelRate("item", (1.0,), (1e-5,)),
}


def machine(**rates: KernelRate) -> Machine:
    return replace(load_machine("bassi"), kernels=rates)


def seconds(machine: Machine, ranks: int = 2, **changes: Any) -> dict[str, float]:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    from phasewise.models.computation import kernel_seconds

    return kernel_seconds(Case(Study.from_dict(tables(**changes)), machine, ranks))


def test_a_rate_is_interpolated_in_the_logarithm_of_the_size() -> None:
    rate = RATES["solve"]
    assert rate.at(512.0) == pytest.approx(1.5e-10)
    assert (rate.at(1.0), rate.at(1e9)) == (1e-10, 2e-10)


def test_rates_that_were_written_are_read_back() -> None:
    text = "\n".join(kernel_tables(RATES))
    assert read_kernels(tomllib.loads(text)["kernels"]) == RATES


def test_a_variant_that_was_not_measured_takes_the_nearest() -> None:
    plain, planes = KernelRate("item", (1.0,), (1.0,)), KernelRate("item", (1.0,), (2.0,))
    assert find_rate({"encounter": plain, "encounter_2": planes}, "encounter_tsc_2") is planes
    assert find_rate({"encounter": plain}, "encounter_tsc_2") is plain
    assert find_rate({"encounter": plain, "encounter_2": planes}, "encounter_2_shared") is planes
    assert find_rate({"solve": plain}, "encounter") is None


WRONG = [
    ({"solv": {}}, ("kernels", '"solv"', Nearest("solve"))),
    ({"solve": {"sizes": [1]}}, ("kernels.solve.seconds_per_flop", "missing")),
    (
        {"solve": {"sizes": [1], "seconds_per_item": [1e-9]}},
        ("kernels.solve", '"seconds_per_item"', Nearest("seconds_per_flop")),
    ),
    (
        {"solve": {"sizes": [1, 2], "seconds_per_flop": [1e-9]}},
        ("kernels.solve.seconds_per_flop", "size", 2, 1),
    ),
    (
        {"solve": {"sizes": [2, 1], "seconds_per_flop": [1e-9, 1e-9]}},
        ("kernels.solve.sizes", "increase"),
    ),
    (
        {"solve": {"sizes": [1], "seconds_per_flop": [-1e-9]}},
        ("kernels.solve.seconds_per_flop", "-1e-09", 0),
    ),
    (
        {"solve": {"sizes": [1], "seconds_per_flop": [70]}},
        ("kernels.solve.seconds_per_flop", 70, "seconds"),
    ),
    ({"solve": {"sizes": [], "seconds_per_flop": []}}, ("kernels.solve.sizes", "list", "[]")),
    ({"solve": 3}, ("kernels.solve", "table", 3)),
]


@pytest.mark.parametrize(("given", "facts"), WRONG)
def test_wrong_rates_are_refused_in_one_sentence(
    given: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        read_kernels(given)


def test_an_encounter_takes_its_particles_its_mesh_and_its_cold_nodes() -> None:
    # 1000 particles on a rank meet 4 slices each; 4 x 4 meshes of 64 x 64 nodes.
    found = seconds(machine(**RATES), ip__1__interpolation="none")
    assert found["encounter"] == pytest.approx(4000 * (1e-8 + 2e-9) + 16 * 4096 * 5e-10)


def test_encounters_with_shared_planes_have_a_rate_of_their_own() -> None:
    rates = {
        f"encounter{suffix}": KernelRate("item", (1.0,), (nanoseconds * 1e-9,))
        for suffix, nanoseconds in (("", 1.0), ("_2", 2.0), ("_2_shared", 3.0), ("_tsc_2", 4.0))
    }

    def each(**changes: Any) -> float:
        return seconds(machine(**rates), ip__1__interpolation="linear", **changes)["encounter"]

    assert each() == pytest.approx(4000 * 3e-9)
    assert each(ip__1__planes="pair") == pytest.approx(4000 * 2e-9)
    assert each(ip__1__weighting="tsc") == pytest.approx(4000 * 4e-9)


def test_solves_of_shared_planes_have_the_rate_of_transforms_in_lanes() -> None:
    rows, lanes = (KernelRate("flop", (1.0,), (each,)) for each in (1e-10, 5e-11))

    def each(planes: str, **rates: KernelRate) -> float:
        return seconds(machine(**rates), ip__1__planes=planes)["solve"]

    assert each("shared", solve=rows, solve_lanes=lanes) == 0.5 * each("shared", solve=rows)
    assert each("pair", solve=rows, solve_lanes=lanes) == each("pair", solve=rows)


def test_passes_into_a_frame_of_the_collision_have_a_rate_of_their_own() -> None:
    rates = {"arc": RATES["arc"], "arc_crossing": KernelRate("flop", (1.0,), (3e-10,))}
    crossing, head_on = (
        seconds(machine(**rates)),
        seconds(machine(**rates), ip__1__half_crossing_angle=0),
    )
    assert crossing["arc"] == pytest.approx(310_000.0 * 3e-10)
    assert head_on["arc"] == pytest.approx(160_000.0 * 1e-10)


def test_a_turn_and_its_steps_take_time_beside_the_kernels() -> None:
    found = seconds(machine(**RATES))
    assert found["other"] == pytest.approx(1e-4 + 7 * 1e-5)  # 2 · 4 - 1 steps


def test_the_wait_for_ranks_with_more_work_is_told() -> None:
    # Of three ranks, two share beam 1 and one has beam 2: half as much again as the mean.
    found = seconds(machine(arc=RATES["arc"]), 3, ip__1__model="soft-gaussian")
    beside = sum(found[name] for name in ("imbalance", "packing", "other"))
    assert found["imbalance"] == pytest.approx(0.5 * (sum(found.values()) - beside))


def test_without_measured_kernels_the_processor_sets_the_time() -> None:
    bassi = load_machine("bassi")
    found = seconds(bassi)
    # 1000 particles: 2 elements of 80 flops (core/beam/line.cpp) and the way back from the frame of
    # the collision, 150 flops (core/collision/frame.hpp); 96 bytes each.
    assert found["arc"] == pytest.approx(bassi.processor.seconds(310_000.0, 96_000.0))
    assert found["other"] == 0.0

"""The communication models: the paper's own arithmetic, and what a machine's file must hold."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import parse
from phasewise.machines import Machine, load_machine
from phasewise.machines.curves import Curve, Measured
from phasewise.machines.machine import machine_path
from phasewise.models import (
    Case,
    PhaseMessages,
    default_model,
    load_model,
    model_names,
    predict,
    prediction,
)
from phasewise.models.computation import kernel_seconds
from phasewise.models.interval import (
    FEWEST,
    Residuals,
    conformal,
    interval,
    is_drawn,
    noise,
    residuals_of,
    spread,
)
from phasewise.models.model import Floats
from phasewise.models.plan import plan
from phasewise.study import Study, load
from phasewise.workload.discovery import find_workload
from tests.sentences import refused, says

OPTIMISED = ["communication.layout=column-first", 'communication.crossing="4a"']
HYPERCUBE = [*OPTIMISED, "communication.reduce=hypercube", "communication.broadcast=hypercube"]
FOLDER = Path(__file__).resolve().parents[2]
KEPT = residuals_of(find_workload("collision")) or {}


def paper(overrides: list[str] | None = None) -> Study:
    return load(FOLDER / "examples/paper/study.toml", overrides or [])


def milliseconds(machine: str, model: str, ranks: int, overrides: list[str] | None = None) -> float:
    """Of the phases that exchange grids, the only ones of the paper."""
    case = Case(paper(overrides), load_machine(machine), ranks)
    return 1e3 * predict(case, model, computation=False).exchange_seconds


def curve(benchmark: str, level: str, *, factor: float = 1.0, **keys: object) -> Curve:
    """A table with t = 10 µs at 1 kB and 1 ms at 1 MB, times `factor`; its line is another one."""
    seconds = (factor * 1e-5, factor * 1e-3)
    values: dict[str, object] = {
        "sizes": (1000, 1_000_000), "seconds": seconds, "low": seconds, "high": seconds,
        "latency": factor * 2e-5, "bandwidth": 1e9 / factor,
    }  # fmt: skip
    return Curve(benchmark, level, **(values | keys))  # type: ignore[arg-type]


def with_curves(name: str, *curves: Curve) -> Machine:
    return replace(load_machine(name), curves=curves)


# Communication of one turn at 256 ranks by the models with the paper's L and B, in whole ms.
BASE_AND_OPTIMISED = {
    "seaborg": (2058, 735), "bassi": (255, 178), "jacquard": (435, 411), "jaguar": (90, 89),
    "bluegene-l": (546, 534),
}  # fmt: skip
BY_MODEL = {
    "1a": {"seaborg": 611, "bassi": 119, "jacquard": 281, "jaguar": 175, "bluegene-l": 1063},
    "1b": {"seaborg": 509, "bassi": 84, "jacquard": 229, "jaguar": 90, "bluegene-l": 546},
    "2": {"seaborg": 2259, "bassi": 275, "jacquard": 440},
}


@pytest.mark.parametrize("machine", BASE_AND_OPTIMISED)
def test_model_3_gives_the_papers_times_to_all_digits(machine: str) -> None:
    found = [round(milliseconds(machine, "3", 256, overrides)) for overrides in ([], OPTIMISED)]
    assert tuple(found) == BASE_AND_OPTIMISED[machine]


@pytest.mark.parametrize("model", BY_MODEL)
def test_models_1a_to_2_give_the_papers_times_to_all_digits(model: str) -> None:
    found = {machine: round(milliseconds(machine, model, 256)) for machine in BY_MODEL[model]}
    assert found == BY_MODEL[model]


@pytest.mark.parametrize(
    ("machine", "percent"), [("seaborg", 65.8), ("bassi", 31.4), ("jacquard", 5.6)]
)
def test_the_largest_gain_by_layout_is_that_of_model_3(machine: str, percent: float) -> None:
    gains = [
        1 - milliseconds(machine, "3", ranks, OPTIMISED) / milliseconds(machine, "3", ranks)
        for ranks in (32, 64, 128, 256)
    ]
    assert round(100 * max(gains), 1) == percent


@pytest.mark.parametrize(
    ("machine", "model", "percent"),
    [("seaborg", "3", 63), ("bassi", "3", 67), ("jacquard", "3", 43), ("jaguar", "3", 37),
     ("jaguar", "5", 23)],
)  # fmt: skip
def test_the_hypercube_gains_what_the_models_say_at_1024_ranks(
    machine: str, model: str, percent: int
) -> None:
    before, after = (milliseconds(machine, model, 1024, o) for o in (OPTIMISED, HYPERCUBE))
    assert round(100 * (1 - after / before)) == percent


def test_beyond_256_ranks_columns_grow_to_64_processes() -> None:
    for ranks, shape in ((256, "8x16"), (512, "8x32"), (1024, "8x64")):
        assert plan(paper(), ranks, rank=0)["process_grid"] == shape


@pytest.mark.parametrize("model", ["2", "3"])
def test_on_single_rank_nodes_parallel_ping_ping_is_ping_ping(model: str) -> None:
    own, simple = (milliseconds("jaguar", name, 64) for name in (model, "1b"))
    assert own == simple


def test_a_measured_curve_replaces_the_papers_row() -> None:
    machine = with_curves("bassi", curve("ping-pong", "network"))
    case = Case(paper(), machine, 32)
    messages = sum(float(phase.count.sum()) for phase in case.phases)
    volume = sum(float(phase.count @ phase.bytes) for phase in case.phases)
    predicted = predict(case, "1a", computation=False).communication_seconds
    assert predicted == pytest.approx(2e-5 * messages + volume / 1e9, rel=1e-12)


def test_model_4_reads_the_table_of_each_level() -> None:
    tables = [curve("parallel", level, pairs=8, factor=f) for level, f in LEVELS.items()]
    case = Case(paper(), with_curves("bassi", *tables), 64)
    expected = 0.0
    for phase in case.phases:
        factors = np.where(phase.inter == 1, LEVELS["network"], LEVELS["node"])
        expected += float(phase.count @ (table_seconds(phase) * factors))
    assert predict(case, "4", computation=False).communication_seconds == pytest.approx(expected)


LEVELS = {"node": 1.0, "network": 7.0}


def table_seconds(phase: PhaseMessages) -> Floats:
    """By `curve`: linear through (1 kB, 10 µs) and (1 MB, 1 ms), and constant below 1 kB."""
    slope = (1e-3 - 1e-5) / (1_000_000 - 1000)
    return np.asarray(1e-5 + slope * np.maximum(phase.bytes - 1000, 0))


def test_a_level_that_no_message_crosses_needs_no_table() -> None:
    # 16 ranks are one node of Seaborg.
    machine = with_curves("seaborg", curve("parallel", "node", pairs=16))
    inside = Case(paper(["communication.process_grid=1x8"]), machine, 16)
    expected = sum(float(phase.count @ table_seconds(phase)) for phase in inside.phases)
    found = predict(inside, "4", computation=False).communication_seconds
    assert found == pytest.approx(expected, rel=1e-12)
    with refused("model 4", "ping-ping", "between nodes", "seaborg"):
        load_model("4").phase_seconds(Case(paper(), machine, 32))


def test_of_one_pair_the_parallel_table_is_that_of_ping_ping() -> None:
    alone = with_curves("jaguar", curve("ping-ping", "network"))
    table = with_curves("jaguar", curve("parallel", "network"))
    times = [load_model("4").phase_seconds(Case(paper(), m, 32)) for m in (alone, table)]
    assert times[0] == times[1]


def test_the_table_for_as_many_ranks_as_a_node_has_is_chosen() -> None:
    tables = [curve("parallel", "network", pairs=p, factor=p) for p in (1, 2, 4, 8)]
    tables += [curve("parallel", "node", pairs=8)]
    half = replace(load_machine("bassi"), node_ranks=4)
    machine = replace(half, curves=tuple(tables))
    reduced = replace(half, curves=tuple(t for t in tables if t.pairs != 4))
    found = [load_model("4").phase_seconds(Case(paper(), m, 256)) for m in (machine, reduced)]
    # All of phase 4b leaves the node: 4 times as long as one pair, or the nearest there is.
    assert found[0]["broadcast_column"] != found[1]["broadcast_column"]


def grids(ranks: int, **factors: float) -> tuple[Curve, ...]:
    """Grid curves by direction and distance: column_4=2.0 takes twice as long."""
    found = []
    for name, factor in factors.items():
        direction, _, distance = name.partition("_")
        own = {"direction": direction, "distance": int(distance), "ranks": ranks}
        found.append(curve("grid", "network", factor=factor, **own))
    return tuple(found)


def seconds_with(curves: tuple[Curve, ...], model: str, overrides: list[str]) -> dict[str, float]:
    case = Case(paper(overrides), with_curves("jaguar", *curves), 64)
    return load_model(model).phase_seconds(case)


@pytest.mark.parametrize("model", ["5", "6"])
def test_models_5_and_6_read_the_grid_by_direction_and_distance(model: str) -> None:
    # 64 ranks are two grids of 2x16, numbered column by column: along a row it is 16 to the next.
    quick = grids(64, column_1=1, column_8=1, row_1=1)
    slow_row = grids(64, column_1=1, column_8=1, row_1=3)
    slow_column = grids(64, column_1=3, column_8=1, row_1=1)
    base, rows, columns = (
        seconds_with(curves, model, OPTIMISED) for curves in (quick, slow_row, slow_column)
    )
    # Rows of column-first are 16 apart, and columns at most 15: of the distances to 15 those to 2
    # are nearer to 1 than to 8, and from 12 on nearer to 16.
    assert rows["reduce_row"] == pytest.approx(3 * base["reduce_row"])
    assert columns["reduce_row"] == base["reduce_row"]
    assert base["solve"] < columns["solve"] < 3 * base["solve"]
    # In row-first the next in a row is the next rank.
    assert seconds_with(slow_row, model, [])["reduce_row"] == pytest.approx(base["reduce_row"])


def test_the_grid_nearest_in_ranks_counts_before_the_nearest_distance() -> None:
    near, far = grids(32, column_1=2), grids(1024, column_1=1, row_1=1, row_4=1)
    assert seconds_with((*far, *near), "6", []) == seconds_with(near, "6", [])


def test_model_5_without_curves_takes_the_papers_row_for_256_ranks() -> None:
    line = load_machine("jaguar").paper["grid_256"]
    case = Case(paper(), load_machine("jaguar"), 256)
    expected = sum(float(p.count @ (line.latency + p.bytes / line.bandwidth)) for p in case.phases)
    predicted = predict(case, "5", computation=False).communication_seconds
    assert predicted == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("model", ["4", "6"])
def test_a_model_without_its_table_names_the_probe(model: str) -> None:
    probe = "phasewise machine measure --machine bassi --ranks 64"
    with refused(f"model {model}", "ping-ping", "bassi", probe):
        load_model(model).phase_seconds(Case(paper(), load_machine("bassi"), 64))


def test_the_probe_of_a_machine_s_own_file_is_given_that_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(machine_path("bassi").read_text().replace('"bassi"', '"my own"', 1))
    with refused("model 4", "my own", "phasewise machine measure") as found:
        load_model("4").phase_seconds(Case(paper(), load_machine(str(path)), 64))
    words = str(found.value).split("phasewise ", 1)[1].split(",")[0].split()
    options = parse(words)
    assert load_machine(options.machine).name == "my own"
    assert options.ranks == 64


def test_the_probe_of_real_hardware_is_not_asked_of_a_simulator() -> None:
    machine = replace(load_machine("bassi"), measured=Measured("hardware", 2), paper={})
    with refused("model 1a", "ping-pong", "phasewise machine measure --ranks 32"):
        load_model("1a").phase_seconds(Case(paper(), machine, 32))


def test_models_are_found_by_name() -> None:
    assert model_names()[:7] == ["1a", "1b", "2", "3", "4", "5", "6"]
    assert [load_model(name).NAME for name in model_names()] == model_names()
    with refused('"1c"', *model_names()):
        load_model("1c")


def test_the_default_model_is_one_that_exists_and_suits_the_machine() -> None:
    described = load_machine("bassi")
    times = ((1, 1024), (1e-6, 2e-6), (1e-6, 2e-6), (1e-6, 2e-6))
    several = Curve("parallel", "network", *times, latency=1e-6, bandwidth=1e9, pairs=2)
    measured = replace(described, measured=Measured("hardware", 2), curves=(several,))
    assert default_model(described) in model_names()
    assert default_model(measured) == "4"
    # Curves of single messages do not say what several at once take.
    alone = replace(measured, curves=(replace(several, benchmark="ping-pong", pairs=1),))
    assert default_model(alone) == default_model(described)


def test_ranks_and_machine_that_do_not_fit_are_refused() -> None:
    with refused("communication.process_grid", '"4x8"', 64, 32, "2x8", "4x4"):
        _ = Case(paper(["communication.process_grid=4x8"]), load_machine("bassi"), 32).phases


def test_one_rank_alone_communicates_for_no_time() -> None:
    study = load(FOLDER / "examples/yokoya-round/study.toml")
    found = predict(Case(study, load_machine("bassi"), 1), "3", computation=False)
    assert (found.communication_seconds, found.low, found.high) == (0.0, 0.0, 0.0)


def test_a_turn_is_computation_and_communication() -> None:
    case = Case(paper(), load_machine("bassi"), 64)
    found = predict(case, "3")
    kernels = kernel_seconds(case)
    assert found.waiting_seconds == kernels.pop("imbalance")
    assert found.computation_seconds == pytest.approx(sum(kernels.values()))
    assert found.turn_seconds == found.computation_seconds + found.communication_seconds
    messages = sum(found.phases.values())
    assert found.communication_seconds == messages + found.waiting_seconds
    assert found.low < found.communication_seconds < found.high
    assert found.turn_low < found.turn_seconds < found.turn_high


def test_the_interval_of_a_turn_takes_in_a_rank_that_computes_longer_than_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where nobody waits for it, neither the mean rank's computing nor communication shows it."""
    monkeypatch.setattr(prediction, "residuals_of", lambda _workload: None)
    case = Case(paper(), load_machine("bassi"), 64)
    found = replace(
        predict(case, "3"), computation_seconds=1.0, communication_seconds=0.25, turn_seconds=2.0
    )
    known = prediction.bounded(found, case)
    assert known.turn_low < 2.0 < known.turn_high


def test_without_residuals_the_interval_is_as_wide_as_the_papers_errors() -> None:
    bassi, jaguar = load_machine("bassi"), load_machine("jaguar")
    for machine, factors in ((bassi, (0.75, 1.33)), (jaguar, (0.5, 10.0))):
        found = spread("3", machine, residuals=of_communication({"3": {}}))
        assert (math.exp(found.low), math.exp(found.high)) == pytest.approx(factors)


def test_the_papers_errors_are_not_those_of_other_workloads() -> None:
    # No model of the paper was compared with runs of a halo.
    found = spread("3", load_machine("bassi"), residuals=residuals_of(find_workload("halo")))
    assert (math.exp(found.low), math.exp(found.high)) == pytest.approx((0.5, 2.0))
    says(found.source, "two")


def test_the_ends_of_an_interval_are_conformal_places() -> None:
    # floor(0.05 · 20) = 1 and ceil(0.95 · 20) = 19 of 19; floor(0.05 · 100) = 5 and 95 of 99.
    assert conformal(range(1, 20)) == (1, 19)
    assert conformal(range(99, 0, -1)) == (5, 95)


def test_nine_of_ten_new_points_lie_inside_of_the_interval() -> None:
    random = np.random.default_rng(1)
    inside = []
    for _ in range(400):
        low, high = conformal(random.normal(0.1, 0.2, 99))
        new = random.normal(0.1, 0.2, 50)
        inside.append(np.mean((new >= low) & (new <= high)))
    # Coverage is Beta(90, 10) about 0.9, sigma 0.03; with 50 new points each and 400 draws the
    # mean is known to sqrt(0.03² + 0.09/50)/20 = 0.003, of which four are allowed.
    assert np.mean(inside) == pytest.approx(0.9, abs=0.012)


def of_communication(given: dict[str, dict[str, list[float]]]) -> Residuals:
    found = {model: {k: tuple(v) for k, v in groups.items()} for model, groups in given.items()}
    return {"communication": found}


def test_residuals_of_the_machine_come_before_those_of_its_kind() -> None:
    own, kind, other = [0.1] * FEWEST, [0.3] * FEWEST, [0.6] * FEWEST
    every = {"3": {"fat-tree|bassi": own, "fat-tree|seaborg": kind, "torus|jaguar": other}}
    residuals = of_communication(every)
    names = ("bassi", "jacquard", "bluegene-l")
    found = {name: spread("3", load_machine(name), residuals=residuals) for name in names}
    assert found["bassi"].high == 0.1
    assert found["jacquard"].high == 0.3
    says(found["jacquard"].source, 38, "simulated", "fat-tree")
    # Of one torus there are 19 residuals: enough, though none is of this one.
    assert found["bluegene-l"].high == 0.6
    none_of_its_kind = of_communication({"3": {"fat-tree|bassi": own}})
    assert spread("3", load_machine("jaguar"), residuals=none_of_its_kind).high == 0.1


def test_residuals_of_a_simulator_are_not_those_of_hardware_or_of_plain_twins() -> None:
    bassi = load_machine("bassi")
    says(spread("3", bassi, residuals=KEPT).source, "bassi")
    measured = replace(bassi, measured=Measured("hardware", 2))
    for found in (spread("3", measured, "full", KEPT), spread("3", bassi, "plain", KEPT)):
        says(found.source, "paper")
        assert (math.exp(found.low), math.exp(found.high)) == pytest.approx((0.75, 1.33))
    plain = predict(Case(paper(), bassi, 32, "plain"), "3", computation=False)
    assert plain.high == pytest.approx(1.33 * plain.communication_seconds)


def test_another_machine_of_the_same_name_does_not_get_its_residuals() -> None:
    bassi = load_machine("bassi")
    other = replace(bassi, network=replace(bassi.network, latency=1e-3))
    source = spread("3", other, residuals=KEPT).source
    says(source, "fat-tree")
    assert "bassi" not in source


def test_a_model_fitted_to_given_runs_does_not_get_the_residuals_of_others() -> None:
    found = spread("measured", load_machine("bassi"), residuals=KEPT)
    assert (math.exp(found.low), math.exp(found.high)) == pytest.approx((0.5, 2.0))
    says(found.source, "two")
    assert "paper" not in found.source and "workload" not in found.source


def test_every_model_has_residuals_of_every_described_machine() -> None:
    machines = ("bassi", "bluegene-l", "jacquard", "jaguar", "seaborg")
    for model in model_names():
        # `measured` is fitted to runs that the user gives, `described` judged on drawn machines.
        if model not in ("measured", "described"):
            for quantity in ("communication", "turn"):
                groups = KEPT[quantity][model].items()
                counts = {key.split("|")[1]: len(own) for key, own in groups if not is_drawn(key)}
                assert set(machines) <= set(counts), model
                assert min(counts.values()) >= FEWEST, model
    kinds = {"fat-tree", "tapered fat-tree", "torus", "dragonfly", "none"}
    for quantity in ("communication", "turn"):
        for model in ("described", "contention"):
            drawn = [key for key in KEPT[quantity][model] if is_drawn(key)]
            for kind in kinds:
                machines_of = [key for key in drawn if key.split("|")[0] == kind]
                # Of fewer machines the interval of one that is left out covers too little.
                assert len(machines_of) >= 8
                runs = [value for key in machines_of for value in KEPT[quantity][model][key]]
                assert len(runs) >= FEWEST


def test_too_few_residuals_are_not_taken_for_a_distribution() -> None:
    few = of_communication({"3": {"fat-tree|bassi": [0.0] * (FEWEST - 1)}})
    says(spread("3", load_machine("bassi"), residuals=few).source, "paper")


def test_noisy_curves_widen_the_interval() -> None:
    quiet = with_curves("bassi", curve("ping-pong", "network"))
    noisy = with_curves(
        "bassi", curve("ping-pong", "network", low=(7e-6, 7e-4), high=(13e-6, 13e-4))
    )
    assert noise(quiet) == 0.0
    assert noise(noisy) == pytest.approx(0.3)
    (low, high), (lower, higher) = (
        interval(1.0, "3", machine, "full", KEPT) for machine in (quiet, noisy)
    )
    assert lower < low < high < higher
    # Half widths in log add in squares.
    half = [math.log(b / a) / 2 for a, b in ((low, high), (lower, higher))]
    assert half[1] == pytest.approx(math.hypot(half[0], 0.3))

"""The workload `ocean`: its keys and defaults, and what is refused."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from phasewise.machines import load_machine
from phasewise.machines.overhead import check_overhead
from phasewise.models.platforms import rate_words
from phasewise.runs.choosing import changes
from phasewise.runs.layout import check_schedule, entries, fault_of, row_layout, snapshot_layout
from phasewise.study import Study
from phasewise.study.laboratory import check_simulated, iterated, placed, rate_of
from phasewise.tuning.candidates import Tuning, candidates
from phasewise.workload.protocols import STORING, comparable
from phasewise.workloads.ocean.choosing import shared
from phasewise.workloads.ocean.communication import BALANCED, CURVE, DISTRIBUTIONS
from phasewise.workloads.ocean.grid import interfaces
from phasewise.workloads.ocean.model import model_of
from tests.sentences import refused, says

PLANE = {"geometry": "plane", "grid": [20, 10, 4], "extent": [1e6, 5e5], "viscosity": 100.0}


def study(
    records: dict[str, Any] | None = None, communication: Any = None, count: int = 5, **own: Any
) -> Study:
    """A small study."""
    return Study.from_dict(
        {
            "workload": "ocean",
            "timesteps": count,
            "ocean": {"grid": [32, 24, 6]} | own,
            "records": records or {},
            "communication": communication or {},
        }
    )


def flat(given: Study) -> dict[str, str]:
    """The flat parameters by name."""
    return dict(line.split(" = ", 1) for line in given.parameters().splitlines())


def test_every_key_becomes_its_flat_parameter() -> None:
    found = flat(study(communication={"blocks": [8, 6], "distribution": "curve"}, **PLANE))
    assert {name: found[name] for name in found if not name.startswith("communication.")} == {
        "turns": "5", "seed": "1", "workload": "ocean", "ocean.grid": "20 10 4",
        "ocean.geometry": "plane", "ocean.latitudes": "-76.0 76.0",
        "ocean.extent": "1000000.0 500000.0", "ocean.coriolis": "0.0", "ocean.beta": "0.0",
        "ocean.periodic": "none", "ocean.mask": "none", "ocean.sea": "1.0",
        "ocean.timestep": "1800.0", "ocean.implicitness": "0.6",
        "ocean.advection": "upwind", "ocean.viscosity": "100.0", "ocean.diffusivity": "500.0",
        "ocean.vertical_viscosity": "0.001", "ocean.vertical_diffusivity": "0.0001",
        "ocean.drag": "0.0004", "ocean.wind": "0.1", "ocean.wind_profile": "gyre",
        "ocean.initial": "stratified", "ocean.wave_numbers": "1 0", "ocean.wave_height": "0.0",
        "ocean.baroclinic": "1", "ocean.solver": "pcsi", "ocean.preconditioner": "evp",
        "ocean.evp_block": "12 12", "ocean.iterations": "0", "ocean.most_iterations": "2000",
        "ocean.check_every": "10", "ocean.thicknesses": "1250.0 1250.0 1250.0 1250.0",
        "ocean.tolerance": "1e-13", "ocean.expected_iterations": found["ocean.expected_iterations"],
    }  # fmt: skip
    assert found["communication.blocks"] == "8 6"
    assert found["communication.distribution"] == "curve"


@pytest.mark.parametrize(
    ("grid", "size", "timestep"),
    [("x1", (320, 384, 40), 1800.0), ("x4tenths", (900, 600, 40), 600.0),
     ("tenth", (3600, 2400, 40), 360.0), ([80, 96, 10], (80, 96, 10), 1800.0)],
)  # fmt: skip
def test_a_grid_has_its_cells_and_its_timestep(
    grid: Any, size: tuple[int, int, int], timestep: float
) -> None:
    given = study(grid=grid)
    own = model_of(given)
    assert (own.size, own.timestep) == (size, timestep)
    assert Study.from_dict(given.resolved()) == given


def test_stretched_levels_grow_to_25_times_their_thickness_and_reach_the_depth() -> None:
    own = model_of(study(grid="x1"))
    thick = own.thicknesses
    assert math.isclose(math.fsum(thick), 5000.0, rel_tol=1e-14)
    assert sorted(thick) == list(thick)
    # sin² at the middles of the first and the last of 40 levels is 3.9e-4 from 0 and from 1.
    assert thick[-1] / thick[0] == pytest.approx(25.0, rel=0.02)
    assert interfaces((10.0, 20.0)).tolist() == [0.0, 10.0, 30.0]


def test_the_least_width_is_that_next_to_the_northern_wall() -> None:
    own = model_of(study(grid="x1"))
    along = 2 * math.pi * 6.37122e6 / 320 * math.cos(math.radians(76 - 0.5 * 152 / 384))
    assert own.smallest_width == pytest.approx(along, rel=1e-12)
    assert own.widths[2] == pytest.approx(6.37122e6 * math.radians(152 / 384), rel=1e-12)


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        ({"grid": [32, 24]}, ("ocean.grid", "three integers")),
        ({"grid": [32, 1, 4]}, ("ocean.grid[2] = 1", "at least 4")),
        ({"levels": [10.0, 20.0]}, ("ocean.levels", "6 levels")),
        ({"levels": [10.0] * 6, "depth": 100.0}, ("ocean.depth = 100", "60 m")),
        ({"extent": [1e6, 1e6]}, ("ocean.extent", "plane", "sphere")),
        ({"geometry": "plane"}, ("ocean.extent", "missing")),
        ({**PLANE, "latitudes": [-10, 10]}, ("ocean.latitudes", "sphere", "plane")),
        ({"periodic": "xy"}, ("ocean.periodic", "plane")),
        ({"latitudes": [30, -30]}, ("ocean.latitudes = [30, -30]", "southern")),
        ({"mask": "file"}, ("ocean.mask_file", "missing")),
        ({"mask": "none", "sea": 0.5}, ("ocean.sea", "continents")),
        ({"mask_variable": "depth"}, ("ocean.mask_variable", "ocean.mask_file")),
        ({"wave_height": 0.1}, ("ocean.wave_height", "wave", "stratified")),
        ({"initial": "file"}, ("ocean.initial_file", "missing")),
        ({"iterations": 10, "tolerance": 1e-6}, ("ocean.iterations = 10", "1e-06", "exclude")),
        ({"implicitness": 0.4}, ("ocean.implicitness = 0.4", "0.5")),
    ],
)
def test_what_cannot_be_used_is_refused(own: dict[str, Any], facts: tuple[str, ...]) -> None:
    with refused(*facts):
        study(**own)


def test_a_misspelt_word_gets_the_nearest() -> None:
    with refused("x4tenth", nearest="x4tenths"):
        study(grid="x4tenth")
    with refused("chronogear", nearest="chrongear"):
        study(solver="chronogear")


def test_a_timestep_beyond_stability_names_the_largest() -> None:
    # Mixing by A has the rate 4 A (1/Δx² + 1/Δy²), here 8e5/2.5e9 s⁻¹, and at most 1/Δt.
    own = {**PLANE, "viscosity": 1e5, "initial": "rest"}
    check_schedule(study(**own, timestep=3124.0))
    with refused("ocean.timestep = 3126 s", "viscosity", "3125 s"):
        check_schedule(study(**own, timestep=3126.0))


def test_a_protocol_that_cannot_add_is_refused_with_those_that_can() -> None:
    for name in STORING:
        with refused("communication.solver_sum_protocol", name, "accepted", "put", "isend-recv"):
            study(communication={"solver_sum_protocol": name})


@pytest.mark.parametrize("key", ["boundary", "solver_halo", "solver_sum_protocol"])
def test_coarrays_need_a_machine_whose_file_has_their_costs(key: str) -> None:
    given = study(communication={key: "coarray"})
    check_overhead(load_machine("phoenix"), given.communication)
    with refused(f"communication.{key}", "coarray", "[overhead]", "put", "bassi"):
        check_overhead(load_machine("bassi"), given.communication)


def test_two_iterations_share_an_exchange_of_chebyshevs_method_without_blocks_alone() -> None:
    ways = {"iterations_per_exchange": 2}
    study(communication=ways, preconditioner="diagonal").check_ranks(2)
    with refused(
        "communication.iterations_per_exchange = 2", "ocean.preconditioner", "diagonal", "evp"
    ):
        study(communication=ways).check_ranks(2)
    with refused("communication.iterations_per_exchange = 2", "ocean.solver", "pcsi", "pcg"):
        study(communication=ways, solver="pcg", preconditioner="none").check_ranks(2)


@pytest.mark.parametrize("name", ["iterations", "most_iterations", "check_every"])
def test_two_iterations_share_an_exchange_where_the_solver_has_even_numbers_of_them(
    name: str,
) -> None:
    ways = {"iterations_per_exchange": 2}
    study(communication=ways, preconditioner="none", **{name: 26}).check_ranks(2)
    with refused("communication.iterations_per_exchange = 2", f"ocean.{name}", "even", "25"):
        study(communication=ways, preconditioner="none", **{name: 25}).check_ranks(2)
    assert shared(model_of(study(preconditioner="none", **{name: 25}))) == [1]


def test_more_ranks_than_blocks_are_refused() -> None:
    given = study(communication={"blocks": [8, 8]}, preconditioner="diagonal")
    given.check_ranks(12)
    with refused("13 ranks", "12 blocks of 8 × 8"):
        given.check_ranks(13)
    with refused("193 ranks", "32 × 24", "16x12"):
        study(preconditioner="none").check_ranks(193)
    with refused("32x1", "16x12"):
        study(communication={"process_grid": "32x1"}, preconditioner="none").check_ranks(32)


def test_a_rank_has_whole_blocks_of_the_preconditioner() -> None:
    # Tiles of at most 12 cells: 4 of 8 along x, 2 of 12 along y.
    study().check_ranks(8)
    with refused("9 ranks", "4x2", "ocean.evp_block"):
        study().check_ranks(9)
    with refused("7 ranks", "4x2", "no grid"):
        study().check_ranks(7)


@pytest.mark.parametrize("distribution", [BALANCED, CURVE])
def test_blocks_that_are_dealt_need_no_process_grid(distribution: str) -> None:
    dealt = study(communication={"distribution": distribution})
    # 8 tiles, which 7 ranks do not share in rows and columns.
    dealt.check_ranks(7)
    with refused("9 ranks", "8 blocks", "ocean.evp_block"):
        dealt.check_ranks(9)
    machine = load_machine("bassi")
    found = candidates(dealt, 4, machine)
    assert {one.communication()["process_grid"] for one in found} == {"auto"}
    assert dealt.workload.part(Tuning).open_grids(dealt, 4) == []


def test_a_record_gives_the_process_grid_only_where_blocks_follow_from_it() -> None:
    record = SimpleNamespace(process_grid=[[4, 1]])
    grids = [
        placed(study(communication={"distribution": one}), record).process_grid
        for one in DISTRIBUTIONS
    ]
    assert grids == ["4x1", "auto", "auto"]


def test_a_process_grid_belongs_to_cartesian_blocks() -> None:
    with refused("communication.blocks", "two integers"):
        study(communication={"blocks": [8]})
    with refused("communication.process_grid", "cartesian", "curve"):
        study(communication={"process_grid": "2x2", "distribution": "curve"})


def test_a_timestep_counts_as_simulated_years_a_day() -> None:
    years, unit = rate_of(study(grid="x1"))
    # 1800 s in one second of the clock are 1800 days a day.
    assert years == pytest.approx(1800 / 365)
    assert unit == rate_words(study()) == "simulated years a day"
    own = {"problem": "sod", "zones": [8]}
    usual = Study.from_dict({"workload": "hydro", "timesteps": 1, "hydro": own})
    assert rate_words(usual) == "timesteps a second"


def test_iterations_and_checks_are_pieces() -> None:
    assert iterated(study(solver="pcsi"), None) == {}
    assert iterated(study(solver="pcsi"), 25) == {"iteration": 25.0, "check": 3.0}
    both = study(preconditioner="none", communication={"iterations_per_exchange": 2})
    assert iterated(both, 25) == {"iteration": 13.0, "check": 3.0}
    fixed = study(solver="pcg", iterations=7)
    assert iterated(fixed, None) == {"iteration": 7.0}
    with refused("--iterations 9", "ocean.iterations = 7"):
        iterated(fixed, 9)


def test_fields_of_a_file_cannot_be_simulated_but_their_messages_can() -> None:
    given = study(initial_file="start.h5")
    check_simulated(given, skeleton=True)
    with refused("ocean.initial_file", "--skeleton"):
        check_simulated(given, skeleton=False)


def test_a_tuner_compares_each_way_once() -> None:
    found = candidates(study(preconditioner="diagonal"), 4, load_machine("bassi"))
    tables = [tuple(one.communication().items()) for one in found]
    assert len(set(tables)) == len(tables)
    own = [dict(table) for table in tables]
    assert {one["process_grid"] for one in own} == {"2x2", "1x4", "4x1"}
    assert {one["solver_halo"] for one in own} == set(comparable())
    assert not {one["solver_sum_protocol"] for one in own} & set(STORING)


def test_one_rank_has_kernels_to_try_and_nothing_else() -> None:
    alone = changes(study(), [[1, 1]], levels=False)
    assert alone == [{"kernel": "plain"}]
    several = changes(study(preconditioner="none"), [[2, 2]], levels=False)
    assert {"iterations_per_exchange": 2} in several and {"solver_halo": "put"} in several


def test_residuals_stand_at_their_iterations() -> None:
    given = study(most_iterations=30)
    assert row_layout(given)["residuals"].shape == (30,)
    found = entries(given, {"residuals": [0.5, 0.25], "residuals_at": [10, 20]})["residuals"]
    assert (found[9], found[19]) == (0.5, 0.25)
    assert math.isnan(found[0]) and math.isnan(found[29])


def test_snapshots_have_levels_where_the_ocean_has_them() -> None:
    layout = snapshot_layout(study({"snapshots_every": 2}))
    assert layout["snapshots/1/surface"].shape == (24, 32)
    assert layout["snapshots/4/temperature_section"].shape == (6, 24)
    assert set(snapshot_layout(study({"snapshots_every": 5}, baroclinic=False))) == {
        "snapshots/4/surface"
    }


WELL = {
    "converged": 1, "iterations": 42, "residual": 1e-14, "condition": 250.0, "courant": 0.1,
    "largest_surface": 1.0,
}  # fmt: skip


def test_a_solve_that_does_not_converge_is_a_fault_with_its_numbers() -> None:
    given = study(solver="pcg", preconditioner="diagonal")
    assert fault_of(given, WELL) == ""
    says(
        fault_of(given, WELL | {"converged": 0, "residual": 3e-5}),
        "did not converge", "42 iterations", "3e-05", "condition number is 250",
        "ocean.most_iterations = 2000",
    )  # fmt: skip


def test_a_current_that_crosses_more_than_a_cell_ends_a_run_with_the_timestep_it_needs() -> None:
    says(fault_of(study(), WELL | {"courant": 4.0}), "ocean.timestep = 1800 s", "4 cells", "225 s")
    says(fault_of(study(), WELL | {"courant": math.inf}), "range of numbers", "ocean.viscosity")


def test_a_surface_that_the_uppermost_level_cannot_hold_ends_a_run() -> None:
    deep = study(levels="uniform", depth=60.0)
    says(fault_of(deep, WELL | {"largest_surface": 12.0}), "12 m", "10 m", "ocean.levels")

"""The work of a turn, counted without running it and booked by a run, is what its formulas say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasewise.study import Study
from phasewise.study.reading import apply_override
from tests.unit.study_tables import RF, tables

core = pytest.importorskip("phasewise._core", reason="the core is not built")

PARTICLES, SLICES, GRID = 403, 3, (32, 24)

ON_DEVICE = 'run={device="emulated",device_buffers="staged"}'
VARIANTS = [
    [],
    ['ip.1.interpolation="none"', 'ip.1.weighting="tsc"'],
    ['ip.1.green_function="every-step"', "ip.1.luminosity=false", "ip.1.slices=[4, 2]"],
    ['ip.1.model="soft-gaussian"', "records.moments_order=4", "ip.1.slices=[1, 5]"],
    ["records.slices_every=1"],
    ['ip.1.planes="pair"'],
    [ON_DEVICE],
    ['ip.1.slicing="equal-width"', "ip.1.slices=1"],
]
NEW_MESH = {"green": 1.0}
"""In a first turn."""


def study(*changes: str, **keys: Any) -> Study:
    given = tables(
        ip__1__grid=list(GRID), ip__1__slices=SLICES, beam__1__macroparticles=PARTICLES, **keys
    )
    given["ip"]["1"]["half_crossing_angle"] = 0.0  # windows coincide, as the count assumes
    for change in changes:
        apply_override(given, change)
    return Study.from_dict(given)


def expected_items(changes: list[str], ranks: int = 1) -> dict[str, float]:
    """Items of each kernel in a first turn, of all ranks together.

    Each mesh is solved by one process alone.
    """
    one, two = study(*changes).model.ips[0].slices
    planes = 1 if 'ip.1.interpolation="none"' in changes else 2
    particles, cells, pairs = 2.0 * PARTICLES, float(GRID[0] * GRID[1]), float(one * two)
    items = {"moments": particles, "sort": particles, "arc": particles}
    if "records.slices_every=1" in changes:
        items |= {"bounds": particles, "slice_moments": particles}
    if 'ip.1.model="soft-gaussian"' in changes:
        meetings = float(PARTICLES * (one + two))
        # The bounds are those of the slices' moments.
        items |= {"gaussian_encounter": meetings, "slice_moments": meetings, "bounds": particles}
        return items
    meshes = laid = 2.0 * pairs * planes
    if planes == 2 and 'ip.1.planes="pair"' not in changes:
        laid = 2.0 * pairs + one + two  # the tail of each pair, and the first head of each slice
    steps = one + two - 1.0
    items |= {
        # Each slice leaves its first charge before it meets the first of the others.
        "encounter": float(PARTICLES * (one + two + 2)),
        # A rank holds all meshes of its beam; one rank alone those of both.
        "clear": laid * cells * max(1.0, ranks / 2),
        "field": 2.0 * pairs * cells * max(1.0, ranks / 2),
        "solve": laid,
        # Every rank chooses a level for each slice and plane of both beams.
        "mesh": ranks * meshes,
        "green": ranks * (steps if 'ip.1.green_function="every-step"' in changes else 1.0),
    }
    if "ip.1.luminosity=false" not in changes:
        # The overlap, and the charges between two planes: of each rank's own beam.
        beams = min(ranks, 2)
        items["luminosity"] = pairs * cells * (1.0 + (beams if planes == 2 else 0.0))
        items["overlap_factor"] = ranks * pairs
    if ON_DEVICE in changes and ranks > 1:
        overlaps = pairs * cells if "luminosity" in items else 0.0
        items |= expected_copies(laid * cells, overlaps, planes, ranks)
    return items


def expected_copies(laid: float, overlaps: float, planes: int, ranks: int) -> dict[str, float]:
    """Values that all ranks copy between the host and their device: of all planes that both beams
    lay, equally many each, and of the charges whose overlap is summed.
    """
    # Every rank of a beam has its charges and the other's potentials, and a solver one beam's; for
    # the luminosity ranks of beam 2 send charges between two planes, and those of beam 1 get them.
    meshes = (ranks / 2 + 1.0) * laid
    sent, got = ranks // 2 * overlaps * (planes - 1), (ranks + 1) // 2 * overlaps
    return {"to_host": meshes + sent, "to_device": meshes + got}


def with_first_bounds(items: dict[str, float]) -> dict[str, float]:
    """The same of a turn that is run: the first one finds the bounds of all particles."""
    return items | {"bounds": items.get("bounds", 0.0) + 2.0 * PARTICLES}


def counted(study: Study, ranks: int) -> dict[str, float]:
    """Items of each kernel in a first turn of all ranks, as the core counts them."""
    total: dict[str, float] = {}
    for kernel in core.work(study.parameters(), ranks, NEW_MESH):
        total[kernel["name"]] = total.get(kernel["name"], 0.0) + ranks * kernel["items"]
    return total


def booked(study: Study) -> dict[str, float]:
    """The same of a turn that is run on all ranks of this process's world."""
    run = core.start(study.parameters(), 1)
    run.step()
    own = {kernel["name"]: kernel["items"] for kernel in run.kernels()}
    total: dict[str, float] = {}
    for part in core.gather(json.dumps(own).encode()):
        for name, items in json.loads(part).items():
            total[name] = total.get(name, 0.0) + items
    return total


@pytest.mark.parametrize("changes", VARIANTS, ids=" ".join)
def test_a_turn_on_one_rank_has_the_items_of_its_formulas(changes: list[str]) -> None:
    chosen, expected = study(*changes), expected_items(changes)
    # Sums of whole numbers and of shares: a few roundings of 1e-16 each.
    assert booked(chosen) == pytest.approx(with_first_bounds(expected), rel=1e-12)
    assert counted(chosen, 1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("changes", [[], [ON_DEVICE]], ids=" ".join)
@pytest.mark.parametrize("ranks", [2, 3, 4, 6])
def test_the_work_counted_for_several_ranks_has_the_items_of_its_formulas(
    ranks: int, changes: list[str]
) -> None:
    expected = expected_items(changes, ranks)
    assert counted(study(*changes), ranks) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_only_beams_with_rf_count_debunched_particles_and_at_the_first_point_alone(
    ranks: int,
) -> None:
    chosen = study(ip__2={"beta": [1.0, 1.0], "model": "none"}, **RF)
    assert counted(chosen, ranks)["debunched"] == pytest.approx(2 * PARTICLES, rel=1e-12)
    if ranks == 1:
        assert booked(chosen)["debunched"] == 2 * PARTICLES


def test_flops_and_bytes_are_those_of_the_card_times_the_items() -> None:
    for kernel in core.work(study().parameters(), 2, NEW_MESH):
        if kernel["name"] == "encounter":
            # Two planes of 60 flops, less 28 of a deposit on one, and 28 for the differences of the
            # potential at more nodes; 48 bytes read and 40 written.
            assert kernel["flops"] == pytest.approx(120.0 * kernel["items"])
            assert kernel["bytes"] == pytest.approx(88.0 * kernel["items"])


@pytest.mark.parametrize("changes", [[], ['ip.1.interpolation="none"'], [ON_DEVICE]], ids=" ".join)
def test_a_plan_has_the_flops_and_bytes_of_a_run_with_many_particles_in_a_slice(
    changes: list[str],
) -> None:
    chosen = study("beam.1.macroparticles=12_000", "beam.2.macroparticles=12_000", *changes)
    run = core.start(chosen.parameters(), 1)
    run.step()
    books = {kernel["name"]: kernel for kernel in run.kernels()}
    for kernel in core.work(chosen.parameters(), 1, NEW_MESH):
        own = books[kernel["name"]]
        # A device deposits by tiles, of which a plan does not know.
        for what in ("flops",) if changes == [ON_DEVICE] else ("flops", "bytes"):
            assert kernel[what] == pytest.approx(own[what], rel=1e-3), (kernel["name"], what)


def test_uneven_columns_show_as_load() -> None:
    # 3 slices on 2 columns: in steps of 1, 2, 3, 2, 1 pairs, which lay 2, 3, 4, 2, 1 planes, the
    # fullest column has 2, 2, 3, 1, 1 of them, the mean one 12/2 in all.
    work = core.work(study('communication.process_grid="2x1"').parameters(), 4)
    load = {kernel["name"]: kernel["load"] for kernel in work}
    assert load["solve"] == pytest.approx(9 / 6)
    assert load["encounter"] == pytest.approx(1.0)


def test_a_beam_with_fewer_ranks_shows_as_load() -> None:
    # Two ranks share beam 1, one has all of beam 2: twice the 2/3 · 403 of the mean, over it.
    load = {k["name"]: k["load"] for k in core.work(study().parameters(), 3)}
    assert load["arc"] == pytest.approx(1.5)


def test_green_functions_are_counted_as_often_as_meshes_are_new() -> None:
    text = study().parameters()
    green = [
        next(k["flops"] for k in core.work(text, 2, {"green": meshes}) if k["name"] == "green")
        for meshes in (0.0, 0.5, 1.0)
    ]
    assert green[0] == 0.0
    assert green[2] == pytest.approx(2 * green[1])
    assert green[2] > 0.0


def test_ranks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="rank"):
        core.work(study().parameters(), 0)


def test_a_plan_for_a_gpu_counts_the_transforms_of_the_gpu() -> None:
    def flops_of_a_solve(*changes: str) -> float:
        work = core.work(study(*changes).parameters(), 2, NEW_MESH)
        (solve,) = (kernel for kernel in work if kernel["name"] == "solve")
        return float(solve["flops"] / solve["items"])

    rows, lanes = flops_of_a_solve('ip.1.planes="pair"'), flops_of_a_solve()
    assert lanes < rows
    assert flops_of_a_solve('run.device="emulated"') == lanes
    assert flops_of_a_solve('run.device="cuda"') == flops_of_a_solve('run.device="auto"') == rows


def test_a_plan_lays_shared_planes_where_check_says_so() -> None:
    found = []
    for angle in (0.0, 1e-3, 2e-3, 3e-3, 4e-3):
        crossing = study(f"ip.1.half_crossing_angle={angle}", "ip.1.slices=[7, 6]")
        found.append(crossing.derived()["ips"][0]["shared_planes"])
        assert counted(crossing, 1)["solve"] == (2 * 42 + 13 if found[-1] else 4 * 42)
    assert found[0] and not found[-1]

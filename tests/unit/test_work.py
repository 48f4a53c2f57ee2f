"""The work of a turn, counted without running it, is what the kernels of a real turn book."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasewise.study import Study
from phasewise.study.reading import apply_override
from tests.unit.study_tables import tables

core = pytest.importorskip("phasewise._core", reason="the core is not built")

VARIANTS = [
    [],
    ['ip.1.interpolation="none"', 'ip.1.weighting="tsc"'],
    ['ip.1.green_function="every-step"', "ip.1.luminosity=false"],
    ['ip.1.model="soft-gaussian"', "records.moments_order=4"],
    ['ip.1.slicing="equal-width"', "ip.1.slices=1"],
]
WORK = ("items", "flops", "bytes")


def study(*changes: str, **keys: Any) -> Study:
    given = tables(ip__1__grid=[32, 24], ip__1__slices=3, beam__1__macroparticles=403, **keys)
    given["ip"]["1"]["half_crossing_angle"] = 0.0  # windows coincide, as the count assumes
    for change in changes:
        apply_override(given, change)
    return Study.from_dict(given)


def counted(study: Study, ranks: int) -> dict[str, list[float]]:
    """Items, flops and bytes of each kernel in a first turn."""
    total: dict[str, list[float]] = {}
    for kernel in core.work(study.parameters(), ranks, {"green": 1.0}):
        known = total.setdefault(kernel["name"], [0.0, 0.0, 0.0])
        own = [kernel[key] for key in WORK]
        total[kernel["name"]] = [a + b for a, b in zip(known, own, strict=True)]
    return total


def booked(study: Study) -> dict[str, list[float]]:
    """The same of a turn that is run, mean over the ranks of this process's world."""
    simulation = core.start(study.parameters(), 1)
    simulation.step()
    own = {kernel["name"]: [kernel[key] for key in WORK] for kernel in simulation.kernels()}
    ranks = [json.loads(part) for part in core.gather(json.dumps(own).encode())]
    total: dict[str, list[float]] = {}
    for rank in ranks:
        for name, work in rank.items():
            known = total.setdefault(name, [0.0, 0.0, 0.0])
            total[name] = [a + b / len(ranks) for a, b in zip(known, work, strict=True)]
    return total


@pytest.mark.parametrize("changes", VARIANTS, ids=" ".join)
def test_a_turn_on_one_rank_does_the_work_that_was_counted(changes: list[str]) -> None:
    chosen = study(*changes)
    found = booked(chosen)
    expected = counted(chosen, 1)
    assert expected.keys() == found.keys()
    for name, work in found.items():
        # The same sums in another order: a few roundings of 1e-16 each.
        assert expected[name] == pytest.approx(work, rel=1e-12), name


def test_the_work_of_all_ranks_together_does_not_depend_on_their_number() -> None:
    chosen = study()
    one, many = counted(chosen, 1), counted(chosen, 6)
    for name in ("moments", "sort", "arc", "encounter"):
        assert 6 * many[name][0] == pytest.approx(one[name][0])
    assert 6 * many["solve"][1] == pytest.approx(one["solve"][1])


def test_uneven_columns_show_as_load() -> None:
    # 3 slices on 2 columns: in steps of 1, 2, 3, 2, 1 pairs the fullest column has 1, 1, 2, 1, 1,
    # the mean one 9/2 in all.
    work = core.work(study('communication.process_grid="2x1"').parameters(), 4)
    load = {kernel["name"]: kernel["load"] for kernel in work}
    assert load["solve"] == pytest.approx(6 / 4.5)
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

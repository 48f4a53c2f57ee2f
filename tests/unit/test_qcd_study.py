"""The workload `qcd`: its keys, what is refused, process grids, layouts and its messages."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from phasewise.driver import load_planner
from phasewise.models.plan import plan
from phasewise.study import Study
from phasewise.workloads.qcd.grids import Extents, fitting_grids, least_surface, surface_ratio
from phasewise.workloads.qcd.reproduction.published import columns, ratios
from phasewise.workloads.qcd.reproduction.tables import claims
from tests.sentences import Nearest, refused

pytest.importorskip("phasewise._core", reason="the core is not built")


def study(size: tuple[int, ...] = (8, 8, 8, 16), **changes: Any) -> Study:
    """A small study; changes are tables, or keys of [communication]."""
    tables: dict[str, Any] = {
        "workload": "qcd", "solves": 2, "lattice": {"size": list(size)},
        "quarks": {"kappa": 0.12}, "communication": {},
    }  # fmt: skip
    for name, value in changes.items():
        if isinstance(value, dict):
            tables[name] = tables.get(name, {}) | value
        else:
            tables["communication"][name] = value
    return Study.from_dict(tables)


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study(
        gauge={"start": "hot"}, solver={"iterations": 7, "precision": "mixed"},
        quarks={"kappa": 0.12, "clover": 1.5}, measure={"source": [1, 2, 3, 4]},
        process_grid="1x1x2x2", layout="bricks", halo="put", blocks="runs", spinors="full",
        overlap=True, sums="library", kernel="plain", node_size=2,
    )  # fmt: skip
    assert given.parameters().splitlines() == [
        "turns = 2",
        "seed = 1",
        "workload = qcd",
        "lattice.size = 8 8 8 16",
        "gauge.start = hot",
        "gauge.files = 1",
        "quarks.kappa = 0.12",
        "quarks.phases = 0.0 0.0 0.0 1.0",
        "quarks.anisotropy = 1.0",
        "quarks.velocity = 1.0",
        "quarks.clover_spatial = 1.5",
        "quarks.clover_temporal = 1.5",
        "quarks.twisted_mass = 0.0",
        "quarks.stout_weight = 0.0",
        "quarks.stout_steps = 0",
        "solver.method = cg",
        "solver.precision = mixed",
        "measure.pion = 0",
        "measure.width = 0.0",
        "measure.iterations = 0",
        "measure.source = 1 2 3 4",
        "measure.rectangles = 0",
        "measure.flow_step = 0.02",
        "solver.iterations = 7",
        "solver.tolerance = 0.0",
        "measure.flow_steps = 0",
        "communication.process_grid = 1 1 2 2",
        "communication.layout = bricks",
        "communication.halo = put",
        "communication.blocks = runs",
        "communication.spinors = full",
        "communication.overlap = 1",
        "communication.sums = library",
        "communication.kernel = plain",
        "communication.link_reals = 18",
        "communication.node_size = 2",
    ]
    assert Study.from_dict(given.resolved()) == given
    assert given.derived()["bare_mass"] == pytest.approx(1 / 0.24 - 4)


def test_a_pion_may_be_a_table_of_its_own() -> None:
    table = {"pion": {"source": "smeared", "width": 2.0, "iterations": 5}}
    flat = {"pion": "smeared", "width": 2.0, "iterations": 5}
    assert study(measure=table) == study(measure=flat)
    assert study(measure={"pion": {}}) == study(measure={"pion": "point"})


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"size": (8, 7, 8, 16)}, ("lattice.size", [8, 7, 8, 16], "odd", [8, 8, 8, 16])),
        ({"quarks": {"kappa": 0}}, ("quarks.kappa", 0)),
        ({"quarks": {"kapa": 0.1}}, ("quarks", '"kapa"', Nearest("kappa"))),
        (
            {"quarks": {"kappa": 0.1, "clover": 1.0, "clover_temporal": 1.0}},
            ("quarks.clover", "quarks.clover_temporal"),
        ),
        (
            {"quarks": {"kappa": 0.1, "stout_steps": 2}},
            ("quarks.stout_weight", "quarks.stout_steps", 0, 2),
        ),
        (
            {"quarks": {"kappa": 0.25, "anisotropy": 3.0}},
            ("quarks.kappa", "anisotropy", "velocity", "diagonal"),
        ),
        (
            {"solver": {"precision": "single", "tolerance": 1e-9}},
            ("solver.tolerance", 1e-09, 1e-06, 'solver.precision = "mixed"'),
        ),
        (
            {"measure": {"pion": "smeared"}},
            ('measure.pion = "smeared"', "measure.width = 0", "measure.iterations = 0"),
        ),
        (
            {"measure": {"width": 2.0}},
            ("measure.width = 2", "measure.iterations = 0", 'measure.pion = "smeared"', "source"),
        ),
        (
            {"measure": {"pion": {"source": "smeared", "width": 2.0}}},
            ('measure.pion = "smeared"', "measure.width = 2", "measure.iterations = 0"),
        ),
        (
            {"measure": {"pion": "point", "width": 2.0, "iterations": 3}},
            ('measure.pion = "point"', "measure.iterations = 3", 'measure.pion = "smeared"'),
        ),
        (
            {"measure": {"pion": {"source": "smeared", "width": 2.0}, "width": 1.0}},
            ("measure.width", "measure.pion.width", "one"),
        ),
        (
            {"measure": {"pion": {"sorce": "point"}}},
            ("measure.pion", '"sorce"', Nearest("source")),
        ),
        ({"gauge": {"start": "file"}}, ('gauge.start = "file"', "gauge.file", "no file")),
        ({"gauge": {"file": "x.lime"}}, ("gauge.start", "gauge.file", '"cold"')),
        (
            {"solver": {"tolerance": 1e-8, "iterations": 5}},
            ("solver.tolerance", "solver.iterations"),
        ),
        ({"measure": {"source": [8, 0, 0, 0]}}, ("measure.source", [8, 0, 0, 0], 8, "x")),
        (
            {"process_grid": "2x2"},
            ("communication.process_grid", '"2x2"', '"1x2x2x4"', '"auto"'),
        ),
        ({"halo": "sendrcv"}, ("communication.halo", '"sendrcv"', Nearest("sendrecv"))),
        ({"layout": "brick"}, ("communication.layout", "brick", Nearest("bricks"))),
        ({"link_reals": 10}, ("communication.link_reals", 10, 18, 12)),
        ({"link_reals": 16}, ("communication.link_reals", 16, 18, 12)),
        (
            {"link_reals": 12, "kernel": "plain"},
            ("communication.link_reals", 12, 'kernel = "fast"', 'kernel = "plain"'),
        ),
        (
            {"overlap": "thred"},
            ("communication.overlap", "true", "false", '"thred"', Nearest("thread")),
        ),
        ({"overlap": 2}, ("communication.overlap", "true", "false", '"thread"', 2)),
        (
            {"blocks": "derived"},
            ('communication.blocks = "derived"', 'spinors = "full"', 'kernel = "plain"'),
        ),
    ],
)
def test_a_study_that_makes_no_sense_is_one_sentence(
    changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(**changes)


def test_a_missing_lattice_or_quark_is_named() -> None:
    for table, key in (("lattice", "lattice.size"), ("quarks", "quarks.kappa")):
        tables = study().resolved()
        del tables[table]
        with refused(key, "missing"):
            Study.from_dict(tables)


GRID = "communication.process_grid"
EVEN_PARTS = ("lattice.size", [8, 8, 8, 16], "even")


@pytest.mark.parametrize(
    ("grid", "ranks", "facts"),
    [
        # 8×8×8×16: powers of 2 up to 512 ranks, each with parts of 2×2×2×2 or more.
        ("auto", 5, ("5 ranks", *EVEN_PARTS, 4, 8)),
        ("auto", 1000, ("1000 ranks", *EVEN_PARTS, 512)),
        ("2x3x1x1", 6, (GRID, '"2x3x1x1"', *EVEN_PARTS, 4, 8)),
        ("1x1x2x2", 8, (GRID, '"1x1x2x2"', "4 ranks", 8, '"1x1x1x8"')),
        ("8x1x1x1", 8, (GRID, '"8x1x1x1"', *EVEN_PARTS, '"1x1x1x8"')),
    ],
)
def test_ranks_that_do_not_fit_are_told_what_does(
    grid: str, ranks: int, facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(process_grid=grid).check_ranks(ranks)


def test_phases_that_are_no_signs_need_whole_links() -> None:
    twisted = study(link_reals=12, quarks={"kappa": 0.12, "phases": [0.5, 0, 0, 1]})
    with refused("communication.link_reals", 12, "quarks.phases", "whole", [0.5, 0, 0, 1]):
        twisted.check_ranks(1)


def test_the_core_chooses_the_grid_of_least_surface_too() -> None:
    sizes: list[Extents] = [(8, 8, 8, 16), (12, 8, 8, 8), (4, 8, 12, 24)]
    for size, ranks in itertools.product(sizes, (1, 4, 8)):
        found = load_planner().plan(study(size).parameters(), ranks)["process_grid"][0]
        grid = least_surface(size, ranks)
        assert tuple(found) == grid
        others = [surface_ratio(size, other) for other in fitting_grids(size, ranks)]
        assert surface_ratio(size, grid) == min(others)


def messages(own: Study, ranks: int, piece: str) -> dict[str, tuple[int, int]]:
    """Size and number of the messages of each phase in a piece."""
    found = plan(own, ranks)["phases"]
    return {
        p["name"]: (p["bytes"], p["messages"])
        for p in found
        if p.get("piece") == piece and not p["library"]
    }


@pytest.mark.parametrize(("spinors", "factor"), [("half", 1), ("full", 2)])
def test_messages_of_an_iteration_are_faces_of_half_the_sites(spinors: str, factor: int) -> None:
    own = study((48, 48, 48, 96), process_grid="4x8x8x16", spinors=spinors)
    found = messages(own, 4096, "iteration")
    assert found["halo_x"] == (10368 * factor, 8)
    for axis in "yzt":
        assert found[f"halo_{axis}"] == (20736 * factor, 8)
    assert sum(size * count for size, count in found.values()) == 580_608 * factor
    small = study((24, 24, 24, 48), process_grid="4x4x4x8", spinors=spinors)
    found = messages(small, 512, "iteration")
    assert {size for size, _ in found.values()} == {10368 * factor}
    assert sum(size * count for size, count in found.values()) == 331_776 * factor


def test_links_go_with_their_corners_axis_by_axis() -> None:
    own = study((48, 48, 48, 96), process_grid="4x8x8x16")
    found = messages(own, 4096, "links")
    sizes = [found[f"links_{axis}"] for axis in "xyzt"]
    assert sizes == [(124416, 2), (290304, 2), (387072, 2), (516096, 2)]


@pytest.mark.parametrize("spinors", ["half", "full"])
def test_runs_send_each_contiguous_run_of_a_face_by_itself(spinors: str) -> None:
    # A hopping matrix: 2 x (108 + 36 + 6 + 1) = 302 on 12 x 6 x 6 x 6 sites; four an iteration.
    own = study((48, 48, 48, 96), process_grid="4x8x8x16", spinors=spinors, blocks="runs")
    counts = [messages(own, 4096, "iteration")[f"halo_{axis}"][1] for axis in "xyzt"]
    assert counts == [8 * runs for runs in (108, 36, 6, 1)] and sum(counts) == 4 * 302


@pytest.mark.parametrize("layout", ["x-first", "t-first", "bricks", "random"])
def test_each_place_has_one_rank_and_bricks_keep_messages_within_nodes(layout: str) -> None:
    own = study((8, 8, 8, 8), process_grid="2x2x2x2", layout=layout, node_size=4)
    traffic = load_planner().traffic(own.parameters(), 16, 4)
    senders, receivers = (np.asarray(traffic[name]) for name in ("from", "to"))
    # Two neighbours along each axis are one rank here.
    for rank in range(16):
        assert len(set(receivers[senders == rank])) == 4
    within = np.mean(senders // 4 == receivers // 4)
    if layout == "bricks":
        # A brick of four has two of its four neighbours within.
        assert within == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("grid", "node_size", "within"),
    [
        # Nodes of 6, 6 and 4 have bricks of 2, and a rank has one of its neighbours in its own.
        ("2x2x2x2", 6, 1 / 4),
        # Nodes of 3 ranks, and one of 1: each rank is a brick.
        ("2x2x2x2", 3, 0.0),
        # Nodes of 4 ranks in a grid without a brick of 4: bricks of 2.
        ("1x2x3x2", 4, 1 / 4),
    ],
)
def test_bricks_are_smaller_where_nodes_are_unequal_or_the_grid_has_none(
    grid: str, node_size: int, within: float
) -> None:
    own = study((8, 8, 12, 8), process_grid=grid, layout="bricks", node_size=node_size)
    ranks = int(np.prod([int(n) for n in grid.split("x")]))
    traffic = load_planner().traffic(own.parameters(), ranks, node_size)
    senders, receivers = (np.asarray(traffic[name]) for name in ("from", "to"))
    assert set(senders) == set(range(ranks))
    assert np.mean(senders // node_size == receivers // node_size) >= within


def test_the_sources_tables_say_what_they_are_said_to() -> None:
    assert len(columns()) == 29 and len(list(ratios())) == 12
    found = {claim.id: claim for claim in claims()}
    assert list(found) == ["1", "2", "3", "4", "6", "7"]
    assert all(claim.holds and claim.arithmetic for claim in found.values())
    # What an iteration takes in all, from Table 2's first column by hand: 2564 ms.
    first = columns()[0]
    by_hand = 7728 * 48**3 * 96 / 2 / 52e9
    assert math.isclose(first.iteration_seconds, by_hand)

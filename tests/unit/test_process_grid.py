"""Process grids and layouts: which rank holds which place of which beam's grid."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import phasewise._core as core
from tests.cpu_time import cpu_seconds
from tests.sentences import refused

Place = tuple[int, int, int]
LAYOUTS = ("random", "row-first", "column-first")


def paper_shapes(ranks: int) -> list[list[int]]:
    """The source paper's grids: columns of sixteen."""
    return [[ranks // 32, 16]] * 2


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shapes", [[[1, 1], [1, 1]], [[2, 3], [2, 3]], [[4, 2], [1, 5]]])
def test_a_layout_fills_every_place_once(layout: str, shapes: list[list[int]]) -> None:
    wanted = [
        (beam, column, row)
        for beam, (prow, pcol) in zip((1, 2), shapes, strict=True)
        for column in range(prow)
        for row in range(pcol)
    ]
    assert sorted(core.lay_out(layout, shapes, 5)) == wanted


def test_neighbours_stand_along_a_row_in_the_row_first_layout() -> None:
    """rank = row · Prow + column, beam 2 after beam 1."""
    assert core.lay_out("row-first", [[2, 3], [1, 2]]) == [
        *((1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1), (1, 0, 2), (1, 1, 2)),
        *((2, 0, 0), (2, 0, 1)),
    ]


def test_neighbours_stand_in_a_column_in_the_column_first_layout() -> None:
    """rank = column · Pcol + row, beam 2 after beam 1."""
    assert core.lay_out("column-first", [[2, 3], [2, 1]]) == [
        *((1, 0, 0), (1, 0, 1), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)),
        *((2, 0, 0), (2, 1, 0)),
    ]


def mersenne_twister_64(seed: int) -> Iterator[int]:
    """mt19937_64 as the C++ standard defines it (Matsumoto, Nishimura, TOMACS 10 (2000) 348)."""
    word = 2**64 - 1
    state = [seed & word]
    for i in range(1, 312):
        previous = state[-1]
        state.append((6364136223846793005 * (previous ^ (previous >> 62)) + i) & word)
    while True:
        for i in range(312):
            joined = (state[i] & ~0x7FFFFFFF) | (state[(i + 1) % 312] & 0x7FFFFFFF)
            twist = 0xB5026F5AA96619E9 if joined & 1 else 0
            state[i] = state[(i + 156) % 312] ^ (joined >> 1) ^ twist
        for x in state:
            x ^= (x >> 29) & 0x5555555555555555
            x ^= (x << 17) & 0x71D67FFFEDA60000 & word
            x ^= (x << 37) & 0xFFF7EEE000000000 & word
            yield x ^ (x >> 43)


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_the_random_layout_is_fisher_and_yates_with_the_standard_generator(seed: int) -> None:
    shapes = [[8, 16], [3, 100]]
    places = core.lay_out("column-first", shapes)
    engine = mersenne_twister_64(seed)
    for i in range(len(places), 1, -1):
        j = next(engine) % i
        places[i - 1], places[j] = places[j], places[i - 1]
    assert core.lay_out("random", shapes, seed) == places


def column_partners_on_the_node(places: list[Place], node_size: int) -> set[int]:
    """How many others of a rank's column share its node: the values that occur."""
    return {
        sum(
            places[other][:2] == place[:2] and other // node_size == rank // node_size
            for other in range(len(places))
            if other != rank
        )
        for rank, place in enumerate(places)
    }


# Table 5 of the source paper: messages of `solve` within a node and between nodes, for nodes of 2,
# 8 and 16 ranks, in the base layout and in the optimised one.
TABLE_5 = {
    (32, "row-first"): ((128, 1792), (896, 1024), (1920, 0)),
    (32, "column-first"): ((128, 1792), (896, 1024), (1920, 0)),
    (64, "row-first"): ((0, 1080), (216, 864), (504, 576)),
    (64, "column-first"): ((72, 1008), (504, 576), (1080, 0)),
    (128, "row-first"): ((0, 660), (44, 616), (132, 528)),
    (128, "column-first"): ((44, 616), (308, 352), (660, 0)),
    (256, "row-first"): ((0, 450), (0, 450), (30, 420)),
    (256, "column-first"): ((30, 420), (210, 240), (450, 0)),
}


@pytest.mark.parametrize(("ranks", "layout"), TABLE_5)
def test_the_layouts_put_column_partners_on_nodes_as_table_5_has_it(
    ranks: int, layout: str
) -> None:
    """Each of 15 partners gets 2 Σ ceil(pairs/Prow) messages over the steps of 8 slices."""
    prow = ranks // 32
    each = 2 * sum(-(-min(step, 16 - step) // prow) for step in range(1, 16))
    places = core.lay_out(layout, paper_shapes(ranks))
    for node_size, (within, between) in zip((2, 8, 16), TABLE_5[ranks, layout], strict=True):
        (partners,) = column_partners_on_the_node(places, node_size)
        assert (each * partners, each * (15 - partners)) == (within, between)


@pytest.mark.parametrize(
    ("ranks", "slices", "shape"),
    [
        (1, 1, [1, 1]),
        (8, 8, [8, 1]),
        (7, 8, [7, 1]),
        (16, 8, [1, 16]),
        (32, 8, [2, 16]),
        (128, 8, [8, 16]),
        (256, 8, [8, 32]),
        (512, 8, [8, 64]),
        (9, 8, [3, 3]),
        (24, 8, [8, 3]),
        (12, 8, [6, 2]),
        (13, 8, [1, 13]),
        (5, 1, [1, 5]),
        (48, 3, [3, 16]),
        (64, 3, [2, 32]),
        (99_991, 8, [1, 99_991]),
    ],
)
def test_the_shape_follows_from_ranks_and_slices(ranks: int, slices: int, shape: list[int]) -> None:
    assert core.default_shape(ranks, slices) == shape


def test_every_shape_has_all_ranks_and_no_more_columns_than_slices() -> None:
    for slices in (1, 2, 5, 8, 11):
        for ranks in range(1, 200):
            prow, pcol = core.default_shape(ranks, slices)
            assert prow * pcol == ranks
            assert prow <= slices
            shorter = [k for k in range(1, pcol) if ranks % k == 0 and ranks // k <= slices]
            assert shorter == [] or pcol == 16


@pytest.mark.parametrize(("ranks", "beams"), [(1, [1, 1]), (2, [1, 1]), (3, [2, 1]), (9, [5, 4])])
def test_the_larger_half_of_the_ranks_holds_beam_1(ranks: int, beams: list[int]) -> None:
    assert core.ranks_of_beams(ranks) == beams


@pytest.mark.parametrize("layout", LAYOUTS)
def test_columns_and_rows_list_the_ranks_at_their_places(layout: str) -> None:
    shapes = [[3, 4], [2, 5]]
    places = core.lay_out(layout, shapes, 3)
    rank_at = {place: rank for rank, place in enumerate(places)}
    grid = core.process_grid(shapes, places, [0] * len(places))
    for b, (prow, pcol) in enumerate(shapes):
        columns = [[rank_at[b + 1, c, r] for r in range(pcol)] for c in range(prow)]
        assert grid["columns"][b] == columns
        assert grid["rows"][b] == [[column[r] for column in columns] for r in range(pcol)]
        assert grid["beams"][b] == [rank for column in columns for rank in column]


def test_one_rank_alone_holds_both_beams() -> None:
    grid = core.process_grid([[1, 1], [1, 1]], [(1, 0, 0)], [0])
    assert grid["beams"] == [[0], [0]]
    assert grid["columns"] == grid["rows"] == [[[0]], [[0]]]


def test_a_grid_of_a_hundred_thousand_ranks_is_laid_out_in_a_second() -> None:
    shapes = [[250, 200], [500, 100]]

    def laid_out() -> None:
        places = core.lay_out("random", shapes, 1)
        core.process_grid(shapes, places, [rank // 48 for rank in range(100_000)])

    seconds, _ = cpu_seconds(laid_out)
    assert seconds < 1.0


FOUR = [(1, 0, 0), (1, 1, 0), (2, 0, 0), (2, 1, 0)]


@pytest.mark.parametrize(
    ("places", "nodes", "facts"),
    [
        (FOUR[:3], 3, ("2x1 and 2x1", "4 ranks", "places", 3)),
        (FOUR, 3, ("nodes", 3, "places", 4)),
        ([*FOUR[:3], (3, 0, 0)], 4, ("rank 3", "beam 3", "beams 1 and 2")),
        ([*FOUR[:3], (2, 2, 0)], 4, ("rank 3", "beam 2, column 2, row 0", "columns 0 to 1")),
        ([*FOUR[:3], (2, 1, -1)], 4, ("rank 3", "beam 2, column 1, row -1", "rows 0 to 0")),
        ([*FOUR[:3], (2, 0, 0)], 4, ("rank 3", "beam 2, column 0, row 0", "rank 2")),
        ([(1, 0, 0)], 1, ("2x1 and 2x1", "4 ranks", "places", 1)),
    ],
)
def test_places_that_do_not_fill_the_grids_are_refused_in_a_sentence(
    places: list[Place], nodes: int, facts: tuple[object, ...]
) -> None:
    with refused(*facts, by=ValueError):
        core.process_grid([[2, 1], [2, 1]], places, [0] * nodes)


@pytest.mark.parametrize("shape", [[0, 1], [1, 0], [-2, -2]])
def test_a_grid_without_processes_is_refused(shape: list[int]) -> None:
    with refused("grid", f"{shape[0]}x{shape[1]}", "one", by=ValueError):
        core.lay_out("column-first", [[1, 1], shape])


def test_a_grid_of_more_ranks_than_can_be_counted_is_refused() -> None:
    with refused("grid", "100000x100000", 1000000000, by=ValueError):
        core.lay_out("column-first", [[1, 1], [100_000, 100_000]])


def test_no_shape_is_chosen_without_ranks_or_slices() -> None:
    for ranks, slices in ((0, 8), (8, 0)):
        with refused("grid", f"{ranks} ranks", f"{slices} slices", "one", by=ValueError):
            core.default_shape(ranks, slices)
    with refused("0 ranks", "one", by=ValueError):
        core.ranks_of_beams(0)


def test_an_unknown_layout_is_refused_with_the_known_ones() -> None:
    with refused("row_first", "random, row-first, column-first", by=ValueError):
        core.lay_out("row_first", [[1, 1], [1, 1]])

"""The study's [communication]: what is read, what reaches the driver, which grids suit a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import StudyError
from phasewise.runs.checkpoint import check_study
from phasewise.study import Study, load
from phasewise.tables.declared import schema_of
from phasewise.workloads.collision.tables.communication import PHASES, BeamCommunication
from tests.unit.study_tables import tables
from tests.unit.test_study import json_as_toml

PLACES = """# two columns of two, and one of three
1 0 0
1 1 0   # a neighbour in the row
1 0 1
1 1 1

2 0 2
2 0 1
2 0 0
"""


def build(folder: Path | str = ".", **keys: Any) -> Study:
    return Study.from_dict(tables(communication=keys), folder)


def flat(study: Study) -> dict[str, str]:
    lines = (line.split(" = ", 1) for line in study.parameters().splitlines())
    return {key: value for key, value in lines if key.startswith("communication.")}


def refused(action: Any, *arguments: Any, **keys: Any) -> str:
    with pytest.raises(StudyError) as caught:
        action(*arguments, **keys)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_study_without_the_table_has_the_documented_defaults() -> None:
    assert flat(Study.from_dict(tables())) == {
        "communication.process_grid": "0 0 0 0",
        "communication.layout": "column-first",
        "communication.node_size": "0",
        "communication.reduce": "hypercube",
        "communication.broadcast": "hypercube",
        "communication.schedule": "ring",
        "communication.transpose": "pairwise",
        "communication.aggregate": "1",
        "communication.crossing": "4a",
        "communication.overlap": "0",
    }


def test_every_value_reaches_the_driver_and_resolves_to_the_same_study() -> None:
    study = build(
        process_grid=["2x2", "1x3"],
        layout="random",
        node_size=4,
        reduce="mesh",
        broadcast="mpi-gatherv",
        schedule="pairwise",
        transpose="bruck",
        aggregate=False,
        crossing="4b",
        overlap=True,
        padded=True,
        phase={
            "reduce_row": {"algorithm": "hypercube", "schedule": "ring", "aggregate": True},
            "green": {"algorithm": "ring"},
        },
    )
    assert flat(study) == {
        "communication.process_grid": "2 2 1 3",
        "communication.layout": "random",
        "communication.node_size": "4",
        "communication.reduce": "mesh",
        "communication.broadcast": "mpi-gatherv",
        "communication.schedule": "pairwise",
        "communication.transpose": "bruck",
        "communication.aggregate": "0",
        "communication.crossing": "4b",
        "communication.overlap": "1",
        "communication.padded": "1",
        "communication.phase.green.algorithm": "ring",
        "communication.phase.reduce_row.algorithm": "hypercube",
        "communication.phase.reduce_row.schedule": "ring",
        "communication.phase.reduce_row.aggregate": "1",
    }
    assert Study.from_dict(json.loads(json.dumps(study.resolved()))) == study


def test_one_text_gives_both_beams_the_same_grid() -> None:
    study = build(process_grid="8x16")
    assert flat(study)["communication.process_grid"] == "8 16 8 16"
    assert study.resolved()["communication"]["process_grid"] == "8x16"


def test_words_that_begin_with_a_digit_need_no_quotes_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(json_as_toml(tables()))
    study = load(path, ["communication.crossing=4b", "communication.process_grid=8x16"])
    assert study.communication.crossing == "4b"
    assert study.communication.process_grid == ((8, 16), (8, 16))


def test_the_green_function_is_computed_as_needed_or_in_every_step() -> None:
    assert "ip.1.green_function = as-needed\n" in Study.from_dict(tables()).parameters()
    every = Study.from_dict(tables(ip__1__green_function="every-step"))
    assert "ip.1.green_function = every-step\n" in every.parameters()
    assert 'ip.1.green_function: "every" is not known' in refused(
        Study.from_dict, tables(ip__1__green_function="every")
    )


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"reduc": "mesh"}, 'communication: unknown key "reduc"; did you mean "reduce"?'),
    ({"reduce": "hypercub"}, 'reduce: "hypercub" is not known; did you mean "hypercube"?'),
    ({"reduce": "mpi-gatherv"}, 'communication.reduce: "mpi-gatherv" is not known'),
    ({"broadcast": 4}, "communication.broadcast must be one of mesh, direct, hypercube"),
    ({"schedule": "rings"}, 'did you mean "ring"?'),
    ({"transpose": "alltoall"}, 'did you mean "alltoallw"?'),
    ({"crossing": "4c"}, 'communication.crossing: "4c" is not known; accepted: 4a, 4b'),
    ({"aggregate": 1}, "communication.aggregate must be true or false, but is 1"),
    ({"node_size": -8}, "communication.node_size = -8 must be at least 0 (ranks)"),
    (
        {"process_grid": "8by16"},
        'process_grid = "8by16" is not known: it is written Prow x Pcol, as "8x16"',
    ),
    ({"process_grid": "0x16"}, "it is written Prow x Pcol"),
    ({"process_grid": [8, 16]}, "process_grid = [8, 16] is not known"),
    ({"process_grid": ["8x16"]}, 'for each beam, as ["2x2", "1x3"]'),
    ({"process_grid": "9999x9999"}, "has 99980001 processes; at most 1000000 are accepted"),
    ({"layout": "colum-first"}, 'colum-first does not exist; did you mean "column-first"?'),
    ({"layout": "."}, "cannot be read: Is a directory"),
    ({"layout": "x" * 300}, "cannot be read: File name too long"),
    ({"phase": {"sole": {}}}, 'communication.phase: unknown key "sole"; did you mean "solve"?'),
    ({"phase": {"reduce_row": {"algorithm": "mesh"}}}, '"mesh" is not known; accepted: direct'),
    ({"phase": {"green": {"schedule": "ring"}}}, 'green: unknown key "schedule"'),
    (
        {"reduce": "direct", "phase": {"reduce_column": {"algorithm": "mpi"}}},
        'phase.reduce_column cannot be set: reduce = "direct" has one phase, reduce',
    ),
    (
        {"phase": {"broadcast": {"algorithm": "mpi"}}},
        'broadcast = "hypercube" has two phases, broadcast_column and broadcast_row',
    ),
]


@pytest.mark.parametrize(("keys", "sentence"), MISTAKES, ids=[m[1][:50] for m in MISTAKES])
def test_a_mistake_is_named_in_one_sentence(keys: dict[str, Any], sentence: str) -> None:
    assert sentence in refused(build, **keys)


def test_a_layout_file_gives_every_rank_its_place_and_the_grid(tmp_path: Path) -> None:
    (tmp_path / "places.txt").write_text(PLACES)
    study = build(tmp_path, layout="places.txt")
    assert flat(study) | {
        "communication.process_grid": "2 2 1 3",
        "communication.layout": "file",
        "communication.places": "1 0 0 1 1 0 1 0 1 1 1 1 2 0 2 2 0 1 2 0 0",
    } == flat(study)
    assert Study.from_dict(study.resolved(), "/elsewhere") == study
    study.check_ranks(7)
    assert "places.txt gives places to 7 ranks, not to 8" in refused(Study.check_ranks, study, 8)


@pytest.mark.parametrize(
    ("text", "grid", "sentence"),
    [
        ("1 0 0\n3 0 0", "auto", 'line 2: "3 0 0" is not a place, which is beam (1 or 2), column'),
        ("# all\n1 0", "auto", 'line 2: "1 0" is not a place'),
        ("1 0 zero", "auto", 'line 1: "1 0 zero" is not a place'),
        ("1 0 -1", "auto", 'line 1: "1 0 -1" is not a place'),
        ("1 0 0\n\n1 0 0", "auto", "line 3: beam 1, column 0, row 0 is given in line 1 already"),
        ("# none", "auto", "gives no place"),
        ("1 0 0\n1 0 1", "auto", "gives no place to beam 2"),
        ("1 1 0", "auto", "line 1: beam 1, column 1, row 0: one rank alone has column 0 and row 0"),
        (PLACES, "2x2", "line 7: beam 2, column 0, row 2 is outside of communication.process_grid"),
        (
            "1 0 0\n1 1 1\n1 0 1\n2 0 0",
            "auto",
            'gives no rank to beam 1, column 1, row 0 of the process grid ["2x2", "1x1"]',
        ),
    ],
)
def test_a_wrong_layout_file_is_named_with_its_line(
    tmp_path: Path, text: str, grid: str, sentence: str
) -> None:
    (tmp_path / "places.txt").write_text(text)
    message = refused(build, tmp_path, layout="places.txt", process_grid=grid)
    assert message.startswith("communication.layout: ")
    assert str(tmp_path / "places.txt") in message
    assert sentence in message


def paper(**keys: Any) -> Study:
    """A mesh of 256 rows and eight slices."""
    return Study.from_dict(tables(ip__1__grid=[256, 64], ip__1__slices=8, communication=keys))


@pytest.mark.parametrize(
    ("ranks", "grid"),
    [
        (1, "auto"),
        (1, "1x1"),
        (2, "1x1"),
        (3, ["1x2", "1x1"]),
        (7, ["2x2", "1x3"]),
        (7, ["1x3", "2x2"]),
        (6, ["5x1", "1x1"]),
        (32, "1x16"),
        (30, "3x5"),
        (18, "1x9"),  # 256 rows over 9 processes: shares of 28 and 29
        (4096, "8x256"),
        (1001, "auto"),
    ],
)
def test_a_grid_that_suits_the_ranks_is_accepted(ranks: int, grid: Any) -> None:
    paper(process_grid=grid).check_ranks(ranks)


SHAPES = "for 32 ranks and 8 slices: 1x16, 2x8, 4x4, 8x2"


@pytest.mark.parametrize(
    ("ranks", "grid", "sentence"),
    [
        (
            32,
            "3x5",
            f'process_grid = "3x5" needs 30 ranks with such a grid for each beam, not 32; {SHAPES}',
        ),
        (32, "16x1", f'"16x1" has 16 columns, more than the 8 slices of ip.1; {SHAPES}'),
        (32, ["16x1", "1x16"], f"has 16 columns, more than the 8 slices of ip.1; {SHAPES}"),
        (600, "1x300", "300 processes in a column, more than the 256 rows of the mesh of ip.1"),
        (600, "1x300", "for 600 ranks and 8 slices: 2x150, 3x100, 4x75, 5x60, 6x50"),
        (1, "8x16", 'needs 256 ranks, not 1; one rank alone takes "1x1" or "auto"'),
        (
            7,
            "2x2",
            "needs 8 ranks with such a grid for each beam, not 7; for an odd number and 8 slices, "
            'one for each beam, such as ["2x2", "3x1"]',
        ),
        (8, ["2x2", "1x3"], 'process_grid = ["2x2", "1x3"] needs 7 ranks, not 8'),
        (514, "auto", "no grid suits 514 ranks with 8 slices and 256 rows of the mesh"),
        (514, "auto", "accepted next to it: 512 and 516 ranks"),
        (10**6, "auto", "accepted next to it: 4096 ranks"),
    ],
)
def test_a_grid_that_does_not_suit_is_refused_with_the_nearest_that_do(
    ranks: int, grid: Any, sentence: str
) -> None:
    assert sentence in refused(Study.check_ranks, paper(process_grid=grid), ranks)


def test_the_point_with_the_fewest_slices_decides() -> None:
    second = {"beta": [1.0, 1.0], "slices": 2, "grid": [64, 64]}
    changed = tables(ip__2=second, communication={"process_grid": "4x1"})
    sentence = refused(Study.check_ranks, Study.from_dict(changed), 8)
    assert '"4x1" has 4 columns, more than the 2 slices of ip.2; for 8 ranks' in sentence


def unequal(**keys: Any) -> Study:
    """As many slices as the paper's in beam 1, and one in beam 2."""
    return Study.from_dict(tables(ip__1__grid=[256, 64], ip__1__slices=[8, 1], communication=keys))


def test_each_beam_has_as_many_columns_as_it_has_slices_at_most() -> None:
    for ranks, grid in ((8, "auto"), (8, ["4x1", "1x4"]), (8, "1x4"), (7, ["2x2", "1x3"])):
        unequal(process_grid=grid).check_ranks(ranks)
    advice = 'for 8 ranks and [8, 1] slices, one for each beam, such as ["4x1", "1x4"]'
    sentence = refused(Study.check_ranks, unequal(process_grid="4x1"), 8)
    assert f'"4x1" has 4 columns, more than the 1 slice of beam 2 at ip.1; {advice}' in sentence
    sentence = refused(Study.check_ranks, unequal(process_grid="auto"), 514)
    assert "no grid suits 514 ranks with [8, 1] slices and 256 rows of the mesh" in sentence
    assert "accepted next to it: 512 ranks" in sentence


def test_without_a_mesh_neither_slices_nor_rows_bound_the_grid() -> None:
    changed = tables(ip__1__model="soft-gaussian", communication={"process_grid": "100x1"})
    Study.from_dict(changed).check_ranks(200)
    assert "needs 200 ranks" in refused(Study.check_ranks, Study.from_dict(changed), 100)


def test_a_run_may_go_on_with_another_process_grid_and_other_algorithms() -> None:
    other = {"process_grid": "2x1", "reduce": "mesh", "phase": {"reduce_row": {"schedule": "ring"}}}
    study = Study.from_dict(tables(communication=other, ip__1__green_function="every-step"))
    saved = Study.from_dict(tables()).resolved()
    check_study(Path("turn-3.h5"), saved, study, 3)
    del saved["communication"], saved["ip"]["1"]["green_function"]
    check_study(Path("turn-3.h5"), saved, study, 3)
    saved["ip"]["1"]["slices"] = 5
    assert "ip.1.slices (5 there, 4 here)" in refused(
        check_study, Path("turn-3.h5"), saved, study, 3
    )


def test_every_key_and_value_is_documented(repository: Path) -> None:
    text = (repository / "docs" / "communication.md").read_text(encoding="utf-8")
    short = (repository / "docs" / "study.md").read_text(encoding="utf-8")
    for name, key in schema_of(BeamCommunication).items():
        assert f"`{name}" in text
        assert f"`{name}" in short
        for value in key.choices:
            assert f'"{value}"' in text
    for name in PHASES:
        assert f"`{name}`" in text

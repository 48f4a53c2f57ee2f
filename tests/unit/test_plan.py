"""`phasewise plan`: the source paper's Tables 3 and 5, number by number, and what else it says."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import phasewise.models.plan
from phasewise.cli import main
from phasewise.commands.plan import show
from phasewise.driver import load_planner
from phasewise.models.plan import plan
from phasewise.study import Study, load
from phasewise.study.laboratory import Laboratory
from phasewise.tuning import automatic
from tests.sentences import Nearest, command_refused, refused, says
from tests.unit.study_tables import tables
from tests.unit.test_study import json_as_toml

RANKS = (32, 64, 128, 256)
OPTIMISED = ["--layout", "column-first", "--set", 'communication.crossing="4a"']
SIX = ("green", "reduce_column", "reduce_row", "solve", "broadcast_row", "broadcast_column")


@pytest.fixture
def study(repository: Path) -> str:
    """The paper's case, with its base communication."""
    return str(repository / "examples/paper/study.toml")


def planned(capsys: pytest.CaptureFixture[str], study: str, *words: str) -> dict[str, Any]:
    assert main(["plan", study, "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def phases(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {phase["name"]: phase for phase in found["phases"]}


@pytest.fixture(autouse=True)
def quick_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Process grids are chosen by the cheap model alone: the choice has tests of its own."""
    monkeypatch.setattr(automatic, "MOST_FOLLOWED", 0)


def sizes(phase: dict[str, Any]) -> dict[int, int]:
    """Messages by their bytes."""
    if isinstance(phase["bytes"], int):
        return {phase["bytes"]: phase["messages"]}
    return {size["bytes"]: size["count"] for size in phase["bytes"]}


def row_sizes(prow: int, messages: int) -> dict[int, int]:
    """Of phases 2b and 4a: so many messages in each of the 15 steps, of ceil(pairs/Prow) slices."""
    slices = [math.ceil(min(step, 16 - step) / prow) for step in range(1, 16)]
    counts = {32768 * i: messages * slices.count(i) for i in set(slices)}
    return {size: count for size, count in counts.items() if count}


# Table 3 as a reading of the paper: steps by the slices in a message of phases 2b and 4a.
STEPS = {32: [2, 2, 2, 2, 2, 2, 2, 1], 64: [4, 4, 4, 3], 128: [8, 7], 256: [15]}
SOLVES = {32: 1920, 64: 1080, 128: 660, 256: 450}


@pytest.mark.parametrize("ranks", RANKS)
def test_the_base_sends_what_table_3_says(
    ranks: int, study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = planned(capsys, study, "--ranks", str(ranks))
    prow = ranks // 32
    assert found["process_grid"] == f"{prow}x16"
    by_name = phases(found)
    assert sizes(by_name["green"]) == {8704: 225}
    assert sizes(by_name["reduce_column"]) == {32768: 960}
    assert sizes(by_name["solve"]) == {4352: SOLVES[ranks]}
    assert sizes(by_name["broadcast_column"]) == {32768: 1024}
    along_rows = {32768 * i: (prow - 1) * n for i, n in enumerate(STEPS[ranks], 1)}
    assert along_rows == row_sizes(prow, prow - 1) or prow == 1
    for name in ("reduce_row", "broadcast_row"):
        if prow == 1:
            assert name not in by_name
        else:
            assert sizes(by_name[name]) == along_rows
    assert [name for name in by_name if name in SIX] == [n for n in SIX if n in by_name]
    for phase in found["phases"]:
        assert phase["bytes_per_rank"] == sum(size * n for size, n in sizes(phase).items())


@pytest.mark.parametrize("ranks", RANKS)
def test_the_optimised_variant_crosses_along_the_rows(
    ranks: int, study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    by_name = phases(planned(capsys, study, "--ranks", str(ranks), *OPTIMISED))
    prow = ranks // 32
    assert sizes(by_name["broadcast_row"]) == row_sizes(prow, prow)
    assert by_name["broadcast_row"]["beam"] == "other"
    assert sizes(by_name["broadcast_column"]) == {32768: 960}
    assert by_name["broadcast_column"]["beam"] == "same"


@pytest.mark.parametrize(
    ("words", "messages", "megabytes"),
    [
        ([], (4129, 3319, 2959, 2869), (75.3, 74.0, 74.2, 75.8)),
        (OPTIMISED, (4080, 3270, 2910, 2820), (75.3, 73.1, 72.8, 74.2)),
    ],
    ids=["base", "optimised"],
)
def test_the_totals_are_those_of_the_paper(
    words: list[str],
    messages: tuple[int, ...],
    megabytes: tuple[float, ...],
    study: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    totals = [planned(capsys, study, "--ranks", str(n), *words)["totals"] for n in RANKS]
    assert tuple(total["messages"] for total in totals) == messages
    assert tuple(round(total["bytes_per_rank"] / 1e6, 1) for total in totals) == megabytes


# Ranks: messages of phase 3 within and between nodes of 2, 8 and 16 ranks.
BASE = {
    32: [(128, 1792), (896, 1024), (1920, 0)],
    64: [(0, 1080), (216, 864), (504, 576)],
    128: [(0, 660), (44, 616), (132, 528)],
    256: [(0, 450), (0, 450), (30, 420)],
}
COLUMN_FIRST = {
    32: [(128, 1792), (896, 1024), (1920, 0)],
    64: [(72, 1008), (504, 576), (1080, 0)],
    128: [(44, 616), (308, 352), (660, 0)],
    256: [(30, 420), (210, 240), (450, 0)],
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(
    ("words", "table"), [([], BASE), (OPTIMISED, COLUMN_FIRST)], ids=["base", "optimised"]
)
def test_messages_within_and_between_nodes_are_those_of_table_5(
    ranks: int,
    words: list[str],
    table: dict[int, list[tuple[int, int]]],
    study: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = []
    for size in ("2", "8", "16"):
        found = planned(capsys, study, "--ranks", str(ranks), "--node-size", size, *words)
        solve = phases(found)["solve"]
        counts.append((solve["intra_node"], solve["inter_node"]))
    assert counts == table[ranks]


def test_the_luminosity_adds_a_phase_to_the_six(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = phases(planned(capsys, study, "--ranks", "64"))
    more = phases(planned(capsys, study, "--ranks", "64", "--set", "ip.1.luminosity=true"))
    assert {name for name in alone if not alone[name]["library"]} == set(SIX)
    assert {name for name in more if not more[name]["library"]} == {*SIX, "luminosity"}


def test_a_green_function_kept_with_the_mesh_is_not_in_the_total(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = planned(capsys, study, "--ranks", "64", "--set", "ip.1.green_function=as-needed")
    each = planned(capsys, study, "--ranks", "64")
    assert phases(kept)["green"]["per"] == "mesh"
    assert phases(each)["green"]["per"] == "turn"
    assert each["totals"]["messages"] - kept["totals"]["messages"] == 225


def test_one_rank_alone_sends_nothing(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, study, "--ranks", "1")
    assert found["process_grid"] == "1x1"
    assert found["totals"]["messages"] == found["totals"]["bytes_per_rank"] == 0


def test_beams_of_different_shapes_have_a_grid_each(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = planned(capsys, study, "--ranks", "7", "--process-grid", "2x2,1x3")
    assert found["process_grid"] == ["2x2", "1x3"]
    assert found["load"]["particles"] == pytest.approx([1, 1], abs=1e-6)
    # 256 rows over three processes: 86 at most, of 85.33 in the mean.
    assert found["load"]["grid"][1] == pytest.approx(86 * 3 / 256, rel=1e-12)


def test_a_workload_adds_entries_to_a_plan_and_prints_them(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def entries(_: Laboratory, _study: Study, plan: dict[str, Any]) -> dict[str, Any]:
        return {"ranks_of_a_beam": plan["ranks"] // 2}

    def shown(_: Laboratory, _study: Study, plan: dict[str, Any]) -> None:
        print(f"{plan['ranks_of_a_beam']} ranks hold a beam")

    monkeypatch.setattr(Laboratory, "planned", entries)
    monkeypatch.setattr(Laboratory, "show_planned", shown)
    assert main(["plan", study, "--ranks", "128", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks_of_a_beam"] == 64
    assert main(["plan", study, "--ranks", "128"]) == 0
    assert capsys.readouterr().out.endswith("64 ranks hold a beam\n")


def test_many_loads_are_shown_as_a_range(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def many(_: Laboratory, _study: Study, plan: dict[str, Any]) -> dict[str, Any]:
        plan["load"]["hours"] = [1.0 + hour / 16 for hour in range(9)]
        return {}

    monkeypatch.setattr(Laboratory, "planned", many)
    assert main(["plan", study, "--ranks", "4"]) == 0
    assert "hours 1.000 to 1.500" in " ".join(capsys.readouterr().out.split())


def test_the_plan_of_one_rank_is_of_that_rank(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = planned(capsys, study, "--ranks", "64", "--rank", "40")
    assert {phase["rank"] for phase in found["phases"]} == {40}
    assert sizes(phases(found)["reduce_column"]) == {32768: 960}


def test_a_layout_from_a_file_in_the_working_folder_is_planned(
    study: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [f"{beam} {c} {r}" for beam in (1, 2) for c in range(2) for r in range(16)]
    (tmp_path / "mine.txt").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    own = planned(capsys, study, "--ranks", "64", "--layout", "mine.txt", "--node-size", "8")
    assert own["layout"] == str(tmp_path / "mine.txt")
    word = planned(capsys, study, "--ranks", "64", "--layout", "column-first", "--node-size", "8")
    assert own["phases"] == word["phases"]


def test_a_thousand_ranks_are_planned(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, study, "--ranks", "1024", "--process-grid", "8x64")
    assert phases(found)["reduce_column"]["messages"] == 63 * 64


def test_one_rank_of_a_hundred_thousand_is_planned(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--ranks", "100000", "--rank", "77777", "--set", "ip.1.grid=[8192, 256]"]
    found = planned(capsys, study, *words)
    assert found["process_grid"] == "8x6250"
    assert phases(found)["reduce_column"]["messages"] == 6249 * 64


def fake(**changes: Any) -> Any:
    """A planner of two phases, one by the library."""
    common = {"direction": "column", "beam": "same", "library": False, "per": "turn", "rank": 3}
    counts = {"messages": 6, "bytes_per_rank": 1400, "intra_node": 2, "inter_node": 4}
    counts["synchronisations"] = 0
    own = {"name": "solve", "pattern": "transpose", "sizes": [[300, 4], [100, 2]]}
    sums = {"name": "moments", "pattern": "sum", "sizes": [[1000000, 2]], "library": True}
    calls = {"messages": 2, "bytes_per_rank": 2000000, "intra_node": 0, "inter_node": 0}
    calls["synchronisations"] = 0
    green = own | {"name": "green", "per": "mesh", "sizes": [[1400, 1]], "messages": 1}

    class Planner:
        asked: tuple[Any, ...] = ()

        def plan(
            self, parameters: str, ranks: int, node_size: int = 1, rank: int = -1
        ) -> dict[str, Any]:
            Planner.asked = (parameters, ranks, node_size, rank)
            found = [common | counts | own, common | counts | green, common | calls | sums]
            return {
                "ranks": ranks,
                "process_grid": [[2, 2], [1, 3]],
                "phases": found,
                "load": {"particles": [1.0, 1.25], "grid": [1.0, 1.5]},
            } | changes

    return Planner()


def small(**communication: Any) -> Study:
    return Study.from_dict(tables(communication=communication))


def test_the_node_size_of_the_study_and_the_rank_reach_the_planner() -> None:
    planner = fake()
    study = small(node_size=4)
    plan(study, 7, planner=planner)
    assert planner.asked == (study.parameters(), 7, 4, -1)
    plan(small(), 7, rank=5, planner=planner)
    assert planner.asked[1:] == (7, 1, 5)


def test_sizes_are_one_number_or_a_list_in_rising_order() -> None:
    found = phases(plan(small(), 7, planner=fake()))
    assert found["solve"]["bytes"] == [{"bytes": 100, "count": 2}, {"bytes": 300, "count": 4}]
    assert found["green"]["bytes"] == 1400


def test_totals_leave_out_the_library_and_what_only_a_new_mesh_needs() -> None:
    assert plan(small(), 7, planner=fake())["totals"] == {
        "messages": 6,
        "bytes_per_rank": 1400,
        "intra_node": 2,
        "inter_node": 4,
        "library_calls": 2,
        "library_bytes": 2000000,
    }


def test_the_table_marks_and_explains_what_is_not_in_the_total(
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = small()
    show(study, plan(study, 7, planner=fake()), None)
    text = capsys.readouterr().out
    says(text, "7 ranks", "2x2", "1x3", "column-first", "1 rank", "6 messages", "0.0 MB")
    says(text, "particles 1.000, 1.250", "grid work 1.000, 1.500")
    says(text, "moments*", "green†")
    marks = {line[0]: line for line in text.splitlines() if line[:1] in {*"*†"}}
    says(marks["*"], "MPI", "2 MB", "total")
    says(marks["†"], "mesh", "total")
    plain = plan(study, 7, rank=3, planner=fake())
    plain["phases"] = [phase for phase in plain["phases"] if phase["name"] == "solve"]
    show(study, plain, 3)
    text = capsys.readouterr().out
    says(text, "rank 3")
    assert "*" not in text
    assert "†" not in text


def test_each_piece_of_a_turn_has_its_own_mark(capsys: pytest.CaptureFixture[str]) -> None:
    study = small()
    found = plan(study, 7, planner=fake())
    first, second = found["phases"][:2]
    found["phases"] = [{**first, "per": "mesh"}, {**second, "per": "tree"}]
    show(study, found, None)
    text = capsys.readouterr().out
    says(text, f"{first['name']}†", f"{second['name']}‡")
    marks = {line[0]: line for line in text.splitlines() if line[:1] in {*"†‡"}}
    says(marks["†"], "mesh", "total")
    says(marks["‡"], "tree", "total")


def test_many_sizes_are_cut_short_in_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    study = small()
    found = plan(study, 7, planner=fake())
    found["phases"][0]["bytes"] = [{"bytes": 8 * k, "count": 1} for k in range(1, 30)]
    show(study, found, None)
    text = capsys.readouterr().out
    assert "8…232" in text


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("--process-grid 3x2", ("communication.process_grid", '"3x2"', 12, 8, "2x2", "4x1")),
        ("--process-grid 2by2", ("communication.process_grid", '"2by2"', '"8x16"', '"auto"')),
        ("--layout row-frist", ("communication.layout", "row-frist", Nearest("row-first"))),
        ("--rank 8", ("--rank 8", "8 ranks", 0, 7)),
        ("--rank -1", ("--rank -1", "8 ranks", 0, 7)),
        ("--ranks 2000000", ("--ranks", 2000000, 1, 1000000)),
        ("--node-sise 2", ("--node-sise", "--node-size")),
    ],
)
def test_misuse_ends_in_one_sentence(
    words: str, facts: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(json_as_toml(tables()))
    command_refused(capsys, ["plan", path, "--ranks", "8", *words.split()], *facts)


def test_a_plan_needs_the_ranks(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    command_refused(capsys, ["plan", study], "required", "--ranks")


def test_what_the_core_refuses_is_bad_input() -> None:
    class Refusing:
        def plan(self, *_arguments: Any) -> dict[str, Any]:
            raise ValueError("it does not fit")

    with refused("it does not fit"):
        plan(small(), 2, planner=Refusing())


def test_ranks_are_not_started_for_a_grid_that_does_not_suit_them(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("phasewise.commands.run.start", lambda *_arguments: pytest.fail("started"))
    words = ["--ranks", "6", "--set", "communication.process_grid=2x2"]
    facts = ('"2x2"', "6 ranks", "8 slices", "1x3", "3x1")
    command_refused(capsys, ["run", study, *words], "communication.process_grid", *facts)


def test_the_planner_is_the_compiled_core(study: str) -> None:
    found = load_planner().plan(load(study).parameters(), 64)
    assert found["ranks"] == 64
    assert phasewise.driver.load_planner() is load_planner()


@pytest.mark.parametrize(
    ("slices", "grid"), [([9, 9], "9x240"), ([9, 9], "4x540"), ([11, 9], "8x270")]
)
def test_of_very_many_ranks_some_columns_hold_the_one_that_sends_most(
    slices: list[int], grid: str
) -> None:
    case = Study.from_dict(
        tables(
            ip__1__grid=[1024, 1024], ip__1__slices=slices, communication__process_grid=grid,
            communication__reduce="mesh", communication__broadcast="mesh",
        )
    )  # fmt: skip
    columns, rows = map(int, grid.split("x"))
    ranks = 2 * columns * rows
    assert ranks > 4096
    most = {phase["name"]: phase["messages"] for phase in plan(case, ranks)["phases"]}
    # The default layout fills columns one after the other, first those of beam 1.
    for column in range(2 * columns):
        for phase in plan(case, ranks, rank=column * rows)["phases"]:
            assert phase["messages"] <= most[phase["name"]], phase["name"]

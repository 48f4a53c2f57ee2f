"""What is shown of a run's communication: known numbers come out, and damage is one sentence.

Times are sums of a few multiples of 1 ms in double precision: 1e-12 s is far above their rounding.
"""

import html
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from phasewise.errors import RunError
from phasewise.report import planned
from phasewise.report.communication import draw_phase_times, draw_volume
from phasewise.report.communication_tables import communication_tables
from phasewise.report.contents import make_report
from phasewise.report.figure import Missing
from phasewise.report.reporting import reported
from phasewise.report.timeline import draw_states, draw_tasks, draw_utilisation
from phasewise.traces.efficiency import efficiency, node_size_of, phase_costs, share_on_node
from phasewise.traces.records import EVENT, Events, read_communication
from phasewise.traces.summary import communication_summary, show_communication
from phasewise.traces.timeline import covered, parents, timeline
from phasewise.traces.turns import one_turn
from tests.sentences import missing, one_sentence, refused, says
from tests.unit.synthetic_communication import BYTES, NAMES, TURN, write_communication
from tests.unit.synthetic_run import make_study

ROUNDING = 1e-12


def write_messages(folder, **shape):
    """The folder of a run of messages alone, simulated unless `machine` is None."""
    machine = write_communication(folder, **({"machine": "bassi"} | shape))
    (folder / "study.json").write_text(json.dumps(make_study(3).resolved()))
    return machine


def text_of(made):
    return html.unescape(made.path.read_text(encoding="utf-8"))


def row_of(text, head):
    """The cells of the first row whose head has these words."""
    rows = re.findall(r'<tr><th scope="row">([^<]*)</th>(.*?)</tr>', text)
    cells = next(cells for found, cells in rows if not missing(found, head))
    return re.findall(r"<td>(.*?)</td>", cells)


@pytest.fixture
def folder(tmp_path):
    write_communication(tmp_path)
    return tmp_path


def damage(folder, change):
    """Change the content of communication.json in place."""
    path = folder / "communication.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_the_matrix_of_the_volume_is_the_one_put_in(folder):
    machine = write_communication(folder, prow=2, pcol=4)
    found = read_communication(folder).traffic.matrix(machine.ranks)
    expected = np.zeros((16, 16))
    for rank in range(16):
        for phase, size in BYTES.items():
            for partner in machine.partners(rank, phase)[0]:
                expected[rank, partner] += 3 * size
    assert np.array_equal(found, expected) and found.any()


def test_load_balance_times_communication_efficiency_is_the_parallel_efficiency(folder):
    found = efficiency(read_communication(folder))
    # Half of the ranks compute 6 ms of a turn of 10 ms, half 4 ms.
    assert found.load_balance == pytest.approx(5 / 6)
    assert found.communication_efficiency == pytest.approx(0.6)
    assert found.parallel_efficiency == pytest.approx(0.5)
    assert found.communicating == pytest.approx(0.5)
    assert found.waiting == pytest.approx(0.1)


def test_a_run_that_computed_nothing_has_no_efficiency(folder):
    def forget(content):
        for rank in content["rank"]:
            for phase in rank["phases"].values():
                phase["computing"] = 0.0

    damage(folder, forget)
    found = efficiency(read_communication(folder))
    assert found.load_balance is None and found.communication_efficiency is None
    assert found.communicating == pytest.approx(0.5)


def test_the_cost_of_a_phase_is_spread_over_the_ranks(folder):
    cost = next(c for c in phase_costs(read_communication(folder)) if c.name == "reduce_column")
    assert (cost.calls, cost.messages, cost.bytes) == (8, 8, 8 * BYTES["reduce_column"])
    spread = cost.communicating
    assert (spread.least, spread.mean, spread.most) == pytest.approx((2e-3, 3e-3, 4e-3))
    assert (cost.waiting.least, cost.waiting.most) == pytest.approx((0, 2e-3))
    assert cost.share == pytest.approx(0.3) and cost.communicates and not cost.library


def test_kernels_are_told_from_phases(folder):
    phases = {p.name: p.communicates for p in read_communication(folder).phases}
    assert phases == {
        "reduce_column": True, "broadcast_row": True, "push": False, "deposit": False,
        "moments": True,
    }  # fmt: skip


def test_the_share_on_a_node_follows_the_nodes(folder):
    record = read_communication(folder)
    # A column of two ranks is a node; its one message of 32 kB stands against two of 64 kB.
    assert share_on_node(record.traffic, record.node) == pytest.approx(0.2)
    assert share_on_node(record.traffic, np.zeros(8, dtype=int)) == 1.0
    assert share_on_node(record.phase("push").traffic, record.node) is None
    assert node_size_of(record.node) == 2
    assert node_size_of(np.array([0, 0, 1, 2])) is None
    assert node_size_of(np.array([0, 0, 0, 1])) == 3


def test_events_of_all_ranks_stand_on_the_clock_of_rank_0(folder):
    events = Events(read_communication(folder))
    for rank in range(8):
        own = events.of(rank)
        first = own[own["phase"] == events.names.index("deposit")][0]
        assert (first["start"], first["end"]) == pytest.approx((6e-3, 8e-3), abs=ROUNDING)


def test_the_time_line_says_who_computes_communicates_and_waits(folder):
    record = read_communication(folder)
    events = Events(record)
    assert one_turn(events, record) == pytest.approx((TURN, 2 * TURN), abs=ROUNDING)
    line = timeline(events, (TURN, 2 * TURN), 20)
    # In 20 intervals of 0.5 ms: number 1 is at 0.5 ms, number 5 at 2.5 ms and so on.
    computing, communicating, waiting, rest = np.round(line.counts, 6)
    assert [computing[at] for at in (1, 5, 9, 13, 17, 19)] == [8, 4, 0, 8, 0, 0]
    assert [waiting[at] for at in (1, 5, 9, 13, 17, 19)] == [0, 4, 0, 0, 0, 0]
    assert [communicating[at] for at in (1, 5, 9, 13, 17, 19)] == [0, 0, 8, 0, 8, 8]
    assert not rest.any()
    named = [[line.names[task] for task in row] for row in line.task[:, [1, 9, 13, 17, 19]]]
    expected = ["push", "reduce_column", "deposit", "broadcast_row", "moments"]
    assert named == [expected] * 8


def test_the_turn_shown_is_in_the_middle_and_has_every_task_though_the_first_is_long(tmp_path):
    write_messages(tmp_path, turns=6)
    record = read_communication(tmp_path)
    # The first turn takes 50 ms more, so that a mean turn is nearly twice as long as the others.
    late = np.memmap(record.directory / "events.bin", EVENT, "r+")
    after = late["start"] + 1e-9 >= np.repeat(TURN - record.clock_offset, len(late) // 8)
    for name in ("start", "end"):
        late[name][after] += 0.05
    late.flush()
    content = json.loads((tmp_path / "communication.json").read_text())
    content["seconds"] += 0.05
    (tmp_path / "communication.json").write_text(json.dumps(content))
    record = read_communication(tmp_path)
    events = Events(record)
    # The fourth of six turns.
    start, end = one_turn(events, record)
    assert (start, end) == pytest.approx((0.05 + 3 * TURN, 0.05 + 4 * TURN), abs=ROUNDING)
    shown = {events.names[task] for row in timeline(events, (start, end), 50).task for task in row}
    assert shown == set(NAMES)


def test_where_no_task_comes_once_in_a_turn_a_mean_turn_in_the_middle_is_shown(folder):
    content = json.loads((folder / "communication.json").read_text())
    # As if the three turns were five, in the same time: the third of five equal parts.
    (folder / "communication.json").write_text(json.dumps(content | {"turns": 5}))
    record = read_communication(folder)
    expected = (2 / 5 * 3 * TURN, 3 / 5 * 3 * TURN)
    assert one_turn(Events(record), record) == pytest.approx(expected, abs=ROUNDING)


def test_the_waiting_of_the_time_line_is_that_of_the_record(folder):
    record = read_communication(folder)
    line = timeline(Events(record), (0, 3 * TURN), 333)
    width = line.edges[1] - line.edges[0]
    waited = record.phase("reduce_column").waiting
    assert line.waiting.sum(axis=1) * width == pytest.approx(waited, abs=ROUNDING)


def test_a_kernel_inside_of_a_phase_takes_its_time_from_the_phase():
    starts = np.array([0.0, 1.0, 2.0, 5.0, 9.0])
    ends = np.array([8.0, 4.0, 3.0, 6.0, 10.0])
    assert parents(starts, ends).tolist() == [-1, 0, 1, 0, -1]


def test_covered_time_is_that_of_the_intervals_within_each_edge():
    found = covered(np.array([-1.0, 0.5, 3.0]), np.array([0.25, 2.5, 9.0]), np.arange(5.0))
    assert found == pytest.approx([0.75, 1, 0.5, 1])


def test_a_time_line_that_ended_early_shows_what_all_ranks_kept(tmp_path):
    write_communication(tmp_path, capacity=5)
    record = read_communication(tmp_path)
    start, end = one_turn(Events(record), record)
    # The fifth event, after push, a message's two ends, reduce_column and deposit, ends at 8 ms.
    assert (start, end) == pytest.approx((0, 8e-3), abs=ROUNDING)
    (made,) = reported(tmp_path).timelines
    assert made.dropped == 8 * (3 * 11 - 5)


@pytest.mark.parametrize("shape", [{"prow": 1, "pcol": 1}, {"prow": 8, "pcol": 16}])
def test_every_figure_is_drawn_at_2_and_at_256_ranks(tmp_path, shape):
    machine = write_messages(tmp_path, node_size=16, **shape)
    made = make_report(tmp_path, compare=[tmp_path])
    names = [figure.name for figure in made.figures]
    assert names == ["volume", "phase-times", "tasks", "states", "utilisation"]
    assert all(figure.svg for figure in made.figures)
    # One file for all, of a size that a browser opens at once.
    assert made.path.stat().st_size < 1e6
    assert row_of(text_of(made), "ranks") == [str(machine.ranks)]


def test_a_run_of_messages_alone_shows_study_and_communication_of_a_simulator(tmp_path):
    write_messages(tmp_path, machine="<b>bassi")
    made = make_report(tmp_path)
    page = made.path.read_text(encoding="utf-8")
    assert re.findall(r'<section id="([\w-]+)"', page) == ["communication", "study", "resolved"]
    words = read_communication(tmp_path).source
    says(words, "<b>bassi", "simulated")
    assert html.escape(words) in page[: page.index("<nav>")] and words not in page
    assert all(words in figure.caption for figure in made.figures if figure.svg)
    assert row_of(page, "parallel efficiency") == ["50.0 %"]
    links = re.findall(r'\b(?:src|href)="([^"]*)"', page)
    assert any(link.startswith("data:image/png") for link in links)
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"(https?|ftp|file):|//[a-z]+\.", page)


def test_times_of_a_real_run_are_said_to_be_measured(tmp_path):
    write_messages(tmp_path, machine=None)
    for draw in (draw_volume, draw_phase_times, draw_tasks, draw_states, draw_utilisation):
        caption = draw(reported(tmp_path, [tmp_path])).caption
        says(caption, "measured")
        assert "simulat" not in caption


def test_another_run_stands_on_the_right_and_among_the_bars(tmp_path):
    write_messages(tmp_path / "this")
    write_messages(tmp_path / "other", layout="row-first", machine="jaguar")
    write_messages(tmp_path / "large", prow=4)
    run = reported(tmp_path / "this", [tmp_path / "other", tmp_path / "large"])
    volume = draw_volume(run)
    titles = [axis.get_title() for axis in volume.canvas.axes[:2]]
    says(titles[0], "column-first", "simulated")
    says(titles[1], "row-first", "simulated", "other")
    # Row-first puts the two columns of a row on a node: messages along a column and to the other
    # beam all go between nodes.
    says(volume.caption, "20.0 %", "0.0 %", "jaguar")
    bars = draw_phase_times(run).canvas.axes[0].get_xticklabels()
    assert [bar.get_text().split("\n")[0] for bar in bars] == ["8", "8", "16"]


def test_the_bars_are_as_high_as_the_times_put_in(folder):
    times, share = draw_phase_times(reported(folder, [folder])).canvas.axes
    heights = {bars.get_label(): bars.patches[0].get_height() for bars in times.containers}
    expected = {"computing": 5, "reduce_column": 3, "broadcast_row": 1.5, "moments": 0.5}
    assert heights == pytest.approx(expected)  # ms
    assert share.patches[0].get_height() == pytest.approx(50)  # %


def test_the_times_of_a_single_run_are_no_picture_but_a_table(tmp_path):
    write_messages(tmp_path)
    run = reported(tmp_path)
    drawn = draw_phase_times(run)
    assert isinstance(drawn, Missing) and "--compare" in drawn.sentence
    table = next(table for table in communication_tables(run) if table.title in drawn.sentence)
    assert "reduce_column" in [row[0] for row in table.rows]


def test_without_another_run_the_plan_of_the_other_layout_stands_on_the_right(
    tmp_path, monkeypatch
):
    write_messages(tmp_path)
    asked = []

    def traffic(parameters, ranks, node_size):
        asked.append((parameters, ranks, node_size))
        columns = ([0, 0], [1, 2], [1, 1], [3000, 1000])
        names = ("from", "to", "messages", "bytes")
        return dict(zip(names, map(np.array, columns), strict=True))

    monkeypatch.setattr(planned, "import_module", lambda _: SimpleNamespace(traffic=traffic))
    volume = draw_volume(reported(tmp_path))
    (parameters, *numbers), *others = asked
    assert numbers == [8, 2] and not others
    assert re.findall(r"communication\.layout = (.*)", parameters) == ["row-first"]
    says(volume.canvas.axes[1].get_title(), "row-first", "planned")
    says(volume.caption, "75.0 %")


def test_messages_are_compared_with_the_plan_phase_by_phase(tmp_path, monkeypatch):
    column = {"name": "reduce_column", "per": "turn", "library": False, "rank": 0}
    row = {"name": "broadcast_row", "per": "turn", "library": False, "rank": 3}
    sizes = BYTES["reduce_column"], BYTES["broadcast_row"]
    rows = sent_table(
        tmp_path,
        monkeypatch,
        column | {"messages": 1, "bytes_per_rank": sizes[0]},
        # In two parts of one name, and 8 B more than were sent.
        row | {"messages": 1, "bytes_per_rank": sizes[1]},
        row | {"messages": 1, "bytes_per_rank": sizes[1] + 8},
    )
    assert rows["reduce_column"][-2:] == ("1", "equal")
    assert rows["broadcast_row"][-2:] == ("2", "DIFFERS")
    assert rows["moments *"][-1] == "–"


def test_a_phase_done_once_a_mesh_agrees_when_it_was_done_whole_times(tmp_path, monkeypatch):
    column = {"name": "reduce_column", "per": "mesh", "library": False, "rank": 0}
    column |= {"messages": 1, "bytes_per_rank": BYTES["reduce_column"]}
    rows = sent_table(tmp_path, monkeypatch, column)
    says(rows["reduce_column"][-1], "equal", "3 meshes")


def sent_table(folder, monkeypatch, *phases):
    """Rows of the table of messages by phase, where the plan has `phases`."""
    write_messages(folder)
    core = SimpleNamespace(plan=lambda *_: {"phases": phases})
    monkeypatch.setattr(planned, "import_module", lambda _: core)
    sent = communication_tables(reported(folder))[1]
    return {row[0]: row[1:] for row in sent.rows}


def test_a_run_without_events_asks_for_them_in_one_sentence(tmp_path):
    write_messages(tmp_path, capacity=0)
    run = reported(tmp_path)
    for draw in (draw_tasks, draw_states, draw_utilisation):
        one_sentence(draw(run).sentence, "--events 100000")


def test_a_run_on_one_rank_says_how_to_see_messages(folder):
    def silence(content):
        for rank in content["rank"]:
            for phase in rank["phases"].values():
                phase["sent_to"] = {}

    damage(folder, silence)
    one_sentence(draw_volume(reported(folder)).sentence, "messages", 2, "ranks", '"mpi"')


def cut(content):
    content["rank"].pop()


def rename(content):
    del content["rank"][3]["phases"]["push"]["calls"]


def misdirect(content):
    content["rank"][0]["phases"]["reduce_column"]["sent_to"] = {"99": [1, 8]}


def age(content):
    content["version"] = 7


def spoil(content):
    content["rank"] = "none"


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (cut, ("damaged", "8 ranks")),
        (rename, ("damaged", "'calls'")),
        (misdirect, ("damaged", "rank")),
        (age, ("version 7", "version 1")),
        (spoil, ("damaged",)),
    ],
)
def test_a_damaged_record_is_refused_in_one_sentence(folder, change, facts):
    damage(folder, change)
    with refused(folder / "communication.json", *facts, by=RunError):
        read_communication(folder)


def test_a_record_that_is_cut_off_or_missing_is_refused_in_one_sentence(folder):
    path = folder / "communication.json"
    path.write_text(path.read_text()[:100])
    with refused(path, "damaged", by=RunError):
        read_communication(folder)
    path.unlink()
    with refused(folder, "communication.json", "folder of a run", by=RunError):
        read_communication(folder)
    with refused(folder, "records.h5", "folder of a run"):
        make_report(folder)


def test_damaged_events_are_refused_in_one_sentence(folder):
    record = read_communication(folder)
    path = folder / "events.bin"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with refused(path, "damaged", f"{len(whole) - 1} bytes", by=RunError):
        Events(record)
    # The third event of rank 0 is a receive; byte 24 begins its peer.
    at = 2 * 40 + 24
    path.write_bytes(whole[:at] + b"\xff\x00\x00\x00" + whole[at + 4 :])
    with refused(path, "damaged", "rank 0", by=RunError):
        Events(record).of(0)
    path.unlink()
    with refused(path, "read", by=RunError):
        Events(record)


def test_a_missing_folder_to_compare_with_is_named(folder):
    with refused(folder / "nowhere", "communication.json", by=RunError):
        reported(folder, [folder / "nowhere"])


def test_waiting_that_nobody_knows_is_null_and_not_zero(tmp_path, capsys):
    write_communication(tmp_path)
    path = tmp_path / "communication.json"
    content = json.loads(path.read_text())
    for rank in content["rank"]:
        rank["phases"]["reduce_column"]["waiting"] = None
    path.write_text(json.dumps(content))
    record = read_communication(tmp_path)
    assert np.isnan(record.phase("reduce_column").waiting).all()
    phases = communication_summary(record)["phases"]
    assert phases["reduce_column"]["waiting"] is None
    assert any(phase["waiting"] == 0.0 for phase in phases.values())
    assert np.isnan(efficiency(record).waiting)
    show_communication(record)
    assert "nan" not in capsys.readouterr().out

"""What the pictures in time count is what a made-up trace says, by hand.

Times are whole multiples of 1 ms in double precision: 1e-9 of a rank is far above their rounding.
"""

import json

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.report.contents import make_report
from phasewise.report.reporting import reported
from phasewise.report.timeline import draw_states, draw_tasks, draw_utilisation
from phasewise.study.laboratory import Laboratory
from phasewise.traces.collectives import last_entries
from phasewise.traces.efficiency import efficiency
from phasewise.traces.excerpt import Excerpt, bounds
from phasewise.traces.records import (
    COMPUTE,
    EVENT,
    PHASE,
    RECEIVE,
    SEND,
    Events,
    read_communication,
)
from phasewise.traces.timeline import OUTERMOST, grouped, selected, timeline
from tests.sentences import command_refused, refused, says
from tests.unit.synthetic_communication import write_communication
from tests.unit.synthetic_run import make_study

CLOSE = 1e-9
NAMES = ("work", "solver", "sum", "edges")
TRACE = {
    # Rank 0 computes 4 ms, is in the solver from 4 to 10 ms, in its sum from 4 to 7 ms, and in the
    # exchange of its edges from 8 to 9 ms.
    0: [("work", COMPUTE, 0, 4), ("solver", PHASE, 4, 10), ("sum", PHASE, 4, 7),
        ("edges", PHASE, 8, 9), ("edges", SEND, 8, 9, 1), ("edges", RECEIVE, 8, 9, 1)],
    # Rank 1 enters the sum at 6 ms, when rank 0 has waited 2 ms; its message is there at once.
    1: [("work", COMPUTE, 0, 6), ("solver", PHASE, 6, 10), ("sum", PHASE, 6, 7),
        ("edges", PHASE, 8.5, 9), ("edges", SEND, 8.5, 9, 0), ("edges", RECEIVE, 8.5, 9, 0)],
}  # fmt: skip


def write_trace(folder, trace=TRACE, slower=1.0, ideal=None):
    """The folder of a simulated run of two ranks and one turn with the events of `trace` [ms]."""
    write_communication(folder, prow=1, pcol=1, turns=1, machine="bassi")
    (folder / "study.json").write_text(json.dumps(make_study(1).resolved()))
    content = json.loads((folder / "communication.json").read_text())
    content |= {"seconds": 0.010 * slower} | ({} if ideal is None else {"ideal_seconds": ideal})
    rows = []
    for entry in content["rank"]:
        own = sorted(trace[entry["rank"]], key=lambda event: (event[3], -event[2]))
        entry |= {"names": NAMES, "events": len(own), "clock_offset": 0.0}
        entry["phases"] = {
            name: {
                "calls": 1, "messages": 1, "bytes": 8, "library": name == "sum", "sent_to": {},
                "computing": 1e-3 * slower * (own[0][3] if name == "work" else 0),
                "communicating": 1e-3, "waiting": 0.0,
            }
            for name in NAMES
        }  # fmt: skip
        for name, kind, start, end, *peer in own:
            times = 1e-3 * slower * start, 1e-3 * slower * end
            rows.append((*times, 8, *(peer or [-1]), 0, NAMES.index(name), kind, 0, 0))
    (folder / "communication.json").write_text(json.dumps(content))
    np.array(rows, dtype=EVENT).tofile(folder / "events.bin")
    return folder


def seconds_of(line):
    """Rank × seconds in each state."""
    return line.counts.mean(axis=1) * line.seconds


def test_the_utilisation_of_a_trace_is_the_one_counted_by_hand(tmp_path):
    events = Events(read_communication(write_trace(tmp_path)))
    line = timeline(events, (0.0, 0.010), 20)
    # Work 4 + 6 ms. Waiting: 2 ms in the sum, and 0.5 ms for rank 1's message of 8.5 ms. The rest
    # of the solver, 6 + 4 ms, communicates.
    assert seconds_of(line) == pytest.approx([10e-3, 7.5e-3, 2.5e-3, 0], abs=CLOSE)
    # Intervals of 0.5 ms: number 9 is at 4.5 ms, number 16 at 8 ms.
    assert np.round(line.counts[:, [0, 9, 13, 16, 18]], 9).T.tolist() == [
        [2, 0, 0, 0], [1, 0, 1, 0], [0, 2, 0, 0], [0, 1, 1, 0], [0, 2, 0, 0],
    ]  # fmt: skip


def test_a_stretch_of_time_and_ranks_is_cut_out(tmp_path):
    write_trace(tmp_path)
    run = reported(tmp_path, excerpt=Excerpt((0.003, 0.007), (0, 0)))
    (line,) = run.timelines
    assert line.ranks == (0,) and line.seconds == pytest.approx(4e-3)
    assert seconds_of(line) == pytest.approx([1e-3, 1e-3, 2e-3, 0], abs=CLOSE)
    about = draw_utilisation(run).caption
    says(about, "0.003 s", "0.004 s")


def test_tasks_are_shown_at_the_level_asked_for(tmp_path):
    events = Events(read_communication(write_trace(tmp_path)))

    def tasks(level):
        line = timeline(events, (0.0, 0.010), 20, [0], level)
        return [line.names[k] if k >= 0 else None for k in line.task[0]]

    assert tasks("innermost") == (
        8 * ["work"] + 6 * ["sum"] + 2 * ["solver"] + 2 * ["edges"] + 2 * ["solver"]
    )
    assert tasks(OUTERMOST) == 8 * ["work"] + 12 * ["solver"]
    within = 8 * [None] + 6 * ["sum"] + 2 * ["other"] + 2 * ["edges"] + 2 * ["other"]
    assert tasks("solver") == within
    run = reported(tmp_path, excerpt=Excerpt(tasks="solver"))
    says(draw_tasks(run).caption, "solver")


def test_the_tasks_of_a_workload_of_several_are_within_it(tmp_path):
    write_trace(tmp_path)
    path = tmp_path / "communication.json"
    path.write_text(path.read_text().replace('"sum"', '"ring.sum"').replace('"edges"', '"ring.b"'))
    events = Events(read_communication(tmp_path))
    line = timeline(events, (0.0, 0.010), 20, [0], "ring")
    named = [line.names[k] if k >= 0 else None for k in line.task[0]]
    assert named == 8 * [None] + 6 * ["ring.sum"] + 2 * [None] + 2 * ["ring.b"] + 2 * [None]
    Excerpt(tasks="ring").check_tasks(events, read_communication(tmp_path), {})


def test_tasks_that_a_workload_declares_have_several_kernels_and_phases(tmp_path, monkeypatch):
    write_trace(tmp_path)
    own = reported(tmp_path).workload
    path = tmp_path / "communication.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"workload": own.name}))
    declared = {"solving": ("sum", "edges"), "none": ("nothing",)}
    monkeypatch.setattr(type(own.part(Laboratory)), "TASKS", declared)
    line = timeline(Events(read_communication(tmp_path)), (0.0, 0.010), 20, [0])

    def named(found):
        return [found.names[k] if k >= 0 else None for k in found.task[0]]

    solving = 8 * ["work"] + 6 * ["solving"] + 2 * ["solver"] + 2 * ["solving"] + 2 * ["solver"]
    assert named(grouped(line, declared)) == solving
    within = 8 * ["other"] + 6 * ["sum"] + 2 * ["other"] + 2 * ["edges"] + 2 * ["other"]
    assert named(selected(line, declared["solving"])) == within
    says(draw_tasks(reported(tmp_path, excerpt=Excerpt(tasks="declared"))).caption, "declares")
    says(draw_tasks(reported(tmp_path, excerpt=Excerpt(tasks="solving"))).caption, "solving")
    # A phase that the run does not have makes no task a computing one.
    tasks = {"sums": ("sum", "absent"), "work and sums": ("work", "sum")}
    monkeypatch.setattr(type(own.part(Laboratory)), "TASKS", tasks)
    content = json.loads(path.read_text())
    for entry in content["rank"]:
        entry["phases"]["work"] |= {"messages": 0, "communicating": 0.0}
    path.write_text(json.dumps(content))
    assert reported(tmp_path).declared == {"sums": False, "work and sums": True}


def test_a_workload_without_tasks_of_its_own_has_none_to_show(tmp_path):
    write_trace(tmp_path)
    with refused("declared", "work", "sum"):
        draw_tasks(reported(tmp_path, excerpt=Excerpt(tasks="declared")))


def test_calls_of_a_collective_belong_together_while_none_has_ended():
    number = np.array([0, 0, 0, 0, 1, 1])
    starts = np.array([0.0, 3.0, 1.0, 5.0, 9.0, 8.0])
    ends = np.array([2.0, 6.0, 2.0, 6.0, 9.5, 9.5])
    # Of number 0 a team of two from 0 to 2 and another one from 3 to 6.
    assert last_entries(number, starts, ends).tolist() == [1, 5, 1, 5, 9, 9]


def test_two_runs_stand_on_one_axis_of_time(tmp_path):
    before, after = write_trace(tmp_path / "before"), write_trace(tmp_path / "after", slower=0.5)
    run = reported(before, beside=after)
    for draw in (draw_tasks, draw_states, draw_utilisation):
        drawn = draw(run)
        upper, lower = drawn.canvas.axes[:2]
        assert upper.get_xlim() == lower.get_xlim() == pytest.approx((0, 10))  # ms
        says(upper.get_title(), "before", "2 ranks", "bassi")
        says(lower.get_title(), "after", "2 ranks", "bassi")
        assert str(after) in drawn.caption
    for mean in ("1 computing", "0.75 communicating", "0.25 waiting"):
        assert drawn.caption.count(mean) == 2
    legend = draw_tasks(run).canvas.legends[0].get_texts()
    assert [text.get_text() for text in legend] == ["work", "solver", "sum", "edges"]


def test_the_report_prints_utilisation_and_efficiency_as_json(tmp_path, capsys):
    run = write_trace(tmp_path / "run", ideal=8e-3)
    other = write_trace(tmp_path / "other", slower=2.0)
    words = ["report", str(run), "--beside", str(other), "--time", ":0.01", "--ranks", "0:1"]
    assert main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    first, second = printed["utilisation"]
    assert (first["run"], first["ranks"]) == (str(run), [0, 1])
    assert first["time"] == pytest.approx([0, 0.01])
    states = {"computing": 1, "communicating": 0.75, "waiting": 0.25, "not recorded": 0}
    assert first["mean_ranks"] == pytest.approx(states, abs=1e-6)
    # Half as fast: rank 0 computes 8 of 10 ms, rank 1 all of them.
    assert second["mean_ranks"]["computing"] == pytest.approx(1.8)
    found = printed["efficiency"]
    assert found["load_balance"] == pytest.approx(5 / 6)
    assert found["serialisation"] == pytest.approx(6 / 8)
    assert found["transfer"] == pytest.approx(8 / 10)
    assert found["parallel_efficiency"] == pytest.approx(5 / 6 * 6 / 8 * 8 / 10)


def test_without_an_ideal_run_only_the_product_is_known(tmp_path):
    write_trace(tmp_path)
    found = efficiency(read_communication(tmp_path))
    assert found.communication_efficiency == pytest.approx(0.6)
    assert found.serialisation is None and found.transfer is None
    says(make_report(tmp_path).path.read_text(), "--ideal")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--time", "0.2:"], ("{run}", "0.01 s", "0.2 s")),
        (["--time", "0.3:0.2"], ("--time", "0.3:0.2", "0.1:0.2", "s")),
        (["--ranks", "1:2"], ("{run}", "ranks", "0 to 1", "1 to 2")),
        (["--ranks", "-1"], ("--ranks", "-1", "0:7")),
        (["--tasks", "solvr"], ("{run}", "solvr", "work", "solver", "sum", "edges")),
        (["--beside", "{silent}"], ("{silent}", "no events", "--events")),
        (["--beside", "nowhere"], ("nowhere", "communication.json")),
    ],
)
def test_an_excerpt_that_the_run_does_not_have_is_refused(tmp_path, capsys, words, facts):
    run, silent = write_trace(tmp_path / "run"), tmp_path / "silent"
    write_communication(silent, capacity=0)
    given, facts = (
        [word.format(run=run, silent=silent) for word in some] for some in (words, facts)
    )
    status = 1 if "nowhere" in words else 2
    command_refused(capsys, ["report", run, *given], *facts, status=status)


def test_open_ends_of_a_stretch_are_those_of_the_run(tmp_path):
    assert bounds("0.1:") == (0.1, None) and bounds(":2e-3") == (None, 2e-3)
    events = Events(read_communication(write_trace(tmp_path)))
    record = read_communication(tmp_path)
    assert Excerpt((None, None)).span(events, record) == pytest.approx((0, 0.010))
    with refused(tmp_path, "ranks", "0 to 1", "2 to 1"):
        Excerpt(ranks=(2, None)).ranks_of(record)

"""`phasewise reproduce` from end to end, with simulated times made up and then kept."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import phasewise.commands.reproduce
from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.machines import Machine, load_machine
from phasewise.machines.curves import Curve, Line
from phasewise.simulated import many
from phasewise.simulated.many import Task, simulate_many
from phasewise.workloads.collision import reproducing
from phasewise.workloads.collision.reproduction import contents, kept, predicted, results
from phasewise.workloads.collision.reproduction.cases import paper_case
from phasewise.workloads.collision.reproduction.extent import FULL, QUICK, Run
from tests.sentences import refused, says

COLUMN_FIRST_GAIN, HYPERCUBE_GAIN = 0.32, 0.65
"""Parts by which the times that are made up fall with the layout, and again with the hypercube."""
SIZES = (0, 4096, 4 * 2**20)

RUNS = 5 * (3 * 4 + 1) + 2 + 2 * 10
"""Three variants on four numbers of ranks of five machines, aggregation on the most; two of one
rank a node; base and optimised code under ten assumptions.
"""


class Simulator:
    """Times by layout and algorithm, in place of SimGrid; the layout does nothing for it where a
    node has one rank.
    """

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, task: Task) -> dict[str, Any]:
        self.asked += 1
        chosen: Any = task.study.communication
        seconds = 1.0
        if chosen.layout_text == "column-first" and task.request.machine.node_ranks > 1:
            seconds *= 1 - COLUMN_FIRST_GAIN
        if chosen.reduce == "hypercube":
            seconds *= 1 - HYPERCUBE_GAIN
        names = ("exchange_seconds", "communication_seconds", "turn_seconds")
        return dict.fromkeys(names, seconds)


def unreachable(_task: Task) -> dict[str, Any]:
    raise RunError("this has been simulated before")


def with_curves(name: str, _cache: Path) -> Machine:
    """A machine with straight curves, by its rows of the paper's Table 4."""
    machine = load_machine(name)
    rows = machine.paper
    network = rows.get("parallel_inter", rows["ping_ping"])
    pairs = machine.node_ranks
    curves = [
        curve(rows["ping_pong"], benchmark="ping-pong"),
        curve(rows["ping_ping"], benchmark="ping-ping"),
        curve(network, benchmark="parallel", pairs=pairs),
    ]
    if "parallel_intra" in rows:
        own = {"benchmark": "parallel", "level": "node", "pairs": pairs}
        curves.append(curve(rows["parallel_intra"], **own))
    for ranks, direction in product((64, 128, 256), ("row", "column")):
        where = {"direction": direction, "distance": 1, "ranks": ranks}
        curves.append(curve(rows["grid_256"], benchmark="grid", **where))
    return replace(machine, curves=tuple(curves))


def curve(line: Line, level: str = "network", **labels: Any) -> Curve:
    times = tuple(line.seconds(size) for size in SIZES)
    own = {"latency": line.latency, "bandwidth": line.bandwidth, **labels}
    return Curve(level=level, sizes=SIZES, seconds=times, low=times, high=times, **own)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """A reproduction without a simulator, the base on 32 ranks judging the models."""
    simulator = Simulator()
    monkeypatch.setattr(many, "_run", simulator)
    monkeypatch.setattr(many, "simulator", lambda: ("made up",))
    monkeypatch.setattr(kept, "measured_machine", with_curves)
    monkeypatch.setattr(kept, "FILE", tmp_path / "kept.json")
    monkeypatch.setattr(results, "simulated_cases", lambda name: (paper_case(name, 32, "base"),))
    monkeypatch.setattr(predicted, "MODELS", ("1a", "2"))
    few: Any = {"predicted": (), "followed": (), "held_out": 1, "max_messages": 10**6}
    monkeypatch.setattr(reproducing, "FULL", replace(FULL, **few))
    monkeypatch.setattr(reproducing, "QUICK", replace(QUICK, **few))
    monkeypatch.setattr(phasewise.commands.reproduce, "simulated_tree", list)
    monkeypatch.setattr(phasewise.commands.reproduce, "MAX_WORKERS", 1)
    return simulator


def claims_of(out: Path, when: str | None) -> dict[int, dict[str, Any]]:
    """Those of claims.json by their numbers, if simulations were kept on that date."""
    record = json.loads((out / "claims.json").read_text())
    assert (record["kept"], record["reference"]) == (when, "simulator")
    return {claim["id"]: claim for claim in record["claims"]}


def test_a_quick_run_looks_at_all_claims_with_the_simulations_of_a_full_one(
    made_up: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    full, quick = tmp_path / "full", tmp_path / "quick"
    held_out = [name for name in FULL.machines if paper_case(name, 32, "base").held_out]
    with monkeypatch.context() as patch:
        patch.setattr(contents, "make_figures", lambda *_: [])  # test_reproduce.py draws these
        assert main(["reproduce", "--out", str(full)]) == 0
    assert made_up.asked == RUNS + len(held_out)
    before = claims_of(full, None)
    assert list(before) == list(range(1, 17))
    says(before[13]["ours"], "+0.00 %", "64 ranks")

    tasks = results.tasks_of(FULL)
    monkeypatch.setattr(many, "_run", unreachable)
    summaries = simulate_many(tasks, full / "simulations", 1)
    machines = {name: with_curves(name, tmp_path) for name in FULL.machines}
    kept.write_kept("2026-03-01", zip(tasks, summaries, strict=True), machines)

    monkeypatch.setattr(many, "_run", made_up)
    monkeypatch.setattr(kept, "measured_machine", unreachable)
    made_up.asked = 0
    assert main(["reproduce", "--quick", "--out", str(quick)]) == 0
    # The cases that judge the models, and two kept ones to compare.
    assert made_up.asked == len(held_out) + 2
    after = claims_of(quick, "2026-03-01")
    for number in before:
        assert (after[number]["ours"], after[number]["holds"]) == (
            before[number]["ours"], before[number]["holds"],
        )  # fmt: skip
        assert after[number]["kept"] is (number not in (1, 2, 16))
    page = (quick / "index.html").read_text()
    says(page, "2026-03-01", "Figure 3")
    assert list(quick.glob("figure-*.png"))
    assert "claims" in capsys.readouterr().out


def test_what_was_kept_of_another_study_is_simulated_again(
    made_up: Simulator, tmp_path: Path
) -> None:
    task = results.paper_task(Run("bassi", 32, "base"))
    kept.write_kept("2026-03-01", [(task, made_up(task))], {})
    found = kept.read_kept()
    assert found.has(task)
    assert not found.has(results.paper_task(Run("bassi", 64, "base")))
    tapered = replace(load_machine("bassi"), node_ranks=4)
    assert not found.has(replace(task, request=replace(task.request, machine=tapered)))
    assert kept.read_kept(tmp_path / "none.json") == kept.Kept()


def test_a_damaged_file_of_kept_simulations_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text('{"date": "2026-03-01", "simulations": {}}')
    with refused(path, "simulations", "python -m benchmarks.keep_reproduction", by=RunError):
        kept.read_kept(path)

"""`phasewise reproduce --quick` from end to end, with simulated times made up and then kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import phasewise.commands.reproduce
from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.simulated import many
from phasewise.simulated.many import Task
from phasewise.workloads.collision import reproducing
from phasewise.workloads.collision.reproduction import results
from phasewise.workloads.collision.reproduction.cases import paper_case
from phasewise.workloads.collision.reproduction.results import Extent

FEW = Extent(("bassi",), (32, 64), (), 1, 32, 10**6)
"""Of a quick run: one machine."""

COLUMN_FIRST_GAIN, HYPERCUBE_GAIN = 0.32, 0.65
"""Parts by which the times that are made up fall with the layout, and again with the hypercube."""


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


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Simulator:
    """A quick run of few cases without a simulator, the base on 32 ranks judging the models."""
    simulator = Simulator()
    monkeypatch.setattr(many, "_run", simulator)
    monkeypatch.setattr(many, "simulator", lambda: ("made up",))
    monkeypatch.setattr(results, "measured_machine", lambda name, _cache: load_machine(name))
    monkeypatch.setattr(results, "simulated_cases", lambda name: (paper_case(name, 32, "base"),))
    monkeypatch.setattr(results, "MODELS", ("1a", "2"))
    monkeypatch.setattr(reproducing, "QUICK", FEW)
    monkeypatch.setattr(phasewise.commands.reproduce, "simulated_tree", list)
    monkeypatch.setattr(phasewise.commands.reproduce, "MAX_WORKERS", 1)
    return simulator


def claims_of(out: Path) -> dict[int, dict[str, Any]]:
    """Those of claims.json by their numbers."""
    record = json.loads((out / "claims.json").read_text())
    assert (record["quick"], record["reference"]) == (True, "simulator")
    return {claim["id"]: claim for claim in record["claims"]}


def test_a_quick_run_judges_what_it_simulated_and_keeps_it(
    few: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    assert main(["reproduce", "--quick", "--out", str(tmp_path)]) == 0
    # Three variants on 32 ranks, four on 64, two of one rank a node, and the case that judges the
    # models, in which computation takes time.
    assert few.asked == 10
    assert len(list((tmp_path / "simulations").glob("*.json"))) == 10
    claims = claims_of(tmp_path)
    assert list(claims) == list(range(1, 17))
    assert claims[13]["holds"] is True and claims[13]["ours"] == "+0.00 % on 64 ranks"
    assert claims[3]["holds"] is None and "--quick" in claims[3]["sentence"]
    page = (tmp_path / "index.html").read_text()
    assert "Two machines on up to 64 ranks" in page and "Figure 3:" in page
    assert list(tmp_path.glob("figure-*.png"))
    assert "claims" in capsys.readouterr().out

    monkeypatch.setattr(many, "_run", unreachable)
    again = results.gather(FEW, tmp_path / "simulations", 1)
    assert again.gain("bassi", 64, "base", "optimised") == pytest.approx(COLUMN_FIRST_GAIN)
    assert again.gain("bassi", 64, "optimised", "hypercube") == pytest.approx(HYPERCUBE_GAIN)
    assert again.repeated["bassi"]["1a"]["points"] == 1

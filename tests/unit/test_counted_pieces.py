"""`--iterations` and `--records` of `plan` and `predict`: what comes as often as data say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.workload.discovery import workloads
from tests.commands import printed
from tests.sentences import command_refused

pytest.importorskip("phasewise._core", reason="the core is not built")

STUDY = """
workload = "qcd"
solves = 2
[lattice]
size = [4, 4, 4, 8]
[gauge]
start = "hot"
[quarks]
kappa = 0.12
[solver]
tolerance = 1e-6
"""


@pytest.fixture
def study(tmp_path: Path) -> str:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return str(path)


def by_piece(planned: dict[str, Any], piece: str | None, library: bool = False) -> int:
    """Messages of the phases of a piece; None: those of every turn."""
    return sum(
        phase["messages"]
        for phase in planned["phases"]
        if phase.get("piece") == piece and phase["library"] == library
    )


def test_a_plan_counts_the_iterations_that_are_given(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = printed(capsys, "plan", study, "--ranks", "4", "--iterations", "25")
    own, each = by_piece(planned, None), by_piece(planned, "iteration")
    assert own > 0 and each > 0
    assert planned["totals"]["messages"] == own + 25 * each
    calls = by_piece(planned, None, library=True) + 25 * by_piece(planned, "iteration", True)
    assert planned["totals"]["library_calls"] == calls
    assert all(p.get("times") == 25 for p in planned["phases"] if p.get("piece") == "iteration")
    without = printed(capsys, "plan", study, "--ranks", "4")
    assert without["totals"]["messages"] == own
    words = ["--set", 'measure.pion="point"', "--iterations", "25"]
    (times,) = {
        phase["times"]
        for phase in printed(capsys, "plan", study, "--ranks", "4", *words)["phases"]
        if phase.get("piece") == "iteration"
    }
    # A propagator has twelve right-hand sides.
    assert times == 12 * 25


def test_a_plan_counts_the_iterations_that_a_study_fixes(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(study).write_text(STUDY.replace("tolerance = 1e-6", "iterations = 7"))
    planned = printed(capsys, "plan", study, "--ranks", "2")
    own, each = by_piece(planned, None), by_piece(planned, "iteration")
    assert planned["totals"]["messages"] == own + 7 * each > own


def test_a_plan_of_a_recorded_run_has_what_it_sent(
    study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = ["--machine", "altix", "--ranks", "2", "--turns", "2"]
    assert main(["simulate", study, *words, "--out", str(folder)]) == 0
    planned = printed(capsys, "plan", study, "--ranks", "2", "--records", str(folder))
    rank = json.loads((folder / "communication.json").read_text())["rank"][0]
    sent = sum(p["messages"] for p in rank["phases"].values() if not p["library"])
    assert planned["totals"]["messages"] == pytest.approx(sent / 2, rel=1e-12)
    assert rank["pieces"]["iteration"] > 2


def test_a_prediction_grows_with_the_iterations(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["predict", study, "--machine", "altix", "--ranks", "2"]
    few, many, usual = (
        printed(capsys, *words, *given)["points"][0]["phases"]["halo_t"]
        for given in (("--iterations", "10"), ("--iterations", "200"), ())
    )
    # Of the hopping matrices outside of iterations there are few: 10 of 40 + 10 messages.
    assert few < usual < many and 10 < many / few < 20
    told = printed(capsys, *words, "--iterations", "10")
    assert told["pieces"] == {"iteration": 10}


def test_what_makes_no_sense_is_one_sentence(
    study: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = str(repository / "examples/paper/study.toml")
    beams = ("plan", paper, "--ranks", "32")
    titles = [workloads()[name].title for name in ("collision", "qcd")]
    more = ("--iterations", 5)
    command_refused(capsys, [*beams, *more], "--iterations 5", titles[0])
    own = ("plan", study, "--ranks", 2)
    folder = tmp_path / "run"
    assert main(["run", study, "--out", str(folder)]) == 0
    recorded = ("--records", folder)
    command_refused(capsys, [*beams, *recorded], folder, *titles)
    command_refused(capsys, [*own, *more, *recorded], "--iterations", "--records")
    fixed = Path(study).with_name("fixed.toml")
    fixed.write_text(STUDY.replace("tolerance = 1e-6", "iterations = 7"))
    words = ["plan", fixed, "--ranks", 2, *more]
    command_refused(capsys, words, "--iterations 5", "solver.iterations = 7")
    command_refused(capsys, [*own, "--iterations", 0], "--iterations", "'0'", 1)

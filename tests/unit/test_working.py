"""How far a command is: after two seconds, in a terminal or on request."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.mpi.progress import MARK, RELAY_VARIABLE, relayed
from phasewise.mpi.working import at, working
from tests.sentences import says

SOON = 0.01


def work(seconds: float) -> None:
    at("prediction", 1, 3, "model 3, 16 ranks")
    time.sleep(seconds)
    at("prediction", 2, 3, "model 3, 32 ranks")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_nobody_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with working(patience=0.0):
        work(0.05)
    work(0.0)
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_before_the_time_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    with working(asked=True, patience=60.0):
        work(0.0)
    assert capsys.readouterr().err == ""


def test_on_request_a_line_comes_while_a_piece_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    with working(asked=True, patience=SOON):
        work(0.2)
        # The piece that is worked on is told while it lasts, and the next line is seconds away.
        assert capsys.readouterr().err == "prediction 1 of 3, model 3, 16 ranks\n"


def test_a_terminal_gets_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with working(patience=SOON):
        work(0.4)
    says(terminal.getvalue(), "of 3", "model 3, 16 ranks", "model 3, 32 ranks")


def test_ranks_relay_it_to_the_process_that_started_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(os.environ, RELAY_VARIABLE, "1")
    with working(asked=True, patience=SOON):
        work(0.3)
    lines = capsys.readouterr().err.rstrip().split("\n")
    assert all(line.startswith(MARK) for line in lines)
    assert relayed(lines[0]) == (1, 3, "model 3, 16 ranks", "prediction")


def test_commands_say_which_piece_they_are_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    told: list[tuple[str, int, int]] = []

    def listen(unit: str, done: int, of: int, _detail: str = "") -> None:
        told.append((unit, done, of))

    for module in ("models.prediction", "tuning.search", "tuning.platforms"):
        monkeypatch.setattr(f"phasewise.{module}.at", listen)
    study = tmp_path / "study.toml"
    study.write_text('workload = "halo"\nexchanges = 1\n[halo]\nwords = 8\n')
    words = [str(study), "--machine", "bassi", "--model", "3", "--ranks"]
    assert main(["predict", *words, "2,4"]) == 0
    assert told == [("prediction", 0, 2), ("prediction", 1, 2)]
    told.clear()
    assert main(["platforms", *words, "2,4"]) == 0
    assert told == [("point", 0, 2), ("point", 1, 2)]
    told.clear()
    assert main(["tune", *words, "4", "--verify", "0"]) == 0
    assert told[0] == ("candidate", 0, len(told))

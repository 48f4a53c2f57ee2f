"""How long a scan will take is said beforehand, and beyond an hour a person is asked."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.runs.kept import keep
from phasewise.scanning import expected as module
from phasewise.scanning.axes import read_axis
from phasewise.scanning.definition import Definition
from phasewise.scanning.expected import expected
from phasewise.scanning.folder import ScanFolder
from phasewise.scanning.scan import Request
from tests.sentences import one_sentence, says
from tests.unit.study_tables import build
from tests.unit.test_scan_results import summary

pytest.importorskip("phasewise._core", reason="the core is not built")


@pytest.fixture(autouse=True)
def turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every turn takes half a second."""
    monkeypatch.setattr(module, "turn_seconds", lambda *_: 0.5)


def definition(turns: int = 100) -> Definition:
    return Definition(build(turns=turns), (read_axis("ip.1.slices=1,2,3,4"),))


def test_the_points_that_are_left_take_their_turns_some_at_a_time(tmp_path: Path) -> None:
    request = Request(out=tmp_path / "scan", jobs=2)
    found = expected(definition(), request)
    assert found is not None
    # 4 points of 100 turns of 0.5 s, 2 at a time.
    assert (found.points, found.jobs, found.seconds) == (4, 2, 100.0)
    says(found.sentence, "4 points", "1 min 40 s", "2 at a time", "0.5 s")


def test_points_that_are_complete_or_of_another_part_are_left_out(tmp_path: Path) -> None:
    own = ScanFolder(tmp_path / "scan")
    own.prepare(definition(), (1, 1))
    own.release()
    keep(own.run_folder(definition().points[0]) / "summary.json", summary(1.0))
    found = expected(definition(), Request(out=own.path, jobs=1))
    assert found is not None and found.points == 3
    part = expected(definition(), Request(out=own.path, jobs=1, part=(2, 2)))
    assert part is not None and part.points == 2


def test_points_of_few_turns_are_not_timed(tmp_path: Path) -> None:
    assert expected(definition(turns=5), Request(out=tmp_path / "scan")) is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_scan_asks_in_a_terminal(
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = repository / "examples/lhc/study.toml"
    words = ["scan", str(study), "--over", "ip.1.slices=1:40:40", "--jobs", "1"]
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    assert main([*words, "--out", str(tmp_path / "scan")]) == 2
    told, asked, refused = capsys.readouterr().err.splitlines()
    # 40 points of 2048 turns of 0.5 s.
    says(told, "40 points", "11 h 22 min")
    says(asked, "go on?")
    one_sentence(refused, "not begun", "--yes")
    assert not (tmp_path / "scan").exists()

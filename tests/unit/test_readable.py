"""What is printed in Python, and shown in a notebook's cell, is one readable table."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import phasewise
from phasewise.machines import load_machine
from phasewise.models.model import Case
from phasewise.models.prediction import predict
from phasewise.readable import MOST_ROWS, Readable, Shown
from phasewise.study import Study, load
from tests.sentences import missing, says
from tests.unit.study_tables import tables


class Cells(HTMLParser):
    """The text of the cells of a table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag in ("td", "th", "caption")

    def handle_data(self, data: str) -> None:
        if self._in:
            self.found.append(data)


def agree(one: Readable) -> list[str]:
    """The lines of the text, each of whose cells the HTML has too."""
    lines = repr(one).splitlines()
    cells = Cells(one._repr_html_()).found
    assert lines[0] in cells
    for row in one.shown().cells():
        for cell in row:
            assert not cell or cell in cells
    return lines


def test_a_study_shows_the_keys_that_it_gives() -> None:
    study = Study.from_dict(tables() | {"title": "mine <&>", "turns": 7})
    lines = agree(study)
    says(lines[0], "mine <&>", "collision", "7 turns")
    says(repr(study), "beam.1.particle", '"proton"', "ip.1.beta")
    assert missing(repr(study), "slice_extent")


def test_a_lattice_of_a_thousand_elements_is_a_line(repository: Path) -> None:
    study = load(repository / "examples/kv-fodo/study.toml", [])
    assert len(repr(study).splitlines()) < 30
    assert max(map(len, repr(study).splitlines())) < 130


def test_results_say_what_the_run_was(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    results = phasewise.run(Study.from_dict(tables() | {"turns": 3, "title": "short"}), tmp_path)
    lines = agree(results)
    assert lines[0] == "short"
    with phasewise.open_results(tmp_path) as closed:
        pass
    says(repr(closed), "closed", "records")
    says(repr(results), "records", "turns", "3", "ranks × threads", "1 × 1", "luminosity")


def test_a_scan_has_a_row_for_each_point(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    study = Study.from_dict(tables() | {"turns": 3})
    found = phasewise.scan(study, {"ip.1.slices": [1, 2]}, out=tmp_path / "scan")
    lines = agree(found)
    says(lines[0], "2 of 2 points")
    says(lines[1], "point", "ip.1.slices", "seed", "status")
    assert len(lines) == 1 + 1 + 2 + 1


def test_a_machine_and_a_prediction_have_units_and_intervals(repository: Path) -> None:
    machine = load_machine("bassi")
    says("\n".join(agree(machine)), "Power5", "network latency [s]", "6.7e-06", "simulator")
    study = load(repository / "examples/lhc/study.toml", [])
    prediction = predict(Case(study, machine, 4), "contention")
    says("\n".join(agree(prediction)), "contention", "4 ranks", "ms", "90 % interval", "whole", "…")


def test_long_tables_and_cells_are_cut() -> None:
    long = Shown("long", [[str(k), "x" * 500] for k in range(MOST_ROWS + 5)])
    lines = long.text().splitlines()
    assert len(lines) == MOST_ROWS + 2
    assert lines[-1].strip() == "… 5 more"
    assert max(map(len, lines)) < 90

"""The pages of answers: made for a person who was not there, and of one file each."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from phasewise.answers import scanned
from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.models.comparison import compare
from phasewise.models.recorded_run import read_run
from phasewise.output import captured, print_table
from phasewise.report.answer import tables_of
from phasewise.report.predicted_runs import draw_run_times
from phasewise.runs.kept import keep
from phasewise.scanning.axes import read_axis
from phasewise.scanning.definition import Definition
from phasewise.scanning.folder import ScanFolder
from phasewise.version import __version__
from tests.sentences import command_refused, says
from tests.unit.study_tables import build
from tests.unit.test_compare import recorded
from tests.unit.test_scan_results import summary

pytest.importorskip("phasewise._core", reason="the core is not built")

SECTIONS = ("What shows it", "Conditions", "How sure it is")


class Page(HTMLParser):
    """A page as a reader sees it: its texts, its pictures, and what it refers to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.words: list[str] = []
        self.pictures = 0
        self.outside: list[str] = []
        self._in = ""
        self.feed(path.read_text(encoding="utf-8"))
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        self.pictures += tag == "svg"
        for name, value in attrs:
            if name in ("src", "href", "srcset") and not (value or "").startswith(("#", "data:")):
                self.outside.append(f"{name}={value}")
            if tag in ("script", "iframe", "link") and name != "rel" and "data:" not in f"{value}":
                self.outside.append(tag)

    def handle_data(self, data: str) -> None:
        if self._in == "style":
            self.outside += re.findall(r"url\([^#)]*\)|@import", data)
        else:
            self.words.append(data)


def page_of(path: Path) -> Page:
    """The page, which must stand for itself and have all its sections."""
    page = Page(path)
    assert page.outside == []
    says(page.text, *SECTIONS, f"version phasewise {__version__}", "UTC", "command phasewise ")
    return page


@pytest.fixture
def halo(tmp_path: Path) -> str:
    path = tmp_path / "study.toml"
    path.write_text('title = "Strips"\nworkload = "halo"\nexchanges = 1\n[halo]\nwords = 256\n')
    return str(path)


def test_a_prediction_has_a_page_with_its_time_and_interval(halo: str, tmp_path: Path) -> None:
    written = tmp_path / "page.html"
    words = ["--machine", "bassi", "--ranks", "4,8", "--html", str(written)]
    assert main(["predict", halo, *words]) == 0
    page = page_of(written)
    assert page.pictures == 2
    says(page.text, "How long does an exchange of “Strips” take on bassi?", "nine times in ten")
    says(
        page.text, "2x2 on 4", "Bassi: IBM SP", "simulated runs on bassi", "predict", "--ranks 4,8"
    )


def test_tuning_has_a_page_with_its_choice_and_the_study_s_own(halo: str, tmp_path: Path) -> None:
    written = tmp_path / "page.html"
    words = ["--machine", "bassi", "--ranks", "4", "--verify", "0", "--html", str(written)]
    assert main(["tune", halo, *words]) == 0
    page = page_of(written)
    assert page.pictures == 1
    says(page.text, "makes “Strips” fastest on 4 ranks of bassi?", "process_grid", "as it is takes")
    says(page.text, "none was verified", "the best of")


def test_platforms_have_a_page_that_names_the_fastest(halo: str, tmp_path: Path) -> None:
    written = tmp_path / "page.html"
    words = ["--machine", "bassi,jaguar", "--ranks", "4", "--html", str(written)]
    assert main(["platforms", halo, *words]) == 0
    page = page_of(written)
    assert page.pictures == 2
    says(page.text, "On which machine", "exchanges/s", "The best of the others: jaguar")
    says(page.text, "the only number compared")


def test_a_comparison_has_a_page_with_its_verdict(repository: Path, tmp_path: Path) -> None:
    folder, written = recorded(repository, tmp_path / "run", machine="bassi"), tmp_path / "p.html"
    assert main(["compare", str(folder), "--model", "3", "--html", str(written)]) == 0
    page = page_of(written)
    assert page.pictures == 1
    says(page.text, "Do predictions hold for", "model 3 has", "of 1 time within its interval")


def test_the_picture_of_one_run_has_its_interval_and_its_turn(
    repository: Path, tmp_path: Path
) -> None:
    folder = recorded(repository, tmp_path / "run", machine="bassi")
    (point,) = compare(read_run(folder), load_machine("bassi"), "3")
    drawn = draw_run_times([point])
    labels = [text.get_text() for text in drawn.canvas.axes[0].get_yticklabels()]
    assert labels == ["run: communication", "run: turn"]
    says(drawn.caption, "90 % interval", "simulated")


def scan_folder(folder: Path) -> Path:
    definition = Definition(build(title="Slices"), (read_axis("ip.1.slices=1,2,4"),))
    made = ScanFolder(folder)
    made.prepare(definition, (1, 1))
    made.release()
    for point in definition.points[:2]:
        run = made.run_folder(point)
        run.mkdir(parents=True)
        keep(run / "summary.json", summary(1e34 * (1 + 1 / point.values["ip.1.slices"] ** 2)))
    return folder


def test_the_folder_of_a_scan_has_a_report(tmp_path: Path) -> None:
    folder = scan_folder(tmp_path / "scan")
    assert main(["report", str(folder)]) == 0
    page = page_of(folder / "report.html")
    assert page.pictures == 6  # five results, and the convergence
    says(
        page.text,
        "the result of “Slices” depend on ip.1.slices?",
        "goes from",
        "at ip.1.slices = 2",
        "at ip.1.slices = 1",
    )
    says(page.text, "2 of 3 points are complete", "one seed", "as far as two values can show")


def test_a_scan_s_page_has_few_pictures_and_all_convergences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanned, "MOST_PICTURES", 1)
    folder = scan_folder(tmp_path / "scan")
    assert main(["report", str(folder)]) == 0
    assert page_of(folder / "report.html").pictures == 2


def test_options_of_a_run_s_report_are_refused_for_a_scan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = scan_folder(tmp_path / "scan")
    command_refused(capsys, ["report", str(folder), "--time", "0:1"], "--time", "scan")
    (folder / "scan.json").write_text("{}")
    command_refused(capsys, ["report", str(folder)], "scan.json", "damaged")


def test_a_bench_has_a_page_with_its_rates(tmp_path: Path) -> None:
    written = tmp_path / "page.html"
    words = ["--set", "halo.words=8", "--turns", "1", "--html", str(written)]
    assert main(["bench", "halo", *words]) == 0
    page = page_of(written)
    assert page.pictures == 1
    says(
        page.text,
        "How fast is halo (words) on",
        "On 1 rank, halo takes at its quickest",
        "for 8 words",
        "load average",
        "irecv-isend",
    )


@pytest.mark.parametrize(
    ("name", "facts"),
    [("page.pdf", ("--html", ".html")), ("nowhere/page.html", ("--html", "no folder", "nowhere"))],
)
def test_a_page_that_cannot_be_written_is_refused_before_any_work(
    halo: str, name: str, facts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--machine", "bassi", "--ranks", "4", "--html", name]
    command_refused(capsys, ["predict", halo, *words], *facts)


def test_what_a_command_prints_becomes_tables_and_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def show() -> None:
        print_table("a title", ["name", "empty", "value"], [["x", "", "1"], ["y", "", "2"]])
        print("a long line " * 20)

    found = captured(show)
    assert capsys.readouterr().out == ""
    assert found.lines == ("a long line " * 20,)
    (table,) = tables_of(found)
    assert (table.title, table.heads) == ("a title", ("name", "value"))
    assert table.rows == (("x", "1"), ("y", "2"))

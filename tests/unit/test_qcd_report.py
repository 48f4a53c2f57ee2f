"""The report of solves: its pictures and the source's four figures; bench of several cases."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.report import palette
from phasewise.report.communication import draw_volume
from phasewise.report.contents import make_report
from phasewise.report.figure import Drawing
from phasewise.report.reporting import reported
from phasewise.study import Study
from phasewise.workloads.qcd.four_figures import convention, four_figures, iteration_flops
from phasewise.workloads.qcd.pictures import draw_residuals
from tests.sentences import Nearest, command_refused, says

pytest.importorskip("phasewise._core", reason="the core is not built")

STUDY = """
workload = "qcd"
solves = {solves}
[lattice]
size = [4, 4, 4, 8]
[gauge]
start = "{start}"
[quarks]
kappa = 0.12
[solver]
tolerance = 1e-8
"""
PION = '[measure]\npion = "point"\n'
PICTURES = ("residuals", "pion", "loops")


def run(folder: Path, pion: bool, solves: int = 1, start: str = "hot") -> Path:
    study = folder / "study.toml"
    text = STUDY.format(solves=solves, start=start)
    study.write_text(text + (PION if pion else ""))
    assert main(["run", str(study), "--out", str(folder / "run")]) == 0
    return folder / "run"


def test_a_report_of_one_solve_has_all_pictures_and_the_four_figures(tmp_path: Path) -> None:
    folder = run(tmp_path, pion=True)
    report = make_report(folder)
    drawn = {figure.name: figure for figure in report.figures}
    assert all(drawn[name].svg for name in PICTURES)
    assert all((report.pictures / f"{name}.png").stat().st_size > 0 for name in PICTURES)
    page = report.path.read_text()
    says(html.unescape(page), "four figures", 5520, "4×4×4×8")


def contrast(one: str, other: str) -> float:
    """Of two colours, by the Web Content Accessibility Guidelines."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_curves_are_seen_on_light_and_dark_pages() -> None:
    style = (Path(palette.__file__).parent / "page.css").read_text()
    cards = re.findall(r"--card: (#[0-9a-f]{6})", style)
    assert len(cards) == 2 and len(set(palette.SERIES)) == len(palette.SERIES) >= 8
    # 3:1 is asked of graphics.
    assert min(contrast(c, card) for c in palette.SERIES for card in cards) >= 3


def test_a_report_without_a_pion_says_what_it_needs(tmp_path: Path) -> None:
    report = make_report(run(tmp_path, pion=False, solves=2, start="cold"))
    drawn = {figure.name: figure for figure in report.figures}
    assert drawn["pion"].svg is None
    says(drawn["pion"].caption, 'measure.pion = "point"')
    residuals = drawn["residuals"].svg
    assert residuals is not None and drawn["loops"].svg
    assert ">tolerance 1e-08<" in residuals
    # The two solves are on the same links, and have one curve.
    says(residuals, "solve 0", "1 equal")
    assert "solve 1" not in residuals


@pytest.mark.parametrize("solver", ["tolerance = 1e-5", "limit = 7000", "iterations = 4"])
def test_the_tolerance_is_a_named_line_with_room_below_it(solver: str, tmp_path: Path) -> None:
    text = STUDY.format(solves=1, start="hot").replace("tolerance = 1e-8", solver)
    (tmp_path / "study.toml").write_text(text)
    assert main(["run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "run")]) == 0
    drawing = draw_residuals(reported(tmp_path / "run"))
    assert isinstance(drawing, Drawing)
    (axis,) = drawing.canvas.axes
    named = [text.get_text() for text in axis.texts]
    if "iterations" in solver:
        assert named == []
        return
    wanted = 1e-5 if "tolerance" in solver else 1e-12
    assert named == [f"tolerance {wanted:g}"]
    assert axis.get_ylim()[0] <= 0.3 * wanted < wanted < axis.get_ylim()[1]


def test_a_run_on_one_rank_beside_others_has_no_empty_map(tmp_path: Path) -> None:
    run(tmp_path, pion=False)
    study = str(tmp_path / "study.toml")
    words = ["--ranks", "2", "--machine", "altix", "--out", str(tmp_path / "two")]
    assert main(["simulate", study, *words]) == 0
    drawing = draw_volume(reported(tmp_path / "two", [tmp_path / "run"]))
    assert isinstance(drawing, Drawing)
    titles = [axis.get_title() for axis in drawing.canvas.axes if axis.get_visible()]
    assert not any("recorded" in title for title in titles)
    says(drawing.caption, "messages", "picture", "run")


def test_what_the_phases_sent_is_as_planned(tmp_path: Path) -> None:
    run(tmp_path, pion=False)
    study = str(tmp_path / "study.toml")
    words = ["--ranks", "2", "--machine", "altix", "--out", str(tmp_path / "two")]
    assert main(["simulate", study, *words]) == 0
    page = make_report(tmp_path / "two").path.read_text()
    # One simulated solve has records, and so the four figures on the machine's cores.
    assert "5520" in page
    assert "equal" in page and "DIFFERS" not in page


def test_rates_without_sums_leave_their_time_out() -> None:
    found = four_figures(flops=4e9, cores=4, seconds=2.0, inside=0.5, moved=1e6, sums=0.5)
    # 1e9 flops a core in 1.5 s, and in 1 s.
    assert found["compute_megaflops_per_core"] == pytest.approx(1000 / 1.5)
    assert found["compute_megaflops_per_core_without_sums"] == pytest.approx(1000)
    assert found["overhead"] == pytest.approx(0.25)


@pytest.mark.parametrize(("quarks", "flops"), [({}, 5520), ({"clover": 1.9}, 7728)])
def test_flops_are_counted_as_the_source_counts_them(quarks: dict[str, float], flops: int) -> None:
    tables = {"workload": "qcd", "solves": 1, "lattice": {"size": [2, 2, 2, 2]}}
    model = Study.from_dict({**tables, "quarks": {"kappa": 0.1} | quarks}).model
    assert iteration_flops(model) == flops
    assert all(str(number) in convention(flops) for number in (flops, 1296, 552, 1320, 504))


def test_a_run_prints_the_names_that_scripts_rely_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(solves=1, start="cold") + PION)
    assert main(["run", str(study), "--json", "--out", str(tmp_path / "run")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"plaquette", "polyakov", "correlators", "solver", "communication"} <= set(found)
    assert len(found["polyakov"]) == 4 and len(found["correlators"]["pion"]) == 8
    assert {"iterations", "residual"} <= set(found["solver"])
    masses = found["effective_mass"]["pion"]
    assert len(masses["log"]) == 4 and len(masses["cosh"]) == 5 and masses["cosh"][0] is None
    assert masses["log_error"] is masses["cosh_error"] is None and masses["configurations"] == 1
    assert "phases" in found["communication"]


def test_bench_measures_several_cases_and_numbers_of_ranks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["bench", "qcd", "--case", "cache,small", "--turns", "1"]
    words += ["--set", "solver.iterations=3"]
    assert main([*words, "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [point["case"] for point in points] == ["cache", "small"]
    for point in points:
        four = point["four_figures"]
        each = four["compute_megaflops_per_core"]
        assert four["compute_megaflops_per_core_without_sums"] >= each > 0
        assert point["process_grid"] == "1x1x1x1"
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "4×4×4×8" in shown and "8×8×8×16" in shown and "5520" in shown


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("halo --ranks 1,2", ("bench halo", "--case", "--ranks", "qcd")),
        ("qcd --ranks 1,2 --together", ("--together", "--case", "--ranks")),
        ("qcd --case cache,smal", ("--case", '"smal"', "qcd", Nearest("small"))),
        (
            "qcd --case small,cache --set quarks.kapa=1",
            ("quarks", '"kapa"', Nearest("kappa")),
        ),
    ],
)
def test_several_measurements_that_make_no_sense_are_one_sentence(
    words: str, facts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command_refused(capsys, ["bench", *words.split()], *facts)

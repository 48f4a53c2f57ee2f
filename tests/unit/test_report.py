"""A report stands alone: every figure in one file, no network, no error in the browser."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.report.beams.footprint import resonances
from phasewise.report.contents import COMMUNICATION, make_report
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import (
    new_picture,
    picture_style,
    scale,
    scientific,
    unit_text,
    with_error,
)
from phasewise.runs.records import RecordsWriter
from phasewise.workloads.collision.reporting import CollisionReporting
from tests.sentences import one_sentence, refused, says
from tests.unit.synthetic_communication import write_communication
from tests.unit.synthetic_run import GROWTH, KERNEL, YOKOYA, make_study, write_run

FIELDS = [field.name for field in CollisionReporting.FIELDS]
NAMES = [
    *(name for chapter in CollisionReporting.CHAPTERS for name, _, _ in chapter.figures),
    *FIELDS,
    *(name for name, _, _ in COMMUNICATION.figures),
]

PHASES = "Communication phases"
"""Title of a table."""

# Nothing recorded beyond what always is.
BARE = {
    "records__tracked": 0,
    "records__slices_every": 0,
    "records__particles_every": 0,
    "records__pair_luminosity_every": 0,
    "records__field": False,
}

# Put into a copy of the page: measures every figure, lists what the page loaded, and texts that are
# out of view: in a box that scrolls sideways, or beyond the edges of a card or a tile.
PROBE = """
<script>addEventListener("load", () => setTimeout(() => {
  const box = f => (f.querySelector("svg") || f).getBoundingClientRect();
  const sizes = [...document.querySelectorAll("figure")].map(
    f => [f.dataset.name, Boolean(f.querySelector("svg")), box(f).width, box(f).height]);
  const broken = [...document.querySelectorAll("image")].filter(i => !i.getBBox().width).length
    + [...document.querySelectorAll("img")].filter(i => !i.naturalWidth).length;
  const loaded = performance.getEntriesByType("resource").map(e => e.name)
    .filter(name => !name.startsWith("data:"));
  const rect = e => e.getBoundingClientRect();
  const texts = [...document.querySelectorAll("td, th, .tile *, .card p, figcaption")];
  const hidden = texts.filter(e => {
    // A cell is as wide as its text; what may be too narrow for it is the box around the table.
    const boxes = [e.closest("table") ? null : e, e.closest(".wide"), e.closest(".card, .tile")]
      .filter(Boolean);
    return boxes.some(box => box.clientWidth && box.scrollWidth > box.clientWidth + 1
      || rect(e).left < rect(box).left - 1 || rect(e).right > rect(box).right + 1);
  }).map(e => e.textContent);
  const found = document.createElement("pre");
  found.id = "found";
  found.textContent = JSON.stringify({sizes, broken, loaded, hidden});
  document.body.append(found);
}))</script>
"""


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """The folder of a run that recorded everything, its report made."""
    folder = tmp_path_factory.mktemp("runs") / "full"
    write_run(folder, outside=3)
    write_communication(folder)
    other = folder.with_name("other")
    other.mkdir()
    write_communication(other)
    return folder, make_report(folder, compare=[other])


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The folder of a short run that recorded little, what it held before its report was made
    elsewhere, and that report.
    """
    folder = tmp_path_factory.mktemp("bare") / "run"
    write_run(folder, turns=20, **BARE)
    before = sorted(folder.iterdir())
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir()
    return folder, before, make_report(folder, elsewhere / "a.html")


def text_of(made):
    return html.unescape(made.path.read_text(encoding="utf-8"))


def test_every_figure_is_drawn_and_saved_beside_the_report(run_folder):
    folder, made = run_folder
    assert made.path == folder / "report.html"
    assert [figure.name for figure in made.figures] == NAMES
    assert all(figure.svg for figure in made.figures)
    for name in NAMES:
        picture = folder / "pictures" / f"{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000


def test_films_stand_in_the_page_and_beside_its_pictures(run_folder):
    folder, made = run_folder
    page = made.path.read_text(encoding="utf-8")
    shown = re.findall(r'<img class="film" alt="([^"]+)" src="data:image/png;base64,', page)
    assert shown == [f"Charge density of beam {beam}: film" for beam in (1, 2)]
    for figure in made.figures:
        assert (figure.film is not None) == (figure.name in FIELDS)
        if figure.film is not None:
            assert figure.film_file == folder / "pictures" / f"{figure.name}-film.png"
            assert figure.film_file.read_bytes() == figure.film.data
            says(figure.caption, "turn 0", "turn 1000", "all 2 snapshots")


def test_the_file_holds_no_address_and_loads_nothing(run_folder):
    page = run_folder[1].path.read_text(encoding="utf-8")
    assert not re.search(r"(https?|ftp|file):|//[a-z]+\.", page)
    assert "<script" not in page and "@import" not in page
    references = re.findall(r'\b(?:src|href)="([^"]*)"', page)
    assert references and all(link.startswith(("#", "data:")) for link in references)


def test_ids_are_unique_and_every_reference_has_its_target(run_folder):
    page = run_folder[1].path.read_text(encoding="utf-8")
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = re.findall(r"url\(#([^)]+)\)", page) + re.findall(r'href="#([^"]+)"', page)
    assert targets and set(targets) <= set(ids)


def test_the_numbers_put_in_come_out(run_folder):
    text = text_of(run_folder[1])
    factor = re.search(r"x: Y = ([\d.]+)\s±\s([\d.]+)", text)
    # Four of its own standard errors, and 1e-3 of a bin of 1/1100 over ξ = 0.00288.
    assert float(factor[1]) == pytest.approx(YOKOYA, abs=4 * float(factor[2]) + 3.2e-4)
    rate = re.search(r"beam 1, ε x.*?\(([\d.]+)\s±\s([\d.]+)\)\s×\s10⁻⁷", text)
    assert float(rate[1]) * 1e-7 == pytest.approx(GROWTH, abs=4e-7 * float(rate[2]))
    assert "deposit" in text and "reduce_row" in text and PHASES in text


def test_particles_outside_the_mesh_are_a_warning_at_the_top(run_folder):
    made = run_folder[1]
    # 3 of 20 000 particles × the planes at both ends of each slice, which neighbours share.
    share = scientific(100 * 3 / (20_000 * (make_study(1).ips[0].slices[0] + 1)), 3)
    (warning,) = made.warnings
    says(warning, f"{share} %", "deposits", "outside", "mesh_extent")
    text = text_of(made)
    assert text.index('class="warning"') < text.index('class="tiles"')


@pytest.mark.parametrize("width", [900, 1800])
def test_chromium_shows_every_figure_and_every_text_without_error_or_request(
    run_folder, tmp_path, width
):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not installed")
    page = run_folder[1].path.read_text(encoding="utf-8")
    copy = tmp_path / "probed.html"
    copy.write_text(page.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    command = [
        browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr", "--v=0",
        f"--window-size={width},1000", "--virtual-time-budget=20000", "--dump-dom", copy.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=150)
    assert "CONSOLE" not in done.stderr
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    measured = json.loads(html.unescape(found[1]))
    assert measured["loaded"] == [] and measured["broken"] == 0
    assert measured["hidden"] == []
    assert [name for name, *_ in measured["sizes"]] == NAMES
    for name, drawn, width, height in measured["sizes"]:
        assert drawn and width > 300 and height > 100, name


def test_what_was_not_recorded_is_asked_for_in_one_sentence(bare):
    figures = {figure.name: figure for figure in bare[2].figures}
    asked = {
        "losses": ("lost", "outside", "mesh"),
        "spectra": ("turns", 64),
        "waterfall": ("turns", 512),
        "footprint": ("records.tracked",),
        "phase-space": ("records.particles_every",),
        "density": ("records.particles_every",),
        "charge-density-1": ("records.particles_every",),
        "charge-density-2": ("records.particles_every",),
        "field": ("records.field",),
        "pair-luminosity": ("records.pair_luminosity_every",),
        "slices": ("records.slices_every",),
    }
    asked |= {name: ("communication.json",) for name, _, _ in COMMUNICATION.figures}
    for name, facts in asked.items():
        assert figures[name].svg is None
        one_sentence(figures[name].caption, *facts)
        assert figures[name].caption.count(". ") == 0
    assert {name for name, figure in figures.items() if figure.svg} == set(NAMES) - set(asked)


def test_a_weak_strong_study_of_two_points_and_two_turns_has_a_report(tmp_path):
    changes = {
        "ip__1__model": "weak-strong",
        "ip__2": {"beta": [0.55, 0.55], "model": "weak-strong", "luminosity": False},
        "beam__2": {"like": "beam.1"},
        "records__moments_order": 2,
        "ip__1__slices": [4, 1],
        "records__slices_every": 1,
        "records__pair_luminosity_every": 1,
        "ring": {},
    }
    write_run(tmp_path, turns=2, **changes)
    made = make_report(tmp_path)
    text = text_of(made)
    says(text, "m⁻²", "crossing", "point 2")
    figures = {figure.name: figure for figure in made.figures}
    assert figures["slices"].svg and figures["pair-luminosity"].svg
    assert "nan" not in re.sub(r"<svg.*?</svg>|<pre>.*?</pre>", "", text, flags=re.DOTALL)


def test_a_run_that_goes_on_is_said_to_be_incomplete(tmp_path):
    study = make_study(100)
    attributes = {"study": json.dumps(study.resolved()), "derived": json.dumps(study.derived())}
    writer = RecordsWriter(tmp_path / "records.h5", study, attributes)
    with refused(tmp_path / "records.h5", "0 turns", by=RunError):
        make_report(tmp_path)
    writer.close()


def test_a_run_that_lost_its_beams_has_a_report_that_says_when(tmp_path):
    write_run(tmp_path, turns=100, **BARE)
    with h5py.File(tmp_path / "records.h5", "r+") as file:
        for name in ("mean", "covariance", "emittance"):
            file[f"beam2/{name}"][40:] = np.nan
        file["beam2/particles"][40:] = 0
        file["luminosity"][40:] = 0
    figures = {figure.name: figure for figure in make_report(tmp_path).figures}
    assert figures["spectra"].svg is None
    says(figures["spectra"].caption, "Beam 2", "lost", "turn 40")
    assert figures["emittances"].svg and figures["sizes"].svg


def test_files_that_are_not_the_run_s_own_are_passed_over(tmp_path):
    write_run(tmp_path, turns=101, **(BARE | {"records__particles_every": 100}))
    (tmp_path / "particles" / "turn-abc.h5").touch()
    half = {"kernels": [{"name": "deposit"}, 3, KERNEL], "phases": {"name": "x"}, "turns": "many"}
    (tmp_path / "performance.json").write_text(json.dumps(half))
    made = make_report(tmp_path)
    density = next(figure for figure in made.figures if figure.name == "density")
    assert density.svg
    says(density.caption, "turn 100")
    # 6 s over the 101 turns of the records, as "many" is no number.
    assert "59.406" in text_of(made) and PHASES not in text_of(made)


def test_the_study_of_an_earlier_version_has_the_planes_of_its_run(tmp_path):
    study = write_run(tmp_path, turns=2, ip__1__interpolation="linear")
    stored = study.resolved()
    del stored["ip"]["1"]["planes"]
    with h5py.File(tmp_path / "records.h5", "a") as file:
        file.attrs["study"] = json.dumps(stored)
    assert ReportedRun(tmp_path).study == study.resolved() | {
        "ip": {"1": stored["ip"]["1"] | {"planes": "pair"}}
    }


@pytest.mark.parametrize("folder", ["absent", "."])
def test_a_folder_without_a_run_is_refused_in_one_sentence(tmp_path, folder):
    with refused(tmp_path / folder, "folder of a run"):
        make_report(tmp_path / folder)


def test_json_lists_the_file_and_its_figures(tmp_path, capsys):
    write_run(tmp_path / "run", turns=20, **BARE)
    output = tmp_path / "elsewhere" / "report.html"
    output.parent.mkdir()
    assert main(["report", str(tmp_path / "run"), "-o", str(output), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["report"] == str(output) and output.is_file()
    assert [figure["name"] for figure in printed["figures"]] == NAMES
    shown = [figure for figure in printed["figures"] if figure["shown"]]
    assert shown and all(Path(figure["picture"]).is_file() for figure in shown)


def test_a_report_elsewhere_leaves_the_run_s_folder_alone_and_names_what_fails(bare, tmp_path):
    folder, before, made = bare
    assert made.pictures == made.path.parent / "pictures" and any(made.pictures.iterdir())
    assert sorted(folder.iterdir()) == before
    with refused("report", tmp_path / "absent" / "pictures", by=RunError):
        make_report(folder, tmp_path / "absent" / "a.html")


def test_resonance_lines_pass_through_the_window_they_are_drawn_in():
    low, high = [0.30, 0.31], [0.32, 0.33]
    found = resonances(low, high)
    # 3 Qx = 1 stays out at 0.333; Qx - Qy = 0 crosses the corner at (0.31 … 0.32).
    assert (1, -1, 0) in [line[:3] for line in found]
    assert (3, 0, 1) not in [line[:3] for line in found]
    for m, n, p, ends in found:
        assert abs(m * ends[:, 0] + n * ends[:, 1] - p).max() < 1e-12


def test_numbers_are_written_for_people():
    assert scientific(1.202e34) == "1.202\u00a0×\u00a010³⁴"
    assert scientific(-0.003745) == "−0.003745"
    assert scientific(float("nan")) == "–"
    assert with_error(1.2142, 0.0123) == "1.214\u00a0±\u00a00.012"
    assert with_error(-2.14e-7, 2.5e-8) == "(−2.14\u00a0±\u00a00.25)\u00a0×\u00a010⁻⁷"
    assert unit_text("cm^-2 s^-1") == "cm⁻² s⁻¹"
    factor, unit = scale([5.026e-10], "m")
    assert (round(5.026e-10 * factor, 3), unit) == (502.6, "pm")


def test_dollars_in_a_title_or_in_the_name_of_a_run_are_no_formula() -> None:
    with picture_style():
        picture, axes = new_picture(1, 1, 1.0)
        axes[0, 0].plot([0, 1], label="runs/$x^$")
        axes[0, 0].legend(title="$\\frac$")
        picture.draw_without_rendering()

"""The report of a run on a device holds its kernels against the device's roof."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import phasewise
from phasewise.cli import main
from phasewise.machines.machine_file import device_tables
from phasewise.report.contents import make_report
from phasewise.study import Study
from tests.sentences import missing, one_sentence, says
from tests.unit.study_tables import tables
from tests.unit.test_device_machine import DEVICE, NODE
from tests.unit.test_device_measured import Cores

pytest.importorskip("phasewise._core", reason="the core is not built")

SLOW = replace(DEVICE, kernels={}, bandwidth=1e6, flops=1e9, additions=1e3)
"""A thousand additions a second bound what adds, and a MB/s all else."""


def run(folder: Path, device: str) -> Path:
    given = tables(turns=3, beam__1__macroparticles=500, ip__1__slices=2, run__device=device)
    phasewise.run(Study.from_dict(given), folder / device)
    return folder / device


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("runs"), "emulated")


def cells(page: str) -> dict[str, list[str]]:
    """The rows of the table of kernels by their names."""
    table = page[page.index(">Kernels<") :]
    table = table[: table.index("</table>")]
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in table.split("<tr>")[1:]]
    return {row[0]: row[1:] for row in rows}


def given(tmp_path: Path, text: str) -> str:
    path = tmp_path / "slow.toml"
    path.write_text(text)
    return str(path)


def test_each_kernel_is_held_against_the_roof_of_the_machines_device(
    emulated: Path, tmp_path: Path
) -> None:
    machine = given(tmp_path, f"{NODE}\n{device_tables(SLOW)}")
    report = make_report(emulated, tmp_path / "a.html", machine=machine)
    page = report.path.read_text()
    kernels = cells(page)
    says(kernels["kernel"][-1], "% of roof")
    assert kernels["encounter"][-2] == "additions" and kernels["arc"][-2] == "bandwidth"
    # The host computes these.
    for name in ("green", "mesh", "overlap_factor"):
        assert kernels[name][-2:] == ["host", "–"]
    bounds = report.roofline.bounds
    assert bounds is not None
    performance = json.loads((emulated / "performance.json").read_text())
    arc = next(one for one in performance["kernels"] if one["name"] == "arc")
    assert bounds["arc"]["roof_share"] == pytest.approx(arc["bytes"] / 1e6 / arc["seconds"])
    says(page, machine, "0.001 GB/s", "1 Gflop/s")


def test_without_a_machine_the_roof_is_measured(
    emulated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(emulated), "-o", str(tmp_path / "a.html"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["roofline"]
    assert found["encounter"]["bound"] in ("additions", "bandwidth", "flops")
    assert found["encounter"]["roof_share"] > 0
    says((tmp_path / "a.html").read_text(), "emulated", "measured now")


def test_a_device_that_is_not_here_leaves_the_roof_out_and_says_so(
    emulated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = "device cuda: there is no GPU that CUDA can use"
    core = Cores(ValueError(reason))
    monkeypatch.setattr("phasewise.report.roofline.load_planner", lambda: core)
    report = make_report(emulated, tmp_path / "a.html")
    page = report.path.read_text()
    assert report.roofline.bounds is None
    says(page, reason)
    assert missing(" ".join(cells(page)["kernel"]), "% of roof")


@pytest.mark.parametrize(
    ("text", "kind"),
    [(NODE, ()), (f"{NODE}\n{device_tables(replace(SLOW, kind='cuda'))}", ('"cuda"',))],
)
def test_a_machine_without_the_runs_device_is_refused(
    text: str,
    kind: tuple[str, ...],
    emulated: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine = given(tmp_path, text)
    words = ["report", str(emulated), "-o", str(tmp_path / "a.html"), "--machine", machine]
    assert main(words) == 2
    one_sentence(capsys.readouterr().err, machine, "[device]", '"emulated"', *kind)
    assert not (tmp_path / "a.html").exists()


def test_a_run_on_the_cpu_has_no_device_to_hold_its_kernels_against(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run(tmp_path, "cpu")
    assert main(["report", str(folder), "--machine", "bassi"]) == 2
    one_sentence(capsys.readouterr().err, "--machine", "device")
    report = make_report(folder)
    assert report.roofline.bounds is None
    assert missing(" ".join(cells(report.path.read_text())["kernel"]), "% of roof")

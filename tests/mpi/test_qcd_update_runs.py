"""Whole runs that make configurations: names of the summary, files of links, resumed runs, and what
is said of trajectories that go wrong.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.runs.results import Results
from phasewise.workloads.qcd import Links
from tests.mpi.whole_run import datasets, ran
from tests.sentences import command_refused, says

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

STUDY = """
workload = "qcd"
trajectories = 8
seed = 3
[lattice]
size = [4, 4, 4, 4]
[gauge]
beta = 5.7
start = "hot"
[update]
steps = [4]
[measure]
every = 2
thermalisation = 2
flow = { step = 0.1, until = 0.3 }
[records]
links = "ildg"
links_every = 4
checkpoint_every = 4
"""
HEAT_BATH = ["--set", "update={ method = 'heat-bath', over_relaxation = 1 }"]
ENTRY = {"mean", "error", "autocorrelation_time", "configurations"}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def summary(study: Path, *words: str) -> Any:
    """What `run --json` says."""
    return json.loads(ran(study, "--json", *words).stdout)


@mpi
def test_a_run_goes_on_on_other_ranks_with_the_same_bits_and_files(study: Path) -> None:
    whole, part = study.parent / "whole", study.parent / "part"
    found = summary(study, "--out", str(whole), "--ranks", "2")
    ran(study, "--out", part, "--quiet", "--set", "trajectories=4")
    ran(study, "--out", part, "--quiet", "--resume", "--ranks", 4)
    assert datasets(part) == datasets(whole)
    for number in (4, 8):
        name = f"links/trajectory-{number:012d}.ildg"
        assert (part / name).read_bytes() == (whole / name).read_bytes()
    assert found["trajectories"] == 8 and found["seconds_per_trajectory"] > 0
    assert 0 <= found["acceptance"] <= 1
    assert set(found["monomials"]) == {"gauge"} and found["monomials"]["gauge"]["force"] > 0
    assert found["thermalisation"] == {"trajectories": 2, "chosen": False, "settled": True}
    assert set(found["flow"]) == {"until", "t0", "w0", "energy", "charge", "plaquette"}
    ensemble = found["ensemble"]
    assert all(set(entry) == ENTRY for entry in ensemble.values())
    assert ensemble["plaquette"]["configurations"] == 6
    assert ensemble["charge"]["configurations"] == 3
    with Results(whole) as results:
        assert results.rows("measured").tolist() == [0, 1] * 4
    # The last file holds the links that were measured last.
    last = Links.read(whole / f"links/trajectory-{8:012d}.ildg").measure()
    assert last["plaquette"] == pytest.approx(found["plaquette"], abs=1e-11)


def test_a_heat_bath_has_no_acceptance_and_its_files_make_an_ensemble(study: Path) -> None:
    out = study.parent / "out"
    made = summary(study, "--out", str(out), "--set", "records.links_every=2", *HEAT_BATH)
    assert made["acceptance"] is None and made["monomials"] == {}
    assert "delta_h" not in made["ensemble"]
    path = study.parent / "measured.toml"
    path.write_text(
        'workload = "qcd"\nsolves = 4\n[lattice]\nsize = [4, 4, 4, 4]\n'
        '[gauge]\nstart = "files"\nfiles = "out/links/*.ildg"\n'
        "[measure]\nflow = { step = 0.1, until = 0.3 }\n"
    )
    found = summary(path, "--out", str(study.parent / "measured"))
    ensemble = found["ensemble"]
    assert ensemble["configurations"] == 4 and found["solver"]["iterations"] is None
    assert set(ensemble["charge"]) == ENTRY
    assert found["flow"]["charge"] == pytest.approx(made["flow"]["charge"], abs=1e-10)


def test_a_trajectory_that_goes_wrong_is_said_and_the_run_goes_on(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # One step of length 3 is far beyond stability: ΔH is thousands.
    keys = ["--set", "update.steps=[1]", "--set", "update.length=3.0", "--set", "gauge.beta=20"]
    out = study.parent / "wild"
    assert main(["run", str(study), "--out", str(out), "--quiet", *keys]) == 0
    said = capsys.readouterr().err
    says(said, "trajectory 0", "ΔH", "gauge", "update.steps", "rejected")
    with Results(out) as results:
        assert results.rows("accepted").sum() == 0 and len(results) == 8
        assert (results.rows("trouble") == 0).all()
        # Links of a rejected trajectory are those before it.
        assert len(set(results.rows("link_trace").tolist())) == 1
    warnings = json.loads((out / "summary.json").read_text())["warnings"]
    says(" ".join(warnings), "0 %", "update.steps", "update.length")


def test_files_of_another_lattice_and_none_that_count_are_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Links.cold((4, 4, 4, 8)).write(study.parent / "long.ildg")
    start = ["--set", "gauge.start=file", "--set", "gauge.file=long.ildg"]
    command_refused(capsys, ["check", study, *start], "long.ildg", "4×4×4×8", "4×4×4×4")
    out = study.parent / "none"
    Links.cold((4, 4, 4, 4)).write(study.parent / "a.ildg")
    solves = study.parent / "solves.toml"
    solves.write_text(
        'workload = "qcd"\nsolves = 2\n[lattice]\nsize = [4, 4, 4, 4]\n'
        '[gauge]\nstart = "files"\nfiles = "*.ildg"\n'
    )
    # Before the first solve, though it is the second one's.
    command_refused(capsys, ["run", solves, "--out", out], "long.ildg", "4×4×4×8", "4×4×4×4")
    assert not out.exists()
    for words in (["check", study], ["run", study, "--out", out]):
        keys = ["--set", "measure.thermalisation=8"]
        command_refused(capsys, [*words, *keys], "measure.thermalisation = 8", "8 trajectories", 7)

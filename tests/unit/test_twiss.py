"""`phasewise twiss` and the optics that `phasewise check` gives."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.runs.layout import Recording
from phasewise.workloads.spacecharge.optics import optics_entry, optics_of
from phasewise.workloads.spacecharge.recording import eigenemittances
from tests.sentences import one_sentence, says
from tests.unit.ring_study import study as ring_study
from tests.unit.spacecharge_study import study

pytest.importorskip("phasewise._core", reason="the core is not built")

HALF = math.pi / 8
CELL = f"""
[[element]]
kind = "quadrupole"
name = "qf"
length = 0.4
k1 = 0.3
[[element]]
kind = "bend"
length = 1.0
angle = {HALF}
k1 = -0.2
[[element]]
kind = "drift"
length = 1.1
"""
PARTICLE = "mass = 938272088.16\ncharge = 1\nenergy = 2e9\n"
KEYS = ["tunes", "chromaticity", "beta", "alpha", "dispersion", "closed_orbit"]


def lattice_file(folder: Path, more: str = "") -> Path:
    path = folder / "ring.toml"
    path.write_text(PARTICLE + CELL * 16 + more)
    return path


def study_file(folder: Path, more: str = "", solver: str = "kicks = 0") -> Path:
    lattice_file(folder, more)
    path = folder / "study.toml"
    path.write_text(
        'workload = "spacecharge"\nturns = 1\n[bunch]\nenergy = 2e9\nbunch_population = 1e9\n'
        "macroparticles = 100\ngeometric_emittance = [1e-6, 1e-6]\nbunch_length = 0.1\n"
        f'[lattice]\nfile = "ring.toml"\n[solver]\n{solver}\n'
    )
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_check_and_twiss_of_a_study_and_of_its_lattice_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study_file(tmp_path)
    checked = printed(capsys, "check", str(path))["optics"]
    ring = ["momentum_compaction", "transition_energy", "synchrotron_tune"]
    assert list(checked) == [*KEYS, *ring, "reason"]
    assert checked.pop("reason") is None
    for file in (path, tmp_path / "ring.toml"):
        assert printed(capsys, "twiss", str(file))["optics"] == checked
    # Sixteen times arccos of half the trace of a cell, in thick lenses.
    assert checked["tunes"] == pytest.approx([1.1159902199, 1.1834931945], abs=1e-9)
    assert checked["synchrotron_tune"] is None
    assert checked["closed_orbit"] == [0.0] * 6


def test_a_corrector_leaves_the_ring_its_optics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = printed(capsys, "check", str(study_file(tmp_path)))["optics"]
    kick = '[[element]]\nkind = "multipole"\nnormal = [1e-4]\n'
    found = printed(capsys, "check", str(study_file(tmp_path, kick)))["optics"]
    assert found["tunes"] == pytest.approx(plain["tunes"], abs=1e-4)
    # A thin kick θ gives x = -θ β/(2 tan πQ) at its own place, and the sign of normal[0] is that
    # of a bend.
    expected = -1e-4 * plain["beta"][0] / (2 * math.tan(math.pi * plain["tunes"][0]))
    assert found["closed_orbit"][0] == pytest.approx(expected, rel=1e-2)


def test_without_periodic_optics_the_values_are_null_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lens = '[[element]]\nkind = "multipole"\nnormal = [0.0, 9.0]\n'
    path = study_file(tmp_path, lens)
    assert main(["check", str(path)]) == 2
    one_sentence(capsys.readouterr().err, "the lattice is unstable in x")
    given = "bunch.beta=[1, 1]"  # which needs no matching
    found = printed(capsys, "check", str(path), "--set", given)["optics"]
    says(found.pop("reason"), "unstable")
    assert set(found.values()) == {None}
    assert main(["twiss", str(path)]) == 2
    one_sentence(capsys.readouterr().err, "unstable")


def test_a_row_for_each_element_goes_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file = lattice_file(tmp_path), tmp_path / "twiss.csv"
    found = printed(capsys, "twiss", str(path), "--csv", str(file))
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 16 * 3 + 1
    assert [row["NAME"] for row in rows[:4]] == ["start", "qf", "bend", "drift"]
    assert [float(row["S"]) for row in rows[:4]] == pytest.approx([0.0, 0.4, 1.4, 2.5])
    assert [float(row["BETX"]) for row in rows] == found["twiss"]["BETX"]
    assert float(rows[-1]["MUX"]) == pytest.approx(found["optics"]["tunes"][0], abs=1e-15)


def test_a_file_for_madx_has_its_parameters_columns_and_types(tmp_path: Path) -> None:
    path, file = lattice_file(tmp_path), tmp_path / "twiss.tfs"
    assert main(["twiss", str(path), "--csv", str(file)]) == 0
    lines = file.read_text().splitlines()
    parameters = [line for line in lines if line.startswith("@")]
    heads, kinds, first = lines[len(parameters) : len(parameters) + 3]
    assert any(line.startswith("@ Q1 %le ") for line in parameters)
    assert heads.split()[:3] == ["*", "NAME", "KEYWORD"]
    assert kinds.split()[:4] == ["$", "%s", "%s", "%le"]
    assert len(heads.split()) == len(kinds.split()) == len(first.split()) + 1
    assert first.split()[:3] == ['"start"', '"marker"', "0.0"]


def test_a_detuned_cavity_is_said_with_the_orbit_that_it_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    revolution = 299792458.0 * math.sqrt(1 - (0.93827208816 / 2) ** 2) / 40.0
    cavity = '[[element]]\nkind = "cavity"\nvoltage = 1e4\nfrequency = '
    assert main(["check", str(study_file(tmp_path, f"{cavity}{4 * revolution}\n"))]) == 0
    assert "harmonic" not in capsys.readouterr().err
    assert main(["check", str(study_file(tmp_path, f"{cavity}{4.0004 * revolution}\n"))]) == 0
    captured = capsys.readouterr()
    one_sentence(captured.err, "4.0004", "revolution", "δ = 0")


def test_a_lattice_without_kicks_needs_no_grid(tmp_path: Path) -> None:
    assert main(["check", str(study_file(tmp_path))]) == 0
    assert main(["check", str(study_file(tmp_path, solver="kicks = 1"))]) == 2


def test_a_study_without_a_lattice_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "halo.toml"
    path.write_text('workload = "halo"\nexchanges = 1\n[halo]\nwords = 8\n')
    assert main(["twiss", str(path)]) == 2
    one_sentence(capsys.readouterr().err, "lattice")


def test_eigenemittances_are_those_before_a_coupling_map() -> None:
    given = np.array([3e-6, 1e-7, 2e-3])
    sizes = np.diag(np.repeat(given, 2) * [2.0, 0.5, 5.0, 0.2, 30.0, 1 / 30.0])
    c, s = np.cos(0.5), np.sin(0.5)
    turn = np.eye(6)
    turn[np.ix_([0, 1, 2, 3], [0, 1, 2, 3])] = np.kron([[c, s], [-s, c]], np.eye(2))
    coupled = turn @ sizes @ turn.T
    planes = np.sqrt([np.linalg.det(coupled[k : k + 2, k : k + 2]) for k in (0, 2, 4)])
    # Roundings of the largest, 2e-3.
    assert eigenemittances(coupled, planes) == pytest.approx(given, rel=1e-9, abs=1e-17)
    assert np.abs(planes[1] / given[1] - 1) > 0.1


def test_only_lattices_that_couple_record_them() -> None:
    plain = study()
    skew = {"kind": "multipole", "skew": [0.0, 0.1]}
    coupled = study(lattice={"element": [*plain.lattice.elements, skew]})
    rows = [one.workload.part(Recording).rows(one) for one in (plain, coupled)]
    assert ["beam1/eigenemittance" in row for row in rows] == [False, True]


def test_a_ring_in_which_the_bunches_are_not_matched_is_warned_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ring_study()
    model = given.model.parts["spacecharge"]
    beta = optics_of(model).beta
    assert optics_entry(model)["beta"] == beta
    says(capsys.readouterr().err, "beam 1", "0.6, 0.6", "beam 2", "matched")
    matched = ring_study(f"ip.1.beta={list(beta)}")
    assert optics_entry(matched.model.parts["spacecharge"])["reason"] is None
    assert capsys.readouterr().err == ""


def test_a_lattice_without_length_has_tunes_and_no_compaction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turn = np.eye(6)
    for plane, tune in ((0, 0.31), (2, 0.27)):
        c, s = math.cos(2 * math.pi * tune), math.sin(2 * math.pi * tune)
        turn[plane : plane + 2, plane : plane + 2] = [[c, 2.0 * s], [-s / 2.0, c]]
    path = tmp_path / "map.toml"
    path.write_text(f'{PARTICLE}[[element]]\nkind = "matrix"\nmatrix = {turn.tolist()}\n')
    found = printed(capsys, "twiss", str(path), "--csv", str(tmp_path / "map.tfs"))["optics"]
    assert found["tunes"] == pytest.approx([0.31, 0.27])
    assert found["momentum_compaction"] is None
    assert main(["twiss", str(path)]) == 0


def test_a_line_of_correctors_alone_has_no_optics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "line.toml"
    path.write_text(f'{PARTICLE}[[element]]\nkind = "multipole"\nnormal = [2e-3]\n')
    assert main(["twiss", str(path)]) == 2
    one_sentence(capsys.readouterr().err, "no periodic optics", "closed orbit")

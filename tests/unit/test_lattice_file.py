"""Lattice files: read, refused in a sentence, written from strengths as other codes give them."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.study import Study
from phasewise.workloads.spacecharge.importers import madx, magnets, xsuite
from phasewise.workloads.spacecharge.importers.translation import Lattice, Particle
from phasewise.workloads.spacecharge.importing import SpaceChargeImporting
from tests.sentences import one_sentence, refused
from tests.unit.spacecharge_study import TABLES, study

PROTON = Particle(phasewise.constants.PROTON_MASS, 1.0, phasewise.constants.PROTON_MASS + 6.7e6)
CELL: magnets.Elements = [
    {"kind": "quadrupole", "length": 0.06, "k1": 60.0},
    {"kind": "drift", "length": 0.15},
]


def written(folder: Path, *elements: dict[str, Any], particle: Particle = PROTON) -> Path:
    lattice = Lattice("ring.madx, sequence ring", particle)
    for number, one in enumerate(elements):
        lattice.add([one], f"e{number}")
    path = folder / "ring.toml"
    path.write_text(lattice.translation().text)
    return path


def with_file(path: Path, **lattice: Any) -> Study:
    tables = {**TABLES, "lattice": {"file": path.name, **lattice}}
    return Study.from_dict(tables, path.parent)


def test_a_study_has_the_elements_of_its_lattice_file(tmp_path: Path) -> None:
    given = with_file(written(tmp_path, *CELL), periods=3, maps="linear")
    assert given.lattice.length == pytest.approx(3 * 0.21)
    assert [one["kind"] for one in given.lattice.elements] == ["quadrupole", "drift"]
    assert given.lattice.elements[0]["name"] == "e0"
    # What is resolved holds the elements themselves.
    assert "file" not in given.resolved()["lattice"]
    assert Study.from_dict(given.resolved()) == given


def test_a_lattice_file_of_another_particle_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, *CELL, particle=Particle(PROTON.mass, 1.0, PROTON.energy * 1.01))
    with refused(path, "energy", "944972088.2"):
        with_file(path)


def test_a_lattice_has_a_file_or_elements(tmp_path: Path) -> None:
    path = written(tmp_path, *CELL)
    with refused("lattice", "file", "elements"):
        with_file(path, element=CELL)
    with refused("nowhere.toml", "exist"):
        study(lattice={"file": "nowhere.toml", "element": None})
    path.write_text('[[element]]\nkind = "drift"\n')
    with refused("ring.toml", "element[1].length", "missing"):
        with_file(path)
    path.write_text("[[elemant]]\n")
    with refused("ring.toml", '"elemant"', nearest="element"):
        with_file(path)


def test_drifts_that_follow_each_other_are_joined() -> None:
    lattice = Lattice("line", PROTON)
    for length in (0.1, 0.2, 1e-15):
        lattice.add(magnets.drift(length))
    lattice.add(magnets.kick(0.2, 0.0, 0.0), "corrector")
    elements = tomllib.loads(lattice.translation().text)["element"]
    assert [one["kind"] for one in elements] == ["drift", "marker", "drift"]
    assert sum(one.get("length", 0.0) for one in elements) == pytest.approx(0.5, abs=1e-15)


def test_without_length_there_is_no_lattice() -> None:
    with refused("line", "no elements"):
        Lattice("line", PROTON).translation()


@pytest.mark.parametrize(
    ("translate", "module"), [(madx.translate, "cpymad"), (xsuite.translate, "xtrack")]
)
def test_without_the_other_code_a_sentence_says_what_to_install(
    translate: Any, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = type("Missing", (), {"find_spec": staticmethod(lambda *_: None)})
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [missing])
    with refused(f"pip install {module}"):
        translate("ring")


def test_the_command_writes_what_the_code_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lattice = Lattice("ring.madx, sequence ring", PROTON)
    lattice.add(CELL)
    reason = "this kind has no translation"
    lattice.miss("cc", "crabcavity", [reason])
    monkeypatch.setitem(SpaceChargeImporting.CODES, "madx", lambda *_: lattice.translation())
    path = tmp_path / "ring.toml"
    assert main(["import", "madx", "ring.madx", "-o", str(path), "--json"]) == 0
    captured = capsys.readouterr()
    one_sentence(captured.err, "cc", "crabcavity", "0.21 m", reason)
    assert json.loads(captured.out)["lattice"] == path.read_text()
    assert with_file(path).lattice.length == pytest.approx(0.21)


def matrix_of(elements: magnets.Elements) -> Any:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    return core.lattice_map(study(lattice={"element": elements}).parameters())["matrix"]


def test_a_skew_quadrupole_is_one_in_a_turned_frame() -> None:
    # k1s > 0 is k1 turned by -45° about s: Δpy = k1s x, Δpx = k1s y.
    thin = matrix_of([*magnets.drift(1e-3), *magnets.thin([0.0], [0.0, 0.3])])
    thick = matrix_of(magnets.thick(1e-3, [0.0, 0.0], [0.0, 300.0]))
    assert thick[[1, 3], [2, 0]] == pytest.approx([0.3, 0.3], rel=1e-3)
    assert thin[[1, 3], [2, 0]] == pytest.approx([0.3, 0.3], rel=1e-12)


def test_a_thin_bend_has_the_dispersion_of_its_angle_and_closes_the_symplectic_form() -> None:
    matrix = np.array(magnets.thin_bend(0.02, 0.5)["matrix"])
    assert (matrix[1, 5], matrix[4, 0]) == (0.02, -0.02)
    assert matrix[1, 0] == pytest.approx(-(0.02**2) / 0.5)
    form = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    assert np.abs(matrix.T @ form @ matrix - form).max() < 1e-18


def test_a_bend_with_another_fringe_at_its_exit_has_it_in_its_second_half() -> None:
    edges, gap = (0.1, 0.05), (0.03, 0.03)
    same = magnets.bend(1.0, 0.2, edges, gap, (0.4, 0.4))
    other = magnets.bend(1.0, 0.2, edges, gap, (0.4, 0.0))
    assert [one["edge_order"] for one in other] == [[2, 0], [0, 2]]
    assert "fringe" not in other[1]
    assert matrix_of(other)[3, 2] != pytest.approx(matrix_of(same)[3, 2], rel=1e-3)
    other[1] |= {"half_gap": 0.03, "fringe": 0.4}
    assert matrix_of(other) == pytest.approx(matrix_of(same), abs=1e-14)


def test_edges_and_fringes_act_once_where_a_bend_is_sliced() -> None:
    ends = (0.1, 0.05), (0.03, 0.03), (0.4, 0.4)
    plain = magnets.bend(1.0, 0.2, *ends)
    for normal, skew in (([0.0, 0.0, 1e-30], []), ([], [0.0, 1e-30])):
        sliced = magnets.bend(1.0, 0.2, *ends, normal=normal, skew=skew)
        assert matrix_of(sliced) == pytest.approx(matrix_of(plain), abs=1e-14)


def test_a_sextupole_in_a_bend_acts_between_pieces_of_the_whole_length() -> None:
    bend = magnets.bend(1.0, 0.2, (0.1, 0.05), (0.0, 0.0), (0.0, 0.0), normal=[0, 0, 0.8])
    assert sum(one.get("length", 0.0) for one in bend) == pytest.approx(1.0)
    assert sum(one.get("angle", 0.0) for one in bend) == pytest.approx(0.2)
    kicks = [one["normal"] for one in bend if one["kind"] == "multipole"]
    # At the nodes of a quadrature, whose weights are symmetric.
    assert sum(kick[2] for kick in kicks) == pytest.approx(0.8)
    assert [kick[2] for kick in kicks] == pytest.approx([kick[2] for kick in kicks[::-1]])
    places = np.cumsum([one.get("length", 0.0) for one in bend])
    at = [s for s, one in zip(places, bend, strict=True) if one["kind"] == "multipole"]
    # They integrate the square of the place exactly.
    assert sum(k[2] * s**2 for k, s in zip(kicks, at, strict=True)) == pytest.approx(0.8 / 3)
    pieces = [one for one in bend if one["kind"] == "bend"]
    assert (pieces[0]["edges"], pieces[0]["edge_order"]) == ([0.1, 0.0], [2, 0])
    assert (pieces[-1]["edges"], pieces[-1]["edge_order"]) == ([0.0, 0.05], [0, 2])
    assert all(one["edge_order"] == [0, 0] and "edges" not in one for one in pieces[1:-1])

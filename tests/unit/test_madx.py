"""MAD-X sequences against the linear maps and the orbits that MAD-X itself gives them."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.workloads.spacecharge.importers.madx import translate
from tests.sentences import refused, says
from tests.unit.spacecharge_study import study

core = pytest.importorskip("phasewise._core", reason="the core is not built")
madx = pytest.importorskip("cpymad.madx", reason="cpymad is not installed")

KINETIC = 160e6
MASS = phasewise.constants.PROTON_MASS
VELOCITY = math.sqrt(1 - (MASS / (MASS + KINETIC)) ** 2)

LINEAR = {
    "quadrupole": "quadrupole, l=0.5, k1=0.3, k1s=0.1, tilt=0.05",
    "sector bend": "sbend, l=1, angle=0.1, e1=0.03, e2=-0.02, hgap=0.02, fint=0.4",
    "sector bend with sextupole": "sbend, l=1, angle=0.1, e1=0.03, k2=2, hgap=0.02, fint=0.4",
    "another fringe at the exit": "sbend, l=1, angle=0.1, e1=0.03, hgap=0.02, fint=0.4, fintx=0.1",
    "rectangular bend": "rbend, l=1, angle=-0.2, e1=0.03",
    "bend with a gradient": "sbend, l=1, angle=0.1, k1=0.3, e1=0.03, tilt=0.2",
    "vertical bend": "sbend, l=1, angle=0.1, tilt=pi/2, e2=0.02",
    "rolled bend": "sbend, l=1, angle=0.1, tilt=0.3, e2=0.02",
    "multipole": "multipole, knl={0,0.2,0,4}, ksl={0,0.1}, tilt=0.1",
    "thin bend": "multipole, knl={0.02,0.2}, lrad=0.3",
    "rolled thin bend": "multipole, knl={0.02,0.2}, ksl={0.01}, tilt=0.2",
    "solenoid": "solenoid, l=0.4, ks=0.3",
    "solenoid without length": "solenoid, l=0, ks=0.3, ksi=0.12",
    "cavity below transition": "rfcavity, l=0.5, volt=0.2, freq=3, lag=0",
    "cavity by harmonic": "rfcavity, l=0, volt=0.2, harmon=7, lag=0.5",
    "edge": "dipedge, h=0.1, e1=0.05, hgap=0.02, fint=0.5",
    "matrix": "matrix, l=0.4, rm11=2, rm22=0.5, rm33=0.8, rm43=0.1, rm34=0, rm44=1.25, rm56=0.3",
    "rotation": "srotation, angle=0.2",
}
KICKS = {
    "horizontal": "hkicker, l=0.2, kick=1e-4",
    "vertical": "vkicker, l=0.2, kick=1e-4",
    "horizontal by hkick": "hkicker, l=0.2, hkick=1e-4",
    "vertical by vkick": "vkicker, l=0, vkick=1e-4",
    "both by two names": "hkicker, l=0, kick=2e-4, hkick=1e-4",
    "both": "kicker, l=0.2, hkick=1e-4, vkick=-2e-4, tilt=0.3",
    "thin": "tkicker, l=0, hkick=1e-4",
}


def file(folder: Path, element: str, beam: str = "charge=1") -> Path:
    path = folder / "line.madx"
    path.write_text(
        f"beam, mass=pmass, {beam}, energy=pmass+{KINETIC / 1e9};\nx: {element};\n"
        "d: drift, l=1;\ns: line=(d, x, d);\nuse, sequence=s;\n"
    )
    return path


def text_of(path: Path) -> tuple[str, list[str]]:
    """Flat parameters of the translation, and what it leaves out."""
    translation = translate(path)
    given = study(
        f"bunch.kinetic_energy={KINETIC}",
        lattice={"element": tomllib.loads(translation.text)["element"]},
    )
    return given.parameters(), [entry.record for entry in translation.not_translated]


def ours(text: str) -> tuple[Any, Any]:
    """Orbit and matrix, by differences that err by h² of third order."""
    h = 1e-6
    orbit = np.asarray(core.push_lattice(text, np.zeros((6, 1))))[:, 0]
    ahead, behind = (np.asarray(core.push_lattice(text, s * h * np.eye(6))) for s in (1, -1))
    return orbit, (ahead - behind) / (2 * h)


def theirs(path: Path) -> tuple[Any, Any]:
    """Orbit and matrix of TWISS, of t = z/β and pt = β δ."""
    with madx.Madx(stdout=False) as process:
        process.call(str(path))
        table = process.twiss(betx=1, bety=1, rmatrix=True)
        rows = [[table[f"re{i}{j}"][-1] for j in range(1, 7)] for i in range(1, 7)]
        orbit = np.array([table[name][-1] for name in ("x", "px", "y", "py", "t", "pt")])
    scale = np.array([1, 1, 1, 1, VELOCITY, 1 / VELOCITY])
    return scale * orbit, scale[:, None] * np.array(rows) / scale


@pytest.mark.parametrize("name", LINEAR)
def test_an_element_has_the_matrix_that_madx_gives_it(name: str, tmp_path: Path) -> None:
    path = file(tmp_path, LINEAR[name])
    text, missing = text_of(path)
    orbit, matrix = ours(text)
    assert missing == []
    # The differences: rounding of 1e-16/h, and h².
    assert matrix == pytest.approx(theirs(path)[1], abs=1e-9)
    assert np.abs(orbit).max() < 1e-18


@pytest.mark.parametrize("charge", [-1, 10])
def test_a_cavity_gives_any_charge_the_energy_that_it_gives_in_madx(
    charge: int, tmp_path: Path
) -> None:
    path = file(tmp_path, "rfcavity, l=0.5, volt=0.2, freq=3, lag=0", f"charge={charge}")
    translation = translate(path)
    own = {"particle": "ion", "mass": MASS, "charge": charge, "kinetic_energy": KINETIC}
    lattice = {"element": tomllib.loads(translation.text)["element"]}
    text = study(bunch=own, lattice=lattice).parameters()
    assert ours(text)[1] == pytest.approx(theirs(path)[1], abs=1e-9)


@pytest.mark.parametrize("charge", ["charge=1", "charge=-1", "charge=1, bv=-1", "charge=2"])
@pytest.mark.parametrize("tilt", [0.0, math.pi / 2])
def test_a_crab_cavity_has_the_matrix_that_madx_gives_it(
    charge: str, tilt: float, tmp_path: Path
) -> None:
    element = f"crabcavity, l=0.5, volt=2, freq=30, lag=0.5, tilt={tilt}"
    path = file(tmp_path, element, charge)
    translation = translate(path)
    (left_out,) = translation.not_translated
    says(left_out.reason, "linear in z")
    own = {"particle": "ion", "mass": MASS, "charge": int(charge.split("=")[1].split(",")[0])}
    lattice = {"element": tomllib.loads(translation.text)["element"]}
    text = study(bunch={**own, "kinetic_energy": KINETIC}, lattice=lattice).parameters()
    expected = theirs(path)[1]
    if "bv" in charge:
        turn = np.diag([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
        expected = turn @ np.linalg.inv(expected) @ turn
    assert abs(expected[5, 0] + expected[5, 2]) > 1e-3
    assert ours(text)[1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", KICKS)
def test_a_corrector_kicks_as_in_madx(name: str, tmp_path: Path) -> None:
    path = file(tmp_path, KICKS[name])
    orbit, _ = ours(text_of(path)[0])
    # MAD-X expands a drift to second order in the angle, and z follows with its square.
    assert orbit[:4] == pytest.approx(theirs(path)[0][:4], abs=1e-9)


@pytest.mark.parametrize("name", [*LINEAR, *KICKS])
def test_a_beam_against_the_sequence_meets_it_from_behind(name: str, tmp_path: Path) -> None:
    path = file(tmp_path, {**LINEAR, **KICKS}[name], "charge=1, bv=-1")
    text, _ = text_of(path)
    orbit, matrix = ours(text)
    expected, forward = theirs(path)
    # MAD-X goes along the sequence: its map backwards, with the signs of px, py and z turned.
    turn = np.diag([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
    backwards = turn @ np.linalg.inv(forward) @ turn
    # A kick of 1e-4 has matrices of its own order in MAD-X, and these orbits of its square.
    if name in LINEAR:
        assert matrix == pytest.approx(backwards, abs=1e-9)
    assert orbit[:4] == pytest.approx((-backwards @ turn @ expected)[:4], abs=1e-7)
    assert (np.abs(orbit[:4]).max() > 1e-5) == (name in KICKS)


TWO = """
beam, particle=proton, energy=5; d: drift, l=1; q: quadrupole, l=0.5, k1=0.3;
one: sequence, l=2; q, at=1; endsequence;
two: sequence, l=3; q, at=1; q, at=2; endsequence;
three: line=(d, d, q);
"""


def test_a_file_of_two_sequences_needs_the_name_of_one(tmp_path: Path) -> None:
    path = tmp_path / "two.madx"
    path.write_text(TWO)
    with refused("--line", "one", "two"):
        translate(path)
    with refused('"four"', "one", "two"):
        translate(path, "four")
    for name, length in (("two", 3.0), ("THREE", 2.5)):
        elements = tomllib.loads(translate(path, name).text)["element"]
        assert sum(one["length"] for one in elements) == pytest.approx(length)


THIN = """
beam, particle=proton, energy=5;
b: sbend, l=2, angle=2*pi/16, k1=0.01, e1=0.02, e2=0.02, hgap=0.02, fint=0.4;
r: rbend, l=2, angle=2*pi/16; o: drift, l=0.4; m: marker;
q: quadrupole, l=0.5, k1=0.3; qd: quadrupole, l=0.5, k1=-0.3;
cell: line=(q, o, b, m, o, qd, o, r, o); ring: line=(8*cell);
use, sequence=ring;
select, flag=makethin, class=quadrupole, slice=4;
select, flag=makethin, class=sbend, slice=4, thick=true;
select, flag=makethin, class=rbend, slice=4;
makethin, sequence=ring, style=teapot, makedipedge=true;
use, sequence=ring;
"""


def test_a_sequence_of_makethin_has_nothing_left_out_and_the_tunes_of_madx(tmp_path: Path) -> None:
    path = tmp_path / "thin.madx"
    path.write_text(THIN)
    text, missing = text_of(path)
    assert missing == []
    with madx.Madx(stdout=False) as process:
        process.call(str(path))
        summary = process.twiss().summary
    own = core.ring_optics(text.replace("lattice.maps = exact", "lattice.maps = linear"))
    assert own["tunes"] == pytest.approx([summary.q1, summary.q2], abs=1e-8)


REFUSED = """
beam, particle=proton, energy=5;
cc: crabcavity, l=0.5, volt=1, freq=400;
q1: quadrupole, l=0.5, k1=0.3;
q2: quadrupole, l=0.5, k1=-0.3, h1=0.1;
b1: sbend, l=1, angle=0.1, k0=0.11;
rf: rfcavity, l=0.3, volt=2, freq=100, lag=0.3;
ra: marker, apertype=racetrack, aperture={0.03,0.02,0.01,0.01};
oc: octupole, l=0.3, k3=30;
seq: sequence, l=12, refer=entry;
cc, at=0.5; q1, at=1.2; q2, at=2; b1, at=3; rf, at=6.5; ra, at=8; oc, at=9;
endsequence;
use, sequence=seq;
select, flag=error, pattern=q1; ealign, dx=1e-3;
select, flag=error, clear; select, flag=error, pattern=oc; efcomp, order=0, dkn={1e-3};
"""


def test_what_has_no_translation_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "ring.madx"
    path.write_text(REFUSED)
    translation = translate(path)
    named = {entry.record: entry.reason for entry in translation.not_translated}
    assert list(named) == [
        "cc (crabcavity) at 0.5 m",
        "q1 (quadrupole) at 1.2 m",
        "q2 (quadrupole) at 2 m",
        "b1 (sbend) at 3 m",
        "rf (rfcavity) at 6.5 m",
        "ra (marker) at 8 m",
        "oc (octupole) at 9 m",
    ]
    says(named["q1 (quadrupole) at 1.2 m"], "align")
    says(named["q2 (quadrupole) at 2 m"], "h1", 0.1)
    says(named["cc (crabcavity) at 0.5 m"], "wave", "linear")
    elements = tomllib.loads(translation.text)["element"]
    assert sum(one.get("length", 0.0) for one in elements) == pytest.approx(12, abs=1e-12)


def test_apertures_stand_at_both_ends(tmp_path: Path) -> None:
    own = "apertype=rectellipse, aperture={0.03,0.02,0.035,0.025}"
    path = file(tmp_path, f"rcollimator, l=0.3, {own}")
    elements = tomllib.loads(translate(path).text)["element"]
    shapes = [(one["kind"], one.get("shape")) for one in elements]
    pair = [("aperture", "rectangle"), ("aperture", "ellipse")]
    assert shapes == [("drift", None), *pair, ("drift", None), *pair, ("drift", None)]
    assert elements[2]["half_width"] == [0.035, 0.025]


WRONG = [
    ("x: bar, l=1;", ("unknown class type: bar",)),
    ("beam; a: drift, l=1;", ("USE", "none")),
]


@pytest.mark.parametrize(("text", "facts"), WRONG)
def test_what_madx_cannot_use_is_a_sentence(
    text: str, facts: tuple[object, ...], tmp_path: Path
) -> None:
    path = tmp_path / "wrong.madx"
    path.write_text(text)
    with refused(path.name, *facts):
        translate(path)

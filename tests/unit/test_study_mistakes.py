"""The sentence for each mistake in a study, in an override, and in what is no study."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.errors import StudyError
from phasewise.study import load
from tests.unit.study_tables import RF, build, json_as_toml, one_turn, tables, write

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"trns": 3}, 'unknown key "trns"; did you mean "turns"?'),
    ({"beam__1__energi": 1e12}, 'beam.1: unknown key "energi"; did you mean "energy"?'),
    ({"beam__3": {}}, 'beam: unknown key "3"; accepted: 1, 2'),
    ({"beam__2": None}, "[beam.2] is missing"),
    ({"arc__rf": {"volts": 1}}, 'arc.rf: unknown key "volts"; did you mean "voltage"?'),
    ({"turns": None}, "turns is missing"),
    ({"turns": 0}, "turns = 0 must be at least 1"),
    ({"turns": 1.5}, "turns must be an integer, but is 1.5"),
    ({"turns": True}, "turns must be an integer, but is true"),
    ({"turns": 10**30}, "too large"),
    ({"seed": -1}, "seed = -1 must be at least 0"),
    ({"arc": 3}, "arc must be a table, but is 3"),
    ({"beam__1__energy": "7 TeV"}, 'beam.1.energy must be a number (eV), but is "7 TeV"'),
    ({"beam__1__energy": 7000}, "did you mean 7e+12 (7000 GeV)?"),
    ({"beam__1__energy": math.nan}, "beam.1.energy must be a finite number (eV), but is nan"),
    ({"beam__1__energy": 10**400}, "must be a finite number"),
    ({"beam__1__bunch_length": True}, "beam.1.bunch_length must be a number (m), but is true"),
    ({"beam__1__bunch_length": 75.5}, "at most 10 (m); the unit is metres"),
    ({"beam__1__bunch_length": -0.07}, "beam.1.bunch_length = -0.07 must be above 0 (m)"),
    ({"beam__1__momentum_spread": 11.3}, "it is a fraction, not a percentage"),
    ({"beam__1__normalized_emittance": [3.75, 3.75]}, "the unit is metres"),
    ({"beam__1__normalized_emittance": [0, 1e-6]}, "must be above 0"),
    (
        {"beam__1__normalized_emittance": 3.75e-6},
        "must be a list of 2 numbers (m), but is 3.75e-06",
    ),
    ({"beam__1__normalized_emittance": [1e-6] * 3}, "must be a list of 2 numbers"),
    ({"beam__1__normalized_emittance": None}, "beam.1 gives no transverse size"),
    ({"beam__1__cut": -1}, "beam.1.cut = -1 must be at least 0 (rms)"),
    ({"beam__1__cut": [0, 0, -2.9]}, "beam.1.cut = -2.9 must be at least 0 (rms)"),
    (
        {"beam__1__cut": [3, 3]},
        "beam.1.cut must be a number or a list of 3 numbers (rms), but is [3, 3]",
    ),
    ({"beam__1__cut": "3"}, 'beam.1.cut must be a number or a list of 3 numbers (rms), but is "3"'),
    ({"beam__1__cut": [3, 3, True]}, "beam.1.cut must be a number (rms), but is true"),
    ({"beam__1__cut": True}, "beam.1.cut must be a number (rms), but is true"),
    ({"beam__1__size": [1e-5, 1.66e-5]}, "size and normalized_emittance disagree in x"),
    ({"beam__1__particle": "protn"}, '"protn" is not known; did you mean "proton"?'),
    ({"beam__1__particle": "ion"}, "beam.1.mass (eV) is missing"),
    ({"beam__1__mass": 1e9}, "is not the proton's"),
    ({"beam__1__particles": "none.h5"}, "none.h5 does not exist"),
    ({"beam__1__distribution": "file"}, "beam.1.particles, the file, is missing"),
    ({"beam__1__like": "beam.2"}, "goes round in a circle"),
    ({"beam__2__like": "beam.2"}, "goes round in a circle"),
    ({"beam__1__offset": [0] * 6, "beam__1__offset_sigma": [0] * 6}, "give one"),
    ({"ring__circumference": None}, "ring.bunches needs ring.circumference"),
    ({"arc__tune": None}, "arc.tune = [x, y] is missing"),
    ({"arc__tune": [64.0, 59.3]}, "arc.tune = 64 in x is an integer or half-integer"),
    ({"arc__tune": [64.31, 59.5]}, "arc.tune = 59.5 in y is an integer or half-integer"),
    ({"arc__longitudinal": "linear", "arc__synchrotron_tune": None}, "arc.synchrotron_tune = 0"),
    ({"arc__longitudinal": "rf"}, "[arc.rf] is missing"),
    ({"arc__rf": {"voltage": 1e6, "harmonic": 10}}, "follows from [arc.rf]: give one"),
    (RF | {"arc__rf__phase": 0.5}, "did you mean phase = 0?"),
    (RF | {"arc__momentum_compaction": 0.0}, "did you mean phase = 0.5?"),
    (RF | {"arc__rf__voltage": 1e12}, "is too strong: (2πQs)² = 10.3 must be below 4"),
    (RF | {"arc__rf__voltage": None}, "arc.rf.voltage is missing"),
    (
        RF | {"ring__circumference": None, "ring__bunches": None},
        "ring.circumference (m) is missing",
    ),
    (RF | {"arc__momentum_compaction": None}, "arc.momentum_compaction is missing"),
    ({"arc__amplitude_detuning": [[1e3, 2e3], [3e3, 1e3]]}, "axy = 2000 and ayx = 3000"),
    ({"arc__damping_turns": [-1, 1, 1]}, "arc.damping_turns = -1 must be at least 0 (turns)"),
    ({"arc__map": "absent.toml"}, "absent.toml does not exist"),
    ({"arc__matrix": [[1.0]]}, "arc.matrix must be a list of 6 lists"),
    ({"arc__matrix": one_turn(1.001)}, "arc.map is not symplectic"),
    ({"arc__aperture": [1e-3, 1e-3], "arc__aperture_sigma": [5, 5]}, "give one"),
    ({"ip": {}}, "[ip.1] is missing"),
    ({"ip__3": {"beta": [1, 1]}}, "[ip.2] is missing: number them 1, 2"),
    ({"ip__1__beta": None}, "ip.1.beta = [x, y] (m) is missing for beam 1"),
    ({"ip__1__beta": [0.55, -0.55]}, "ip.1.beta = -0.55 must be above 0 (m)"),
    ({"ip__1__slice": 4}, 'ip.1: unknown key "slice"; did you mean "slices"?'),
    (
        {"ip__1__slices": 200, "beam__1__macroparticles": 100},
        "ip.1.slices = 200 is more than the 100 macroparticles of beam 1",
    ),
    (
        {"ip__1__slices": [4, 200], "beam__2": {"like": "beam.1", "macroparticles": 100}},
        "ip.1.slices = 200 is more than the 100 macroparticles of beam 2",
    ),
    ({"ip__1__slices": 0}, "ip.1.slices = 0 must be at least 1"),
    ({"ip__1__slices": [8, 256]}, "ip.1.slices = 256 must be at most 255"),
    ({"ip__1__slices": 2.5}, "ip.1.slices must be an integer, but is 2.5"),
    ({"ip__1__slices": [2.5, 1]}, "ip.1.slices must be an integer, but is 2.5"),
    (
        {"ip__1__slices": [4, 4, 4]},
        "ip.1.slices must be an integer or a list of 2 integers, but is [4, 4, 4]",
    ),
    ({"ip__1__grid": 128}, "ip.1.grid must be a list of 2 integers (cells), but is 128"),
    ({"ip__1__grid": [4, 128]}, "ip.1.grid = 4 must be at least 8 (cells)"),
    ({"ip__1__half_crossing_angle": 142.5}, "at most 0.5 (rad); the unit is radians"),
    ({"ip__1__mesh": "fixed"}, "ip.1.mesh_half_width = [x, y] (m) is missing"),
    ({"ip__1__mesh_half_width": [1e-3, 1e-3]}, 'needs mesh = "fixed"'),
    ({"ip__1__phase_advance": [1.1, 2.2]}, "disagrees with the tune"),
    ({"ip__1__separation": [0, 0], "ip__1__separation_sigma": [1, 0]}, "give one"),
    ({"ip__1__ramp": {"from": [0, 0], "to": [0, 0]}}, "ip.1.ramp.turns is missing"),
    (
        {"ip__1__ramp": {"from": [0, 0], "to": [0, 0], "turns": [9, 3]}},
        "ip.1.ramp.turns = [9, 3] must be in rising order",
    ),
    (
        {"ip__1__model": "weak-strong", "ip__2": {"beta": [1, 1]}},
        "cannot stand beside the weak-strong ip.1",
    ),
    ({"records__moments_order": 3}, "records.moments_order = 3 must be 2 or 4"),
    ({"records__tracked": 1001}, "is more than the 1000 macroparticles"),
]


@pytest.mark.parametrize(("changes", "sentence"), MISTAKES, ids=[m[1][:50] for m in MISTAKES])
def test_a_mistake_is_named_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(StudyError) as caught:
        build(**changes)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unstable_map_of_the_arc_is_refused() -> None:
    matrix = np.array(one_turn())
    # Symplectic, with eigenvalues 1.001 and 1/1.001.
    matrix[:2, :2] = np.diag([1.001, 1 / 1.001])
    with pytest.raises(
        StudyError, match=r"is unstable: an eigenvalue is 0.001 off the unit circle"
    ):
        build(arc={"matrix": matrix.tolist()})


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("ip.1.slices", "give a key and a value"),
        ("=4", "give a key and a value"),
        ("ip.1.slices=", "give a key and a value"),
        ("turns.first=4", "turns is 100, not a table"),
        ("ip.1.slices=[1,", "is not a TOML value"),
        ("ip.1.slices=4\nturns=1", "give one value"),
        ("ip.1.slice=4", 'did you mean "slices"?'),
    ],
)
def test_a_wrong_override_is_named(tmp_path: Path, override: str, sentence: str) -> None:
    path = write(tmp_path, json_as_toml(tables()))
    with pytest.raises(StudyError) as caught:
        load(path, [override])
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"turns = = 3", "is not valid TOML"),
        (b"\xff\xfe\x00", "is not a text file in UTF-8"),
        (b"turns = 1" + b"0" * 5000, "is not valid TOML"),
        (b"", "turns is missing"),
    ],
)
def test_a_file_that_is_no_study_is_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(StudyError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)


def test_a_study_that_is_absent_or_a_folder_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path, Path("a\0b")):
        with pytest.raises(StudyError):
            load(path)

"""The sentence for each mistake in a study, in an override, and in what is no study."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.errors import StudyError
from phasewise.study import load
from tests.sentences import Nearest, refused
from tests.unit.study_tables import RF, build, json_as_toml, one_turn, tables, write

MISTAKES: list[tuple[dict[str, Any], tuple[object, ...]]] = [
    ({"trns": 3}, ('"trns"', Nearest("turns"))),
    ({"beam__1__energi": 1e12}, ("beam.1", '"energi"', Nearest("energy"))),
    ({"beam__3": {}}, ("beam", '"3"', "1, 2")),
    ({"beam__2": None}, ("[beam.2]", "missing")),
    ({"arc__rf": {"volts": 1}}, ("arc.rf", '"volts"', Nearest("voltage"))),
    ({"turns": None}, ("turns", "missing", "study")),
    ({"turns": 0}, ("turns = 0", 1)),
    ({"turns": 1.5}, ("turns", "integer", 1.5)),
    ({"turns": True}, ("turns", "integer", "true")),
    ({"turns": 10**30}, ("turns", "large", "9.2e18")),
    ({"seed": -1}, ("seed", -1, 0)),
    ({"arc": 3}, ("arc", "table", 3)),
    ({"beam__1__energy": "7 TeV"}, ("beam.1.energy", "number", "(eV)", '"7 TeV"')),
    ({"beam__1__energy": 7000}, ("beam.1.energy", 7000, "9.38272e+08", "eV", "7e+12")),
    ({"beam__1__energy": math.nan}, ("beam.1.energy", "finite", "(eV)", "nan")),
    ({"beam__1__energy": 10**400}, ("beam.1.energy", "finite", "(eV)", "digits")),
    ({"beam__1__bunch_length": True}, ("beam.1.bunch_length", "number", "(m)", "true")),
    ({"beam__1__bunch_length": 75.5}, ("beam.1.bunch_length", 75.5, 10, "(m)", "metres")),
    ({"beam__1__bunch_length": -0.07}, ("beam.1.bunch_length", -0.07, 0, "(m)")),
    ({"beam__1__momentum_spread": 11.3}, ("beam.1.momentum_spread", 11.3, 0.1, "fraction")),
    (
        {"beam__1__normalized_emittance": [3.75, 3.75]},
        ("beam.1.normalized_emittance", 3.75, 0.01, "(m)", "metres"),
    ),
    ({"beam__1__normalized_emittance": [0, 1e-6]}, ("beam.1.normalized_emittance", 0, "(m)")),
    (
        {"beam__1__normalized_emittance": 3.75e-6},
        ("beam.1.normalized_emittance", "list", 2, "(m)", 3.75e-06),
    ),
    (
        {"beam__1__normalized_emittance": [1e-6] * 3},
        ("beam.1.normalized_emittance", "list", 2, "(m)", [1e-06] * 3),
    ),
    (
        {"beam__1__normalized_emittance": None},
        ("beam.1", "transverse", "normalized_emittance", "geometric_emittance", "size"),
    ),
    ({"beam__1__cut": -1}, ("beam.1.cut", -1, 0, "(rms)")),
    ({"beam__1__cut": [0, 0, -2.9]}, ("beam.1.cut", -2.9, 0, "(rms)")),
    ({"beam__1__cut": [3, 3]}, ("beam.1.cut", "number", "list", 3, "(rms)", [3, 3])),
    ({"beam__1__cut": "3"}, ("beam.1.cut", "number", "list", 3, "(rms)", '"3"')),
    ({"beam__1__cut": [3, 3, True]}, ("beam.1.cut", "number", "(rms)", "true")),
    ({"beam__1__cut": True}, ("beam.1.cut", "number", "(rms)", "true")),
    (
        {"beam__1__size": [1e-5, 1.66e-5]},
        ("beam.1", "size", "normalized_emittance", "x", "beta", 0.55, 0.6014),
    ),
    ({"beam__1__particle": "protn"}, ("beam.1.particle", '"protn"', Nearest("proton"))),
    ({"beam__1__particle": "ion"}, ("beam.1.mass", "(eV)", "missing", 'particle = "ion"')),
    ({"beam__1__mass": 1e9}, ("beam.1.mass", "1e+09", "proton", "9.38272e+08")),
    ({"beam__1__particles": "none.h5"}, ("beam.1.particles", "none.h5", "exist")),
    (
        {"beam__1__distribution": "file"},
        ("beam.1.particles", "missing", 'distribution = "file"'),
    ),
    ({"beam__1__like": "beam.2"}, ("beam.1.like", '"beam.2"', "circle")),
    ({"beam__2__like": "beam.2"}, ("beam.2.like", '"beam.2"', "circle")),
    (
        {"beam__1__offset": [0] * 6, "beam__1__offset_sigma": [0] * 6},
        ("beam.1", "offset", "offset_sigma"),
    ),
    ({"ring__circumference": None}, ("ring.bunches", "ring.circumference", "luminosity")),
    ({"arc__tune": None}, ("arc.tune", "[x, y]", "missing", "map")),
    ({"arc__tune": [64.0, 59.3]}, ("arc.tune", 64, "x", "half-integer", "unstable")),
    ({"arc__tune": [64.31, 59.5]}, ("arc.tune", 59.5, "y", "half-integer", "unstable")),
    (
        {"arc__longitudinal": "linear", "arc__synchrotron_tune": None},
        ("arc.synchrotron_tune", 0, -0.5, 0.5),
    ),
    ({"arc__longitudinal": "rf"}, ("[arc.rf]", "missing", 'longitudinal = "rf"')),
    ({"arc__rf": {"voltage": 1e6, "harmonic": 10}}, ("arc.synchrotron_tune", "[arc.rf]")),
    (RF | {"arc__rf__phase": 0.5}, ("beam 1", "defocuses", "phase 0.5", "phase = 0")),
    (RF | {"arc__momentum_compaction": 0.0}, ("beam 1", "defocuses", "phase 0", "phase = 0.5")),
    (RF | {"arc__rf__voltage": 1e12}, ("beam 1", "RF", "(2πQs)²", 10.3, 4)),
    (RF | {"arc__rf__voltage": None}, ("arc.rf.voltage", "missing")),
    (
        RF | {"ring__circumference": None, "ring__bunches": None},
        ("ring.circumference", "(m)", "missing", "[arc.rf]"),
    ),
    (
        RF | {"arc__momentum_compaction": None},
        ("arc.momentum_compaction", "missing", "[arc.rf]"),
    ),
    (
        {"arc__amplitude_detuning": [[1e3, 2e3], [3e3, 1e3]]},
        ("arc.amplitude_detuning", "axy = 2000", "ayx = 3000", "equal"),
    ),
    ({"arc__damping_turns": [-1, 1, 1]}, ("arc.damping_turns", -1, 0, "(turns)")),
    ({"arc__map": "absent.toml"}, ("arc.map", "absent.toml", "exist")),
    ({"arc__matrix": [[1.0]]}, ("arc.matrix", "list", 6, [[1]])),
    ({"arc__matrix": one_turn(1.001)}, ("arc.map", "symplectic", 0.002, 1e-06)),
    (
        {"arc__aperture": [1e-3, 1e-3], "arc__aperture_sigma": [5, 5]},
        ("arc", "aperture", "aperture_sigma"),
    ),
    ({"ip": {}}, ("[ip.1]", "missing")),
    ({"ip__3": {"beta": [1, 1]}}, ("[ip.2]", "missing", "1, 2")),
    ({"ip__1__beta": None}, ("ip.1.beta", "[x, y]", "(m)", "missing", "beam 1")),
    ({"ip__1__beta": [0.55, -0.55]}, ("ip.1.beta", -0.55, 0, "(m)")),
    ({"ip__1__slice": 4}, ("ip.1", '"slice"', Nearest("slices"))),
    (
        {"ip__1__slices": 200, "beam__1__macroparticles": 100},
        ("ip.1.slices", 200, 100, "macroparticles", "beam 1"),
    ),
    (
        {"ip__1__slices": [4, 200], "beam__2": {"like": "beam.1", "macroparticles": 100}},
        ("ip.1.slices", 200, 100, "macroparticles", "beam 2"),
    ),
    ({"ip__1__slices": 0}, ("ip.1.slices", 0, 1)),
    ({"ip__1__slices": [8, 256]}, ("ip.1.slices", 256, 255)),
    ({"ip__1__slices": 2.5}, ("ip.1.slices", "integer", 2.5)),
    ({"ip__1__slices": [2.5, 1]}, ("ip.1.slices", "integer", 2.5)),
    ({"ip__1__slices": [4, 4, 4]}, ("ip.1.slices", "integer", "list", 2, [4, 4, 4])),
    ({"ip__1__grid": 128}, ("ip.1.grid", "list", 2, "(cells)", 128)),
    ({"ip__1__grid": [4, 128]}, ("ip.1.grid", 4, 8, "(cells)")),
    (
        {"ip__1__half_crossing_angle": 142.5},
        ("ip.1.half_crossing_angle", 142.5, 0.5, "(rad)", "radians"),
    ),
    (
        {"ip__1__mesh": "fixed"},
        ("ip.1.mesh_half_width", "[x, y]", "(m)", "missing", 'mesh = "fixed"'),
    ),
    (
        {"ip__1__mesh_half_width": [1e-3, 1e-3]},
        ("ip.1.mesh_half_width", 'mesh = "fixed"', "mesh_extent"),
    ),
    (
        {"ip__1__phase_advance": [1.1, 2.2]},
        ("ip.1.phase_advance", [1.1, 2.2], "beam 1", "tune", [64.31, 59.32]),
    ),
    (
        {"ip__1__separation": [0, 0], "ip__1__separation_sigma": [1, 0]},
        ("ip.1", "separation", "separation_sigma"),
    ),
    ({"ip__1__ramp": {"from": [0, 0], "to": [0, 0]}}, ("ip.1.ramp.turns", "missing")),
    (
        {"ip__1__ramp": {"from": [0, 0], "to": [0, 0], "turns": [9, 3]}},
        ("ip.1.ramp.turns", [9, 3]),
    ),
    (
        {"ip__1__model": "weak-strong", "ip__2": {"beta": [1, 1]}},
        ("ip.2", "strong-strong", "weak-strong", "ip.1"),
    ),
    ({"records__moments_order": 3}, ("records.moments_order", 3, 2, 4)),
    ({"records__tracked": 1001}, ("records.tracked", 1001, 1000, "macroparticles")),
]
NAMES = [" ".join(map(str, facts)) for _, facts in MISTAKES]


@pytest.mark.parametrize(("changes", "facts"), MISTAKES, ids=NAMES)
def test_a_mistake_is_named_in_one_sentence(
    changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        build(**changes)


def test_an_unstable_map_of_the_arc_is_refused() -> None:
    matrix = np.array(one_turn())
    # Symplectic, with eigenvalues 1.001 and 1/1.001.
    matrix[:2, :2] = np.diag([1.001, 1 / 1.001])
    with refused("arc.map", "unstable", "eigenvalue", 0.001):
        build(arc={"matrix": matrix.tolist()})


@pytest.mark.parametrize(
    ("override", "facts"),
    [
        ("ip.1.slices", ("--set ip.1.slices", "key", "value", "ip.1.slices=4")),
        ("=4", ("--set =4", "key", "ip.1.slices=4")),
        ("ip.1.slices=", ("--set ip.1.slices=", "key", "value", "ip.1.slices=4")),
        ("turns.first=4", ("--set turns.first=4", "turns", 100, "table")),
        ("ip.1.slices=[1,", ("--set ip.1.slices=[1,", "TOML")),
        ("ip.1.slices=4\nturns=1", ("--set ip.1.slices=4 turns=1", "one")),
        ("ip.1.slice=4", ("ip.1", '"slice"', Nearest("slices"))),
    ],
)
def test_a_wrong_override_is_named(
    tmp_path: Path, override: str, facts: tuple[object, ...]
) -> None:
    path = write(tmp_path, json_as_toml(tables()))
    with refused(*facts):
        load(path, [override])


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"turns = = 3", ("TOML", "line 1", "column 9")),
        (b"\xff\xfe\x00", ("UTF-8",)),
        (b"turns = 1" + b"0" * 5000, ("TOML", "number")),
        (b"", ("turns", "missing", "study")),
    ],
)
def test_a_file_that_is_no_study_is_named(
    tmp_path: Path, content: bytes, facts: tuple[str, ...]
) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with refused(path, *facts):
        load(path)


def test_a_study_that_is_absent_or_a_folder_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path, Path("a\0b")):
        with pytest.raises(StudyError):
            load(path)

"""Studies: what is read, how defaults and overrides resolve, and the sentence for each mistake."""

from __future__ import annotations

import json
import math
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.errors import StudyError
from phasewise.study import Records, Study, load
from phasewise.study.study import schema_for
from phasewise.tables.declared import schema_of
from phasewise.workloads.collision import WORKLOAD
from phasewise.workloads.collision.tables import arc, beam, model, optics, point
from tests.unit.study_tables import tables

PROTON = 938272088.16


def build(**changes: Any) -> Study:
    return Study.from_dict(tables(**changes))


def flat(study: Study) -> dict[str, str]:
    lines = study.parameters().splitlines()
    return dict(line.split(" = ", 1) for line in lines)


def write(folder: Path, text: str, name: str = "study.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rotation(turns: float, beta: float) -> list[list[float]]:
    c, s = math.cos(2 * math.pi * turns), math.sin(2 * math.pi * turns)
    return [[c, beta * s], [-s / beta, c]]


def one_turn(scale: float = 1.0) -> list[list[float]]:
    matrix = np.zeros((6, 6))
    for k, (tune, beta) in enumerate([(0.31, 0.55), (0.32, 0.55), (0.002, 668.0)]):
        matrix[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = rotation(tune, beta)
    return (scale * matrix).tolist()


def test_numpy_numbers_and_arrays_stand_for_those_of_python() -> None:
    study = build(
        turns=np.int64(7),
        beam__1__bunch_population=np.float32(2**36),
        beam__1__macroparticles=np.int32(500),
        beam__1__normalized_emittance=np.array([3e-6, 4e-6]),
        arc__excitation=np.bool_(False),
        arc__amplitude_detuning=np.array([[1e3, 2e3], [2e3, 4e3]]),
        ip__1__grid=np.array([32, 64]),
        ip__1__half_crossing_angle=Fraction(1, 8192),
    )
    assert study == build(
        turns=7,
        beam__1__bunch_population=float(2**36),
        beam__1__macroparticles=500,
        beam__1__normalized_emittance=[3e-6, 4e-6],
        arc__excitation=False,
        arc__amplitude_detuning=[[1e3, 2e3], [2e3, 4e3]],
        ip__1__grid=[32, 64],
        ip__1__half_crossing_angle=2.0**-13,
    )
    with pytest.raises(StudyError, match=r"turns must be an integer, but is \[3, 4\]"):
        build(turns=np.array([3, 4]))


def test_a_study_resolves_to_tables_that_build_the_same_study_again() -> None:
    study = build(
        arc__aperture_sigma=[8, 8],
        arc__feedback={"gain": [0.1, 0.2]},
        arc__amplitude_detuning=[[1e3, 2e3], [2e3, 4e3]],
        ip__1__ramp={"from": [1e-5, 0], "to": [0, 0], "turns": [10, 20]},
        ip__1__beam={"2": {"beta": [0.6, 0.5], "crab": {"frequency": 4e8}}},
        beam__1__offset_sigma=[0.1, 0, 0, 0, 0, 0],
    )
    again = json.loads(json.dumps(study.resolved()))
    assert Study.from_dict(again) == study
    assert Study.from_dict(again).parameters() == study.parameters()


def test_a_beam_like_the_other_takes_its_keys_and_its_own_win() -> None:
    study = build(beam__2={"like": "beam.1", "energy": 6e12, "size": [2e-5, 1e-5]})
    assert study.beam(2).bunch_population == 1.15e11
    assert study.beam(2).energy == 6e12
    # The size given for beam 2 replaces the emittance it would have from beam 1.
    assert study.beam(2).geometric_emittance == pytest.approx((4e-10 / 0.55, 1e-10 / 0.55))


def test_an_ion_takes_its_mass_and_charge() -> None:
    lead = {"particle": "ion", "mass": 193.7e9, "charge": 82, "energy": 574e12}
    beam = build(beam__2={"like": "beam.1", **lead}).beam(2)
    assert (beam.mass, beam.charge, beam.gamma) == (193.7e9, 82.0, 574e12 / 193.7e9)


def test_normalized_emittance_is_divided_by_gamma_beta() -> None:
    beam = build().beam(1)
    gamma_beta = math.sqrt((7e12 / PROTON) ** 2 - 1)
    assert beam.geometric_emittance[0] == pytest.approx(3.75e-6 / gamma_beta, rel=1e-14)


def test_a_size_at_the_first_point_has_its_dispersive_part_taken_off() -> None:
    study = build(
        beam__1__normalized_emittance=None,
        beam__1__size=[5e-5, 2e-5],
        ip__1__dispersion=[0.2, 0, 0, 0],
    )
    dispersive = 0.2 * 1.13e-4
    emittance = (5e-5**2 - dispersive**2) / 0.55
    assert study.beam(1).geometric_emittance[0] == pytest.approx(emittance, rel=1e-14)
    assert study.beam(1).size(0) == pytest.approx((5e-5, 2e-5), rel=1e-14)


def test_offsets_in_sigma_are_multiplied_by_the_matched_rms() -> None:
    beam = build(beam__1__offset_sigma=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).beam(1)
    expected = [n * s for n, s in zip((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), beam.rms(0), strict=True)]
    assert list(beam.offset) == expected


def test_each_beam_may_have_its_own_arc_and_optics() -> None:
    study = build(arc__2={"tune": [64.28, 59.31]}, ip__1__beam={"2": {"alpha": [0.1, 0.0]}})
    assert study.beam(1).arc.tune == (64.31, 59.32)
    assert study.beam(2).arc.tune == (64.28, 59.31)
    assert study.beam(2).arc.chromaticity == (2.0, 2.0)
    assert study.beam(2).optics[0].alpha == (0.1, 0.0)


def test_the_last_phase_advance_follows_from_the_tune() -> None:
    second = {"beta": [1.0, 2.0]}
    study = build(ip__1__phase_advance=[30.1, 29.2], ip__2=second)
    assert study.beam(1).optics[0].phase_advance == (30.1, 29.2)
    assert study.beam(1).optics[1].phase_advance == pytest.approx((34.21, 30.12), abs=1e-12)


def test_phase_advances_left_out_share_the_tune_equally() -> None:
    advances = [o.phase_advance for o in build(ip__2={"beta": [1.0, 2.0]}).beam(1).optics]
    assert advances == [(64.31 / 2, 59.32 / 2)] * 2


def test_what_acts_once_a_turn_stands_in_the_last_segment() -> None:
    keys = flat(build(ip__2={"beta": [1.0, 2.0]}, arc__noise=[1e-9, 0, 0, 0]))
    assert keys["line.1.1.count"] == "1"
    assert keys["line.1.1.1.chromaticity"] == "0.0 0.0"
    assert keys["line.1.1.1.beta1"] == keys["line.1.2.1.beta0"] == "1.0 2.0"
    assert [keys[f"line.1.2.{k}.element"] for k in (1, 2, 3)] == ["twiss", "synchrotron", "noise"]
    assert keys["line.1.2.1.chromaticity"] == "2.0 2.0"
    assert keys["line.1.2.1.beta1"] == "0.55 0.55"


def test_every_element_of_an_arc_is_written_in_its_order() -> None:
    keys = flat(
        build(
            arc__damping_turns=[1000, 1000, 500],
            arc__noise=[0, 1e-9, 0, 0],
            arc__feedback={"gain": [0.1, 0.1], "noise": [1e-7, 0]},
            arc__aperture=[1e-3, 2e-3],
            arc__matrix=one_turn(),
        )
    )
    names = [keys[f"line.2.1.{k}.element"] for k in range(1, int(keys["line.2.1.count"]) + 1)]
    assert names == ["feedback", "twiss", "synchrotron", "matrix", "damping", "noise", "aperture"]
    assert keys["line.2.1.7.half_width"] == "0.001 0.002"
    # Without an equilibrium of its own the beam is damped towards what it starts with.
    assert keys["line.2.1.5.equilibrium"].split()[2:] == ["0.0755", "0.000113"]


def test_damping_without_excitation_has_no_equilibrium() -> None:
    keys = flat(build(arc__damping_turns=[1000, 1000, 500], arc__excitation=False))
    assert keys["line.1.1.3.equilibrium"] == "0.0 0.0 0.0 0.0"


def test_rf_gives_frequency_and_slip_factor() -> None:
    keys = flat(build(**RF))
    assert keys["line.1.1.2.element"] == "rf"
    slip = 3.225e-4 - (PROTON / 7e12) ** 2
    assert float(keys["line.1.1.2.slip"]) == pytest.approx(slip, rel=1e-14)
    # LHC: 400.79 MHz, given to five digits.
    assert float(keys["line.1.1.2.frequency"]) == pytest.approx(400.79e6, rel=1e-5)


def test_a_map_of_the_whole_arc_stands_alone(tmp_path: Path) -> None:
    write(tmp_path, f"matrix = {one_turn()}", "map.toml")
    changes = {"arc": {"map": "map.toml"}}
    study = Study.from_dict(tables(**changes), tmp_path)
    keys = flat(study)
    assert keys["line.1.1.count"] == "1"
    assert keys["line.1.1.1.element"] == "matrix"
    assert len(keys["line.1.1.1.matrix"].split()) == 36


def test_a_second_order_map_carries_its_tensor_last_index_fastest(tmp_path: Path) -> None:
    tensor = np.zeros((6, 6, 6))
    tensor[1, 0, 2] = 0.25
    write(tmp_path, f"matrix = {one_turn()}\ntensor = {tensor.tolist()}", "map.toml")
    keys = flat(Study.from_dict(tables(arc={"map": "map.toml"}), tmp_path))
    assert keys["line.1.1.1.element"] == "second-order"
    values = [float(v) for v in keys["line.1.1.1.tensor"].split()]
    assert [k for k, v in enumerate(values) if v] == [36 + 2]


def test_floats_in_the_parameters_are_exact() -> None:
    study = build()
    keys = flat(study)
    given = tuple(float(v) for v in keys["beam.1.geometric_emittance"].split())
    assert given == study.beam(1).geometric_emittance


def test_the_strong_beam_is_marked_and_needs_no_macroparticles() -> None:
    strong = {"like": "beam.1"}
    study = build(ip__1__model="weak-strong", ip__1__strong_beam=1, beam__2=strong)
    assert [beam.strong for beam in study.beams] == [True, False]
    assert flat(study)["beam.1.strong"] == "1"


def test_overrides_are_toml_values_or_bare_words(tmp_path: Path) -> None:
    path = write(tmp_path, json_as_toml(tables()))
    study = load(path, ["ip.1.slices=7", "ip.1.model=soft-gaussian", "arc.tune=[64.3, 59.3]"])
    assert (study.ips[0].slices, study.ips[0].model) == (7, "soft-gaussian")
    assert study.beam(2).arc.tune == (64.3, 59.3)


def json_as_toml(table: dict[str, Any], prefix: str = "") -> str:
    """TOML of nested tables whose values look the same in JSON."""
    plain = [f"{k} = {json.dumps(v)}" for k, v in table.items() if not isinstance(v, dict)]
    lines = [f"[{prefix[:-1]}]", *plain] if prefix else plain
    for key, value in table.items():
        if isinstance(value, dict):
            lines.append(json_as_toml(value, f"{prefix}{key}."))
    return "\n".join(lines)


RF: dict[str, Any] = {
    "arc__synchrotron_tune": None,
    "arc__rf__voltage": 16e6,
    "arc__rf__harmonic": 35640,
    "arc__momentum_compaction": 3.225e-4,
}

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


def test_every_key_is_documented(repository: Path) -> None:
    text = (repository / "docs" / "study.md").read_text(encoding="utf-8")
    declared = (
        *(beam.Beam, model.Ring, arc.Arc, arc.RadioFrequency, arc.Feedback, arc.MapFile),
        *(optics.Optics, optics.Crab, point.InteractionPoint, point.Ramp),
        *(model.Records, Records),
    )
    schemas = (schema_for(WORKLOAD), *map(schema_of, declared))
    tables_of_keys = {"ring", "arc", "ip", "records", "communication"}
    missing = [
        key
        for schema in schemas
        for key in schema
        if f"`{key}`" not in text and key not in tables_of_keys
    ]
    assert missing == []


def test_the_example_in_the_documentation_is_a_study(repository: Path) -> None:
    text = (repository / "docs" / "study.md").read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    assert Study.from_dict(tomllib.loads(example)).turns == 1000


def test_longitudinal_motion_takes_place_without_dispersion() -> None:
    keys = flat(build(ip__1__dispersion=[0.3, 0.0, 0.0, 0.0]))
    names = [keys[f"line.1.1.{k}.element"] for k in (1, 2, 3)]
    assert names == ["twiss", "synchrotron", "twiss"]
    assert keys["line.1.1.1.dispersion1"] == "0.0 0.0 0.0 0.0"
    assert keys["line.1.1.3.phase"] == "0.0 0.0"
    assert keys["line.1.1.3.dispersion1"] == "0.3 0.0 0.0 0.0"

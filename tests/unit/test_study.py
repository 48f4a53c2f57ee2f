"""Studies: what is read, how defaults and overrides resolve."""

from __future__ import annotations

import json
import math
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from phasewise.study import Study, load
from tests.sentences import refused
from tests.unit.study_tables import RF, build, json_as_toml, one_turn, tables, write

"""Studies: what is read, how defaults and overrides resolve, and the sentence for each mistake."""

PROTON = 938272088.16


def flat(study: Study) -> dict[str, str]:
    lines = study.parameters().splitlines()
    return dict(line.split(" = ", 1) for line in lines)


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
    with refused("turns", "integer", [3, 4]):
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


def test_one_cut_stands_for_all_planes_and_is_resolved_as_one() -> None:
    one, three = build(beam__1__cut=2.9), build(beam__1__cut=[2.9, 2.9, 2.9])
    assert one == three
    assert flat(one)["beam.1.cut"] == "2.9"
    # Checkpoints of earlier versions hold one number.
    assert three.resolved()["beam"]["1"]["cut"] == 2.9
    assert build().resolved()["beam"]["1"]["cut"] == 0.0


def test_each_plane_may_have_its_own_cut() -> None:
    study = build(beam__1__cut=[0, 0, 2.9], beam__2__cut=3)
    assert (study.beam(1).cut, study.beam(2).cut) == ((0.0, 0.0, 2.9), (3.0, 3.0, 3.0))
    assert study.resolved()["beam"]["1"]["cut"] == [0.0, 0.0, 2.9]
    assert Study.from_dict(json.loads(json.dumps(study.resolved()))) == study


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


@pytest.mark.parametrize(
    ("given", "slices", "written", "text"),
    [
        (7, (7, 7), 7, "7"),
        ([7, 7], (7, 7), 7, "7"),
        ([15, 1], (15, 1), [15, 1], "15 1"),
    ],
)
def test_slices_are_one_number_or_one_of_each_beam(
    given: int | list[int], slices: tuple[int, int], written: int | list[int], text: str
) -> None:
    study = build(ip__1__slices=given)
    assert study.ips[0].slices == slices
    assert study.resolved()["ip"]["1"]["slices"] == written
    assert flat(study)["ip.1.slices"] == text
    assert Study.from_dict(study.resolved()).parameters() == study.parameters()


def test_overrides_are_toml_values_or_bare_words(tmp_path: Path) -> None:
    path = write(tmp_path, json_as_toml(tables()))
    study = load(path, ["ip.1.slices=7", "ip.1.model=soft-gaussian", "arc.tune=[64.3, 59.3]"])
    assert (study.ips[0].slices, study.ips[0].model) == ((7, 7), "soft-gaussian")
    assert study.beam(2).arc.tune == (64.3, 59.3)


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


def test_a_study_that_an_earlier_version_stored_has_the_planes_of_its_run() -> None:
    now = build()
    stored = now.resolved()
    assert Study.from_stored(stored) == now
    del stored["ip"]["1"]["planes"]
    assert Study.from_dict(stored).ips[0].planes == "shared"
    then = Study.from_stored(stored)
    assert then == now.replace(**{"ip.1.planes": "pair"})
    assert now.as_in(stored) == then
    # Who asks for planes gets them.
    asked = now.replace(**{"ip.1.planes": "shared"})
    assert asked.as_in(stored) == asked

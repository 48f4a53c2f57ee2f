"""The sentences for mistakes in crab cavities, crab waists, bunches and ramps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import StudyError
from phasewise.study import Study
from tests.sentences import Nearest, refused
from tests.unit.study_tables import build, tables

CAVITY: dict[str, Any] = {"frequency": 4e8, "strength": 1.0}
RAMP: dict[str, Any] = {"turns": [0, 10], "particles": [1.15e11, 2e11]}


def listed(**changes: Any) -> dict[str, Any]:
    cavity = {key: value for key, value in (CAVITY | changes).items() if value is not None}
    return {"ip__1__crab_cavities": [cavity]}


AT = "ip.1.crab_cavities.0"
RAMP_AT = "beam.1.population_ramp"
MISTAKES: list[tuple[dict[str, Any], tuple[object, ...]]] = [
    (listed() | {"ip__1__crab": {"strength": 1}}, ("ip.1", "crab", "crab_cavities")),
    ({"ip__1__crab_cavities": 3}, ("ip.1.crab_cavities", "list", 3)),
    (listed(frequncy=1e8), (AT, '"frequncy"', Nearest("frequency"))),
    (listed(frequency=None), (f"{AT}.frequency", "missing", "Hz")),
    (listed(strength=None), (AT, "neither strength nor voltage")),
    (listed(voltage=1e6), (AT, "both strength and voltage")),
    (listed(strength=None, voltage=1e6), (f"{AT}.voltage", f"{AT}.beta")),
    (listed(phase_advance=0.5), (f"{AT}.phase_advance", 0.5, "voltage", "beta")),
    (listed(side="left"), (f"{AT}.side", '"left"', "both, before, behind")),
    (listed(side="before", common_noise=True), (f"{AT}.common_noise", '"before"')),
    (
        listed(beta=100.0) | {"ip__1__crossing_plane": 0.3},
        (AT, "horizontal", "vertical", "crossing_plane", 0.3),
    ),
    (
        listed() | {"ip__1__half_crossing_angle": 0.0},
        (f"{AT}.strength", "ip.1.half_crossing_angle"),
    ),
    ({"ip__1__crab_cavities": [CAVITY] * 9}, ("ip.1.crab_cavities", 9, 8)),
    (listed(drift={"turns": [5, 5]}), (f"{AT}.drift.turns", [5, 5], "rising")),
    (listed(phase_spectrum="none.txt"), (f"{AT}.phase_spectrum", "none.txt", "exist")),
    (listed(phase_spectrum=[[1, 1]]), (f"{AT}.phase_spectrum", "rows")),
    (listed(phase_spectrum=[[1, 1], [1, 2]]), (f"{AT}.phase_spectrum", "rising", "1 Hz")),
    (listed(phase_spectrum=[[1, 1], [2, -2]]), (f"{AT}.phase_spectrum", "negative")),
    (listed(phase_spectrum=[[1, 1], [50, 1]]), (f"{AT}.phase_spectrum", "gap", "1 and 50 Hz", 10)),
    (
        listed(phase_spectrum=[[1, 1], [2, 1]])
        | {"ring__circumference": None, "ring__bunches": None},
        ("ring.circumference", "(m)", f"{AT}.phase_spectrum"),
    ),
    (
        {"ip__1__crab_waist": 0.5, "ip__1__half_crossing_angle": 0.0},
        ("ip.1.crab_waist = 0.5", "crossing angle", "ip.1.half_crossing_angle"),
    ),
    (
        {"ip__1__crab_waist": 0.5, "ip__1__crossing_plane": 0.3, "ip__1__model": "soft-gaussian"},
        ("ip.1.crab_waist", "horizontal", '"strong-strong"'),
    ),
    (
        {"ip__1__crab_sextupoles": {"before": {"beta": [1, 1]}}},
        ("ip.1.crab_sextupoles", "ip.1.crab_waist"),
    ),
    (
        {
            "ip__1__crab_waist": 1,
            "ip__1__crab_sextupoles": {"before": {"beta": [1, 1], "phase_advance": [0.25, 0.25]}},
        },
        ("ip.1.crab_sextupoles.before.phase_advance", [0.25, 0.25], 0.5),
    ),
    (
        {"ip__1__coupling": [[0, 0], [0, 0]], "ip__1__coupling_r": [0] * 4},
        ("coupling", "coupling_r"),
    ),
    ({"beam__1__distribution": "q-gaussian"}, ("beam.1.q", "missing", '"q-gaussian"')),
    ({"beam__1__q": 1.2}, ("beam.1.q", '"q-gaussian"', '"gaussian"')),
    ({"beam__1__distribution": "q-gaussian", "beam__1__q": 1.7}, ("beam.1.q = 1.7", "rms", "5/3")),
    ({"beam__1__second": {"share": 0.1}}, ("beam.1.second.size", "missing")),
    ({"beam__1__second": {"share": 1, "size": 2}}, ("beam.1.second.share = 1", 0.999999)),
    ({"beam__1__resample": True}, ("beam.1.resample", "file", '"gaussian"')),
    (
        {"beam__1__population_ramp": {"turns": [0, 10]}},
        ("beam.1.population_ramp.particles", "missing"),
    ),
    (
        {"beam__1__population_ramp": RAMP | {"turns": [0]}},
        (f"{RAMP_AT}.turns", "list", 2),
    ),
    (
        {"beam__1__population_ramp": RAMP | {"turns": [3, 3]}},
        (f"{RAMP_AT}.turns", "rise", 3),
    ),
    ({"beam__1__population_ramp": RAMP | {"turns": [0, 1, 2]}}, ("3 turns", "2 numbers")),
    (
        {"beam__1__population_ramp": RAMP | {"particles": [1e11, 2e11]}},
        ("begins with 1e+11", "bunch_population is 1.15e+11"),
    ),
]


def test_a_study_with_a_plain_pair_of_cavities_hands_nothing_new_to_the_driver() -> None:
    text = build(ip__1__crab={"strength": 0.5, "frequency": 4e8}).parameters()
    assert "ip.1.crab.2 = 0.5 400000000.0\n" in text
    for new in ("crab_waist", "crab_sextupoles", "crab_cavities", "shape", ".q ", "second."):
        assert new not in text
    assert "population_ramp" not in text


@pytest.mark.parametrize(("changes", "facts"), MISTAKES)
def test_a_mistake_is_refused_in_one_sentence(
    changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        build(**changes)


def test_a_list_of_one_beam_replaces_the_plain_pair_of_both() -> None:
    own = {"1": {"crab_cavities": [CAVITY]}}
    study = build(ip__1__crab={"strength": 0.5, "frequency": 4e8}, ip__1__beam=own)
    one, two = (study.beam(number).optics[0] for number in (1, 2))
    assert (one.crab, len(one.crab_cavities)) == ((0, 0), 1)
    assert (two.crab, len(two.crab_cavities)) == ((0.5, 4e8), 0)


def test_a_strength_of_0_switches_sextupoles_off() -> None:
    study = build(
        ip__1__crab_waist=0.5,
        ip__1__crab_sextupoles={"before": {"beta": [1.0, 2.0]}},
        ip__1__beam={"2": {"crab_waist": 0}},
    )
    assert "ip.1.crab_sextupoles.1" in study.parameters()
    assert "ip.1.crab_sextupoles.2" not in study.parameters()


def test_a_spectrum_comes_from_a_file_or_a_list(tmp_path: Path) -> None:
    (tmp_path / "noise.txt").write_text("# Hz, rad²/Hz\n10, 1e-12\n20 2e-12\n")
    table = tables(**listed(phase_spectrum="noise.txt"))
    study = Study.from_dict(table, tmp_path)
    rows = study.resolved()["ip"]["1"]["beam"]["1"]["crab_cavities"][0]["phase_spectrum"]
    assert rows == [[10, 1e-12], [20, 2e-12]]
    (tmp_path / "noise.txt").write_text("10 many\n")
    with refused("noise.txt", "no number", by=StudyError):
        Study.from_dict(table, tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        listed(phase_spectrum=[[1, 1], [2, 1]], drift={"phase": 1, "turns": [0, 9]}, beta=3.0),
        {"ip__1__crab_waist": 0.5, "ip__1__crab_sextupoles": {"before": {"beta": [1.0, 2.0]}}},
        {"beam__1__distribution": "q-gaussian", "beam__1__q": 1.2, "beam__1__quiet": True},
        {"beam__1__second": {"share": 0.1, "size": 2, "distribution": "hollow"}},
        {"beam__1__population_ramp": RAMP},
        {"ip__1__coupling_r": [0.1, 0.2, 0.3, 0.4]},
    ],
)
def test_the_resolved_study_reads_back_as_the_same(changes: dict[str, Any]) -> None:
    study = build(**changes)
    again = Study.from_dict(study.resolved())
    assert again.resolved() == study.resolved()
    assert again.parameters() == study.parameters()


def test_a_beam_that_is_like_another_gives_its_own_population_and_shape() -> None:
    changes = {"beam__1__population_ramp": RAMP, "beam__2__bunch_population": 1e10}
    changes |= {"beam__1__distribution": "q-gaussian", "beam__1__q": 1.2}
    study = build(**changes, beam__2__distribution="hollow")
    assert study.beam(2).population_ramp is None
    assert study.beam(2).distribution == "hollow"

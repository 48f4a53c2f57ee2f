"""What a study says about radiation in collisions: accepted, refused in one sentence, or warned."""

from __future__ import annotations

from typing import Any

import pytest

from phasewise.errors import StudyError
from phasewise.workloads.collision.derived.bhabha import candidates
from phasewise.workloads.collision.derived.quantities import derive
from phasewise.workloads.collision.tables.model import collision_of
from tests.unit.study_tables import build

ELECTRONS: dict[str, Any] = {
    "beam__1__particle": "electron",
    "beam__2__particle": "positron",
    "beam__1__energy": 45.6e9,
    "beam__1__normalized_emittance": None,
    "beam__1__geometric_emittance": [1e-9, 1e-11],
    "beam__1__bunch_length": 3e-3,
    "beam__1__momentum_spread": 1e-3,
    "ip__1__half_crossing_angle": 0.0,
}


def test_old_studies_hand_nothing_new_to_the_driver() -> None:
    text = build().parameters()
    assert not any(word in text for word in ("beamstrahlung", "bhabha", "momentum_aperture"))


def test_the_driver_gets_what_the_study_says() -> None:
    study = build(
        **ELECTRONS,
        ip__1__beamstrahlung="quantum",
        ip__1__bhabha={"least": 0.01, "beam_size": False},
        arc__momentum_aperture=0.02,
    )
    text = study.parameters()
    assert "ip.1.beamstrahlung = quantum\n" in text
    assert "ip.1.bhabha = 0.01 0 1.0\n" in text
    assert "beam.2.momentum_aperture = 0.02 0.02\n" in text
    again = type(study).from_dict(study.resolved())
    assert again.parameters() == text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ip__1__beamstrahlung": "quantun"}, 'did you mean "quantum"'),
        ({"beam__2__particle": "electron", "ip__1__bhabha": {}}, "Møller"),
        ({"ip__1__bhabha": {"lest": 0.1}}, "least"),
        (
            {"ip__1__bhabha": {"least": 0.03}, "arc__momentum_aperture": 0.02},
            "below the momentum aperture",
        ),
        ({"ip__1__bhabha": {}, "ip__1__luminosity": False}, "needs luminosity = true"),
        ({"arc__momentum_aperture": 2}, "not a percentage"),
        ({"beam__2__particle": "proton", "ip__1__bhabha": {}}, "of one mass"),
    ],
)
def test_what_cannot_be_used_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyError, match=words) as error:
        build(**ELECTRONS | changes)
    assert "\n" not in str(error.value)


def warnings(**changes: Any) -> str:
    return " ".join(derive(collision_of(build(**changes))).warnings)


def test_protons_hardly_radiate() -> None:
    assert "negligible" in warnings(ip__1__beamstrahlung="quantum")


def test_strong_fields_and_many_photons_are_warned_of() -> None:
    linear = ELECTRONS | {
        "beam__1__energy": 1.5e12,
        "beam__1__bunch_population": 4e9,
        "beam__1__geometric_emittance": [1e-14, 1e-18],
        "beam__1__bunch_length": 3e-5,
        "ip__1__beta": [1e-2, 1e-3],
        "ip__1__beamstrahlung": "quantum",
    }
    assert "above 10" in warnings(**linear)
    few = linear | {"ip__1__slices": 1, "beam__1__energy": 5e11}
    assert "photons where they meet one slice: use" in warnings(**few)


@pytest.mark.parametrize(("kind", "warned"), [(None, True), ("mean", True), ("quantum", False)])
def test_a_spectrum_without_photons_is_warned_of(kind: str | None, warned: bool) -> None:
    asked = ELECTRONS | {"records__photon_spectrum_every": 10, "ip__1__beamstrahlung": kind}
    assert ("photon_spectrum_every has no effect" in warnings(**asked)) is warned


def test_a_scale_that_leaves_out_events_is_warned_of() -> None:
    """Such that a particle draws 204 candidates of 511, or some more."""
    scattered = ELECTRONS | {"ip__1__beta": [0.4, 0.001]}
    model = collision_of(build(**scattered, ip__1__bhabha={}))
    most = 0.4 * 511 / max(candidates(model, 0, 1), candidates(model, 0, 2))
    for factor, warned in ((0.9, False), (1.1, True)):
        text = warnings(**scattered, ip__1__bhabha={"scale": factor * most})
        assert ("leaves out those beyond 511: give at most" in text) is warned

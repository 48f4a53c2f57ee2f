"""A BeamBeam3D deck, imported and run, against what BeamBeam3D measured."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import phasewise
from phasewise.workloads.collision.analysis import CoherentModes, coherent_modes
from phasewise.workloads.collision.importers.beambeam3d import translate

HERE = Path(__file__).parent
# BeamBeam3D with a 0.1 σ kick, ξ = 0.005, Q = (.31, .32), 1e5 particles, 128², 8192 turns.
BEAMBEAM3D = {"x": 1.197, "y": 1.210}
PARTICLES = 20_000
# A deck of the code's own users, where it lies beside the repository.
FOREIGN = HERE.parents[2] / "shared/data/beambeam3d"


def modes_of(study: Path) -> CoherentModes:
    """σ and π modes of a run of about six seconds."""
    small = [f"beam.{k}.macroparticles={PARTICLES}" for k in (1, 2)]
    run = phasewise.run(phasewise.load(study, ["turns=2048", "records.tracked=0", *small]))
    return coherent_modes(run)


def assert_agrees(modes: CoherentModes) -> None:
    """Both planes within the noise of both codes."""
    # Random bunches know σ², and so ξ, to √(2/N), theirs of 1e5 too; their two figures, of planes
    # that are alike but for the tune, differ by 1.1 %.
    error = math.sqrt(2 / PARTICLES) + math.sqrt(2 / 1e5) + 0.011
    for plane, expected in BEAMBEAM3D.items():
        found = getattr(modes, plane)
        assert found.yokoya == pytest.approx(expected, rel=error), plane
        # Electrons against positrons: above the σ mode.
        assert found.shift > 0


def test_the_study_is_the_translation_of_the_deck() -> None:
    assert (HERE / "study.toml").read_text() == translate(HERE / "deck").text


def test_the_deck_has_the_beam_beam_parameter_and_the_kick_of_the_comparison() -> None:
    study = phasewise.load(HERE / "study.toml")
    point = study.derived()["ips"][0]
    # The deck's population is given to six digits.
    assert point["beams"][0]["xi"] == pytest.approx([0.005, 0.005], rel=1e-4)
    assert study.beam(1).offset[0] == pytest.approx(0.1 * point["beams"][0]["size"][0], rel=1e-6)
    assert [ip.slices for ip in study.ips] == [(1, 1)]


def test_what_is_not_translated_is_named_with_its_line() -> None:
    named = [entry.record for entry in translate(HERE / "deck").not_translated]
    assert named == ["beam1.in line 7 (x)", "beam1.in line 8 (y)"]


def test_the_coherent_modes_are_those_that_beambeam3d_measured() -> None:
    assert_agrees(modes_of(HERE / "study.toml"))


@pytest.mark.skipif(not FOREIGN.is_dir(), reason="there is no other deck beside the repository")
def test_a_deck_of_another_project_gives_the_same_modes(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(translate(FOREIGN).text)
    assert_agrees(modes_of(study))

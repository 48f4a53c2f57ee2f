"""BeamBeam3D decks become studies; what does not is named by record; garbled decks by line."""

from __future__ import annotations

import math
import shutil
import tomllib
from pathlib import Path

import pytest

from phasewise.study import Study
from phasewise.workloads.collision.importers.beambeam3d import translate
from tests.sentences import refused, says

DECK = Path(__file__).resolve().parents[1] / "data" / "beambeam3d"
SAMPLE = Path(__file__).resolve().parents[3] / "shared" / "data" / "beambeam3d"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    """A copy of the deck that a test may change."""
    folder = tmp_path / "deck"
    shutil.copytree(DECK, folder)
    return folder


def edit(folder: Path, line: int, text: str, *, beams: tuple[int, ...] = (1, 2)) -> None:
    for beam in beams:
        path = folder / f"beam{beam}.in"
        lines = path.read_text().splitlines()
        lines[line - 1] = text
        path.write_text("\n".join(lines) + "\n")


def study_of(folder: Path) -> Study:
    return Study.from_dict(tomllib.loads(translate(folder).text))


def reasons(folder: Path) -> dict[str, str]:
    return {entry.record: entry.reason for entry in translate(folder).not_translated}


def test_beams_optics_and_arcs_are_translated() -> None:
    study = study_of(DECK)
    one, two = study.beams
    assert (one.particle, two.particle) == ("electron", "positron")
    assert (one.energy, two.energy) == (3.5e9, 7e9)
    assert (one.bunch_population, two.bunch_population) == (2.5e10, 1.8e10)
    assert one.size(0) == pytest.approx((2e-5, 8e-6), rel=1e-12)
    assert one.offset == (4e-6, 1e-7, 0, 0, 0, 0)
    assert one.mismatch == (1, 1, 1, 1.5, 1, 1)
    assert (one.arc.tune, two.arc.tune) == ((12.56, 9.58), (11.54, 9.58))
    assert one.arc.chromaticity == (1.5, -0.5)
    assert (study.turns, study.model.records.tracked, one.macroparticles) == (400, 4, 20000)


def test_damping_by_partition_number_gives_three_times() -> None:
    # 1/τx = (1 - D)/τy and 1/τz = (2 + D)/τy with τy = 4000, D = 0.1.
    turns = study_of(DECK).beam(1).arc.damping_turns
    assert turns == pytest.approx((4000 / 0.9, 4000, 4000 / 2.1), rel=1e-14)
    assert sum(1 / t for t in turns) == pytest.approx(4 / 4000, rel=1e-14)


def test_damping_by_three_times_is_taken_as_it_is(deck: Path) -> None:
    edit(deck, 15, "4000. 5000. 2000. 2 damping")
    assert study_of(deck).beam(2).arc.damping_turns == (4000, 5000, 2000)


def test_collision_settings_are_translated() -> None:
    ip = study_of(DECK).ips[0]
    assert (ip.half_crossing_angle, ip.crossing_plane) == (4.5e-3, 0)
    assert (ip.grid, ip.slices, ip.model) == ((64, 96), (5, 5), "strong-strong")
    assert (ip.mesh, ip.mesh_half_width) == ("fixed", (2e-4, 9e-5))
    # That code kicks slices as a whole and leaves the momentum along the beam alone.
    assert (ip.interpolation, ip.longitudinal_kick) == ("none", False)


def test_a_crab_kick_becomes_the_strength_that_moves_the_bunch_as_far() -> None:
    strength, frequency = study_of(DECK).beam(1).optics[0].crab
    k = 2 * math.pi * 4e8 / 299792458.0
    # The kick V sin(kz) at βc, a quarter oscillation before the point, moves x there by
    # sqrt(βc β*) V sin(kz); the study's crab by -strength tan(φ) sin(kz)/k.
    moved = math.sqrt(50 * 0.5) * -2e-4
    assert -strength * math.tan(4.5e-3) / k == pytest.approx(moved, rel=1e-12)
    assert frequency == 4e8
    assert study_of(DECK).beam(2).optics[0].crab == (0, 0)


def test_a_size_other_than_matched_becomes_a_mismatch(deck: Path) -> None:
    edit(deck, 7, "3.0d-5 0.5 0.0 1.0 1.0 0.0 0.0")
    beam = study_of(deck).beam(1)
    assert beam.mismatch[:2] == pytest.approx((1.5, 1.5), rel=1e-12)
    assert beam.size(0)[0] == pytest.approx(2e-5, rel=1e-12)


def test_a_squeezed_orbit_becomes_a_ramp_of_the_separation(deck: Path) -> None:
    edit(deck, 19, "1 50")
    edit(deck, 20, "1.0e-6 2.0e-6", beams=(1,))
    study = study_of(deck)
    assert study.ips[0].separation == pytest.approx((4e-6, 0, 1e-6, 2e-6), rel=1e-12)
    assert study.ips[0].separation_ramp == (0, 50)
    assert study.beam(1).offset == (0, 1e-7, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("groups", "model"),
    [("1 2", "weak-strong"), ("2 10", "soft-gaussian"), ("2 1", "strong-strong")],
)
def test_the_model_follows_from_the_groups(deck: Path, groups: str, model: str) -> None:
    edit(deck, 26, groups)
    study = study_of(deck)
    assert study.ips[0].model == model
    # The strong beam of that code is the first.
    assert study.beam(1).strong == (model == "weak-strong")


def test_several_collisions_share_the_tune(deck: Path) -> None:
    edit(deck, 24, "2")
    study = study_of(deck)
    assert len(study.ips) == 2
    assert study.beam(1).optics[1].phase_advance == pytest.approx((6.28, 4.79), abs=1e-12)
    says(reasons(deck)["beam1.in line 24 (collisions)"], "schedule")


@pytest.mark.parametrize(
    ("line", "text", "record", "facts"),
    [
        (6, "3", "distribution", ("Gaussian",)),
        (17, "1 1.e-5 0.01", "sweeping", ("sweeping",)),
        (18, "1 0.1 0.1 0 0", "feedback", ("centroid",)),
        (23, "0 0 1 0 0", "switches", ("order 1",)),
        (28, "0.1", "curvature", ("curvature",)),
        (30, "4 1", "bunches", ("bunches",)),
        (31, "1 1000 0", "restart", ("particles", "run")),
        (32, "100", "resampling", ("bunch",)),
        (33, "5 10 1", "output", ("particles", "5 turns")),
        (34, "0.1 0 0 0", "gains", ("gains",)),
        (35, "50.0 4.0e8 -2.0e-4 8.0e8 0.1", "crab", ("harmonic",)),
    ],
)
def test_what_a_study_cannot_say_is_named_by_its_record(
    deck: Path, line: int, text: str, record: str, facts: tuple[str, ...]
) -> None:
    edit(deck, line, text)
    says(reasons(deck)[f"beam2.in line {line} ({record})"], *facts)


def test_files_that_differ_where_they_must_agree_are_named(deck: Path) -> None:
    edit(deck, 24, "2", beams=(2,))
    assert len(study_of(deck).ips) == 1
    says(reasons(deck)["beam1.in line 24 (collisions), beam2.in"], "two files")


def test_each_beam_has_the_slices_of_its_own_file(deck: Path) -> None:
    edit(deck, 4, "7", beams=(2,))
    assert study_of(deck).ips[0].slices == (5, 7)
    assert not any("(slices)" in record for record in reasons(deck))


@pytest.mark.parametrize(
    ("line", "text", "facts"),
    [
        (
            10,
            "2.5e10 3.5e9 x -1",
            ("line 10", "beam", "4 numbers", "population", "energy", "mass", 2),
        ),
        (13, "0.5", ("line 13", "beta", "2 numbers", 1, '"0.5"')),
        (4, "5.5", ("line 4", "slices = 5.5", "integer")),
        (24, "1000000000", ("line 24", "1000000000 collisions", 1, 64)),
        (10, "2.5e10 3500. 0.511e6 -1", ("beam.1.energy = 3500 eV", "510999 eV")),
        (4, "30000", ("ip.1.slices = 30000", 255)),
        (11, "12.5 9.58 0.02", ("arc.tune = 12.5", "x", "half-integer")),
        (10, "1e999 3.5e9 0.511e6 -1", ("line 10", "beam", "4 numbers", 0)),
    ],
)
def test_a_garbled_record_is_named_with_its_line(
    deck: Path, line: int, text: str, facts: tuple[object, ...]
) -> None:
    edit(deck, line, text)
    with refused(*facts):
        translate(deck)


@pytest.mark.parametrize("kept", [0, 1, 20, 35])
def test_a_deck_cut_short_is_named_with_the_record_it_lacks(deck: Path, kept: int) -> None:
    path = deck / "beam2.in"
    path.write_text("\n".join(path.read_text().splitlines()[:kept]))
    with refused(path, f"line {kept}", f"record {kept + 1}"):
        translate(deck)


def test_meshes_that_differ_and_folders_without_a_deck_are_refused(deck: Path) -> None:
    edit(deck, 3, "32 32 256", beams=(2,))
    with refused("beam2.in", "line 3", "mesh"):
        translate(deck)
    (deck / "beam2.in").unlink()
    with refused(deck / "beam2.in", "exist"):
        translate(deck)
    with refused(deck / "beam1.in", "folder", "beam2.in"):
        translate(deck / "beam1.in")


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="the sample deck lies outside the project")
def test_the_sample_deck_has_a_beam_beam_parameter_of_five_thousandths() -> None:
    study = study_of(SAMPLE)
    point = study.derived()["ips"][0]
    # Chosen by its author as 0.005; the deck gives four digits.
    assert point["beams"][0]["xi"] == pytest.approx((0.005, 0.005), rel=1e-3)
    assert point["attractive"]
    assert study.beam(1).offset[0] == pytest.approx(0.1 * study.beam(1).size(0)[0], rel=1e-3)

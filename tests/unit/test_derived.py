"""Derived quantities against closed forms: sizes, tune shifts, luminosity and its reductions.

References: W. Herr, B. Muratori, "Concept of luminosity", CERN-2006-002; M. Furman,
PAC 1991 (hourglass); the LHC Design Report, CERN-2004-003, for the nominal parameters.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy.special import erfcx, k0e

from phasewise.study import Study
from phasewise.workloads.collision.analysis.deposits import deposits_per_particle
from phasewise.workloads.collision.derived.cost import solve_seconds
from phasewise.workloads.collision.derived.quantities import DerivedPoint, derive
from tests.sentences import missing
from tests.unit.study_tables import tables

SPEED_OF_LIGHT = 299792458.0

# The integral leaves out 3e-18 of a bunch and its step is chosen for 1e-15; the K0 and erfcx of the
# closed forms are good to 1e-15. What is left is rounding over 1e3 to 1e4 terms.
EXACT = 1e-11


def point(**changes: Any) -> DerivedPoint:
    return derive(Study.from_dict(tables(**changes)).model).ips[0]


def flat_beam(beta_y: float, length: float, **changes: Any) -> DerivedPoint:
    """Flat beams whose horizontal beta is so long that only the vertical one has an hourglass."""
    shape: dict[str, Any] = {
        "beam__1__normalized_emittance": None,
        "beam__1__geometric_emittance": [1e-9, 1e-12],
        "beam__1__bunch_length": length,
        "ip__1__beta": [1e5, beta_y],
    }
    return point(**(shape | changes))


def test_lhc_nominal_luminosities_and_beam_beam_parameter() -> None:
    lhc = point()
    # The published figures have four to five digits.
    assert lhc.luminosity_head_on_per_second == pytest.approx(1.202e34, rel=5e-4)
    assert lhc.luminosity_crossing_per_second == pytest.approx(1.009e34, rel=5e-4)
    assert lhc.luminosity_per_second == pytest.approx(1.0054e34, rel=1e-4)
    assert lhc.beams[0].xi[0] == pytest.approx(0.003745, rel=2e-4)


def test_head_on_luminosity_of_equal_beams_is_n_squared_over_four_pi_sigma_squared() -> None:
    lhc = point(ip__1__half_crossing_angle=0)
    sx, sy = lhc.beams[0].size
    expected = 1.15e11**2 / (4 * math.pi * sx * sy)
    assert lhc.luminosity_head_on == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0, 10.0])
def test_the_hourglass_of_a_flat_beam_has_its_closed_form(ratio: float) -> None:
    beta = 0.01
    a = 1 / (math.sqrt(2) * ratio)
    expected = math.sqrt(2 / math.pi) * a * k0e(a * a)
    # The horizontal beta of 1e5 m is not infinite: it lowers the result by σz²/(2·1e10 m²) < 1e-12.
    found = flat_beam(beta, ratio * beta, ip__1__half_crossing_angle=0).hourglass_reduction
    assert found == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0, 10.0])
def test_the_hourglass_of_a_round_beam_has_its_closed_form(ratio: float) -> None:
    beta = 0.3
    expected = math.sqrt(math.pi) / ratio * erfcx(1 / ratio)
    found = point(
        ip__1__beta=[beta, beta],
        ip__1__half_crossing_angle=0,
        beam__1__bunch_length=ratio * beta,
    )
    assert found.hourglass_reduction == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("piwinski", [0.1, 0.647, 2.5, 20.0])
def test_the_crossing_angle_alone_costs_one_over_the_root_of_one_plus_phi_squared(
    piwinski: float,
) -> None:
    size = point().beams[0].size[0]
    angle = math.atan(piwinski * size / 0.0755)
    found = point(ip__1__half_crossing_angle=angle)
    assert found.piwinski_angle == pytest.approx(piwinski, rel=1e-12)
    assert found.crossing_reduction == pytest.approx(1 / math.hypot(1, piwinski), rel=EXACT)


@pytest.mark.parametrize("piwinski", [0.5, 0.707, 1.13, 2.0])
def test_crossing_and_hourglass_of_a_flat_beam_together_have_their_closed_form(
    piwinski: float,
) -> None:
    beta, width = 0.01, 1e-6
    a = 1 / math.sqrt(2)
    expected = math.sqrt(2 / math.pi) * a * k0e(a * a * (1 + piwinski**2))
    angle = math.atan(piwinski * width / beta)
    found = flat_beam(
        beta,
        beta,
        beam__1__geometric_emittance=[width**2 / 1e5, 1e-20],
        ip__1__half_crossing_angle=angle,
    )
    # The closed form is for small angles; collisions at z/cos φ and slopes of p/cos φ shorten the
    # waist by φ² = 4e-8 at most.
    assert found.reduction == pytest.approx(expected, rel=2e-7)


def test_linear_crab_cavities_give_the_crossing_back() -> None:
    crabbed = point(ip__1__crab={"strength": 1.0, "frequency": 0.0})
    # The waist is shortened by φ² = 2e-8, as above.
    assert crabbed.reduction == pytest.approx(crabbed.hourglass_reduction, rel=1e-7)


def test_crab_cavities_with_a_curved_wave_give_part_of_it_back() -> None:
    crossing = point(ip__1__half_crossing_angle=295e-6)
    crabbed = point(ip__1__half_crossing_angle=295e-6, ip__1__crab={"frequency": 400.79e6})
    assert crossing.reduction < crabbed.reduction < crabbed.hourglass_reduction


def test_two_half_strength_crabs_equal_half_the_angle() -> None:
    half = point(ip__1__crab={"strength": 0.5})
    small = point(ip__1__half_crossing_angle=math.atan(0.5 * math.tan(142.5e-6)))
    assert half.reduction == pytest.approx(small.reduction, rel=1e-7)


@pytest.mark.parametrize("distance", [0.0, 1.0, 4.0])
def test_a_separation_costs_a_gaussian_of_its_square(distance: float) -> None:
    # Bunches of 1e-7 m have no hourglass: (σz/β)² = 3e-14, times d²/4 = 4 in the exponent.
    found = point(
        ip__1__half_crossing_angle=0,
        ip__1__separation_sigma=[0.0, distance],
        beam__1__bunch_length=1e-7,
    )
    assert found.reduction == pytest.approx(math.exp(-(distance**2) / 4), rel=EXACT)


def test_the_crossing_plane_does_not_matter_to_round_beams() -> None:
    reductions = [point(ip__1__crossing_plane=a).reduction for a in (0.0, 0.3, math.pi / 2)]
    assert reductions == pytest.approx([reductions[0]] * 3, rel=EXACT)


def test_the_beam_beam_parameter_takes_the_other_beam_s_size_and_population() -> None:
    changes: dict[str, Any] = {
        "like": "beam.1",
        "bunch_population": 2.3e11,
        "normalized_emittance": [1.5e-5, 3.75e-6],
    }
    found = point(beam__2=changes)
    (sx, sy), (bx, by) = found.beams[1].size, (0.55, 0.55)
    # r0 = e²/(4πε0 m c²) of the proton, CODATA 2018, printed to eleven digits there.
    common = 2.3e11 * 1.5346982669e-18 / (2 * math.pi * 7e12 / 938272088.16 * (sx + sy))
    expected = (common * bx / sx, common * by / sy)
    assert found.beams[0].xi == pytest.approx(expected, rel=1e-8)
    # Like charges repel.
    assert not found.attractive


def test_an_ion_s_beam_beam_parameter_goes_with_both_charges_over_its_mass() -> None:
    ion = {
        "like": "beam.1",
        "particle": "ion",
        "mass": 2 * 938272088.16,
        "charge": -3,
    }
    size: dict[str, Any] = {
        "beam__1__normalized_emittance": None,
        "beam__1__geometric_emittance": [5e-10, 5e-10],
    }
    same, found = point(**size), point(**size, beam__2=ion)
    assert found.attractive
    # r0/γ = e²/(4πε0 E): at the same energy the mass drops out, and |q q'| = 3 stays.
    assert found.beams[1].xi == pytest.approx([3 * xi for xi in same.beams[0].xi], rel=1e-12)
    assert found.beams[0].xi == pytest.approx([3 * xi for xi in same.beams[0].xi], rel=1e-12)


def test_revolution_frequency_and_current_of_the_lhc() -> None:
    beam = derive(Study.from_dict(tables()).model).beams[0]
    assert beam.revolution_frequency == pytest.approx(11245.5, rel=1e-5)
    # LHC Design Report: 0.582 A in 2808 bunches.
    assert beam.bunch_current is not None
    assert 2808 * beam.bunch_current == pytest.approx(0.582, rel=1e-3)


def test_the_synchrotron_tune_of_the_lhc_follows_from_its_rf() -> None:
    changes: dict[str, Any] = {
        "arc__synchrotron_tune": None,
        "arc__rf": {"voltage": 16e6, "harmonic": 35640},
        "arc__momentum_compaction": 3.225e-4,
    }
    beam = derive(Study.from_dict(tables(**changes)).model).beams[0]
    # LHC Design Report, table 2.1: 23.0 Hz at 7 TeV and 16 MV (three digits) of 11.245 kHz.
    assert beam.synchrotron_tune == pytest.approx(23.0 / 11245.0, rel=1e-2)


def test_luminosity_per_second_is_left_out_without_a_ring() -> None:
    found = point(ring=None)
    assert found.luminosity_per_second is None
    assert found.luminosity > 0


def test_the_time_of_a_turn_is_that_of_its_solves_and_encounters() -> None:
    changes: dict[str, Any] = {
        "beam__1__macroparticles": 10_000,
        "ip__1__grid": [256, 256],
        "ip__1__slices": 8,
    }
    seconds = derive(Study.from_dict(tables(**changes)).model).seconds_per_turn
    # 144 solves of 0.55 ms and 20 000 particles of 45 ns and eight times 15 ns.
    assert seconds == pytest.approx(144 * 0.55e-3 + 2e4 * (45e-9 + 8 * 15e-9), rel=1e-9)
    changes["ip__1__planes"] = "pair"
    seconds = derive(Study.from_dict(tables(**changes)).model).seconds_per_turn
    assert seconds == pytest.approx(256 * 1.36e-3 + 2e4 * (45e-9 + 8 * 19e-9), rel=1e-9)
    assert seconds == pytest.approx(0.36, rel=0.05)
    gaussian = derive(Study.from_dict(tables(**changes, ip__1__model="soft-gaussian")).model)
    assert gaussian.seconds_per_turn == pytest.approx(2e4 * (45e-9 + 8 * 30e-9), rel=1e-9)


def test_a_solve_costs_what_was_measured_and_more_on_a_larger_mesh() -> None:
    for in_lanes, small, large in ((False, 38e-6, 1.36e-3), (True, 13e-6, 0.55e-3)):
        assert solve_seconds(64, 64, in_lanes) == pytest.approx(small, rel=1e-9)
        assert solve_seconds(256, 256, in_lanes) == pytest.approx(large, rel=1e-9)
        times = [solve_seconds(n, n, in_lanes) for n in (32, 64, 128, 256, 512)]
        assert times == sorted(times)


def test_slices_with_windows_of_their_own_count_planes_of_pairs() -> None:
    apart = {"ip__1__half_crossing_angle": 3e-3, "ip__1__beta": [0.55, 0.02]}

    def found(planes: str, **changes: Any) -> tuple[bool, list[int], float]:
        given = tables(ip__1__slices=[7, 6], ip__1__planes=planes, **changes)
        study = Study.from_dict(given)
        derived = study.derived()
        deposits = [
            int(deposits_per_particle(study.resolved(), derived, beam)[0]) for beam in (1, 2)
        ]
        return derived["ips"][0]["shared_planes"], deposits, derived["seconds_per_turn"]

    solves = [solve_seconds(64, 64, in_lanes) for in_lanes in (True, False)]
    assert found("shared")[:2] == (True, [7, 8])
    assert found("pair")[:2] == (False, [12, 14])
    assert found("shared", **apart)[:2] == (False, [12, 14])
    # The transforms are those that the study asks for.
    shared, pair = (found(planes, **apart)[2] for planes in ("shared", "pair"))
    assert pair - shared == pytest.approx(168 * (solves[1] - solves[0]), rel=1e-9)
    fixed = {"ip__1__mesh": "fixed", "ip__1__mesh_half_width": [1e-2, 1e-3]}
    assert found("shared", **apart, **fixed)[:2] == (True, [7, 8])


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"ip__1__slices": 100}, ("ip.1.slices = 100", "macroparticles", "beam 1")),
        (
            {"ip__1__mesh": "fixed", "ip__1__mesh_half_width": [1e-4, 3e-5]},
            ("ip.1.mesh_half_width = 3e-05 m", "y", "1.8 rms", "beam 1"),
        ),
        ({"ip__1__mesh_extent": 3.9}, ("ip.1.mesh_extent = 3.9",)),
        (
            {"ip__1__model": "weak-strong", "beam__2__distribution": "hollow", "beam__2__cut": 3},
            ("cut and distribution of beam 2 have no effect", "strong", "Gaussian"),
        ),
        (
            {
                "ip__1__half_crossing_angle": 0.0,
                "ip__1__crab_cavities": [{"frequency": 4e8, "voltage": 1e6, "beta": 100.0}],
            },
            ("crab cavities of beam 1", "ip.1", "no angle", "derived quantities"),
        ),
        ({"arc__tune": [64.001, 59.32]}, ("64.001", "beam 1", "x", "stop band")),
        (
            {
                "arc__synchrotron_tune": None,
                "arc__rf": {"voltage": 1.6e6, "harmonic": 35640},
                "arc__momentum_compaction": 3.225e-4,
            },
            ("bunch_length", "momentum_spread", "beam 1", "RF bucket"),
        ),
    ],
)
def test_what_is_probably_not_meant_is_said(
    changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    warnings = derive(Study.from_dict(tables(**changes)).model).warnings
    assert any(not missing(sentence, *facts) for sentence in warnings), warnings


def test_a_sound_study_gives_no_warning() -> None:
    assert derive(Study.from_dict(tables(beam__1__macroparticles=100_000)).model).warnings == ()

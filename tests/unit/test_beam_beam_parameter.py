"""Effective beam-beam parameters against closed forms, and what depends on them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from phasewise.study import Study
from phasewise.workloads.collision.analysis.coherent import unresolved
from phasewise.workloads.collision.derived.beam_beam import gaussian_gradients
from phasewise.workloads.collision.derived.quantities import DerivedCollision, derive
from tests.sentences import one_sentence, says
from tests.unit.study_tables import tables

# The sums converge to rounding; 1e3 to 1e4 terms leave 1e-13 of the largest.
EXACT = 1e-11


def derived(**changes: Any) -> DerivedCollision:
    return derive(Study.from_dict(tables(**changes)).model)


def test_the_gradients_of_a_round_gaussian_have_their_closed_form() -> None:
    x = np.array([0.3, 1.0, 2.5, 8.0, 50.0])
    gauss = np.exp(-x * x / 2)
    zero, one = np.zeros_like(x), np.ones_like(x)
    along, across = gaussian_gradients(x, zero, one, one)
    # E = (1 - exp(-r²/2))/r: its derivative along r, and E/r across.
    assert along == pytest.approx(gauss - (1 - gauss) / x**2, abs=EXACT)
    assert across == pytest.approx((1 - gauss) / x**2, abs=EXACT)


@pytest.mark.parametrize("aspect", [1.0, 10.0, 100.0, 500.0])
def test_the_gradients_obey_gauss_law_and_are_those_of_small_amplitudes(aspect: float) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 2 * aspect, 40), rng.normal(0, 2, 40)
    x[0] = y[0] = 0.0
    squares = np.full(40, aspect**2), np.ones(40)
    along, across = gaussian_gradients(x, y, *squares)
    # div E is 2π times the density.
    density = np.exp(-0.5 * (x * x / aspect**2 + y * y)) / aspect
    assert along + across == pytest.approx(density, abs=EXACT)
    assert along[0] == pytest.approx(1 / (aspect * (aspect + 1)), rel=EXACT)
    assert across[0] == pytest.approx(1 / (aspect + 1), rel=EXACT)


def test_short_bunches_that_meet_head_on_have_the_head_on_parameter() -> None:
    # β(S) grows by (σz/2β)² = 8e-15.
    (beam, _) = derived(ip__1__half_crossing_angle=0, beam__1__bunch_length=1e-7).beams
    assert beam.xi.effective.sum == pytest.approx(beam.xi.head_on.sum, rel=EXACT)


@pytest.mark.parametrize("piwinski", [0.65, 3.0, 20.0])
@pytest.mark.parametrize("plane", [0, 1])
def test_a_crossing_angle_widens_the_opposing_beam_in_its_plane(
    piwinski: float, plane: int
) -> None:
    # β of 1e5 m: no hourglass, (σz/2β)² = 1e-13.
    changes: dict[str, Any] = {
        "beam__1__normalized_emittance": None,
        "beam__1__geometric_emittance": [2e-15, 5e-16],
        "ip__1__beta": [1e5, 1e5],
    }
    sizes = derived(**changes).ips[0].beams[0].size
    angle = math.atan(piwinski * sizes[plane] / 0.0755)
    found = derived(
        **changes, ip__1__half_crossing_angle=angle, ip__1__crossing_plane=plane * math.pi / 2
    )
    wide = list(sizes)
    wide[plane] *= math.hypot(1, piwinski)
    head_on = found.beams[0].xi.head_on.sum
    factor = sum(sizes) / sum(wide)
    expected = [xi * factor * s / w for xi, s, w in zip(head_on, sizes, wide, strict=True)]
    # Collisions at z/cos²φ shift nothing without hourglass.
    assert found.beams[0].xi.effective.sum == pytest.approx(expected, rel=1e-10)


def test_ideal_crab_cavities_give_the_head_on_parameter_with_the_hourglass() -> None:
    straight = derived(ip__1__half_crossing_angle=0).beams[0].xi.effective.sum
    crabbed = derived(ip__1__crab={"strength": 1.0, "frequency": 0.0}).beams[0].xi.effective.sum
    # The waist is shortened by φ² = 2e-8.
    assert crabbed == pytest.approx(straight, rel=1e-7)


def test_the_hourglass_of_round_beams_leaves_the_parameter_as_it_is() -> None:
    # β(S)/σ(S)² is 1/ε wherever the particle meets a slice.
    found = derived(
        ip__1__half_crossing_angle=0, ip__1__beta=[0.05, 0.05], beam__1__bunch_length=0.1
    )
    xi = found.beams[0].xi
    assert xi.effective.sum == pytest.approx(xi.head_on.sum, rel=EXACT)


def test_the_hourglass_of_flat_beams_raises_the_narrow_planes_parameter() -> None:
    # ξy goes with the mean of βy(S)/σy(S) = sqrt(βy(S)/ε) where σy « σx: that of sqrt(1 + u²) for
    # u = S/β*, of rms σz/2β* = ½; the wide plane adds σy/σx = 1e-3 of the difference.
    found = derived(
        beam__1__normalized_emittance=None,
        beam__1__geometric_emittance=[1e-9, 1e-15],
        beam__1__bunch_length=0.01,
        ip__1__half_crossing_angle=0,
        ip__1__beta=[10.0, 0.01],
    )
    u, weight = np.polynomial.hermite_e.hermegauss(60)
    growth = float(np.dot(weight, np.sqrt(1 + (u / 2) ** 2)) / weight.sum())
    xi = found.beams[0].xi
    assert xi.effective.sum[1] / xi.head_on.sum[1] == pytest.approx(growth, rel=1e-3)


def test_beams_far_apart_shift_the_tune_the_other_way_in_the_plane_of_separation() -> None:
    # At d » σ the slope is -1/d² along and 1/d² across, against 1/2σ² head-on.
    found = derived(
        ip__1__half_crossing_angle=0,
        ip__1__separation_sigma=[12.0, 0.0],
        beam__1__bunch_length=1e-7,
    )
    xi = found.beams[0].xi
    ratios = [e / h for e, h in zip(xi.effective.sum, xi.head_on.sum, strict=True)]
    assert ratios == pytest.approx([-2 / 144, 2 / 144], rel=1e-9)


def test_points_without_a_collision_are_not_in_the_sum() -> None:
    points = {
        "1": {"beta": [0.55, 0.55], "phase_advance": [30.1, 29.2]},
        "2": {"beta": [0.55, 0.55], "model": "none"},
    }
    xi = derived(ip=points).beams[1].xi
    assert len(xi.head_on.ips) == 2
    assert xi.head_on.sum == xi.head_on.ips[0]
    assert xi.effective.sum == xi.effective.ips[0]


def test_the_stop_band_is_that_of_the_effective_parameter() -> None:
    # Head-on ξ would be 0.14, of which an angle of Φ = 20 leaves 0.007 in x and 0.013 in y.
    tune = {"arc__tune": [64.02, 59.03], "beam__1__bunch_population": 4.3e12}
    wide = {"ip__1__half_crossing_angle": 4.4e-3}
    assert any("stop band" in w for w in derived(**tune).warnings)
    assert not any("stop band" in w for w in derived(**tune, **wide).warnings)


def test_a_coarse_mesh_is_given_no_percentage_below_one_cell() -> None:
    for grid, percentage in ((40, True), (8, False)):
        found = derived(ip__1__grid=[64, grid], ip__1__mesh_extent=8)
        (sentence,) = [w for w in found.warnings if "ip.1.grid" in w]
        one_sentence(sentence, f"ip.1.grid = [64, {grid}]", "cells", "y")
        assert ("%" in sentence) == percentage
    cells = found.resolution.cells_per_sigma
    assert cells is not None and cells < 1


def of_long_slices(found: DerivedCollision) -> list[str]:
    """The warnings of slices that are too long, not of those with too few macroparticles."""
    return [w for w in found.warnings if "slices" in w and "macroparticles" not in w]


def test_long_slices_are_named_with_the_number_that_suffices() -> None:
    (sentence,) = of_long_slices(derived(ip__1__half_crossing_angle=5e-3, ip__1__slices=3))
    one_sentence(sentence, "ip.1.slices = 3", "overlap")
    enough = int(re.findall(r"\d+", sentence)[-1])
    assert not of_long_slices(derived(ip__1__half_crossing_angle=5e-3, ip__1__slices=enough))
    assert of_long_slices(derived(ip__1__half_crossing_angle=5e-3, ip__1__slices=enough - 1))


def test_each_beam_is_resolved_by_its_own_slices() -> None:
    lengths = {"beam__1__bunch_length": 0.3, "beam__2": {"like": "beam.1", "bunch_length": 0.03}}
    equal, unequal = (derived(**lengths, ip__1__slices=n) for n in ([9, 9], [9, 1]))
    # A bunch of a tenth of the length has slices as long with a ninth of the number, and less.
    assert unequal.resolution.slice_over_beta == equal.resolution.slice_over_beta
    assert unequal.resolution.particles_per_slice == 1000 / 9
    (sentence,) = of_long_slices(derived(**lengths, ip__1__slices=[1, 9]))
    one_sentence(sentence, "ip.1.slices = [1, 9]", "beam 1", 4.6, 10)
    assert not of_long_slices(derived(**lengths, ip__1__slices=[10, 9]))


def test_the_resolution_is_the_worst_of_all_points() -> None:
    points = {
        "1": {"beta": [0.55, 0.55], "phase_advance": [30.1, 29.2], "slices": 4, "grid": [64, 64]},
        "2": {"beta": [0.55, 0.15], "slices": 20, "grid": [64, 128]},
    }
    found = derived(ip=points).resolution
    assert found.particles_per_slice == 1000 / 20
    assert found.cells_per_sigma == min(min(ip.cells_per_sigma or ()) for ip in found.ips)
    assert found.slice_over_beta == max(ip.slice_over_beta or 0 for ip in found.ips)


@pytest.mark.parametrize(
    ("turns", "xi", "tunes", "facts"),
    [
        (100, (0.003, 0.003), (0.31, 0.31), ("100 turns", "ξ", 0.3, "1000 turns")),
        (999, (0.003, 0.003), (0.31, 0.31), ("999 turns", "ξ", "1000 turns")),
        (4096, (0.003, 0.004), (0.31, 0.31), ("ξ", 0.003, 0.004)),
        (4096, (0.003, 0.003), (0.31, 0.33), ("tunes", 0.02, "6.7 ξ")),
        (4096, (0.0, 0.0), (0.31, 0.31), ("force",)),
        (1000, (0.003, 0.003), (0.3, 0.3002), ()),
        (1000, (0.003, 0.0031), None, ()),
        (1000, (0.003, 0.003), (0.9999, 0.0001), ()),
    ],
)
def test_modes_are_told_apart_only_by_enough_turns_and_between_equal_beams(
    turns: int,
    xi: tuple[float, float],
    tunes: tuple[float, float] | None,
    facts: tuple[object, ...],
) -> None:
    why = unresolved(turns, xi, tunes)
    says(why, *facts)
    assert bool(why) == bool(facts)


def test_slices_cut_far_beyond_the_bunch_have_a_resolution() -> None:
    wide = {"ip__1__slicing": "equal-width", "ip__1__slice_extent": 40, "ip__1__slices": 11}
    cells = derived(**wide).resolution.cells_per_sigma
    assert cells is not None and cells > 0

"""The noise floor: pairs of macroparticles against closed forms, and where there is no estimate."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import ive

from phasewise.workloads.collision.analysis.noise_floor import (
    MOST_DISRUPTION,
    MOST_PIWINSKI,
    MOST_XI,
    noise_floor,
    resonance_within,
)
from phasewise.workloads.collision.analysis.pair_noise import (
    MOST_TURNS,
    PAIR_TURNS,
    BeamAtPoint,
    NoisyBeam,
    NoisyPoint,
    _smeared_field,
    detuning,
    noise_growth,
)
from tests.physics.machines import study
from tests.sentences import says

CELL = 0.2
XI = 0.01


def growth(
    shift: float, macroparticles: int = 1000, tune: float = 0.31, pair_turns: int = PAIR_TURNS
) -> np.ndarray[Any, Any]:
    """Growth in round beams of σ = β = 1 whose kick belongs to ξ = 0.01, over 8π²ξ²/N."""
    beam = NoisyBeam((1.0, 1.0), 1e-9, 0.0, macroparticles)
    at = BeamAtPoint(
        beta=(1.0, 1.0),
        alpha=(0.0, 0.0),
        advance=(tune, tune + 0.0537),
        kick=8 * math.pi * XI,
        shift=(shift, shift),
        lens=(1.0, 1.0),
        crab=(),
    )
    point = NoisyPoint((at, at), (0.0, 0.0), (0.0, 0.0), (CELL, CELL))
    found, _ = noise_growth((beam, beam), [point], pair_turns)
    return found * macroparticles / (8 * math.pi**2 * XI**2)


def test_pairs_that_forget_their_phases_every_turn_diffuse_by_the_mean_square_kick() -> None:
    # A tune spread of 100 turns. The distance u = r² of two particles falls as exp(-u/4), and
    # 4⟨Ex²⟩ = ½ ∫ (1 - exp(-bu))² exp(-u/4) du/u, b = 1/2s², s² = 7h²/12, is Frullani's integral.
    b = 1 / (2 * 7 * CELL**2 / 12)
    white = 0.5 * (2 * math.log(1 + 4 * b) - math.log(1 + 8 * b))
    # 4096 pairs of 128 turns each: √(2/4096) = 2.2 % of a plane, and the sum with the other one
    # as much again; like beams share theirs. Four deviations.
    assert growth(shift=100.0) == pytest.approx(white, rel=0.12)


def test_pairs_in_step_hand_on_action_and_keep_its_sum() -> None:
    # 1.6 for independent kicks; a sum that stays bounded leaves little of it after 1024 turns.
    assert (growth(shift=1e-9, tune=0.3819) < 0.1).all()


def test_the_growth_falls_as_the_number_of_macroparticles() -> None:
    few, many = (growth(XI, n, pair_turns=2**14) for n in (1000, 4000))
    assert many == pytest.approx(few, rel=1e-12)  # over 1/N


def test_the_detuning_of_a_round_lens_is_the_closed_form() -> None:
    # Along an axis (1 - exp(-a) I0(a))/a, a = Jβ/2σ², which Gauss's rule meets to 1e-3.
    a = np.array([1e-6, 0.1, 1.0, 5.0, 15.0])
    action = np.stack([2 * a, np.zeros_like(a)])
    expected = (1 - ive(0, a)) / a
    assert detuning(action, (1.0, 1.0), (1.0, 1.0))[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("aspect", [3.0, 100.0])
def test_the_detuning_of_a_flat_lens_starts_at_one_and_falls(aspect: float) -> None:
    action = np.outer([1.0, 1.0], [1e-9, 1.0, 4.0]) * np.array([[1.0], [1 / aspect**2]])
    found = detuning(action, (1.0, 1.0), (1.0, 1 / aspect))
    assert found[:, 0] == pytest.approx([1.0, 1.0], rel=1e-6)
    assert (np.diff(found, axis=1) < 0).all() and (found > 0).all()


def test_the_field_of_a_smeared_charge_is_one_for_round_and_flat_cells() -> None:
    # The two forms meet where cells differ by 1 %, which moves the field by as much.
    x, y = np.random.default_rng(2).normal(size=(2, 100))
    for near, far in zip(
        _smeared_field(x, y, (0.2, 0.2 * 1.009)),
        _smeared_field(x, y, (0.2, 0.2 * 1.011)),
        strict=True,
    ):
        assert near == pytest.approx(far, abs=0.02 * float(np.abs(far).max()))


@pytest.mark.parametrize(
    ("changes", "turns", "facts"),
    [
        ({"ip": {"model": "soft-gaussian"}}, 10_000, ("ip.1", "soft-gaussian")),
        ({"arc": None}, 10_000, ("map", "tunes")),
        ({"other": {"macroparticles": 4000}}, 10_000, ("macroparticles",)),
        ({"beam": {"bunch_population": 1.15e12}}, 10_000, ("ξ", MOST_XI)),
        ({"ip": {"half_crossing_angle": 1e-3}}, 10_000, ("Piwinski", "ip.1", MOST_PIWINSKI)),
        ({"ip": {"grid": [8, 8]}}, 10_000, ("mesh", "ip.1")),
        ({"ip": {"beam": {"1": {"dispersion": [0.01, 0, 0, 0]}}}}, 10_000, ("dispersion", "ip.1")),
        ({"ip": {"beta": [0.01, 0.01]}}, 10_000, ("disruption", "ip.1", MOST_DISRUPTION)),
        ({"beam": {"bunch_population": 1e10}}, 10_000, ("ξ", f"{1 / MOST_TURNS:.1g}")),
        (
            {"ip": {"ramp": {"from": [0, 0], "to": [1e-6, 0], "turns": [0, 9]}}},
            10_000,
            ("separation", "ip.1"),
        ),
        ({"arc": {"tune": [0.252, 0.32]}}, 10_000, ("beam 1", "x", "1/4", 0.252)),
        ({"arc": {"tune": [0.31, 59.168]}}, 10_000, ("beam 1", "y", "1/6", 0.168)),
        ({}, 100, ("short", "ξ")),
    ],
)
def test_what_cannot_be_estimated_has_no_floor_but_a_reason(
    changes: dict[str, Any], turns: int, facts: tuple[object, ...]
) -> None:
    machine = study(**({"arc": {"tune": [0.31, 0.32]}} | changes))
    found = noise_floor(machine.resolved(), machine.derived(), turns)
    assert found.growth is None
    says(found.why, *facts)


@pytest.mark.parametrize(
    ("tune", "shift", "order", "resonance"),
    [
        (0.18, -0.02, 6, "1/6"),
        (0.155, 0.02, 6, "1/6"),
        (0.26, -0.02, 4, "1/4"),
        (0.235, 0.02, 4, "1/4"),
        (0.51, -0.02, 4, "1/2"),
        (0.99, 0.02, 4, "1"),
        (0.2715, -0.02, 4, "1/4"),  # 0.0015 beside the spread, less than a tenth of it
        (0.2725, -0.02, 4, None),
        (0.31, -0.02, 6, None),
        (0.31, 0.02, 4, None),
    ],
)
def test_a_resonance_counts_within_the_tune_spread_and_a_tenth_of_it_beside(
    tune: float, shift: float, order: int, resonance: str | None
) -> None:
    found = resonance_within(tune, shift, order)
    assert found == (None if resonance is None else Fraction(resonance))


def test_a_strong_beam_makes_no_noise() -> None:
    machine = study(ip={"model": "weak-strong"}, arc={"tune": [0.31, 0.32]})
    found = noise_floor(machine.resolved(), machine.derived(), 10_000)
    assert found.growth == ((0.0, 0.0), (0.0, 0.0))

"""The benchmark case with a hundredth of the particles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erfcx

import phasewise
from phasewise.runs.results import Results
from phasewise.workloads.collision.bench import collision_case

STUDY = Path(__file__).parent / "study.toml"
PARTICLES = 25_000
TURNS = 11


@pytest.fixture(scope="module")
def results() -> Results:
    """Some turns with their luminosity, about two seconds."""
    small = [f"turns={TURNS}", f"beam.1.macroparticles={PARTICLES}", "ip.1.luminosity=true"]
    return phasewise.run(phasewise.load(STUDY, [*small, "records.pair_luminosity_every=10"]))


def test_the_benchmark_times_this_study_with_luminosity_and_as_phasewise_would_run_it() -> None:
    case = phasewise.Study.from_dict(collision_case("paper")).resolved()
    timed = ["ip.1.luminosity=true", "ip.1.green_function=as-needed"]
    own = phasewise.load(STUDY, timed).resolved()
    for name in ("beam", "ring", "arc", "ip"):
        assert own[name] == case[name]
    defaults = phasewise.Study.from_dict(collision_case("small")).resolved()["communication"]
    assert case["communication"] == defaults
    assert own["communication"] != defaults


def test_the_luminosity_is_the_head_on_one_with_the_hourglass(results: Results) -> None:
    point = results.derived["ips"][0]
    # Round beams: √π u exp(u²) erfc(u) = 0.991, u = β*/σz; four digits of 1.202e34 are known.
    u = 0.55 / 0.0755
    expected = 1.202e34 * math.sqrt(math.pi) * u * float(erfcx(u))
    assert point["luminosity_per_second"] == pytest.approx(expected, rel=5e-4)
    # Two samples of N overlap to √(2/3N) = 0.5 %, new ones each turn as bunches turn; the mesh of
    # 256² smears by h²/6 = 0.04 %; the other bunch's lens beats the size by 2πξ |cot 2πQ| = 1 %.
    error = 3 * math.sqrt(2 / (3 * PARTICLES)) + 0.0004 + 0.011
    assert results.luminosity[:, 0] == pytest.approx(point["luminosity"], rel=error)


def test_all_pairs_of_slices_collide_and_add_up(results: Results) -> None:
    pairs = results.pair_luminosity(10)
    assert pairs.shape == (8, 8)
    assert np.all(pairs > 0)
    assert pairs.sum() == pytest.approx(results.luminosity[10, 0], rel=1e-13)


def test_the_momentum_spread_is_untouched_without_the_longitudinal_kick(results: Results) -> None:
    emittance = results.beam(1).emittance[:, 2]
    # Linear synchrotron motion, and a z that chromaticity moves by 2πQ'J: 2π·2·5e-10 m a turn, of
    # 7.5 cm.
    assert emittance == pytest.approx(np.full(TURNS, emittance[0]), rel=1e-5)


def test_no_particle_leaves_the_mesh_or_the_ring(results: Results) -> None:
    for beam in (1, 2):
        assert results.beam(beam).losses[-1] == 0
        # ±6 rms: 4e-9 of the particles, 64 deposits each.
        assert results.beam(beam).outside.max() <= 64

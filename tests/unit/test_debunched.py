"""Debunched particles: on contours of the Hamiltonian, against `check`, and in a summary."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise
from phasewise.runs.summary import finite, show_summary, summarise
from phasewise.study import Study
from phasewise.workloads.collision.tables.longitudinal import rf_kick, slip_factor
from phasewise.workloads.collision.tables.model import collision_of
from tests.physics.machines import put
from tests.unit.study_tables import RF, build

pytest.importorskip("phasewise._core", reason="the core is not built")

Floats = NDArray[np.float64]

COUNT = 1000
WAVELENGTH = 26658.883 / 35640
LONG = {"beam__1__bunch_length": 0.12, "beam__1__momentum_spread": 1.8e-4}
"""A bunch of which some per cent begin outside of its bucket."""


def machine(**changes: Any) -> Study:
    alone: dict[str, Any] = {"ip__1__model": "none", "beam__1__macroparticles": COUNT}
    return build(**(RF | alone | changes))


def counts(study: Study, z: Floats, delta: Floats) -> float:
    """How many particles of beam 1 are counted as debunched where they stand."""
    simulation = phasewise.Simulation(study)
    put(simulation, 1, np.array([0 * z, 0 * z, 0 * z, 0 * z, z, delta]))
    simulation.step()
    return float(simulation.driver.record()["1/debunched"])


def separatrix(study: Study, phase: float) -> tuple[Floats, Floats]:
    """Places z (COUNT,) between the ends of beam 1's bucket, and its δ > 0 there."""
    beam, rf = study.beam(1), study.beam(1).arc.rf
    slip, kick, k = slip_factor(beam), rf_kick(beam, rf), 2 * math.pi / WAVELENGTH
    angle = 2 * math.pi * phase

    def potential(z: Any) -> Any:
        curve = (np.cos(angle) - np.cos(angle + k * z)) / k - z * np.sin(angle)
        return math.copysign(kick, slip) * curve

    front = (math.pi - 2 * angle) % (2 * math.pi) / k
    barriers = np.array([front - WAVELENGTH, front])
    z = np.linspace(*barriers, COUNT + 2)[1:-1]
    squares = 2 * (potential(barriers).min() - potential(z)) / (abs(slip) * 26658.883)
    return z, np.sqrt(np.maximum(squares, 0.0))


@pytest.mark.parametrize("phase", [0.0, 0.03, -0.06])
def test_particles_within_the_separatrix_are_held_and_those_beyond_it_are_not(phase: float) -> None:
    study = machine(arc__rf__phase=phase)
    z, delta = separatrix(study, phase)
    within = int((delta > 0).sum())
    assert within > COUNT / 4
    # Potentials are exact to 1e-15 of the bucket's height: 1e-6 of δ is far from it.
    for sign in (1, -1):
        assert counts(study, z, sign * (1 - 1e-6) * delta) == COUNT - within
        assert counts(study, z, sign * (1 + 1e-6) * delta) == COUNT


def test_a_stationary_bucket_ends_where_a_cosine_does() -> None:
    # S. Y. Lee, section 3.II: δ = sqrt(2 q V/(π β² h |η| E)) cos(kz/2).
    study = machine()
    beam = study.beam(1)
    squared = 2 * 16e6 / (math.pi * beam.beta**2 * 35640 * slip_factor(beam) * beam.energy)
    z = np.linspace(-0.499, 0.499, COUNT) * WAVELENGTH
    delta = math.sqrt(squared) * np.cos(math.pi * z / WAVELENGTH)
    assert counts(study, z, (1 - 1e-6) * delta) == 0
    assert counts(study, z, (1 + 1e-6) * delta) == COUNT


def test_below_transition_the_bucket_stands_at_half_a_turn() -> None:
    study = machine(arc__rf__phase=0.5, arc__momentum_compaction=-3.225e-4)
    z, delta = separatrix(study, 0.5)
    assert counts(study, z, (1 - 1e-6) * delta) == 0
    assert counts(study, z, (1 + 1e-6) * delta) == COUNT


def test_a_particle_in_a_neighbouring_bucket_is_debunched() -> None:
    places = np.arange(COUNT) - COUNT // 2
    z, delta = places * WAVELENGTH, np.zeros(COUNT)
    assert counts(machine(), z, delta) == COUNT - 1


def test_without_rf_and_in_other_beams_none_are_counted() -> None:
    far = np.full(COUNT, 10 * WAVELENGTH), np.full(COUNT, 0.01)
    assert counts(build(ip__1__model="none", beam__1__macroparticles=COUNT), *far) == 0
    simulation = phasewise.Simulation(machine())
    put(simulation, 1, np.array([*[np.zeros(COUNT)] * 4, *far]))
    simulation.step()
    record = simulation.driver.record()
    # Beam 2 is as it was made.
    share = collision_share(machine())
    assert record["1/debunched"] == COUNT
    assert abs(record["2/debunched"] - COUNT * share) < 4 * math.sqrt(COUNT * share) + 1


def collision_share(study: Study) -> float:
    """What `check` gives for beam 1."""
    return float(study.derived()["beams"][0]["bucket"]["debunched"])


def test_a_strong_beam_is_not_counted() -> None:
    study = build(ip__1__model="weak-strong", beam__1__macroparticles=COUNT, **RF, **LONG)
    assert collision_of(study).beam(2).strong
    simulation = phasewise.Simulation(study)
    simulation.step()
    record = simulation.driver.record()
    assert record["1/debunched"] > 0
    assert record["2/debunched"] == 0


@pytest.mark.parametrize("cut", ["0", "[0, 0, 3.2]"])
def test_a_first_turn_of_the_hl_lhc_counts_the_share_that_check_gives(
    repository: Path, cut: str
) -> None:
    count = 100_000
    changes = ["turns=1", f"beam.1.macroparticles={count}", f"beam.1.cut={cut}"]
    study = phasewise.load(
        repository / "examples/hl-lhc/study.toml", [*changes, 'ip.1.model="none"']
    )
    share = collision_share(study)
    simulation = phasewise.Simulation(study)
    simulation.step()
    record = simulation.driver.record()
    # Each particle is outside with that probability: four standard errors of a binomial count.
    tolerance = 4 * math.sqrt(count * share * (1 - share))
    for beam in (1, 2):
        assert abs(record[f"{beam}/debunched"] - count * share) < tolerance


def test_the_count_stays_while_the_particles_go_round() -> None:
    simulation = phasewise.Simulation(machine(**LONG, turns=1001))
    found = []
    for turn in range(1001):
        simulation.step()
        if turn % 100 == 0:
            found.append(simulation.driver.record()["1/debunched"])
    # Contours are distorted by a share of πQs, 0.6 %. With H distributed as exp(-H/H₀) and a tenth
    # of the particles beyond the separatrix, 0.23·COUNT of them lie in a unit of H/H_s there: 1.5
    # on either side, and four of their standard deviations.
    assert found[0] > 20
    assert max(found) - min(found) <= 3 + 4 * math.sqrt(3)


def test_the_summary_has_the_last_count_and_null_without_rf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = machine(**LONG, turns=3)
    with phasewise.run(study, tmp_path / "rf") as results:
        beams = summarise(results)["beams"]
        assert results.beam(1).debunched.shape == (3,)
        assert [b["debunched"] for b in beams] == [results.beam(b).debunched[-1] for b in (1, 2)]
        assert min(b["debunched"] for b in beams) > 0
        show_summary(finite(summarise(results)), study.resolved())
    (row,) = [line for line in capsys.readouterr().out.splitlines() if "debunched" in line]
    assert row.split()[-2:] == [str(b["debunched"]) for b in beams]
    plain = build(ip__1__model="none", turns=2)
    with phasewise.run(plain, tmp_path / "plain") as results:
        assert [b["debunched"] for b in summarise(results)["beams"]] == [None, None]
        assert results.beam(1).debunched.tolist() == [0, 0]
        show_summary(finite(summarise(results)), plain.resolved())
    assert "debunched" not in capsys.readouterr().out

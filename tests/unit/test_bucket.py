"""The RF bucket against closed forms and against particles that go round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from phasewise.study import Study
from phasewise.workloads.collision.derived.bucket import Bucket, bucket
from phasewise.workloads.collision.derived.quantities import derive
from phasewise.workloads.collision.tables.longitudinal import slip_factor
from phasewise.workloads.collision.tables.model import Collision
from tests.sentences import one_sentence
from tests.unit.study_tables import tables

LHC = {"voltage": 16e6, "harmonic": 35640, "phase": 0.0}


def machine(rf: dict[str, Any] | None = None, **changes: Any) -> Collision:
    ring: dict[str, Any] = {"arc__synchrotron_tune": None, "arc__momentum_compaction": 3.225e-4}
    found = Study.from_dict(tables(arc__rf=LHC if rf is None else rf, **(ring | changes))).model
    assert isinstance(found, Collision)
    return found


def bucket_of(model: Collision) -> Bucket:
    found = bucket(model, model.beam(1))
    assert found is not None
    return found


def test_a_stationary_bucket_has_its_closed_height_and_is_a_wavelength_long() -> None:
    model = machine()
    found, beam = bucket_of(model), model.beam(1)
    # S. Y. Lee, section 3.II: sqrt(2 q V/(π β² h |η| E)).
    squared = 2 * 16e6 / (math.pi * beam.beta**2 * 35640 * slip_factor(beam) * beam.energy)
    assert found.height == pytest.approx(math.sqrt(squared), rel=1e-9)
    half = 26658.883 / 35640 / 2
    assert found.ends == pytest.approx((-half, half), rel=1e-12)


def test_below_transition_the_bucket_at_half_a_turn_is_the_same_as_above() -> None:
    # η of the same size and the other sign.
    model = machine()
    beam = model.beam(1)
    compaction = 2 / beam.gamma**2 - 3.225e-4
    below = machine(LHC | {"phase": 0.5}, arc__momentum_compaction=compaction)
    assert bucket_of(below).height == pytest.approx(bucket_of(model).height, rel=1e-9)
    assert bucket_of(below).debunched == pytest.approx(bucket_of(model).debunched, rel=1e-6)


@pytest.mark.parametrize("phase", [0.0, 0.03, 0.06, -0.06])
def test_the_share_outside_is_that_of_the_particles_that_leave(phase: float) -> None:
    count, turns = 4000, 4000
    model = machine(
        LHC | {"phase": phase}, beam__1__bunch_length=0.1, beam__1__momentum_spread=1.6e-4
    )
    beam = model.beam(1)
    rng = np.random.default_rng(5)
    z = rng.normal(size=count) * beam.bunch_length
    delta = rng.normal(size=count) * beam.momentum_spread
    k = 2 * math.pi * LHC["harmonic"] / 26658.883
    kick = LHC["voltage"] / (beam.beta**2 * beam.energy)
    slide = slip_factor(beam) * 26658.883
    for _ in range(turns):
        delta += kick * (np.sin(2 * math.pi * phase + k * z) - math.sin(2 * math.pi * phase))
        z -= slide * delta
    # In 4000 turns, some six synchrotron periods, all but those within 1 % of the separatrix are a
    # wavelength away; four standard errors of a count besides.
    share = float(np.mean(np.abs(z) > 26658.883 / LHC["harmonic"]))
    expected = bucket_of(model).debunched
    assert share == pytest.approx(expected, abs=0.01 + 4 * math.sqrt(expected / count))


def test_a_cut_below_the_bucket_leaves_nothing_outside() -> None:
    # 3.6e-4 over 1.13e-4 and 0.374 m over 0.0755 m: a cut at 2.5 rms stays within.
    assert bucket_of(machine()).debunched > 1e-3
    whole, along = bucket_of(machine(beam__1__cut=2.5)), machine(beam__1__cut=[0, 0, 2.5])
    assert whole.debunched < 1e-5
    # Only the longitudinal one counts.
    assert bucket_of(along).debunched == whole.debunched
    across = bucket_of(machine(beam__1__cut=[2.5, 2.5, 0]))
    assert across.debunched == bucket_of(machine()).debunched


def test_a_bunch_larger_than_its_bucket_is_a_warning_with_the_share() -> None:
    model = machine()
    found = bucket_of(model)
    sentence = next(w for w in derive(model).warnings if "RF bucket" in w and "%" in w)
    share = f"{100 * found.debunched:.2g} %"
    one_sentence(sentence, share, "beam 1", "delta", f"{found.height:.3g}")


def test_without_rf_there_is_no_bucket() -> None:
    model = Study.from_dict(tables()).model
    assert bucket(model, model.beam(1)) is None

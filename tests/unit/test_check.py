"""What `phasewise check` shows of interaction points: disruption, sizes at an angle, tables."""

from __future__ import annotations

import math
from typing import Any

import pytest

from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.collision.derived.quantities import DerivedCollision, derive
from tests.sentences import missing, says
from tests.unit.study_tables import tables

PHI = 142.5e-6
TWO_POINTS = {
    "1": {"beta": [0.55, 0.55], "phase_advance": [30.1, 29.2]},
    "2": {"beta": [0.55, 0.55]},
}


def derived(**changes: Any) -> DerivedCollision:
    return derive(Study.from_dict(tables(**changes)).model)


def shown(capsys: pytest.CaptureFixture[str], **changes: Any) -> str:
    study = Study.from_dict(tables(**changes))
    study.workload.part(Checking).show(study)
    return capsys.readouterr().out


def test_head_on_the_disruption_is_the_tune_shift_over_a_length() -> None:
    at = derived(ip__1__half_crossing_angle=0.0).ips[0].beams[0]
    # ξ = N r0 β/(2πγ σx(σx + σy)), hence D = 4π ξ σz/β.
    assert at.disruption == pytest.approx([4 * math.pi * xi * 0.0755 / 0.55 for xi in at.xi])
    assert at.effective_size == at.size
    assert at.crab is None


def test_an_angle_widens_the_bunch_in_its_plane_and_shortens_the_way_through_it() -> None:
    straight = derived(ip__1__half_crossing_angle=0.0).ips[0].beams[0]
    found = derived(ip__1__crossing_plane=math.pi / 2).ips[0]
    at = found.beams[0]
    (x, y), (wide_x, wide_y) = at.size, at.effective_size
    tilt = math.tan(PHI) * 0.0755
    assert wide_x == pytest.approx(x, rel=1e-12)
    assert wide_y == pytest.approx(math.hypot(y, tilt), rel=1e-12)
    # Both planes' sizes, and the length over sqrt(1 + Φ²) = wide_y/y.
    narrower = (x + y) / (wide_x + wide_y) * y / wide_y
    expected = [straight.disruption[0] * narrower, straight.disruption[1] * narrower * y / wide_y]
    assert at.disruption == pytest.approx(expected, rel=1e-9)
    assert found.full_crossing_angle == pytest.approx(2 * PHI)
    assert found.crossing_plane == math.pi / 2


def test_full_crab_cavities_leave_the_head_on_disruption() -> None:
    crab = {"strength": 1.0, "frequency": 4e8}
    crabbed = derived(ip__1__crab=crab).ips[0].beams[1]
    straight = derived(ip__1__half_crossing_angle=0.0).ips[0].beams[1]
    assert crabbed.disruption == pytest.approx(straight.disruption, rel=1e-12)
    assert crabbed.crab is not None
    assert (crabbed.crab.strength, crabbed.crab.frequency) == (1.0, 4e8)


def test_rows_are_shown_where_they_apply(capsys: pytest.CaptureFixture[str]) -> None:
    crossing = shown(capsys, ip__1__crab={"strength": 0.5})
    head_on = shown(capsys, ip__1__half_crossing_angle=0.0, ip__1__model="soft-gaussian")
    where_it_applies = ("crossing plane", "crab cavities", "cells per σ")
    always = ("disruption", "per slice", "slice length")
    says(crossing, *where_it_applies, *always)
    says(head_on, *always)
    assert missing(head_on, *where_it_applies) == list(where_it_applies)
    without = shown(capsys, ip__1__model="none")
    assert "ξ" not in without and "resolution" not in without


def test_planes_that_cannot_be_shared_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    apart: dict[str, Any] = {"ip__1__half_crossing_angle": 3e-3, "ip__1__slices": 7}
    told = "each pair of slices has two planes"
    says(" ".join(shown(capsys, **apart).split()), "Interaction point 1", told)
    others = {"ip__1__planes": "pair"}, {"ip__1__interpolation": "none"}
    for changes in ({}, *(apart | other for other in others)):
        assert told not in " ".join(shown(capsys, **changes).split())


def test_the_sum_of_xi_is_shown_of_several_points(capsys: pytest.CaptureFixture[str]) -> None:
    (xi, _), (alone, _) = (
        [beam.xi for beam in derived(**own).beams] for own in ({"ip": TWO_POINTS}, {})
    )
    both, one = shown(capsys, ip=TWO_POINTS), shown(capsys)
    says(both, *(f"{value:.7g}" for value in (xi.effective.sum[0], xi.head_on.sum[0])))
    # The sum over a single point is that of the point itself, which stands there once.
    (_,) = (line for line in one.splitlines() if f"{alone.head_on.sum[0]:.7g}" in line)

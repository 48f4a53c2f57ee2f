"""The gradient flow on one rank: another program's values, fields with a known charge, the order
of the integrator, and its scales.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_planner
from phasewise.study import Study
from phasewise.workloads.qcd import Links
from phasewise.workloads.qcd.flow_scales import t0_of, times_of, w0_of
from tests.sentences import refused
from tests.unit.quark_reference import random_links

core: Any = load_planner()
SAMPLES = Path(__file__).parents[3] / "shared/data/lattice"


def reals(links: np.ndarray) -> np.ndarray:
    """As the core takes them."""
    return np.ascontiguousarray(links).view(np.float64)


def flowed(links: Links, step: float, steps: int, fast: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = core.gradient_flow(
        reals(links.array), list(links.size), step, steps, fast=fast
    )
    return found


def near_one(size: tuple[int, ...], seed: int, strength: float) -> Links:
    """exp(iH) of random traceless H of this strength."""
    rng = np.random.default_rng(seed)
    shape = (*size[::-1], 4, 3, 3)
    h = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    h = 0.5 * strength * (h + np.conj(np.swapaxes(h, -1, -2)))
    h -= np.trace(h, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
    values, vectors = np.linalg.eigh(h)
    phases = np.exp(1j * values)[..., None, :]
    return Links((vectors * phases) @ np.conj(np.swapaxes(vectors, -1, -2)))


def with_flux(size: tuple[int, int, int, int], xy: int, zt: int) -> tuple[Links, float]:
    """Constant fields of so many flux quanta of diag(1, -1, 0) in the planes xy and zt, and their
    charge in closed form (shared/validation.md).
    """
    x, y, z, t = size
    links = np.zeros((t, z, y, x, 4, 3, 3), dtype=complex)
    links[..., [0, 1, 2], [0, 1, 2]] = 1.0
    charge = 2.0 * xy * zt
    for first, quanta in ((0, xy), (2, zt)):
        n, m = size[first], size[first + 1]
        angle = 2 * np.pi * quanta / (n * m)
        charge *= np.sin(angle) / angle
        for at in np.ndindex(t, z, y, x):
            i, j = at[3 - first], at[2 - first]
            turned = {first + 1: angle * i}
            if i == n - 1:  # the field closes around the axis
                turned[first] = -angle * n * j
            for axis, phase in turned.items():
                links[at][axis] = links[at][axis] @ np.diag(
                    [np.exp(1j * phase), np.exp(-1j * phase), 1.0]
                )
    return Links(links), charge


def test_the_flow_of_a_sample_is_that_of_milc() -> None:
    path = SAMPLES / "lat.sample.l4448"
    if not path.is_file():
        pytest.skip("../shared is not there")
    found = Links.read(path).flow(until=0.9, step=0.1)
    # MILC's own numbers, in single precision.
    expected = {
        0: (1.05787, 1.03094, 0.0955429),
        5: (0.152452, 0.125636, 0.00570391),
        9: (0.0585831, 0.0404036, 0.000886915),
    }
    for step, (time, space, charge) in expected.items():
        assert found.energy_time[step] == pytest.approx(time, rel=5e-6)
        assert found.energy_space[step] == pytest.approx(space, rel=5e-6)
        assert found.charge[step] == pytest.approx(charge, rel=5e-6)


def test_a_sample_that_does_not_reach_the_scale_has_no_scale() -> None:
    path = SAMPLES / "lat.sample.l8888"
    if not path.is_file():
        pytest.skip("../shared is not there")
    found = Links.read(path).flow(until=4.0, step=0.1)
    scaled = found.time**2 * found.energy
    # Another program: at most 0.1335, near t = 2.8, with a fifth of the step.
    assert scaled.max() == pytest.approx(0.1335, abs=1e-3)
    assert found.time[scaled.argmax()] == pytest.approx(2.8, abs=0.3)
    assert found.t0 is None and found.w0 is None


@pytest.mark.parametrize(("size", "xy", "zt"), [((4, 4, 4, 8), 1, 1), ((4, 6, 4, 8), 2, -1)])
def test_constant_fields_have_their_charge_and_keep_it(
    size: tuple[int, int, int, int], xy: int, zt: int
) -> None:
    links, charge = with_flux(size, xy, zt)
    found = links.flow(until=0.2, step=0.1)
    np.testing.assert_allclose(found.charge, charge, rtol=0, atol=1e-12)
    angles = [2 * np.pi * xy / (size[0] * size[1]), 2 * np.pi * zt / (size[2] * size[3])]
    # F = i sin φ diag(1, -1, 0) in both planes.
    np.testing.assert_allclose(found.energy_space, 2 * np.sin(angles[0]) ** 2, rtol=1e-12)
    np.testing.assert_allclose(found.energy_time, 2 * np.sin(angles[1]) ** 2, rtol=1e-12)


def test_the_integrator_has_the_third_order() -> None:
    """All along the flow of a rough field the error falls by 2³ with half of the step."""
    links = near_one((4, 4, 4, 4), 1, 0.4)
    until = 0.4
    energy = {
        steps: flowed(links, until / steps, steps)["energy_space"][-1] for steps in (4, 8, 64)
    }
    ratio = (energy[4] - energy[64]) / (energy[8] - energy[64])
    assert 6.5 < ratio < 9.5


def test_a_short_step_is_a_step_of_stout_links() -> None:
    """Both go along minus the derivative of Wilson's action; they differ in the second order."""
    links = near_one((4, 4, 4, 4), 2, 0.3)
    off = []
    for step in (0.01, 0.005):
        flow = np.asarray(flowed(links, step, 1)["links"])
        stout = np.asarray(core.stout_links(reals(links.array), list(links.size), step))
        off.append(np.abs(flow.ravel() - stout.ravel()).max())
        moved = np.abs(stout.ravel() - reals(links.array).ravel()).max()
        assert off[-1] < 0.1 * moved
    assert off[0] / off[1] == pytest.approx(4, rel=0.15)


def test_the_links_stay_unitary_from_the_roughest_start() -> None:
    links = Links.hot((4, 4, 2, 6), seed=3)
    found = flowed(links, 0.1, 20)
    flow = np.asarray(found["links"]).view(np.complex128).reshape(-1, 3, 3)
    product = flow @ np.conj(np.swapaxes(flow, -1, -2))
    # Each of 60 stages multiplies by an exponential with some units of rounding.
    assert np.abs(product - np.eye(3)).max() < 60 * 8 * 2.0**-52
    assert np.abs(np.linalg.det(flow) - 1).max() < 60 * 24 * 2.0**-52
    energy = found["energy_space"] + found["energy_time"]
    assert (np.diff(found["plaquette"]) > 0).all() and energy[-1] < energy[0]


def test_vectors_of_sites_have_the_bits_of_single_ones() -> None:
    # 81 sites do not fill the last vector.
    size = [3, 3, 3, 3]
    links = reals(random_links(size, 4))
    one, many = (core.gradient_flow(links, size, 0.07, 3, fast=fast) for fast in (False, True))
    for name in one:
        np.testing.assert_array_equal(one[name], many[name])


def test_the_plaquette_and_the_fields_are_those_of_other_measurements() -> None:
    links = near_one((4, 2, 4, 6), 5, 0.3)
    found = links.flow(until=0.02)
    assert found.plaquette[0] == pytest.approx(links.measure()["plaquette"], rel=1e-14)


def test_the_scales_are_where_the_curves_cross() -> None:
    times = times_of(0.02, 301)
    # t²E = a t: t₀ = 0.3/a, and its logarithmic derivative is a t too.
    energy = np.divide(0.08, times, out=np.zeros(301), where=times > 0)
    assert t0_of(times, energy) == pytest.approx(3.75, rel=1e-12)
    assert w0_of(times, energy) == pytest.approx(np.sqrt(3.75), rel=1e-10)
    assert t0_of(times[:150], energy[:150]) is None and w0_of(times[:2], energy[:2]) is None


def study(**measure: Any) -> Study:
    return Study.from_dict(
        {
            "workload": "qcd", "solves": 1, "lattice": {"size": [4, 4, 4, 4]},
            "quarks": {"kappa": 0.12}, "solver": {"iterations": 1}, "measure": measure,
        }
    )  # fmt: skip


def test_a_flow_is_a_table_or_two_keys() -> None:
    table = study(flow={"step": 0.05, "until": 1.02})
    assert (
        table.resolved()["measure"] == study(flow_step=0.05, flow_until=1.02).resolved()["measure"]
    )
    assert table.model.measure.flow_steps == 21
    assert study(flow={"until": 0.3, "step": 0.1}).model.measure.flow_steps == 3
    assert study().model.measure.flow_steps == 0


@pytest.mark.parametrize(
    ("measure", "facts"),
    [
        ({"flow": {"step": 0.02}}, ("measure.flow.until", "flow time at the end")),
        ({"flow": {"steps": 3, "until": 1.0}}, ("measure.flow", "steps", "step")),
        ({"flow": {"step": 0.2, "until": 1.0}}, ("measure.flow_step = 0.2", "unstable", "0.1")),
        ({"flow": {"until": 1.0}, "flow_until": 2.0}, ("one key",)),
        ({"flow": {"step": 1e-6, "until": 900.0}}, ("measure.flow_until", "steps")),
        ({"flow": {"step": 1e-306, "until": 900.0}}, ("measure.flow_until", "steps")),
    ],
)
def test_a_flow_that_cannot_be_is_refused_in_a_sentence(
    measure: dict[str, Any], facts: tuple[str, ...]
) -> None:
    refused(lambda: study(**measure), *facts)


def test_a_flow_needs_memory_of_its_own() -> None:
    without, flowing = (study(**own).derived()["memory_bytes"] for own in ({}, {"flow_until": 1.0}))
    assert flowing > 1.3 * without

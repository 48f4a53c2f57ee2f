"""Tracking against xtrack's of the same line, element by element and around a ring."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.workloads.spacecharge.importers.xsuite import lattice_of, translate
from tests.sentences import refused
from tests.unit.spacecharge_study import study

core = pytest.importorskip("phasewise._core", reason="the core is not built")
xt = pytest.importorskip("xtrack", reason="xtrack is not installed")

KINETIC = 160e6
START = np.array([3e-3, 2e-3, -2e-3, 1e-3, 0.05, 4e-3])[:, None] * np.array([1.0, -1.0, 0.5])
EXACT: dict[str, Any] = {"model": "drift-kick-drift-exact", "integrator": "uniform"}
BEND: dict[str, Any] = {"model": "bend-kick-bend", "length": 1.4, "angle": 0.2}
EDGES: dict[str, Any] = {"edge_entry_angle": 0.1, "edge_entry_fint": 0.5, "edge_entry_hgap": 0.03}


def exact_elements() -> dict[str, Any]:
    """Elements of which xtrack's exact models and ours are the same maps."""
    four = {**EXACT, "num_multipole_kicks": 4}
    return {
        "drift": xt.Drift(length=1.3, model="exact"),
        "sextupole": xt.Sextupole(length=0.3, k2=3, k2s=1, **four),
        "octupole": xt.Octupole(length=0.3, k3=30, k3s=-8, rot_s_rad=0.2, **four),
        "bend": xt.Bend(**BEND, **EDGES),
        "bend with another edge": xt.Bend(**BEND, **EDGES, edge_exit_fint=0.2, edge_exit_hgap=0.03),
        "rolled bend": xt.Bend(**{**BEND, "angle": -0.2}, rot_s_rad=0.4, edge_exit_angle=-0.1),
        "rectangular bend": xt.RBend(
            length_straight=1.4, angle=0.2, edge_entry_angle=0.02, model="bend-kick-bend"
        ),
        "multipole": xt.Multipole(knl=[0, 0.2, 0.3, 5], ksl=[1e-3, 0.1]),
        "thin bend": xt.Multipole(knl=[0.02], hxl=0.02, length=0.5),
        "cavity": xt.Cavity(voltage=2e5, frequency=3e6, phase=math.pi),
        "cavity below transition": xt.Cavity(voltage=2e5, frequency=3e6, phase=0),
        "solenoid": xt.UniformSolenoid(length=0.5, ks=0.7),
        "edge": xt.DipoleEdge(k=0.2, e1=0.1, hgap=0.03, fint=0.4),
    }


def line_of(*elements: Any) -> Any:
    line = xt.Line(elements=list(elements), element_names=[f"e{k}" for k in range(len(elements))])
    mass = phasewise.constants.PROTON_MASS
    line.particle_ref = xt.Particles(mass0=mass, q0=1, kinetic_energy0=KINETIC)
    return line


def theirs(line: Any, start: Any, turns: int = 1) -> Any:
    """Coordinates behind the line; z = ζ β/β0."""
    particles = line.build_particles(
        x=start[0], px=start[1], y=start[2], py=start[3], zeta=0, delta=start[5]
    )
    particles.zeta[:] = start[4] / particles.rvv
    line.track(particles, num_turns=turns)
    p, order = particles, np.argsort(particles.particle_id)
    return np.array([p.x, p.px, p.y, p.py, p.zeta * p.rvv, p.delta])[:, order]


def parameters(line: Any) -> str:
    elements = tomllib.loads(lattice_of(line, "the line").translation().text)["element"]
    given = study(f"bunch.kinetic_energy={KINETIC}", "solver.kicks=1")
    tables = {
        **given.resolved(),
        "lattice": {"element": [*elements, {"kind": "drift", "length": 1}]},
    }
    text = phasewise.Study.from_dict(tables).parameters()
    # Without the drift that makes every one of these a lattice.
    last = f"lattice.{len(elements) + 1}."
    kept = [row for row in text.splitlines() if not row.startswith(last)]
    count = f"lattice.count = {len(elements)}"
    return "\n".join(count if row.startswith("lattice.count") else row for row in kept)


def ours(line: Any, start: Any) -> Any:
    return np.asarray(core.push_lattice(parameters(line), np.ascontiguousarray(start)))


@pytest.mark.parametrize("name", exact_elements())
def test_exact_maps_are_the_same_to_rounding(name: str) -> None:
    line = line_of(xt.Drift(length=0.4, model="exact"), exact_elements()[name])
    # Lengths of 1 m and z of 5 cm to some roundings.
    assert ours(line, START) == pytest.approx(theirs(line, START), rel=0, abs=2e-15)
    assert lattice_of(line, "the line").missing == []


@pytest.mark.parametrize("strengths", [{"k1": 1.1}, {"k1": 1.1, "k1s": 0.4}, {"k1": -2.0}])
def test_quadrupoles_agree_up_to_what_their_splitting_errs_by(strengths: dict[str, float]) -> None:
    many = {**EXACT, "integrator": "yoshida4", "num_multipole_kicks": 200}
    line = line_of(xt.Quadrupole(length=0.4, **strengths, **many))
    k1 = math.hypot(*strengths.values())
    for scale in (1.0, 0.5):
        slope = np.hypot(START[1], START[3]) + k1 * 0.4 * np.hypot(START[0], START[2])
        slope = scale * slope.max()
        # L² k1 of the largest angle's third power, where the square root is split from the
        # gradient; z is of the fourth.
        found = np.abs(ours(line, scale * START) - theirs(line, scale * START))
        assert found[:4].max() < k1 * 0.4**2 * slope**3
        assert found[4].max() < 1e-3 * k1 * 0.4**2 * slope**3 + 1e-15


def test_a_combined_bend_agrees_up_to_what_its_splitting_errs_by() -> None:
    many = {"integrator": "yoshida4", "num_multipole_kicks": 200}
    line = line_of(xt.Bend(**BEND, **EDGES, k1=0.2, **many))
    found = np.abs(ours(line, START) - theirs(line, START))
    # The rest of the matrix is of third order, h x px² L and the like, 4e-9; its error in four
    # slices is some (k1 L² + θ²)/24 of that over 4², and as much of what its edges add.
    assert found.max() < 4e-9


@pytest.mark.parametrize("more", [{"knl": [0, 0, 0, 2.0]}, EDGES], ids=["octupole", "fringe"])
def test_a_bend_with_a_sextupole_has_the_map_of_many_kicks(more: dict[str, Any]) -> None:
    """Ours stand at the nodes of a quadrature, theirs at equal distances: with more of them theirs
    approach ours.
    """

    def differences(kicks: int) -> float:
        many = {"integrator": "uniform", "num_multipole_kicks": kicks}
        line = line_of(xt.Bend(**BEND, **more, k2=0.4, **many))
        return float(np.abs(ours(line, START) - theirs(line, START)).max())

    # A kick's error falls as the square of their distance; 8 kicks differ by 2e-8.
    assert differences(8) < 3e-8
    assert differences(64) < 3e-8 / 30


def cells() -> Any:
    """A small ring of bends, quadrupoles and sextupoles whose elements are all named."""
    env = xt.Environment()
    env.new("qf", xt.Quadrupole, length=0.5, k1=0.5)
    env.new("qd", xt.Quadrupole, length=0.5, k1=-0.5)
    env.new("b", xt.Bend, length=2, angle=math.pi / 4, k0_from_h=True)
    env.new("s", xt.Sextupole, length=0.2, k2=1.0)
    env.new("d", xt.Drift, length=0.3)
    line = env.new_line(components=["qf", "d", "b", "d", "s", "qd", "d", "b", "d"] * 4)
    line.particle_ref = xt.Particles(p0c=5e9, mass0=phasewise.constants.PROTON_MASS)
    return line


def test_a_line_that_is_cut_or_sliced_has_the_tunes_of_its_pieces(tmp_path: Any) -> None:
    cut, sliced = cells(), cells()
    cut.cut_at_s([1.0, 2.0, 3.0, 4.0, 10.0])
    strategies = [xt.Strategy(xt.Teapot(1)), xt.Strategy(xt.Teapot(3), element_type=xt.Bend)]
    sliced.slice_thick_elements(
        [*strategies, xt.Strategy(xt.Teapot(4), element_type=xt.Quadrupole)]
    )
    for line in (cells(), cut, sliced):
        line.to_json(tmp_path / "line.json")
        translation = translate(tmp_path / "line.json")
        assert translation.not_translated == []
        tables = tomllib.loads(translation.text)
        kinetic = tables["energy"] - tables["mass"]
        given = study(f"bunch.kinetic_energy={kinetic}", lattice={"element": tables["element"]})
        twiss = line.twiss4d()
        found = core.ring_optics(given.parameters())
        assert found["tunes"] == pytest.approx([twiss.qx, twiss.qy], abs=1e-7)


def ring() -> Any:
    """Eight cells of bends, quadrupoles and sextupoles, with a cavity: a line of xtrack."""
    many = {**EXACT, "integrator": "yoshida4", "num_multipole_kicks": 20}
    four = {**EXACT, "num_multipole_kicks": 4}
    drift = xt.Drift(length=0.545, model="exact")
    bend = xt.RBend(
        length_straight=1.4,
        angle=math.pi / 8,
        model="bend-kick-bend",
        **{f"edge_{side}_{key}": v for side in ("entry", "exit") for key, v in GAP.items()},
    )
    cell = [
        *(xt.Quadrupole(length=0.4, k1=0.9774, **many), drift),
        *(xt.Sextupole(length=0.15, k2=0.4, **four), bend, drift, drift),
        *(xt.Quadrupole(length=0.4, k1=-0.7365, **many), drift),
        *(xt.Sextupole(length=0.15, k2=-1.1, **four), bend, drift, drift),
    ]
    return line_of(*(one.copy() for _ in range(8) for one in cell), CAVITY.copy())


GAP = {"fint": 0.5, "hgap": 0.035}
CAVITY = xt.Cavity(voltage=8e3, harmonic=1)


def test_a_hundred_turns_of_a_ring_agree() -> None:
    line = ring()
    text, turns = parameters(line), 100
    start = START * np.array([1, 1, 1, 1, 10, 0.1])[:, None]
    found = start
    for _ in range(turns):
        found = np.asarray(core.push_lattice(text, np.ascontiguousarray(found)))
    expected = theirs(line, start, turns)
    # 16 quadrupoles a turn err by L² k1 x'³, all in phase at worst; angles are up to 6 mrad. The
    # β of a ring of 12 m turns angles into metres.
    worst = turns * 16 * 0.9774 * 0.4**2 * 6e-3**3
    assert np.abs(found - expected)[[1, 3]].max() < worst
    assert np.abs(found - expected)[[0, 2]].max() < 12 * worst
    assert np.abs(found - expected)[5].max() < 1e-6


def test_tunes_and_chromaticities_are_those_of_xtracks_twiss() -> None:
    line = ring()
    text = parameters(line)
    optics = core.lattice_optics(text, [0.0])
    line["e96"].voltage = 0
    twiss = line.twiss(method="4d")
    assert optics["tune_x"] == pytest.approx(twiss.qx % 1, abs=1e-7)
    assert optics["tune_y"] == pytest.approx(twiss.qy % 1, abs=1e-7)
    assert optics["twiss"][0, :, 0] == pytest.approx([twiss.betx[0], twiss.bety[0]], rel=1e-6)
    # Their dispersion is of δ too.
    assert optics["twiss"][0, 0, 2] == pytest.approx(twiss.dx[0], rel=1e-5)
    # Q' = dQ/dδ, by the second-order terms on the dispersion orbit.
    found = chromaticity(core.lattice_map(text), optics["twiss"][0])
    assert found == pytest.approx([twiss.dqx, twiss.dqy], rel=1e-3)


def chromaticity(expansion: dict[str, Any], twiss: Any) -> Any:
    """dQ/dδ from the change of the trace of each plane, without the cavity's part."""
    (_, _, dx, dpx, _), (_, _, dy, dpy, _) = twiss
    orbit = np.array([dx, dpx, dy, dpy, 0.0, 1.0])
    slope = 2 * np.einsum("ijk,k->ij", expansion["tensor"], orbit)
    result = []
    for u in (0, 2):
        trace = expansion["matrix"][u, u] + expansion["matrix"][u + 1, u + 1]
        change = slope[u, u] + slope[u + 1, u + 1]
        sine = math.copysign(math.sin(math.acos(trace / 2)), expansion["matrix"][u, u + 1])
        result.append(-change / (4 * math.pi * sine))
    return result


def test_what_has_no_translation_is_named_with_its_place(tmp_path: Any) -> None:
    line = line_of(
        xt.Drift(length=0.5),
        xt.CrabCavity(crab_voltage=1e3, frequency=4e8, length=0.3),
        xt.Quadrupole(length=0.4, k1=1.0, shift_x=1e-3),
        xt.LimitRect(min_x=-0.02, max_x=0.03),
        xt.LimitEllipse(a=0.02, b=0.01),
        xt.Bend(length=1.0, angle=0.1, edge_entry_model="full"),
    )
    path = tmp_path / "line.json"
    line.to_json(path)
    translation = translate(path)
    assert [entry.record for entry in translation.not_translated] == [
        "e1 (CrabCavity) at 0.5 m",
        "e2 (Quadrupole) at 0.8 m",
        "e3 (LimitRect) at 1.2 m",
        "e5 (Bend) at 1.2 m",
    ]
    elements = tomllib.loads(translation.text)["element"]
    assert sum(one.get("length", 0.0) for one in elements) == pytest.approx(2.2)
    assert [one["half_width"] for one in elements if one["kind"] == "aperture"] == [
        pytest.approx([0.02, 0.01])
    ]


def test_what_is_no_line_is_a_sentence(tmp_path: Any) -> None:
    path = tmp_path / "line.json"
    path.write_text("[1, 2]")
    with refused("xtrack", path, "read"):
        translate(path)
    line = line_of(xt.Drift(length=0.5))
    line.particle_ref = None
    with refused("line.json", "particle_ref"):
        lattice_of(line, "line.json")

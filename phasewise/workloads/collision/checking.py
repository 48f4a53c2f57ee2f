"""The tables of `phasewise check` for colliding beams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from phasewise.output import console, engineering, print_table, rough_duration
from phasewise.study import Study
from phasewise.study.checking import Checking, Shown
from phasewise.tables.keys import shortest
from phasewise.workloads.collision import particle_files
from phasewise.workloads.collision.derived.beamstrahlung import DerivedBeamstrahlung
from phasewise.workloads.collision.derived.quantities import (
    DerivedCollision,
    DerivedPoint,
    derive,
)
from phasewise.workloads.collision.derived.resolution import PointResolution
from phasewise.workloads.collision.simulated_noise import simulate_noise
from phasewise.workloads.collision.tables.model import Collision, collision_of
from phasewise.workloads.collision.tables.optics import Pair
from phasewise.workloads.collision.tables.point import InteractionPoint


class CollisionChecking(Checking):
    """Particle files; beams, arcs, interaction points, and what a run will take."""

    def check(self, study: Study) -> Sequence[str]:
        """What files of particles have that the study has otherwise."""
        return particle_files.check_files(study)

    def simulate_noise(self, study: Study, turns: int, say: Callable[[str], None]) -> Shown:
        """The noise floor of both beams, and what grows without noise."""
        return simulate_noise(study, turns, say)

    def show(self, study: Study) -> None:
        """Print beams, arcs, interaction points, and what a run will take."""
        model = collision_of(study)
        derived = derive(model)
        print_table("Beams", ["", "beam 1", "beam 2"], _beam_rows(model, derived))
        print_table("Arcs", ["", "beam 1", "beam 2"], _arc_rows(model, derived))
        for k in range(len(model.ips)):
            _show_point(model, derived, k)
        if sum(ip.model != "none" for ip in model.ips) > 1:
            xi = [b.xi for b in derived.beams]
            rows = _xi_rows([x.effective.sum for x in xi], [x.head_on.sum for x in xi])
            print_table("Interaction points, sum", ["", "beam 1", "beam 2"], _rows(rows))
        core = derived.seconds_per_turn
        estimate = (
            f"Estimate: {engineering(derived.memory_bytes, 'B')} of memory, "
            f"{engineering(core, 's')} per turn and {rough_duration(core * study.count)} in all on "
            "one core"
        )
        console().print(estimate)


def _beam_rows(model: Collision, derived: DerivedCollision) -> list[list[str]]:
    ramps = [beam.population_ramp for beam in model.beams]
    rows: list[list[Any]] = [
        ["particle", *(b.particle for b in model.beams)],
        ["charge [e]", *(b.charge for b in model.beams)],
        ["energy [eV]", *(b.energy for b in model.beams)],
        ["Lorentz factor", *(b.gamma for b in derived.beams)],
        ["bunch population", *(b.bunch_population for b in model.beams)],
        ["after its ramp", *(r and r.particles[-1] for r in ramps)],
        ["bunch current [A]", *(b.bunch_current for b in derived.beams)],
        ["macroparticles", *("strong" if b.strong else b.macroparticles for b in model.beams)],
        ["normalized emittance [m]", *(b.normalized_emittance for b in derived.beams)],
        ["geometric emittance [m]", *(b.geometric_emittance for b in derived.beams)],
        ["bunch length [m]", *(b.bunch_length for b in model.beams)],
        ["momentum spread", *(b.momentum_spread for b in model.beams)],
        ["distribution", *(b.distribution for b in model.beams)],
    ]
    return _rows(rows)


def _arc_rows(model: Collision, derived: DerivedCollision) -> list[list[str]]:
    arcs = [beam.arc for beam in model.beams]
    buckets = [beam.bucket for beam in derived.beams]
    rows: list[list[Any]] = [
        ["revolution frequency [Hz]", *(b.revolution_frequency for b in derived.beams)],
        ["tune", *("by the map" if a.tune is None else a.tune for a in arcs)],
        ["synchrotron tune", *(b.synchrotron_tune for b in derived.beams)],
        ["RF bucket, half height in δ", *(b and b.height for b in buckets)],
        ["share of the bunch outside it", *(b and b.debunched for b in buckets)],
        ["chromaticity", *(a.chromaticity for a in arcs)],
        ["longitudinal motion", *(a.longitudinal for a in arcs)],
        ["damping turns", *(a.damping_turns if any(a.damping_turns) else None for a in arcs)],
        ["aperture [m]", *(a.aperture for a in arcs)],
        ["momentum aperture, -δ and δ", *(a.momentum_aperture for a in arcs)],
    ]
    return _rows(rows)


def _show_point(model: Collision, derived: DerivedCollision, index: int) -> None:
    ip, point = model.ips[index], derived.ips[index]
    optics = [beam.optics[index] for beam in model.beams]
    rows: list[list[Any]] = [
        ["β [m]", *(o.beta for o in optics)],
        ["phase advance to the next [turns]", *(o.phase_advance for o in optics)],
        ["σ [m]", *(at.size for at in point.beams)],
        ["σ' [rad]", *(at.angle for at in point.beams)],
        ["crab cavities, strength", *(at.crab and at.crab.strength for at in point.beams)],
        ["crab cavities, frequency [Hz]", *(at.crab and at.crab.frequency for at in point.beams)],
    ]
    if ip.model != "none":
        xi = [at.xi_effective for at in point.beams], [at.xi for at in point.beams]
        rows += _xi_rows(*xi)
        rows.append(["disruption parameter", *(at.disruption for at in point.beams)])
    name = f"Interaction point {index + 1}"
    print_table(f"{name}, {ip.model}", ["", "beam 1", "beam 2"], _rows(rows))
    if (found := point.beamstrahlung) is not None:
        rows = _beamstrahlung_rows(found)
        print_table(f"{name}, beamstrahlung", ["", "beam 1", "beam 2"], _rows(rows))
    rows = _geometry_rows(ip, point) + _luminosity_rows(ip, point)
    print_table(f"{name}, both beams", ["", "value"], _rows(rows))
    if ip.model != "none":
        rows = _resolution_rows(ip, derived.resolution.ips[index])
        print_table(f"{name}, resolution", ["", "value"], _rows(rows))
    if ip.has_two_planes and ip.planes == "shared" and not point.shared_planes:
        console().print(
            f"{name}: the slices are too far apart for one window of the mesh, so that each pair "
            "of slices has two planes of its own."
        )


def _xi_rows(effective: list[Pair], head_on: list[Pair]) -> list[list[Any]]:
    return [
        ["beam-beam parameter ξ, effective", *effective],
        ["beam-beam parameter ξ, head-on", *head_on],
    ]


def _beamstrahlung_rows(found: DerivedBeamstrahlung) -> list[list[Any]]:
    return [
        ["largest Υ", *found.upsilon],
        ["photons per particle", *found.photons],
        ["energy loss, relative", *found.loss],
        ["bunch length in equilibrium [m]", *found.equilibrium.bunch_length],
        ["momentum spread in equilibrium", *found.equilibrium.momentum_spread],
    ]


def _geometry_rows(ip: InteractionPoint, point: DerivedPoint) -> list[list[Any]]:
    """What a head-on collision lacks is left out."""
    rows: list[list[Any]] = []
    if ip.half_crossing_angle:
        rows += [
            ["crossing angle, half [rad]", ip.half_crossing_angle],
            ["crossing angle, full [rad]", point.full_crossing_angle],
            ["crossing plane, 0 is horizontal [rad]", point.crossing_plane],
            ["Piwinski angle", point.piwinski_angle],
            ["crab waist, χ", point.crab_waist and point.crab_waist.strength],
            ["crab-waist sextupoles, K2L [m⁻²]", _sextupoles(point)],
        ]
    if ip.model != "none":
        shift = "+ξ, opposite charges" if point.attractive else "-ξ, like charges"
        rows.append(["tune shift of small amplitudes", shift])
    if any(ip.separation):
        rows.append(["separation [m]", ip.separation[:2]])
    if ip.bhabha is not None:
        what = f"radiative Bhabha, loss above {ip.bhabha.least:g}: cross section [m²]"
        rows.append([what, point.bhabha_cross_section])
    return rows


def _sextupoles(point: DerivedPoint) -> tuple[Pair, ...] | None:
    """Strengths before and behind the point, of the beams that have crab-waist sextupoles."""
    found = tuple(
        pair for pair in (point.crab_waist.sextupoles if point.crab_waist else ()) if pair
    )
    return found or None


def _luminosity_rows(ip: InteractionPoint, point: DerivedPoint) -> list[list[Any]]:
    angled = bool(ip.half_crossing_angle)
    by_angle = point.crossing_reduction if angled else None
    with_angle = point.luminosity_crossing_per_second if angled else None
    return [
        ["reduction by the hourglass", point.hourglass_reduction],
        ["reduction by the crossing angle", by_angle],
        ["reduction by all effects", point.reduction],
        ["luminosity per crossing, head-on [m⁻²]", point.luminosity_head_on],
        ["luminosity per crossing, all effects [m⁻²]", point.luminosity],
        ["luminosity, head-on [cm⁻² s⁻¹]", point.luminosity_head_on_per_second],
        ["luminosity, crossing angle only [cm⁻² s⁻¹]", with_angle],
        ["luminosity, all effects [cm⁻² s⁻¹]", point.luminosity_per_second],
    ]


def _resolution_rows(ip: InteractionPoint, found: PointResolution) -> list[list[Any]]:
    mesh = f"{ip.grid[0]} × {ip.grid[1]}, {ip.weighting}"
    return [
        ["slices", shortest(ip.slices)],
        ["macroparticles per slice", found.particles_per_slice],
        ["slice length over β* or overlap length", found.slice_over_beta],
        ["mesh", mesh if ip.model == "strong-strong" else None],
        ["cells per σ at the waist", found.cells_per_sigma],
    ]


def _rows(rows: list[list[Any]]) -> list[list[str]]:
    """Rows as text; a row without any value is left out."""
    return [
        [str(row[0]), *(_text(v) for v in row[1:])]
        for row in rows
        if any(v is not None for v in row[1:])
    ]


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return ", ".join(_text(v) for v in value)
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value)

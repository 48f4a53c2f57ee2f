"""Translates the elements of Xsuite, kind by kind.

Signs and units are those of xtrack's reference: lengths in m, energies in eV, phases of cavities in
rad, old `lag` in degrees. The energy of a cavity rises by V sin(phase - 2πf ζ/β0c), ζ > 0 ahead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.workloads.spacecharge.importers import magnets
from phasewise.workloads.spacecharge.importers.magnets import Elements
from phasewise.workloads.spacecharge.importers.translation import Particle

Body = tuple[Elements, list[str]]
"""Elements, and in clauses what they lack."""


@dataclass(frozen=True)
class Ring:
    """What the translation of an element needs to know of the ring."""

    particle: Particle
    revolution: float
    """The revolution frequency of the reference particle [Hz]."""


def _list(values: Any) -> list[float]:
    found = [float(v) for v in values]
    while found and found[-1] == 0:
        found.pop()
    return found


def _orders(*strengths: list[float]) -> list[str]:
    most = max(map(len, strengths))
    above = most > magnets.ORDERS
    return ["its orders above the dodecapole are left out"] if above else []


def _straight(order: int) -> Callable[[Any, Ring], Body]:
    """Translates a quadrupole, a sextupole or an octupole: k_n and k_ns, and kicks over its
    length.
    """

    def body(e: Any, _ring: Ring) -> Body:
        length = float(e.length)
        strengths = [_list(e.knl), _list(e.ksl)]
        if not length > 0:
            return magnets.thin(strengths[0], strengths[1]), _orders(*strengths)
        for values, name in zip(strengths, (f"k{order}", f"k{order}s"), strict=True):
            values[:] = [v / length for v in values] + [0.0] * (order + 1 - len(values))
            values[order] += float(getattr(e, name))
        reasons = _orders(*strengths)
        if e.edge_entry_active or e.edge_exit_active:
            reasons.append("its fringe fields are left out")
        return magnets.thick(length, *strengths), reasons

    return body


def _bend(e: Any, _ring: Ring) -> Body:
    length, angle = float(e.length), float(e.angle)
    normal, skew = _list(e.knl), _list(e.ksl)
    reasons = _orders(normal, skew)
    if not length > 0:
        return [], [*reasons, "a bend without length has no translation"] if angle else reasons
    normal += [0.0] * (3 - len(normal))
    normal[2] += float(e.k2) * length
    if not e.k0_from_h and not math.isclose(e.k0 * length, angle, rel_tol=1e-9):
        normal[0] += float(e.k0) * length - angle
    if not angle:
        normal[1] += float(e.k1) * length
        return magnets.thick(length, *([v / length for v in k] for k in (normal, skew))), reasons
    half = angle / 2 if type(e).__name__ == "RBend" else 0.0
    if getattr(e, "rbend_model", "") == "straight-body":
        reasons.append("its field follows the arc here, not the chord")
    edges, gaps, fringes, orders = [], [], [], []
    for side in ("entry", "exit"):
        active = bool(getattr(e, f"edge_{side}_active"))
        model = getattr(e, f"edge_{side}_model")
        if active and model == "full":
            reasons.append(f"the fringe field of its {side} is taken to second order")
        shown = active and model != "suppressed"
        orders.append(shown * (2 if model == "full" else 1))
        edges.append(shown * (half + float(getattr(e, f"edge_{side}_angle"))))
        gaps.append(shown * float(getattr(e, f"edge_{side}_hgap")))
        fringes.append(shown * float(getattr(e, f"edge_{side}_fint")))
    return magnets.bend(
        length,
        angle,
        edges=(edges[0], edges[1]),
        half_gap=(gaps[0], gaps[1]),
        fringe=(fringes[0], fringes[1]),
        k1=float(e.k1),
        normal=normal,
        skew=skew,
        edge_order=(orders[0], orders[1]),
    ), reasons


def _multipole(e: Any, _ring: Ring) -> Body:
    normal, skew, length = _list(e.knl), _list(e.ksl), float(e.length)
    reasons = _orders(normal, skew)
    if e.isthick and length > 0:
        thick = magnets.thick(length, *([v / length for v in k] for k in (normal, skew)))
        return thick, [*reasons, "its hxl is left out"] if e.hxl else reasons
    if not e.hxl:
        return magnets.thin(normal, skew), reasons
    if not normal or not math.isclose(normal[0], e.hxl, rel_tol=1e-9):
        reasons.append(f"its curvature hxl = {e.hxl:g} is left out, since its knl[0] differs")
        return magnets.thin(normal, skew), reasons
    return [
        magnets.thin_bend(float(e.hxl), length),
        *magnets.thin([0.0, *normal[1:]], skew),
    ], reasons


def _cavity(e: Any, ring: Ring) -> Body:
    """In Xsuite the energy rises by V sin(phase - 2πf ζ/β0c), so that our phase is 1/2 minus theirs
    in turns.
    """
    length, frequency = float(e.length), float(e.frequency or e.harmonic * ring.revolution)
    if not e.voltage:
        return magnets.drift(length), []
    if not frequency > 0:
        return magnets.drift(length), ["it has no frequency; a drift stands in for it"]
    phase = float(e.phase) / (2 * math.pi) + float(e.lag) / 360
    found = {
        "kind": "cavity",
        "length": length,
        "voltage": float(e.voltage),
        "frequency": frequency,
        "phase": 0.5 - phase,
    }
    reasons = []
    if abs(math.sin(2 * math.pi * phase)) > 1e-9:
        reasons.append(
            "it accelerates; in the lattice the reference particle keeps its energy, and others "
            "gain what their phase adds"
        )
    return [found], reasons


def _crab(e: Any, ring: Ring) -> Body:
    length, frequency = float(e.length), float(e.frequency)
    if not e.crab_voltage:
        return magnets.drift(length), []
    if not frequency > 0:
        return magnets.drift(length), ["it has no frequency; a drift stands in for it"]
    phase = float(e.phase) / (2 * math.pi) + float(e.lag) / 360
    own = ring.particle
    angle = abs(own.charge) * float(e.crab_voltage) / (own.energy * own.velocity)
    wave_number = 2 * math.pi * frequency / (own.velocity * SPEED_OF_LIGHT)
    return magnets.crab(length, angle, wave_number, phase), [magnets.CRAB_WAVE]


def _solenoid(e: Any, _ring: Ring) -> Body:
    normal, skew = _list(e.knl), _list(e.ksl)
    reasons = ["its knl and ksl are left out"] if normal or skew else []
    if not e.length > 0:
        return [], [*reasons, "a solenoid without length has no translation"]
    return [{"kind": "solenoid", "length": float(e.length), "strength": float(e.ks)}], reasons


def _aperture(shape: str, half_width: tuple[float, float]) -> Elements:
    return [{"kind": "aperture", "shape": shape, "half_width": list(half_width)}]


def _ellipse(e: Any, _ring: Ring) -> Body:
    return _aperture("ellipse", (math.sqrt(e.a_squ), math.sqrt(e.b_squ))), []


def _rectangle(e: Any, _ring: Ring) -> Body:
    if e.min_x != -e.max_x or e.min_y != -e.max_y:
        return [], ["an aperture that is not symmetric has no translation"]
    return _aperture("rectangle", (float(e.max_x), float(e.max_y))), []


def _both(e: Any, _ring: Ring) -> Body:
    return [
        *_aperture("rectangle", (float(e.max_x), float(e.max_y))),
        *_ellipse(e, _ring)[0],
    ], []


def _turned(e: Any, _ring: Ring) -> Body:
    angle = e.rot_s_rad if hasattr(e, "rot_s_rad") else math.radians(e.angle)
    return [magnets.rotation(float(angle))], []


def _edge(e: Any, _ring: Ring) -> Body:
    model = getattr(e, "model", "linear")
    if model == "suppressed":
        return [{"kind": "marker"}], []
    reasons = ["its nonlinear fringe field is left out"] if model == "full" else []
    return [magnets.edge(float(e.k), float(e.e1), float(e.hgap), float(e.fint))], reasons


def _fringe(_e: Any, _ring: Ring) -> Body:
    return [], ["its fringe field is left out"]


ENDS = ("Marker", "Fringe", "DipoleEdge")
"""Kinds of the ends of sliced elements."""


HARMLESS = (
    "length order inv_factorial_order num_multipole_kicks num_kicks model integrator isthick "
    "radiation_flag rot_s_rad rot_shift_anchor prototype prototype_name prng_name extra "
    "name_associated_aperture _isthick main_order"
)
"""Properties that are read for every kind, or that move no particle."""
EDGES = " ".join(
    f"edge_{side}_{name}"
    for side in ("entry", "exit")
    for name in ("active", "model", "angle", "hgap", "fint")
)
BEND = f"angle h k0 k1 k2 knl ksl k0_from_h {EDGES}"
KINDS: dict[str, tuple[Callable[[Any, Ring], Body], str]] = {
    "Marker": (lambda _e, _ring: ([{"kind": "marker"}], []), ""),
    "Quadrupole": (_straight(1), f"k1 k1s knl ksl {EDGES}"),
    "Sextupole": (_straight(2), f"k2 k2s knl ksl {EDGES}"),
    "Octupole": (_straight(3), f"k3 k3s knl ksl {EDGES}"),
    "Bend": (_bend, BEND),
    "RBend": (_bend, f"{BEND} length_straight rbend_model"),
    "Multipole": (_multipole, "knl ksl hxl"),
    "Cavity": (_cavity, "voltage frequency harmonic lag phase"),
    "CrabCavity": (_crab, "crab_voltage frequency lag phase"),
    "UniformSolenoid": (_solenoid, "ks knl ksl edge_entry_active edge_exit_active"),
    "LimitEllipse": (_ellipse, "a b a_squ b_squ a_b_squ"),
    "LimitRect": (_rectangle, "min_x max_x min_y max_y"),
    "LimitRectEllipse": (_both, "max_x max_y a b a_squ b_squ a_b_squ"),
    "SRotation": (_turned, "angle cos_z sin_z"),
    "Fringe": (_fringe, ""),
    "DipoleEdge": (_edge, "k e1 hgap fint side r21 r43"),
}
"""The function that translates a kind, and the properties that it reads."""
BEAM_BEAM = "beams meet outside of a lattice, which leaves this out"
CHARGE = "space charge comes from the study's [solver]; the lattice has none of its own"
NO_PLACE = {
    "BeamBeamBiGaussian2D": BEAM_BEAM,
    "BeamBeamBiGaussian3D": BEAM_BEAM,
    "BeamBeamPIC3D": BEAM_BEAM,
    "SpaceCharge3D": CHARGE,
    "SpaceChargeBiGaussian": CHARGE,
}
"""Kinds that have no place in a lattice, and why."""

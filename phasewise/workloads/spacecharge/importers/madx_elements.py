"""Translates the elements of MAD-X, kind by kind.

Signs and units are those of the MAD-X user's reference manual, chapters "Definition of elements"
and "Conventions": lengths in m, VOLT in MV, FREQ in MHz, energies in GeV, LAG in turns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.workloads.spacecharge.importers import magnets
from phasewise.workloads.spacecharge.importers.magnets import Elements
from phasewise.workloads.spacecharge.importers.translation import Particle

Values = Mapping[str, Any]


class Ring:
    """What the translation of an element needs to know of the ring."""

    def __init__(self, particle: Particle, length: float, arcs: bool, bv: int) -> None:
        self.particle = particle
        self.revolution = particle.velocity * SPEED_OF_LIGHT / length if length > 0 else 0.0
        """The revolution frequency [Hz]; 0 without a length."""
        self.arcs = arcs
        """Whether the length of a rectangular bend is that of its chord (option RBARC)."""
        self.bv = bv
        """-1 for a beam that goes against the sequence, else 1."""

    def signed(self, kind: str, values: Values) -> Values:
        """The attributes of an element as its beam feels them: BV = -1 turns the signs of all
        fields, but not of a rotation of the axes. Of a crab cavity MAD-X turns the tilt.
        """
        if self.bv == 1 or kind == "srotation":
            return values
        if kind == "crabcavity":
            return {**values, "tilt": -values["tilt"]}
        turned = {name: _negative(values[name]) for name in SIGNED.split() if name in values}
        return {**values, **turned}


SIGNED = "angle e1 e2 k0 k1 k1s k2 k2s k3 k3s knl ksl kick hkick vkick ks ksi h volt"
"""Attributes that are, or are proportional to, a field."""


def _negative(value: Any) -> Any:
    if hasattr(value, "__iter__"):
        return [-one for one in value]
    return -value


def numbers(value: Any) -> list[Any]:
    """The numbers that an attribute holds, without zeros at its end."""
    if isinstance(value, str):
        return [value]
    found: list[Any] = []
    for one in value if hasattr(value, "__iter__") else [value]:
        found += numbers(one) if hasattr(one, "__iter__") else [one]
    while found and found[-1] in (0, None, False):
        found.pop()
    return found


Body = tuple[Elements, list[str]]


def _straight(order: int) -> Callable[[Values, Ring], Body]:
    """Translates a quadrupole, a sextupole or an octupole: k_n and k_ns over its length."""

    def body(v: Values, _ring: Ring) -> Body:
        strengths = []
        for suffix in ("", "s"):
            known = [0.0] * order + [float(v[f"k{order}{suffix}"])]
            integrated = numbers(v.get(f"k{suffix or 'n'}l", ()))
            known += [0.0] * (len(integrated) - len(known))
            for n, value in enumerate(integrated):
                known[n] += value / v["l"] if v["l"] > 0 else math.inf
            strengths.append(known)
        if v["l"] > 0:
            return magnets.thick(v["l"], *strengths), []
        return [], ["it has strengths, but no length"] if any(map(any, strengths)) else []

    return body


def _bend(rectangular: bool) -> Callable[[Values, Ring], Body]:
    def body(v: Values, ring: Ring) -> Body:
        length, angle = float(v["l"]), float(v["angle"])
        if not length > 0:
            return [], ["a bend without length has no translation"] if angle else []
        edges, wanting = (float(v["e1"]), float(v["e2"])), []
        if rectangular:
            # MAD-X does not turn the sign of these halves with BV.
            half = ring.bv * angle / 2
            edges = (edges[0] + half, edges[1] + half)
            if ring.arcs and angle:
                length *= (angle / 2) / math.sin(angle / 2)
        if v["k0"] and not math.isclose(v["k0"] * length, angle, rel_tol=1e-9):
            wanting.append(
                f"its field K0 = {v['k0']:g} does not bend by its angle; a field that does stands "
                "in for it"
            )
        skew = [0.0, v.get("k1s", 0.0) * length]
        normal = [0.0, 0.0, v["k2"] * length]
        if not angle:
            strengths = [0.0, v["k1"], v["k2"]], [0.0, skew[1] / length]
            return magnets.thick(length, *strengths), wanting
        leaving = v["fintx"] if v["fintx"] >= 0 else v["fint"]
        gaps, fringes = (v["hgap"], v["hgap"]), (v["fint"], leaving)
        # makethin leaves the edges of a sliced bend to elements of their own.
        has = [not v.get(f"kill_{end}_fringe", False) for end in ("ent", "exi")]
        edges = (has[0] * edges[0], has[1] * edges[1])
        fringes = (has[0] * fringes[0], has[1] * fringes[1])
        order = (2 * has[0], 2 * has[1])
        return magnets.bend(
            length, angle, edges, gaps, fringes, v["k1"], normal, skew, order
        ), wanting

    return body


def _multipole(v: Values, _ring: Ring) -> Body:
    normal, skew = numbers(v["knl"]), numbers(v["ksl"])
    wanting = []
    if max(len(normal), len(skew)) > magnets.ORDERS:
        wanting.append("its orders above the dodecapole are left out")
    found: Elements = []
    dipole = complex(*(values[0] if values else 0.0 for values in (normal, skew)))
    if dipole:
        # The reference orbit follows the dipole of a MAD-X multipole.
        normal, skew = [0.0, *normal[1:]], [0.0, *skew[1:]]
        turned = v["tilt"] - math.atan2(dipole.imag, dipole.real)
        found = magnets.rotated([magnets.thin_bend(abs(dipole), v["lrad"])], turned)
    return [*found, *magnets.thin(normal, skew, v["tilt"])], wanting


def _corrector(horizontal: str, vertical: str) -> Callable[[Values, Ring], Body]:
    """Translates a corrector whose angle is the first of these attributes that is not 0."""

    def angle(v: Values, names: str) -> float:
        return next((float(v[name]) for name in names.split() if v.get(name)), 0.0)

    def body(v: Values, _ring: Ring) -> Body:
        return magnets.kick(v["l"], angle(v, horizontal), angle(v, vertical)), []

    return body


def _solenoid(v: Values, _ring: Ring) -> Body:
    if v["l"] > 0:
        return [{"kind": "solenoid", "length": v["l"], "strength": v["ks"]}], []
    return magnets.thin_solenoid(v["ks"], v["ksi"]), []


def _cavity(v: Values, ring: Ring) -> Body:
    """In MAD-X the energy rises by V sin 2π(lag - f τ), with τ > 0 ahead, so that our phase is 1/2
    - lag.

    VOLT is the rise in MV for any charge, so that our voltage is VOLT over the magnitude of the
    charge.
    """
    frequency = v["freq"] * 1e6 or v["harmon"] * ring.revolution
    if not v["volt"]:
        return magnets.drift(v["l"]), []
    if not frequency > 0:
        return magnets.drift(v["l"]), ["it has neither FREQ nor HARMON; a drift stands in for it"]
    found = {
        "kind": "cavity",
        "length": v["l"],
        "voltage": v["volt"] * 1e6 / abs(ring.particle.charge),
        "frequency": frequency,
        "phase": ring.bv * (0.5 - v["lag"]),
    }
    wanting = []
    if abs(math.sin(2 * math.pi * v["lag"])) > 1e-9:
        wanting.append(
            "it accelerates; in the lattice the reference particle keeps its energy, and others "
            "gain what their phase adds"
        )
    return [found], wanting


def _crab(v: Values, ring: Ring) -> Body:
    frequency = v["freq"] * 1e6
    if not v["volt"]:
        return magnets.drift(v["l"]), []
    if not frequency > 0:
        return magnets.drift(v["l"]), ["it has no FREQ; a drift stands in for it"]
    particle = ring.particle
    wave_number = 2 * math.pi * frequency / (particle.velocity * SPEED_OF_LIGHT)
    angle = v["volt"] * 1e6 / (particle.energy * particle.velocity)
    return magnets.crab(v["l"], angle, wave_number, v["lag"]), [magnets.CRAB_WAVE]


def _matrix(v: Values, ring: Ring) -> Body:
    """In MAD-X a matrix has a length and acts on t = z/β and pt = β δ. Here a drift has the length,
    and the matrix is what is left of it.
    """
    velocity, length = ring.particle.velocity, float(v["l"])
    scale = [1.0, 1.0, 1.0, 1.0, velocity, 1 / velocity]
    rows = [
        [scale[i] * float(v[f"rm{i + 1}{j + 1}"]) / scale[j] for j in range(6)] for i in range(6)
    ]
    for row in rows:
        for at, gain in ((0, 1.0), (2, 1.0), (4, 1 - velocity**2)):
            row[at + 1] -= length * gain * row[at]
    return [*magnets.drift(length), {"kind": "matrix", "matrix": rows}], []


def _monitor(v: Values, _ring: Ring) -> Body:
    half = magnets.drift(v["l"] / 2)
    return [*half, {"kind": "monitor"}, *half], []


def _nothing(v: Values, _ring: Ring) -> Body:
    return magnets.drift(v["l"]) if v.get("l") else [{"kind": "marker"}], []


def _rotation(v: Values, _ring: Ring) -> Body:
    return [magnets.rotation(v["angle"])], []


def _edge(v: Values, _ring: Ring) -> Body:
    return [magnets.edge(v["h"], v["e1"], v["hgap"], v["fint"])], []


HARMLESS = (
    "l tilt at from type apertype aperture aper_offset aper_tol slot_id assembly_id mech_sep v_pos "
    "kmax kmin calib polarity magnet lrad model method exact nst thick n_bessel obs_point "
    "aper_vx aper_vy entrance"
)
"""Attributes that are read for every kind, or that move no particle."""
BEND = "angle e1 e2 k0 k1 k1s k2 hgap fint fintx kill_ent_fringe kill_exi_fringe"
NO_FIELD = "kill_ent_fringe kill_exi_fringe"
"""Attributes of fields that elements without a field have too."""
KINDS: dict[str, tuple[Callable[[Values, Ring], Body], str]] = {
    "marker": (_nothing, NO_FIELD),
    "placeholder": (_nothing, NO_FIELD),
    "instrument": (_nothing, NO_FIELD),
    "collimator": (_nothing, NO_FIELD),
    "ecollimator": (_nothing, f"xsize ysize {NO_FIELD}"),
    "rcollimator": (_nothing, f"xsize ysize {NO_FIELD}"),
    "monitor": (_monitor, NO_FIELD),
    "hmonitor": (_monitor, NO_FIELD),
    "vmonitor": (_monitor, NO_FIELD),
    "quadrupole": (_straight(1), "k1 k1s knl ksl"),
    "sextupole": (_straight(2), "k2 k2s knl ksl"),
    "octupole": (_straight(3), "k3 k3s knl ksl"),
    "sbend": (_bend(False), BEND),
    "rbend": (_bend(True), BEND),
    "multipole": (_multipole, "knl ksl"),
    "hkicker": (_corrector("kick hkick", ""), "kick hkick"),
    "vkicker": (_corrector("", "kick vkick"), "kick vkick"),
    "kicker": (_corrector("hkick", "vkick"), "hkick vkick"),
    "tkicker": (_corrector("hkick", "vkick"), "hkick vkick"),
    "solenoid": (_solenoid, "ks ksi"),
    "rfcavity": (_cavity, "volt freq lag harmon"),
    "matrix": (_matrix, " ".join(f"rm{i}{j}" for i in range(1, 7) for j in range(1, 7))),
    "crabcavity": (_crab, "volt freq lag"),
    "dipedge": (_edge, "h e1 hgap fint"),
    "srotation": (_rotation, "angle"),
}
"""The function that translates a kind, and the attributes that it reads."""

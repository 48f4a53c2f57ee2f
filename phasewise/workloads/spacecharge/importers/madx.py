"""Translates a MAD-X sequence into a lattice file, through cpymad.

MAD-X runs the file; the sequence is the one that its last USE names, or its only one. Signs and
units are those of the MAD-X user's reference manual, chapters "Definition of elements" and
"Conventions": lengths in m, VOLT in MV, FREQ in MHz, energies in GeV, LAG in turns.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.errors import StudyError
from phasewise.tables.files import read_text
from phasewise.workloads.spacecharge.importers import magnets
from phasewise.workloads.spacecharge.importers.magnets import Elements
from phasewise.workloads.spacecharge.importers.translation import Lattice, Particle, Translation

Values = Mapping[str, Any]
FAULT = re.compile("error|fatal|illegal|undefined", re.IGNORECASE)


def translate(file: str | Path) -> Translation:
    """The sequence of a MAD-X file; StudyError if there is none, or MAD-X cannot read it."""
    path = Path(file)
    if find_spec("cpymad") is None:
        raise StudyError(
            "reading MAD-X files needs cpymad, which is not installed: pip install cpymad"
        )
    read_text(path)
    from cpymad.madx import Madx

    with tempfile.TemporaryFile("w+") as log:
        try:
            with Madx(stdout=log, stderr=log) as madx:
                madx.call(str(path), chdir=True)
                sequence = madx.sequence[_used(madx, path)]
                return _lattice(madx, sequence, path).translation()
        except StudyError:
            raise
        except Exception as error:
            # Its process may end at any command, and its parser raises errors of many kinds.
            raise StudyError(f"MAD-X cannot use {path}: {_first_fault(log) or error}") from None


def _used(madx: Any, path: Path) -> str:
    """The name of the sequence that the file used last, or of its only sequence, which is used
    now.
    """
    names = list(madx.sequence)
    active = madx.sequence()
    if active is not None and active.is_expanded:
        return str(active.name)
    if len(names) != 1:
        listed = ", ".join(names) or "none"
        raise StudyError(
            f"{path} must USE the sequence to be translated; the sequences that it defines: "
            f"{listed}"
        )
    madx.use(names[0])
    return str(names[0])


def _first_fault(log: IO[str]) -> str:
    """The first error that MAD-X printed."""
    log.seek(0)
    faults = (line for line in log if line.startswith("+") and FAULT.search(line))
    return next((line.strip(" +=\n") for line in faults), "")


def _lattice(madx: Any, sequence: Any, path: Path) -> Lattice:
    beam = sequence.beam
    particle = Particle(beam.mass * 1e9, float(beam.charge), beam.energy * 1e9)
    lattice = Lattice(f"{path.name}, sequence {sequence.name}", particle)
    if beam.bv != 1:
        raise StudyError(f"{path}: a beam with BV = {beam.bv:g} has no translation")
    ring = _Ring(particle, float(sequence.length), bool(madx.options.rbarc))
    for node in sequence.expanded_elements:
        _add(lattice, node, ring)
    return lattice


class _Ring:
    """What the translation of an element needs to know of the ring."""

    def __init__(self, particle: Particle, length: float, arcs: bool) -> None:
        self.charge = particle.charge
        self.revolution = particle.velocity * SPEED_OF_LIGHT / length
        """The revolution frequency [Hz]."""
        self.arcs = arcs
        """Whether the length of a rectangular bend is that of its chord (option RBARC)."""


def _add(lattice: Lattice, node: Any, ring: _Ring) -> None:
    """Add one element of the sequence, with the apertures at its ends."""
    kind = str(node.base_type.name)
    values = {str(name): node[name] for name in node}
    name, length = str(node.name).split(":")[0], float(values.get("l") or 0.0)
    if kind == "drift":
        lattice.add(magnets.drift(length))
        return
    if kind == "marker" and name.endswith(("$start", "$end")):
        return  # MAD-X added these markers
    reasons = list(_left_out(kind, node, values))
    aperture, fault = _aperture(values)
    if fault:
        reasons.append(fault)
    if kind in KINDS:
        body, wanting = KINDS[kind][0](values, ring)
        reasons += wanting
    else:
        body = magnets.drift(length)
        reasons.append("this kind has no translation; a drift of its length stands in for it")
    if "tilt" in values and kind != "multipole":
        body = magnets.rotated(body, float(values["tilt"]))
    lattice.miss(name, kind, reasons)
    lattice.add(aperture)
    lattice.add(body, name)
    if length > 0:
        lattice.add(aperture)


def _left_out(kind: str, node: Any, values: Values) -> Iterator[str]:
    """A clause for each attribute that differs from its default and that the translation does not
    read.
    """
    own = KINDS[kind][1] if kind in KINDS else " ".join(values)
    read = f"{HARMLESS} {own}".split()
    for name, value in values.items():
        if name not in read and _numbers(value) != _numbers(node.base_type[name]):
            yield f"its {name} = {value} is left out"
    for name in ("align_errors", "field_errors", "phase_errors"):
        errors = getattr(node, name, None)
        if errors is not None and any(map(_numbers, errors)):
            yield f"its {name.replace('_', ' ')} are left out"


def _numbers(value: Any) -> list[Any]:
    """The numbers that an attribute holds, without zeros at its end."""
    if isinstance(value, str):
        return [value]
    found: list[Any] = []
    for one in value if hasattr(value, "__iter__") else [value]:
        found += _numbers(one) if hasattr(one, "__iter__") else [one]
    while found and found[-1] in (0, None, False):
        found.pop()
    return found


SHAPES: dict[str, tuple[tuple[str, tuple[int, int]], ...]] = {
    "circle": (("ellipse", (0, 0)),),
    "ellipse": (("ellipse", (0, 1)),),
    "rectangle": (("rectangle", (0, 1)),),
    "rectcircle": (("rectangle", (0, 1)), ("ellipse", (2, 2))),
    "lhcscreen": (("rectangle", (0, 1)), ("ellipse", (2, 2))),
    "rectellipse": (("rectangle", (0, 1)), ("ellipse", (2, 3))),
}
"""The apertures that an APERTYPE means, and the indices of their half widths in its parameters."""


def _aperture(values: Values) -> tuple[Elements, str]:
    """The apertures of an element, and a clause on what cannot be translated."""
    given = _numbers(values.get("aperture", ()))
    shape = str(values.get("apertype", ""))
    if not given:
        return [], ""
    if shape not in SHAPES or _numbers(values.get("aper_offset", ())):
        return [], f"an aperture of type {shape} or with an offset has no translation"
    given += [0.0] * 4
    parts: Elements = [
        {"kind": "aperture", "shape": own, "half_width": [given[k] for k in which]}
        for own, which in SHAPES[shape]
    ]
    whole = all(min(part["half_width"]) > 0 for part in parts)
    return (parts, "") if whole else ([], f"an aperture of type {shape} needs half widths above 0")


Body = tuple[Elements, list[str]]


def _straight(order: int) -> Callable[[Values, _Ring], Body]:
    """Translates a quadrupole, a sextupole or an octupole: k_n and k_ns over its length."""

    def body(v: Values, _ring: _Ring) -> Body:
        strengths = []
        for suffix in ("", "s"):
            known = [0.0] * order + [float(v[f"k{order}{suffix}"])]
            integrated = _numbers(v.get(f"k{suffix or 'n'}l", ()))
            known += [0.0] * (len(integrated) - len(known))
            for n, value in enumerate(integrated):
                known[n] += value / v["l"] if v["l"] > 0 else math.inf
            strengths.append(known)
        if v["l"] > 0:
            return magnets.thick(v["l"], *strengths), []
        return [], ["it has strengths, but no length"] if any(map(any, strengths)) else []

    return body


def _bend(rectangular: bool) -> Callable[[Values, _Ring], Body]:
    def body(v: Values, ring: _Ring) -> Body:
        length, angle = float(v["l"]), float(v["angle"])
        if not length > 0:
            return [], ["a bend without length has no translation"] if angle else []
        edges, wanting = (float(v["e1"]), float(v["e2"])), []
        if rectangular:
            edges = (edges[0] + angle / 2, edges[1] + angle / 2)
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
        return magnets.bend(length, angle, edges, gaps, fringes, v["k1"], normal, skew), wanting

    return body


def _multipole(v: Values, _ring: _Ring) -> Body:
    normal, skew = _numbers(v["knl"]), _numbers(v["ksl"])
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


def _corrector(horizontal: str, vertical: str) -> Callable[[Values, _Ring], Body]:
    def body(v: Values, _ring: _Ring) -> Body:
        angles = (float(v[name]) if name else 0.0 for name in (horizontal, vertical))
        return magnets.kick(v["l"], *angles), []

    return body


def _solenoid(v: Values, _ring: _Ring) -> Body:
    if v["l"] > 0:
        return [{"kind": "solenoid", "length": v["l"], "strength": v["ks"]}], []
    return [], ["a solenoid without length has no translation"] if v["ksi"] else []


def _cavity(v: Values, ring: _Ring) -> Body:
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
        "voltage": v["volt"] * 1e6 / abs(ring.charge),
        "frequency": frequency,
        "phase": 0.5 - v["lag"],
    }
    wanting = []
    if abs(math.sin(2 * math.pi * v["lag"])) > 1e-9:
        wanting.append(
            "it accelerates; in the lattice the reference particle keeps its energy, and others "
            "gain what their phase adds"
        )
    return [found], wanting


def _monitor(v: Values, _ring: _Ring) -> Body:
    half = magnets.drift(v["l"] / 2)
    return [*half, {"kind": "monitor"}, *half], []


def _nothing(v: Values, _ring: _Ring) -> Body:
    return magnets.drift(v["l"]) if v.get("l") else [{"kind": "marker"}], []


def _rotation(v: Values, _ring: _Ring) -> Body:
    return [magnets.rotation(v["angle"])], []


def _edge(v: Values, _ring: _Ring) -> Body:
    return [magnets.edge(v["h"], v["e1"], v["hgap"], v["fint"])], []


HARMLESS = (
    "l tilt at from type apertype aperture aper_offset aper_tol slot_id assembly_id mech_sep v_pos "
    "kmax kmin calib polarity magnet lrad model method exact nst thick n_bessel obs_point "
    "aper_vx aper_vy"
)
"""Attributes that are read for every kind, or that move no particle."""
BEND = "angle e1 e2 k0 k1 k1s k2 hgap fint fintx"
KINDS: dict[str, tuple[Callable[[Values, _Ring], Body], str]] = {
    "marker": (_nothing, ""),
    "placeholder": (_nothing, ""),
    "instrument": (_nothing, ""),
    "collimator": (_nothing, ""),
    "ecollimator": (_nothing, "xsize ysize"),
    "rcollimator": (_nothing, "xsize ysize"),
    "monitor": (_monitor, ""),
    "hmonitor": (_monitor, ""),
    "vmonitor": (_monitor, ""),
    "quadrupole": (_straight(1), "k1 k1s knl ksl"),
    "sextupole": (_straight(2), "k2 k2s knl ksl"),
    "octupole": (_straight(3), "k3 k3s knl ksl"),
    "sbend": (_bend(False), BEND),
    "rbend": (_bend(True), BEND),
    "multipole": (_multipole, "knl ksl"),
    "hkicker": (_corrector("kick", ""), "kick"),
    "vkicker": (_corrector("", "kick"), "kick"),
    "kicker": (_corrector("hkick", "vkick"), "hkick vkick"),
    "tkicker": (_corrector("hkick", "vkick"), "hkick vkick"),
    "solenoid": (_solenoid, "ks ksi"),
    "rfcavity": (_cavity, "volt freq lag harmon"),
    "dipedge": (_edge, "h e1 hgap fint"),
    "srotation": (_rotation, "angle"),
}
"""The function that translates a kind, and the attributes that it reads."""

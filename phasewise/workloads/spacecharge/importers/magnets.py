"""Makes elements of a lattice from the strengths that MAD-X and Xsuite have in common.

k_n and k_ns [m^-(n+1)] are normalised to the beam's rigidity, as ours are: Δpx - iΔpy = -Σ (k_n + i
k_ns) L (x + iy)^n/n!.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Elements = list[dict[str, Any]]
ORDERS = 6
"""Number of orders of a multipole, from the dipole on."""
BEND_KICKS = 8
"""Number of kicks in a bend for orders above the quadrupole."""
BEND_STEPS = 16
"""Least number of slices of a whole bend for what its curved gradient kicks."""


def drift(length: float) -> Elements:
    """A drift; its length may be 0."""
    return [{"kind": "drift", "length": length}]


def rotated(elements: Elements, angle: float) -> Elements:
    """Elements in a frame that is rotated by an angle about s, from x to y."""
    if angle == 0:
        return elements
    return [rotation(angle), *elements, rotation(-angle)]


def rotation(angle: float) -> dict[str, Any]:
    """An element that rotates the axes by an angle about s, from x to y."""
    c, s = math.cos(angle), math.sin(angle)
    rows = identity()
    for k in (0, 1):
        rows[k][k], rows[k][k + 2] = c, s
        rows[k + 2][k], rows[k + 2][k + 2] = -s, c
    return {"kind": "matrix", "matrix": rows}


def identity() -> list[list[float]]:
    """The matrix that changes nothing."""
    return [[float(i == j) for j in range(6)] for i in range(6)]


def met_from_behind(element: dict[str, Any]) -> dict[str, Any]:
    """An element as a beam meets it that goes the other way, with the same axes x and y and the
    same deflections: the map R M⁻¹ R, where R turns the signs of px, py and z.
    """
    turned = dict(element)
    match element["kind"]:
        case "bend" | "rectangular-bend":
            turned |= {key: element[key][::-1] for key in ("edges", "edge_order") if key in element}
        case "solenoid":
            turned["strength"] = -element["strength"]
        case "cavity":
            turned["phase"] = -element.get("phase", 0.0)
        case "matrix":
            rows = element["matrix"]
            # M⁻¹ = -Ω Mᵀ Ω, and R Ω R = -Ω, R Mᵀ R has the signs of both indices.
            turned["matrix"] = [
                [_sign(i, j) * rows[j ^ 1][i ^ 1] for j in range(6)] for i in range(6)
            ]
    return turned


def _sign(i: int, j: int) -> int:
    """The sign of an entry of R M⁻¹ R."""
    inverse = 1 if (i + j) % 2 == 0 else -1
    turned = [1, -1, 1, -1, -1, 1]
    return inverse * turned[i] * turned[j]


def thick(length: float, normal: Sequence[float], skew: Sequence[float]) -> Elements:
    """A straight magnet with strengths k_n and k_ns from the dipole on.

    A skew quadrupole becomes a quadrupole in a frame that is rotated by -atan(k1s/k1)/2, which is
    exact. Other orders become kicks between slices.
    """
    normal, skew = _filled(normal), _filled(skew)
    other = [*normal[:1], 0.0, *normal[2:]], [*skew[:1], 0.0, *skew[2:]]
    if not any(map(any, other)):
        k1 = complex(normal[1], skew[1])
        if k1 == 0:
            return drift(length)
        if k1.imag == 0:
            return [{"kind": "quadrupole", "length": length, "k1": k1.real}]
        body = {"kind": "quadrupole", "length": length, "k1": abs(k1)}
        return rotated([body], -cmath.phase(k1) / 2)
    for kind, order in (("sextupole", 2), ("octupole", 3)):
        alone = [value for n, value in enumerate(normal) if n != order]
        if not any([*alone, *skew]):
            return [{"kind": kind, "length": length, f"k{order}": normal[order]}]
    body = {"kind": "quadrupole", "length": length, "k1": normal[1]}
    for name, values in (("normal", other[0]), ("skew", [*skew])):
        if any(values):
            body[name] = _cut(values)
    return [body]


def thin(normal: Sequence[float], skew: Sequence[float], tilt: float = 0.0) -> Elements:
    """A thin kick with strengths k_n L and k_ns L from the dipole on."""
    turned = [
        complex(one, other) * cmath.exp(-1j * (n + 1) * tilt)
        for n, (one, other) in enumerate(zip(_filled(normal), _filled(skew), strict=True))
    ]
    found: dict[str, Any] = {"kind": "multipole"}
    for name, values in (("normal", [k.real for k in turned]), ("skew", [k.imag for k in turned])):
        if any(values):
            found[name] = _cut(values)
    return [found] if len(found) > 1 else [{"kind": "marker"}]


def thin_bend(angle: float, length: float) -> dict[str, Any]:
    """A thin kick by an angle that the reference orbit follows: H = -θ x δ + θ² x²/2L. The last
    term is left out if the length L that the kick stands for is 0.
    """
    rows = identity()
    rows[1][5], rows[4][0] = angle, -angle
    if length > 0:
        rows[1][0] = -(angle**2) / length
    return {"kind": "matrix", "matrix": rows}


def thin_solenoid(strength: float, integral: float) -> Elements:
    """A solenoid without length, of strength ks [1/m] and integrated strength ksi: the kick by -ks
    ksi/4 in both planes, and the turn by ksi/2, of the reference momentum.
    """
    if integral == 0:
        return [{"kind": "marker"}]
    rows = identity()
    rows[1][0] = rows[3][2] = -strength * integral / 4
    return [{"kind": "matrix", "matrix": rows}, rotation(integral / 2)]


CRAB_WAVE = "its wave is taken as linear in z"


def crab(length: float, angle: float, wave_number: float, phase: float) -> Elements:
    """A crab cavity in the middle of a drift, to first order: px rises by θ sin(2πφ - kz), and δ by
    -θ k x cos(2πφ - kz), of the same H = -θ x sin(2πφ - kz).

    angle: θ = |q|V/P0c; wave_number: k = 2πf/βc [1/m]; phase: φ in turns.
    """
    turned = 2 * math.pi * phase
    rows = identity()
    rows[1][4] = rows[5][0] = -angle * wave_number * math.cos(turned)
    bent = angle * math.sin(turned) if (2 * phase) % 1 else 0.0
    body = [*(thin([-bent], []) if bent else []), {"kind": "matrix", "matrix": rows}]
    return [*drift(length / 2), *body, *drift(length / 2)] if length > 0 else body


def kick(length: float, horizontal: float, vertical: float) -> Elements:
    """A corrector that kicks by these angles in its middle."""
    body = thin([-horizontal], [vertical])
    return [*drift(length / 2), *body, *drift(length / 2)] if length > 0 else body


def edge(curvature: float, angle: float, half_gap: float, fringe: float) -> dict[str, Any]:
    """The linear edge of a bend as an element of its own; Brown, SLAC-75 (1982)."""
    sine = math.sin(angle)
    less = 2 * curvature * half_gap * fringe * (1 + sine**2) / math.cos(angle)
    rows = identity()
    rows[1][0] = curvature * math.tan(angle)
    rows[3][2] = -curvature * math.tan(angle - less)
    return {"kind": "matrix", "matrix": rows}


def bend(
    length: float,
    angle: float,
    edges: tuple[float, float],
    half_gap: tuple[float, float],
    fringe: tuple[float, float],
    k1: float = 0.0,
    normal: Sequence[float] = (),
    skew: Sequence[float] = (),
    edge_order: tuple[int, int] = (2, 2),
) -> Elements:
    """A sector bend with its edges; edge_order: those of their maps. Additional strengths k_n L and
    k_ns L become kicks between slices.
    """
    body: dict[str, Any] = {"kind": "bend", "length": length, "angle": angle}
    if k1:
        body["k1"] = k1
    gaps = [pair if all(pair) else (0.0, 0.0) for pair in zip(half_gap, fringe, strict=True)]
    kicked = any([*normal, *skew])
    if not kicked and gaps[0][0] * gaps[0][1] == gaps[1][0] * gaps[1][1]:
        return [body | _ends(edges, edge_order, gaps[0])]
    # A bend has the same fringe at both of its ends, so that ends that differ need pieces of it.
    pieces = _sliced(body, normal, skew) if kicked else [_piece(body, 0.5) for _ in range(2)]
    pieces[0] |= _ends((edges[0], 0.0), (edge_order[0], 0), gaps[0])
    pieces[-1] |= _ends((0.0, edges[1]), (0, edge_order[1]), gaps[1])
    return pieces


def _ends(
    edges: tuple[float, float], order: tuple[int, int], gap: tuple[float, float]
) -> dict[str, Any]:
    """The keys of a bend's ends that differ from the usual; gap: half gap and fringe integral."""
    found: dict[str, Any] = {}
    if any(edges):
        found["edges"] = list(edges)
    if order != (2, 2):
        found["edge_order"] = list(order)
    if all(gap):
        found |= {"half_gap": gap[0], "fringe": gap[1]}
    return found


def _piece(body: dict[str, Any], share: float) -> dict[str, Any]:
    """A part of a bend, without edges."""
    piece = body | {name: float(body[name] * share) for name in ("length", "angle")}
    if "k1" in body:
        piece["steps"] = math.ceil(BEND_STEPS * share)
    return piece | {"edge_order": [0, 0]}


def _sliced(body: dict[str, Any], normal: Sequence[float], skew: Sequence[float]) -> Elements:
    """A bend with thin kicks at the nodes of Gauss and Legendre's quadrature, so that the kicks
    along an orbit, and with them the chromaticity, have no error of the slices' length squared.
    """
    nodes, weights = np.polynomial.legendre.leggauss(BEND_KICKS)
    places, shares = 0.5 * (1 + nodes), 0.5 * weights
    found: Elements = []
    for length, share in zip(np.diff([0, *places, 1]), [*shares, 0], strict=True):
        found.append(_piece(body, length))
        if share:
            found += thin([float(share * k) for k in normal], [float(share * k) for k in skew])
    return found


def _filled(values: Sequence[float]) -> list[float]:
    return [float(v) for v in values[:ORDERS]] + [0.0] * (ORDERS - len(values))


def _cut(values: Sequence[float]) -> list[float]:
    last = max(n for n, value in enumerate(values) if value)
    return list(values[: last + 1])

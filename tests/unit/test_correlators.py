"""Correlators of mesons and of the nucleon: against sums over momenta, the definition, and masses
of free quarks.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from phasewise.workloads.qcd import (
    GAMMAS,
    Links,
    Point,
    Propagator,
    Quarks,
    effective_mass,
    mesons,
    nucleon,
)
from phasewise.workloads.qcd.fields.correlators import _nucleon_at
from tests.sentences import refused
from tests.unit.quark_reference import GAMMA, GAMMA_5, random_links
from tests.unit.test_quark_solvers import free_pion

pytest.importorskip("phasewise._core", reason="the core is not built")

SIZE = (2, 4, 2, 6)
TIGHT = {"tolerance": 1e-14}


@pytest.fixture(scope="module")
def propagator() -> Propagator:
    """One in random links, from a point away from the origin."""
    links = Links(random_links(SIZE).reshape(*SIZE[::-1], 4, 3, 3))
    quarks = Quarks(links, 0.11, clover=0.5, solver=TIGHT)
    return quarks.propagator(Point((1, 3, 0, 4)))


def test_gamma_matrices_are_those_of_the_operator() -> None:
    for name, matrix in zip(("gx", "gy", "gz", "gt"), GAMMA, strict=True):
        assert np.array_equal(GAMMAS[name], matrix)
    assert np.array_equal(GAMMAS["g5"], GAMMA_5)
    # The sixteen are a basis: traces of products of two are 0, of a square ±4.
    traces = np.array([[np.trace(a @ b) for a in GAMMAS.values()] for b in GAMMAS.values()])
    assert np.abs(np.abs(traces) - 4 * np.eye(16)).max() < 1e-15


def directly(s: Propagator, sink: str, source: str, momentum: Any) -> Any:
    """-tr Γ S Γ̄' γ₅ S† γ₅ of each site, with dense matrices of spin and colour."""
    _, z, y, x = np.indices(s.array.shape[:4])
    here = np.stack([x, y, z]) - np.array(s.site[:3]).reshape(3, 1, 1, 1, 1)
    angle = sum(
        n * at / extent for n, at, extent in zip(momentum, here, s.part.size[:3], strict=True)
    )
    dense = s.array.reshape(*s.array.shape[:4], 12, 12)
    one = np.eye(3)
    five = np.kron(GAMMA_5, one)
    bar = np.kron(GAMMA[3] @ GAMMAS[source].conj().T @ GAMMA[3], one)
    turned = five @ dense.conj().swapaxes(-1, -2) @ five
    traces = -np.trace(np.kron(GAMMAS[sink], one) @ dense @ bar @ turned, axis1=-2, axis2=-1)
    slices = (np.exp(-2j * np.pi * angle) * traces).sum(axis=(1, 2, 3))
    return np.roll(slices, -s.site[3])


def test_mesons_are_their_traces(propagator: Propagator) -> None:
    momenta = ((0, 0, 0), (0, 1, 0), (0, -1, 0))
    found = mesons(propagator, momenta=momenta)
    for name, correlator in found.all().items():
        for number, momentum in enumerate(momenta):
            expected = directly(propagator, name, name, momentum)
            assert np.abs(correlator[number] - expected).max() < 1e-13 * np.abs(expected).max()
    mixed = found("g5", "g5gt")[0]
    assert np.abs(mixed - directly(propagator, "g5", "g5gt", momenta[0])).max() < 1e-13
    pion = (np.abs(propagator.array) ** 2).sum(axis=(1, 2, 3, 4, 5, 6, 7))
    assert np.allclose(found("g5")[0], np.roll(pion, -4), rtol=1e-13, atol=0)
    with refused('"g6"', "g5gx"):
        found("g6")


def test_the_free_pion_is_its_sum_over_momenta() -> None:
    size, kappa, phases = (4, 4, 4, 8), 0.1, [0.2, 0.4, 0.0, 0.0]
    quarks = Quarks(Links.cold(size), kappa, phases=phases, solver=TIGHT)
    found = mesons(quarks.propagator())("g5")[0]
    assert np.allclose(found / free_pion(list(size), 1.0, phases), 1, atol=1e-12)


def spelled_out(s: Any, project: Any) -> complex:
    """The nucleon at a site by its definition: all colours and spins one by one."""
    charge = GAMMA[3] @ GAMMA[1] @ GAMMA_5
    bar = GAMMA[3] @ charge.conj().T @ GAMMA[3]
    signs = {p: np.linalg.det(np.eye(3)[list(p)]) for p in permutations(range(3))}
    spins = [(e, f) for e, f in product(range(4), repeat=2) if charge[e, f]]
    others = [(g, h) for g, h in product(range(4), repeat=2) if bar[g, h]]
    total = 0.0j
    for ((a, b, c), one), ((i, j, k), two) in product(signs.items(), repeat=2):
        for (e, f), (g, h), p, q in product(spins, others, range(4), range(4)):
            pairs = (
                s[e, a, h, i] * s[p, c, q, k]  # u_a with ū_i, u_c with ū_k
                - s[e, a, q, k] * s[p, c, h, i]  # crossed: one exchange of fermions
            )
            total += one * two * charge[e, f] * bar[g, h] * s[f, b, g, j] * pairs * project[q, p]
    return total


def test_the_nucleon_is_its_definition() -> None:
    random = np.random.default_rng(3)
    shape = (2, 4, 3, 4, 3)
    s = random.normal(size=shape) + 1j * random.normal(size=shape)
    project = 0.5 * (np.eye(4) + GAMMA[3])
    found = _nucleon_at(s, s, project)
    for site in range(2):
        assert found[site] == pytest.approx(spelled_out(s[site], project), rel=1e-12)


def test_free_quarks_at_rest_weigh_the_logarithm_each() -> None:
    # The mean over space is the quark of momentum 0, with E = ln(1 + m).
    size, mass = (2, 2, 2, 40), 0.5
    links = Links.cold(size)
    quarks = Quarks(links, 1 / (2 * mass + 8), phases=[0, 0, 0, 0], solver=TIGHT)
    s = quarks.propagator(Point((0, 0, 0, 30)))
    at_rest = s.array.sum(axis=(1, 2, 3), keepdims=True) / 8
    zero = Propagator(
        np.broadcast_to(at_rest, s.array.shape).copy(), s.part, s.site, s.phases, 0, 0.0
    )
    pion, baryon = mesons(zero)("g5")[0], nucleon(zero)[0]
    assert np.allclose(effective_mass(pion)[2:8], 2 * np.log(1 + mass), atol=1e-7)
    assert np.allclose(effective_mass(baryon)[2:8], 3 * np.log(1 + mass), atol=1e-7)
    assert (baryon.real[:15] > 0).all()
    # What moves backwards has the other parity.
    partner = nucleon(zero, parity=-1)[0]
    assert np.allclose(partner[1:], baryon[:0:-1], rtol=1e-9, atol=0)


def test_the_nucleon_does_not_turn_with_the_gauge(propagator: Propagator) -> None:
    turns = random_links(SIZE, 5)[:, 0].reshape(*SIZE[::-1], 3, 3)
    at = propagator.site[::-1]
    turned = np.einsum(
        "...ab,...sbrc,dc->...sard", turns, propagator.array, turns[at].conj(), optimize=True
    )
    other = Propagator(turned, propagator.part, propagator.site, propagator.phases, 0, 0.0)
    expected = nucleon(propagator, momenta=((0, 1, 0),))
    assert np.allclose(nucleon(other, momenta=((0, 1, 0),)), expected, rtol=1e-11, atol=0)


def test_propagators_of_other_sources_are_one_sentence(propagator: Propagator) -> None:
    other = Propagator(propagator.array, propagator.part, (0, 0, 0, 0), propagator.phases, 0, 0.0)
    for call in (mesons, nucleon):
        with refused("(1, 3, 0, 4)", "(0, 0, 0, 0)"):
            call(propagator, other)
    with refused("parity = 2"):
        nucleon(propagator, parity=2)

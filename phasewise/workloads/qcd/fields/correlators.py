"""Correlators of mesons and of the nucleon from propagators, by time from the source.

A momentum is three whole numbers n, p = 2π n/L; its phase is e^{-ip(x - source)}. Correlators are
complex arrays (momenta, T), the same on all ranks, whose bits depend on the ranks by rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import load_core
from phasewise.errors import StudyError
from phasewise.workloads.qcd.fields.gamma import GAMMAS, gamma
from phasewise.workloads.qcd.fields.part import ComplexField, phase_of, sum_of_ranks
from phasewise.workloads.qcd.fields.propagator import Propagator

Momentum = tuple[int, int, int]
AT_REST: tuple[Momentum, ...] = ((0, 0, 0),)


@dataclass(frozen=True)
class Mesons:
    """The correlators of all bilinears of two quarks.

    Attributes:
        products: Σ_x e^{-ipx} S_ac(x) times the complex conjugate of S'_bd(x), summed over colours
            at source and sink, of the shape (momenta, T, 4, 4, 4, 4): spins a, c of the first
            quark at the sink and at the source, b, d of the second.
        momenta: The momenta.
    """

    products: ComplexField
    momenta: tuple[Momentum, ...]

    def __call__(self, sink: str, source: str | None = None) -> ComplexField:
        """⟨O_Γ(x) O_Γ'†(0)⟩ of O_Γ = ψ̄' Γ ψ, (momenta, T).

        Args:
            sink: The name of Γ in GAMMAS, such as "g5".
            source: That of Γ', by default the same.

        Raises:
            StudyError: There is no such product of γ matrices.
        """
        five, time = GAMMAS["g5"], GAMMAS["gt"]
        bar = time @ gamma(source or sink).conj().T @ time
        left, right = five @ gamma(sink), bar @ five
        # -tr Γ S Γ̄' γ₅ S'† γ₅
        traces: ComplexField = np.einsum(
            "ba,ptacbd,cd->pt", left, self.products, right, optimize=True
        )
        return -traces

    def all(self) -> dict[str, ComplexField]:
        """The correlators with the same Γ at sink and source, by its name."""
        return {name: self(name) for name in GAMMAS}


def mesons(
    quark: Propagator,
    antiquark: Propagator | None = None,
    momenta: Sequence[Momentum] = AT_REST,
) -> Mesons:
    """The correlators of mesons; collective.

    Args:
        quark: S of ψ.
        antiquark: S of ψ', from the same source; by default the same quark.
        momenta: The momenta at the sink.

    Raises:
        StudyError: The propagators belong to different lattices or sources.
    """
    other = antiquark or quark
    _check_same(quark, other)
    times = quark.part.size[3]
    found = np.zeros((len(momenta), times, 16, 16), complex)
    phases = [phase_of(momentum, quark.site, quark.part) for momentum in momenta]
    for t, (one, two) in _slices(quark, other):
        first, second = (_by_spins(each) for each in (one, two))
        for number, phase in enumerate(phases):
            weighted = phase.reshape(-1, 1, 1) * first
            found[number, t] = np.tensordot(weighted, second.conj(), axes=([0, 2], [0, 2]))
    products = sum_of_ranks(found, load_core()).reshape(len(momenta), times, 4, 4, 4, 4)
    return Mesons(products, tuple(momenta))


def nucleon(
    up: Propagator,
    down: Propagator | None = None,
    momenta: Sequence[Momentum] = AT_REST,
    parity: int = 1,
) -> ComplexField:
    """tr P ⟨N(x) N̄(0)⟩ of N = ε_abc (u_aᵀ Cγ₅ d_b) u_c, with C = γ_t γ_y and P = (1 ± γ_t)/2,
    (momenta, T); collective.

    Args:
        up: S of the u quark.
        down: S of the d quark, by default the same.
        momenta: The momenta at the sink.
        parity: 1 for the nucleon, -1 for its partner of negative parity.

    Raises:
        StudyError: The propagators belong to different lattices or sources, or the parity is
            neither 1 nor -1.
    """
    other = down or up
    _check_same(up, other)
    if parity not in (1, -1):
        raise StudyError(f"parity = {parity} is neither 1 nor -1")
    times = up.part.size[3]
    found = np.zeros((len(momenta), times), complex)
    phases = [phase_of(momentum, up.site, up.part).reshape(-1) for momentum in momenta]
    project = 0.5 * (np.eye(4) + parity * GAMMAS["gt"])
    for t, (u, d) in _slices(up, other):
        found[:, t] = np.array(phases) @ _nucleon_at(_by_sites(u), _by_sites(d), project)
    # What goes around the lattice in time takes the phases of three quarks with it.
    around = times - up.site[3]
    found[:, around:] *= np.exp(3j * math.pi * up.phases[3])
    return sum_of_ranks(found, load_core())


def _nucleon_at(up: ComplexField, down: ComplexField, project: ComplexField) -> ComplexField:
    """The trace at each site, from propagators [site][spin][colour][spin][colour]."""
    charge = GAMMAS["gt"] @ GAMMAS["gy"] @ GAMMAS["g5"]
    bar = GAMMAS["gt"] @ charge.conj().T @ GAMMAS["gt"]
    # The d quark between the matrices of the two diquarks, with the spins of its partner.
    partner = np.einsum("ef,xfbgc,gh->xebhc", charge, down, bar, optimize=True)
    total = np.zeros(len(up), complex)
    for (a, b, c), sign in _signed():
        for (i, j, k), other in _signed():
            first, second = up[:, :, a, :, i], up[:, :, c, :, k]
            middle = partner[:, :, b, :, j]
            # Both contractions of the two u quarks.
            straight = np.einsum("xef,xef->x", first, middle) * np.einsum(
                "xgh,hg->x", second, project
            )
            crossed = np.einsum(
                "xef,fg,xgh,xeh->x", up[:, :, a, :, k], project, up[:, :, c, :, i], middle,
                optimize=True,
            )  # fmt: skip
            total += sign * other * (straight - crossed)
    return total


def _signed() -> Iterator[tuple[tuple[int, ...], int]]:
    """The permutations of three colours with their signs, ε_abc."""
    for one in permutations(range(3)):
        inversions = sum(one[i] > one[j] for i in range(3) for j in range(i + 1, 3))
        yield one, -1 if inversions % 2 else 1


def _slices(
    first: Propagator, second: Propagator
) -> Iterator[tuple[int, tuple[ComplexField, ComplexField]]]:
    """The time from the source of each of this rank's time slices, and its propagators."""
    for index, time in enumerate(first.part.coordinates(3)):
        yield (
            int(time - first.site[3]) % first.part.size[3],
            (first.array[index], second.array[index]),
        )


def _by_sites(slice_of: ComplexField) -> ComplexField:
    return slice_of.reshape(-1, 4, 3, 4, 3)


def _by_spins(slice_of: ComplexField) -> ComplexField:
    """[site][spins at sink and source][colours at sink and source]."""
    return _by_sites(slice_of).transpose(0, 1, 3, 2, 4).reshape(-1, 16, 9)


def _check_same(first: Propagator, second: Propagator) -> None:
    if first.part != second.part or first.site != second.site:
        raise StudyError(
            f"the propagators begin at {first.site} and {second.site} on lattices of "
            f"{first.part.size} and {second.part.size} sites; give two from the same source"
        )


def effective_mass(correlator: ArrayLike) -> NDArray[np.float64]:
    """ln C(t)/C(t + 1) of the real part; NaN where it is not positive."""
    values = np.real(np.asarray(correlator))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.log(values[..., :-1] / values[..., 1:]))

"""The pion's correlator with a clover term, against a sparse matrix written down directly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

import phasewise
from phasewise.driver import load_core

STUDY = Path(__file__).parent / "study.toml"
SIZE = (4, 4, 4, 8)
KAPPA, CLOVER, WIDTH, STEPS, SOURCE = 0.13, 1.0, 1.0, 4, (1, 0, 2, 3)
SITES = int(np.prod(SIZE))


def ran(**solver: str) -> tuple[Any, Any]:
    """The links [site][axis][3][3], and the correlator."""
    overrides = [f"solver.{name}={value}" for name, value in solver.items()]
    run: Any = load_core().start(phasewise.load(STUDY, overrides).parameters())
    run.step()
    links = np.asarray(run.links()).view(complex).reshape(SITES, 4, 3, 3)
    return links, np.array(run.record()["pion"])


def moved(values: Any, axis: int, step: int) -> Any:
    """values(x + step) at x."""
    lattice = values.reshape(*SIZE[::-1], *values.shape[1:])
    return np.roll(lattice, -step, axis=3 - axis).reshape(values.shape)


def adjoint(matrices: Any) -> Any:
    return matrices.conj().swapaxes(-1, -2)


def gammas() -> Any:
    """Euclidean γ matrices (4, 4, 4); any basis gives the same traces."""
    pauli = np.array([[[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]])
    off = np.array([[0, -1j], [1j, 0]])
    return np.array([*(np.kron(off, s) for s in pauli), np.kron([[1, 0], [0, -1]], np.eye(2))])


def field_strength(links: Any, mu: int, nu: int) -> Any:
    """(Q - Q†)/8: each leaf is the plaquette at one corner, carried along its links to the site."""
    u, v = links[:, mu], links[:, nu]
    plaquette = u @ moved(v, mu, 1) @ adjoint(moved(u, nu, 1)) @ adjoint(v)
    # The plaquettes at x - µ, x - ν and x - µ - ν, turned so that they begin at x.
    at_mu, at_nu = moved(plaquette, mu, -1), moved(plaquette, nu, -1)
    behind, below = moved(u, mu, -1), moved(v, nu, -1)
    both = moved(moved(plaquette, mu, -1), nu, -1)
    path = moved(moved(u, mu, -1), nu, -1) @ moved(v, nu, -1)
    leaves = plaquette + adjoint(behind) @ at_mu @ behind
    leaves = leaves + adjoint(below) @ at_nu @ below + adjoint(path) @ both @ path
    return (leaves - adjoint(leaves)) / 8


def dirac(links: Any) -> csc_matrix:
    """D as a sparse matrix of rows (site, spin, colour)."""
    gamma, one = gammas(), np.eye(4)
    number = np.arange(SITES)
    rows, columns, values = [], [], []

    def add(to: Any, blocks: Any) -> None:
        """blocks (site, 4, 3, 4, 3) from the site `to` of each."""
        inner = np.arange(12)
        rows.append(np.broadcast_to((12 * number[:, None] + inner)[:, :, None], (SITES, 12, 12)))
        columns.append(np.broadcast_to((12 * to[:, None] + inner)[:, None, :], (SITES, 12, 12)))
        values.append(blocks.reshape(SITES, 12, 12))

    local = np.einsum("st,ab->satb", np.eye(4), np.eye(3)) / (2 * KAPPA)
    local = np.broadcast_to(local, (SITES, 4, 3, 4, 3)).astype(complex)
    for mu in range(4):
        for nu in range(mu + 1, 4):
            sigma = 0.5j * (gamma[mu] @ gamma[nu] - gamma[nu] @ gamma[mu])
            term = np.einsum("st,xab->xsatb", sigma, field_strength(links, mu, nu))
            local = local + CLOVER * 0.5j * term
    add(number, local)
    for mu in range(4):
        crossing = np.ones(SITES)
        if mu == 3:
            crossing[number // (SITES // SIZE[3]) == SIZE[3] - 1] = -1
        link = links[:, mu] * crossing[:, None, None]
        back = adjoint(moved(link, mu, -1))
        add(moved(number, mu, 1), -0.5 * np.einsum("st,xab->xsatb", one - gamma[mu], link))
        add(moved(number, mu, -1), -0.5 * np.einsum("st,xab->xsatb", one + gamma[mu], back))
    flat = [np.concatenate([part.ravel() for part in parts]) for parts in (rows, columns, values)]
    return csc_matrix((flat[2], (flat[0], flat[1])), shape=(12 * SITES, 12 * SITES))


def smeared(links: Any) -> Any:
    """The source (site, colour, colour of the point)."""
    x, y, z, t = SOURCE
    field = np.zeros((SITES, 3, 3), dtype=complex)
    field[x + 4 * (y + 4 * (z + 4 * t))] = np.eye(3)
    for _ in range(STEPS):
        laplacian = -6 * field
        for mu in range(3):
            laplacian = laplacian + links[:, mu] @ moved(field, mu, 1)
            laplacian = laplacian + moved(adjoint(links[:, mu]) @ field, mu, -1)
        field = field + WIDTH**2 / (4 * STEPS) * laplacian
    return field


def expected(links: Any) -> Any:
    """C(t) by sparse LU."""
    solve = splu(dirac(links)).solve
    source = smeared(links)
    slices = np.zeros(SIZE[3])
    for spin in range(4):
        for colour in range(3):
            b = np.zeros((SITES, 4, 3), dtype=complex)
            b[:, spin] = source[:, :, colour]
            slices += (np.abs(solve(b.ravel())) ** 2).reshape(SIZE[3], -1).sum(axis=1)
    return np.roll(slices, -SOURCE[3])


@pytest.fixture(scope="module")
def mixed() -> tuple[Any, Any]:
    return ran()


def test_the_pion_is_that_of_the_matrix_written_down_directly(mixed: tuple[Any, Any]) -> None:
    links, pion = mixed
    assert pion == pytest.approx(expected(links), rel=1e-10)


@pytest.mark.parametrize("solver", [{"method": "bicgstab"}, {"precision": "double"}])
def test_other_solvers_give_the_same_pion(mixed: tuple[Any, Any], solver: dict[str, str]) -> None:
    assert ran(**solver)[1] == pytest.approx(mixed[1], rel=1e-10)

"""The force of each quark monomial is the derivative of its action by every link."""

import numpy as np
import pytest
import scipy.linalg

from phasewise import _core as core

BOX = (4, 2, 4, 2)
ANTIPERIODIC = (0.0, 0.0, 0.0, 1.0)
CASES = {
    "Wilson": {},
    "Wilson, antiperiodic": {"phases": ANTIPERIODIC},
    "Wilson, any phases": {"phases": (0.3, 0.0, 0.7, 1.0)},
    "twisted mass": {"twisted_mass": 0.3},
    "clover": {"clover": 1.2},
    "clover without its determinant": {"clover": 1.2, "determinant": False},
    "clover, twisted mass": {"clover": 1.2, "twisted_mass": 0.3, "phases": ANTIPERIODIC},
    "Hasenbusch": {"hasenbusch": [0.4, 1.0]},
    "clover, Hasenbusch": {"clover": 1.2, "hasenbusch": [0.5], "phases": (0.5, 0.0, 0.0, 1.0)},
}


def numbers_of(box: tuple[int, ...]) -> tuple[int, ...]:
    return (*reversed(box), 4, 3, 3)


def random_algebra(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Traceless anti-Hermitian matrices."""
    a = random.normal(size=(*shape, 3, 3)) + 1j * random.normal(size=(*shape, 3, 3))
    a -= np.conj(np.swapaxes(a, -1, -2))
    return a - np.trace(a, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) / 3.0


def turned(links: np.ndarray, algebra: np.ndarray, step: float) -> np.ndarray:
    return scipy.linalg.expm(step * algebra) @ links


def reals(field: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(field).view(np.float64).ravel()


def monomials_on(links: np.ndarray, **keys: object) -> "core.QcdQuarkMonomials":
    monomials = core.QcdQuarkMonomials(BOX, mass=0.2, **keys)
    monomials.set_links(reals(links))
    return monomials


@pytest.fixture(scope="module")
def links() -> np.ndarray:
    """Links that are neither near 1 nor quite random."""
    random = np.random.default_rng(44)
    shape = numbers_of(BOX)[:-2]
    return turned(np.broadcast_to(np.eye(3), numbers_of(BOX)), random_algebra(shape, random), 0.4)


def derivative(
    monomials: "core.QcdQuarkMonomials", name: str, links: np.ndarray, algebra: np.ndarray
) -> float:
    """dS/ds of U → exp(s algebra) U at s = 0: central differences of three steps, extrapolated."""

    def difference(step: float) -> float:
        ends = []
        for sign in (1.0, -1.0):
            monomials.set_links(reals(turned(links, algebra, sign * step)))
            ends.append(monomials.action(name))
        return (ends[0] - ends[1]) / (2.0 * step)

    coarse, middle, fine = (difference(step) for step in (0.02, 0.01, 0.005))
    better = (4.0 * middle - coarse) / 3.0, (4.0 * fine - middle) / 3.0
    return (16.0 * better[1] - better[0]) / 15.0


@pytest.mark.parametrize("case", CASES)
def test_a_force_is_the_central_difference_of_its_action(case: str, links: np.ndarray) -> None:
    # What is left of the extrapolation is of order h⁶, some 1e-10 of the derivative; rounding of S
    # (1e-16 of some thousand, over h) is 1e-10.
    random = np.random.default_rng(7)
    monomials = monomials_on(links, **CASES[case])
    everywhere = 0.1 * random_algebra(numbers_of(BOX)[:-2], random)
    at_an_edge = np.zeros_like(everywhere)
    at_an_edge[1, 3, 1, 3] = 10.0 * everywhere[1, 3, 1, 3]
    for name in monomials.names():
        monomials.refresh(name, 5)
        monomials.set_links(reals(links))
        force = monomials.force(name).view(np.complex128).reshape(numbers_of(BOX))
        assert np.abs(force + np.conj(np.swapaxes(force, -1, -2))).max() < 1e-13
        for algebra in (everywhere, at_an_edge):
            slope = -2.0 * np.sum(np.einsum("...ij,...ji->...", algebra, force)).real
            found = derivative(monomials, name, links, algebra)
            assert slope == pytest.approx(found, rel=1e-8, abs=1e-8), name


@pytest.mark.parametrize("case", ["Wilson, antiperiodic", "clover, twisted mass", "Hasenbusch"])
def test_a_force_has_the_same_bits_by_any_kernel_and_threads(case: str, links: np.ndarray) -> None:
    def found(**keys: object) -> list[bytes]:
        monomials = monomials_on(links, **CASES[case], **keys)
        bits = []
        for name in monomials.names():
            monomials.refresh(name, 2)
            action = np.array([monomials.action(name)])
            bits += [action.tobytes(), np.asarray(monomials.force(name)).tobytes()]
        return bits

    first = found()
    assert found(kernel="plain") == first
    assert found(threads=2) == first
    assert found(kernel="two rows", threads=2) == first


def test_solves_start_from_zero(links: np.ndarray) -> None:
    monomials = monomials_on(links, hasenbusch=[0.4])
    for name in monomials.names():
        monomials.refresh(name, 1)
        first = monomials.action(name), np.asarray(monomials.force(name)).tobytes()
        again = monomials.action(name), np.asarray(monomials.force(name)).tobytes()
        assert again == first


def test_the_norm_of_a_force_is_that_of_all_its_parts(links: np.ndarray) -> None:
    monomials = monomials_on(links, clover=1.2)
    monomials.refresh("quarks", 1)
    monomials.action("quarks")
    force = monomials.force("quarks").view(np.complex128).reshape(-1, 3, 3)
    squared = -2.0 * np.einsum("nij,nji->n", force, force).real
    assert monomials.norms("quarks") == pytest.approx(squared, rel=1e-12)


@pytest.mark.parametrize("clover", [0.0, 1.2])
def test_mixed_precision_gives_the_force_of_double_precision(
    clover: float, links: np.ndarray
) -> None:
    # Residuals of 1e-11 leave errors of that, times the matrix's condition of some tens.
    forces, actions = [], []
    for precision in ("double", "mixed"):
        monomials = monomials_on(links, clover=clover, precision=precision, tolerance=1e-11)
        monomials.refresh("quarks", 1)
        actions.append(monomials.action("quarks"))
        forces.append(monomials.force("quarks"))
        solves, iterations, updates, unconverged = monomials.counts("quarks")
        assert (solves, unconverged) == (2, 0)
        assert iterations > 10
        assert (updates > 0) == (precision == "mixed")
    assert actions[1] == pytest.approx(actions[0], rel=1e-9)
    assert np.abs(forces[1] - forces[0]).max() < 1e-8 * np.abs(forces[0]).max()


def test_links_that_are_no_numbers_give_an_infinite_action(links: np.ndarray) -> None:
    for clover in (0.0, 1.0):
        monomials = monomials_on(links, clover=clover)
        monomials.refresh("quarks", 1)
        monomials.set_links(np.full_like(reals(links), np.nan))
        assert monomials.action("quarks") == np.inf
        assert monomials.counts("quarks")[3] == 1

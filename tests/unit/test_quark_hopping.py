"""The hopping matrix of quarks: fast and plain kernels give the same bits, and the right ones."""

import itertools

import numpy as np
import pytest

from phasewise import _core
from tests.unit.quark_reference import (
    GAMMA_5,
    hopped_directly,
    moved,
    parity_of,
    random_links,
    random_spinor,
)

BOXES = ([4, 4, 4, 8], [2, 2, 2, 2], [12, 6, 6, 6], [6, 2, 4, 10])
PRECISIONS = ("double", "single")
SPLITS = [list(axes) for n in range(5) for axes in itertools.combinations(range(4), n)]


def hop(box, links, psi, to, **options):
    plain = np.ascontiguousarray(links).view(float)
    result = _core.qcd_hopping(box, plain, np.ascontiguousarray(psi).view(float), to, **options)
    return np.asarray(result).view(complex).reshape(-1, 4, 3)


def hop_both(box, links, psi, **options):
    return hop(box, links, psi, 0, **options) + hop(box, links, psi, 1, **options)


@pytest.mark.parametrize("box", BOXES)
def test_the_hopping_matrix_is_its_definition(box):
    links, psi = random_links(box), random_spinor(box)
    # Some twenty roundings of values of order 10.
    assert np.abs(hop_both(box, links, psi) - hopped_directly(box, links, psi)).max() < 1e-13
    single = hop_both(box, links, psi, precision="single")
    assert np.abs(single - hopped_directly(box, links, psi)).max() < 5e-5


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("box", BOXES)
def test_kernels_split_axes_spinors_and_threads_give_the_same_bits(box, precision):
    links, psi = random_links(box), random_spinor(box)
    for to, dagger in itertools.product((0, 1), (False, True)):
        options = {"dagger": dagger, "precision": precision}
        expected = hop(box, links, psi, to, kernel="plain", **options)
        assert np.any(expected[parity_of(box) == to])
        for split, kernel in itertools.product(SPLITS, ("fast", "plain")):
            for spinors, threads in (("half", 1), ("full", 2)):
                found = hop(
                    box,
                    links,
                    psi,
                    to,
                    kernel=kernel,
                    split=split,
                    spinors=spinors,
                    threads=threads,
                    **options,
                )
                assert np.array_equal(found, expected), (split, kernel, spinors, threads)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("box", BOXES)
def test_links_of_two_rows_give_the_bits_of_whole_ones(box, precision):
    phases, weights = [1.0, 0.0, -1.0, 1.0], [0.7, 0.7, 0.7, 1.0]
    links, psi = random_links(box), random_spinor(box)
    plain = np.ascontiguousarray(links).view(float)
    changed = np.asarray(_core.qcd_links_with_factors(box, plain, phases, weights))
    changed = changed.view(complex).reshape(links.shape)
    for to, dagger in itertools.product((0, 1), (False, True)):
        options = {"dagger": dagger, "precision": precision}
        given = hop(box, changed, psi, to, kernel="plain", **options)
        options["factors"] = (phases, weights)
        whole = hop(box, changed, psi, to, kernel="plain", **options)
        assert np.abs(whole - given).max() < (1e-13 if precision == "double" else 5e-5)
        for split, spinors in itertools.product(SPLITS, ("half", "full")):
            options |= {"split": split, "spinors": spinors}
            for reals in (18, 12):
                found = hop(box, changed, psi, to, link_reals=reals, **options)
                assert np.array_equal(found, whole), (split, spinors, reals)


def test_dagger_is_between_two_gamma_5():
    box = [4, 4, 4, 8]
    links, psi = random_links(box), random_spinor(box)
    turned = np.einsum("rs,xsa->xra", GAMMA_5, psi)
    twice = np.einsum("rs,xsa->xra", GAMMA_5, hop_both(box, links, turned))
    # γ₅ is diagonal with ±1: each rounding is the same.
    assert np.array_equal(twice, hop_both(box, links, psi, dagger=True))


def test_dagger_is_the_adjoint():
    box = [6, 2, 4, 10]
    links, psi, chi = random_links(box), random_spinor(box), random_spinor(box, 3)
    left = np.vdot(chi, hop_both(box, links, psi))
    right = np.vdot(hop_both(box, links, chi, dagger=True), psi)
    assert abs(left - right) < 1e-14 * np.linalg.norm(chi) * np.linalg.norm(psi) * 16


def test_the_hopping_matrix_is_gauge_covariant():
    box = [4, 4, 4, 8]
    links, psi = random_links(box), random_spinor(box)
    turn = random_links(box, 5)[:, 0]
    turned_links = np.stack(
        [
            turn @ links[:, mu] @ moved(box, turn, mu, 1).conj().transpose(0, 2, 1)
            for mu in range(4)
        ],
        axis=1,
    )
    turned = hop_both(box, turned_links, np.einsum("xab,xsb->xsa", turn, psi))
    expected = np.einsum("xab,xsb->xsa", turn, hop_both(box, links, psi))
    assert np.abs(turned - expected).max() < 1e-13


def test_phases_turn_what_crosses_the_boundary():
    box, phases = [4, 2, 6, 4], [0.2, 0.4, 1.0, 0.5]
    links = random_links(box)
    weights = [0.5, 0.25, 0.125, 1.0]
    changed = np.asarray(
        _core.qcd_links_with_factors(box, np.ascontiguousarray(links).view(float), phases, weights)
    )
    expected = links * np.array(weights)[:, None, None]
    last = [axis.ravel() == box[mu] - 1 for mu, axis in enumerate(np.indices(box[::-1])[::-1])]
    for mu in range(4):
        expected[last[mu], mu] *= np.exp(1j * np.pi * phases[mu])
    assert np.abs(changed.view(complex).reshape(links.shape) - expected).max() < 1e-15

"""Initial bunches: matched, cut, offset, and a pure function of the particle's id."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core
from tests.sentences import refused

Floats = NDArray[np.float64]

EMITTANCE = np.array([5e-10, 2e-10])  # m
BETA, ALPHA = np.array([0.55, 0.4]), np.array([0.4, -0.7])
DISPERSION = np.array([0.1, 0.02, -0.03, 0.01])  # m, 1
LENGTH, SPREAD = 0.0755, 1.13e-4  # m, 1

PARAMETERS = {
    "seed": "1",
    "beam.1.distribution": "gaussian",
    "beam.1.geometric_emittance": "5e-10 2e-10",
    "beam.1.bunch_length": "0.0755",
    "beam.1.momentum_spread": "1.13e-4",
    "ip.1.beta.1": "0.55 0.4",
    "ip.1.alpha.1": "0.4 -0.7",
    "ip.1.dispersion.1": "0.1 0.02 -0.03 0.01",
}


def bunch(count: int, first: int = 0, beam: int = 1, **changes: str) -> Floats:
    keys = {**PARAMETERS, **{f"beam.1.{k}": v for k, v in changes.items() if k != "seed"}}
    keys["seed"] = changes.get("seed", "1")
    rows = [f"{key} = {value}" for key, value in keys.items()]
    text = "\n".join(rows)
    if beam == 2:
        text = text.replace("beam.1", "beam.2")
        for name in ("beta", "alpha", "dispersion"):
            text = text.replace(f"ip.1.{name}.1", f"ip.1.{name}.2")
    return np.asarray(core.make_bunch(text, beam, first, count))


def normalised(c: Floats) -> Floats:
    """The six normal deviates that a bunch is made of."""
    b = c[:4] - DISPERSION[:, None] * c[5]
    x = b[0::2] / np.sqrt(BETA)[:, None]
    p = ALPHA[:, None] * x + b[1::2] * np.sqrt(BETA)[:, None]
    d = DISPERSION
    z = c[4] + d[1] * b[0] - d[0] * b[1] + d[3] * b[2] - d[2] * b[3]
    root = np.sqrt(EMITTANCE)[:, None]
    u = np.stack([x / root, p / root], axis=1).reshape(4, -1)
    return np.concatenate([u, [z / LENGTH, c[5] / SPREAD]])


@pytest.mark.parametrize("distribution", ["gaussian", "quiet"])
def test_a_bunch_is_matched_to_its_optics(distribution: str) -> None:
    n = 50_000
    u = normalised(bunch(n, distribution=distribution))
    # Means scatter by N^-1/2, variances by (2/N)^1/2: 5 rms.
    assert np.abs(u.mean(axis=1)).max() < 5 / np.sqrt(n)
    assert np.abs(np.cov(u) - np.eye(6)).max() < 5 * np.sqrt(2 / n)
    # Kurtosis of a Gaussian, scattering by (96/N)^1/2.
    assert np.abs((u**4).mean(axis=1) - 3).max() < 5 * np.sqrt(96 / n)


def test_a_quiet_start_has_a_tenth_of_the_noise() -> None:
    def noise(distribution: str) -> tuple[float, float]:
        u = [
            normalised(bunch(4096, distribution=distribution, seed=str(seed)))
            for seed in range(1, 21)
        ]
        means, variances = np.mean(u, axis=2), np.var(u, axis=2)
        return float(np.sqrt((means**2).mean())), float(np.sqrt(((variances - 1) ** 2).mean()))

    quiet, random = noise("quiet"), noise("gaussian")
    # 20 seeds × 6 coordinates give each noise to 7 %.
    assert quiet[0] < 0.1 * random[0]
    assert quiet[1] < 0.1 * random[1]


@pytest.mark.parametrize("distribution", ["gaussian", "quiet"])
def test_a_particle_is_a_pure_function_of_its_id(distribution: str) -> None:
    whole = bunch(1000, distribution=distribution)
    assert np.array_equal(whole[:, 333:444], bunch(111, first=333, distribution=distribution))


def test_the_two_beams_have_other_particles() -> None:
    quiet = [bunch(4000, beam=beam, distribution="quiet") for beam in (1, 2)]
    assert not np.any(quiet[0] == quiet[1])
    a, b = bunch(4000), bunch(4000, beam=2)
    for k in range(6):
        assert abs(np.corrcoef(a[k], b[k])[0, 1]) < 4 / np.sqrt(4000)


@pytest.mark.parametrize("distribution", ["gaussian", "quiet"])
@pytest.mark.parametrize("cuts", [(2.0, 2.0, 2.0), (1.5, 3.0, 2.5), (0.0, 0.0, 2.0)])
def test_a_cut_bounds_its_planes_amplitude_and_keeps_the_shape_below(
    cuts: tuple[float, ...], distribution: str
) -> None:
    n = 50_000
    u = normalised(bunch(n, distribution=distribution, cut=" ".join(map(str, cuts))))
    for plane, cut in enumerate(cuts):
        mine = u[2 * plane : 2 * plane + 2]
        if cut > 0:
            assert np.hypot(*mine).max() < cut * (1 + 1e-9)
        # <u²> = 1 - a/(exp(a) - 1), a = c²/2, of a Gaussian cut at amplitude c, 1 without cut. u²
        # scatters by √2 of its mean without cut and by less with one: 5 rms.
        expected = 1 - (cut**2 / 2) / np.expm1(cut**2 / 2) if cut > 0 else 1.0
        assert np.allclose((mine**2).mean(axis=1), expected, rtol=5 * np.sqrt(2 / n))


@pytest.mark.parametrize("distribution", ["gaussian", "quiet"])
def test_a_longitudinal_cut_leaves_the_transverse_planes_as_they_are(distribution: str) -> None:
    plain = bunch(1000, distribution=distribution)
    cut = bunch(1000, distribution=distribution, cut="0 0 2")
    assert np.abs(cut[4:] - plain[4:]).max(axis=1).min() > 0
    # But for dispersion, which is up to 5σ here and is taken off with a few roundings of 1e-16.
    assert np.abs(normalised(cut) - normalised(plain))[:4].max() < 1e-13


def test_equal_cuts_in_all_planes_are_one_cut() -> None:
    # Each plane is cut alone: that of three planes has the coordinates of each cut alone.
    three = normalised(bunch(1000, cut="2"))
    for plane in range(3):
        cuts = ["0"] * 3
        cuts[plane] = "2"
        alone = normalised(bunch(1000, cut=" ".join(cuts)))[2 * plane : 2 * plane + 2]
        assert np.abs(alone - three[2 * plane : 2 * plane + 2]).max() < 1e-13


@pytest.mark.parametrize("cut", ["2 2", "-1 0 0", "-1"])
def test_a_cut_that_is_not_one_or_three_numbers_from_zero_on_is_refused(cut: str) -> None:
    with refused(f"beam.1.cut = {cut}", by=ValueError):
        bunch(1, cut=cut)


def test_mismatch_comes_first_and_the_offset_after_it() -> None:
    plain = bunch(100)
    factors, offset = np.array([2.0, 1, 3, 1, 1, 0.5]), np.array([1e-5, 0, -1e-5, 0, 1e-3, 1e-4])
    changed = bunch(
        100,
        mismatch=" ".join(map(repr, factors.tolist())),
        offset=" ".join(map(repr, offset.tolist())),
    )
    assert np.array_equal(changed, plain * factors[:, None] + offset[:, None])


def test_particles_from_a_file_start_at_the_offset_until_they_come() -> None:
    offset = [1e-5, 0.0, 0.0, 0.0, 0.0, 0.0]
    c = bunch(3, distribution="file", offset="1e-5 0 0 0 0 0")
    assert np.array_equal(c, np.array([offset] * 3).T)


def test_a_negative_emittance_is_refused() -> None:
    with refused("beam.1.geometric_emittance = -1e-9 1e-9", 0, by=ValueError):
        bunch(1, geometric_emittance="-1e-9 1e-9")

"""Radiation in columns: closed forms, budgets, layers that are split, and equal bits."""

import numpy as np
import pytest

from phasewise.errors import StudyError
from phasewise.workloads.atmosphere import radiation
from phasewise.workloads.atmosphere.radiation import LongWaveBand, ShortWaveBand

CP = 1004.64  # J/(kg K), core/atmosphere/constants.hpp
SIGMA = 5.670374419e-8  # W/(m² K⁴)
RNG = np.random.default_rng(43)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(100)


def weather(columns, levels):
    """Temperatures, vapour and clouds without any order, and surface temperatures."""
    temperature = RNG.uniform(190.0, 310.0, (columns, levels))
    vapour = 10.0 ** RNG.uniform(-7.0, -1.7, (columns, levels))
    cloud = np.where(RNG.random((columns, levels)) < 0.3, 1e-3 * RNG.random((columns, levels)), 0.0)
    return temperature, vapour, cloud, RNG.uniform(200.0, 320.0, columns)


def split(values):
    """Every level as two of half its mass."""
    return np.repeat(values, 2, axis=-1)


@pytest.mark.parametrize("asymmetry", [0.0, 0.5, 0.85, -0.3])
@pytest.mark.parametrize("thickness", [1e-9, 1e-3, 0.1, 1.0, 30.0, 1e4])
def test_a_conservative_layer_reflects_its_part_of_diffuse_light(thickness, asymmetry):
    # γ = 3/4 (1 - g) of the Eddington approximation; the scaling leaves γτ as it is. The layer's
    # floor of k is 1e-9, which changes the shares by its square: the rest is rounding.
    found = radiation.layer(thickness, 1.0, asymmetry)
    scattered = 0.75 * (1.0 - asymmetry) * thickness
    assert found.reflection == pytest.approx(scattered / (1.0 + scattered), rel=1e-13)
    assert found.transmission == pytest.approx(1.0 / (1.0 + scattered), rel=1e-13)


@pytest.mark.parametrize("cosine", [1e-3, 0.1, 0.5773, 1.0])
@pytest.mark.parametrize("thickness", [1e-6, 0.3, 2.0, 20.0])
def test_a_layer_that_only_absorbs_lets_the_exponential_of_the_beam_through(thickness, cosine):
    found = radiation.layer(thickness, 0.0, cosine=cosine)
    # 1 - (1 - e^-x) is exact to rounding of 1.
    assert found.direct == pytest.approx(np.exp(-thickness / cosine), rel=1e-13, abs=2e-16)
    assert found.beam_reflection == found.beam_transmission == 0.0


@pytest.mark.parametrize("asymmetry", [0.0, 0.85])
@pytest.mark.parametrize("cosine", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("thickness", [1e-4, 0.2, 3.0, 100.0])
def test_a_conservative_layer_keeps_the_light_of_the_beam(thickness, cosine, asymmetry):
    found = radiation.layer(thickness, 1.0, asymmetry, cosine)
    assert found.beam_reflection + found.beam_transmission + found.direct == pytest.approx(
        1.0, abs=1e-13
    )


def beam_by_quadrature(thickness, omega, asymmetry, cosine):
    """Reflection and transmission of the beam by Gauss's quadrature of Green's function of
    Meador and Weaver's equations 7 and 8, whose nodes resolve all scales of a layer of optical
    thickness up to 5.
    """
    peak = asymmetry**2
    tau, w = (1.0 - omega * peak) * thickness, (1.0 - peak) * omega / (1.0 - omega * peak)
    g = asymmetry / (1.0 + asymmetry)
    one, two = (7.0 - w * (4.0 + 3.0 * g)) / 4.0, -(1.0 - w * (4.0 - 3.0 * g)) / 4.0
    three = (2.0 - 3.0 * g * cosine) / 4.0
    k = np.sqrt(one**2 - two**2)
    t, dt = 0.5 * tau * (1.0 + NODES), 0.5 * tau * WEIGHTS
    whole = k * np.cosh(k * tau) + one * np.sinh(k * tau)
    scattered = w / cosine * np.exp(-t / cosine) * dt

    def emerging(forward, backward, path):
        own = k * np.cosh(k * path) + one * np.sinh(k * path)
        return (scattered * (forward * own + backward * two * np.sinh(k * path))).sum() / whole

    return emerging(three, 1.0 - three, tau - t), emerging(1.0 - three, three, t)


def test_the_beam_is_scattered_as_the_two_stream_equations_say():
    # 1/µ = k, where the textbook's formula is 0/0, is among them for the larger two k.
    for omega in (0.2, 0.5, 0.999):
        resonant = 1.0 / np.sqrt(3.0 * (1.0 - omega))
        for cosine in (0.2, 1.0, min(1.0, resonant), min(1.0, resonant * (1 + 1e-9))):
            for asymmetry in (0.0, 0.8):
                for thickness in (0.01, 1.0, 4.0):
                    found = radiation.layer(thickness, omega, asymmetry, cosine)
                    expected = beam_by_quadrature(thickness, omega, asymmetry, cosine)
                    shares = found.beam_reflection, found.beam_transmission
                    assert shares == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_the_beam_through_columns_that_only_absorb():
    levels, per_kilogram, vapour = 20, 0.02, 2e-3
    bands = [ShortWaveBand(share=1.0, vapour=per_kilogram)]
    cosine = np.array([1.0, 0.4, 0.05, 0.0, -0.3])
    found = radiation.short_wave(cosine, np.full((5, levels), vapour), albedo=0.0, bands=bands)
    each = per_kilogram * vapour * radiation.layer_mass(levels)
    sun = np.maximum(cosine, 0.0)[:, None]
    path = np.arange(levels + 1) * each / np.where(sun > 0.0, sun, 1.0)
    assert found.down == pytest.approx(1361.0 * sun * np.exp(-path), rel=1e-12)
    assert (found.down[3:] == 0.0).all() and (found.up == 0.0).all()


def grey_equilibrium(levels, thickness):
    """Black-body fluxes of layers in equilibrium, in units of the outgoing flux: the downward flux
    grows by tanh(D τ/2) from layer to layer, and each emits the mean of what falls on it.
    """
    step = np.tanh(0.75 * thickness / levels)
    down = step * np.arange(levels + 1)
    return 0.5 * (1.0 + down[:-1] + down[1:]), down[-1] + 1.0


@pytest.mark.parametrize("levels", [26, 200])
def test_grey_radiative_equilibrium_follows_the_optical_thickness(levels):
    thickness, outgoing = 4.0, 240.0
    layers, surface = grey_equilibrium(levels, thickness)
    per_kilogram = thickness / (radiation.layer_mass(levels) * levels)
    found = radiation.long_wave(
        (outgoing * layers / SIGMA) ** 0.25, (outgoing * surface / SIGMA) ** 0.25,
        bands=[LongWaveBand(share=1.0, gas=per_kilogram)],
    )  # fmt: skip
    assert found.net == pytest.approx(outgoing, rel=1e-13)
    # T⁴ ∝ 1 + D τ in the middle of each layer, D = 3/2; tanh x = x - x³/3, x = Dτ/2 of a layer.
    middle = (np.arange(levels) + 0.5) * thickness / levels
    expected = 0.5 * (1.0 + 1.5 * middle)
    assert layers == pytest.approx(expected, rel=(0.75 * thickness / levels) ** 2 / 3)


def test_isothermal_air_above_a_surface_of_its_temperature_has_the_flux_of_a_black_body():
    found = radiation.long_wave(np.full(30, 260.0), 260.0, vapour=1e-3)
    assert found.up == pytest.approx(SIGMA * 260.0**4, rel=1e-13)


def test_heating_is_the_divergence_of_the_net_flux_and_the_budget_closes():
    temperature, vapour, cloud, surface = weather(11, 26)
    capacity = CP * radiation.layer_mass(26)
    for found in (
        radiation.long_wave(temperature, surface, vapour, cloud),
        radiation.short_wave(RNG.uniform(0.01, 1.0, 11), vapour, cloud),
    ):
        gained = found.net[:, 1:] - found.net[:, :-1]
        scale = np.abs(found.net).max()
        assert capacity * found.heating == pytest.approx(gained, abs=1e-13 * scale)
        whole = found.net[:, -1] - found.net[:, 0]
        assert capacity * found.heating.sum(axis=1) == pytest.approx(whole, abs=1e-13 * scale)


def test_layers_split_in_two_have_the_same_fluxes():
    temperature, vapour, cloud, surface = weather(300, 13)
    cosine = RNG.uniform(0.02, 1.0, 300)
    long_wave = [
        radiation.long_wave(split(temperature), surface, split(vapour), split(cloud)),
        radiation.long_wave(temperature, surface, vapour, cloud),
    ]
    short_wave = [
        radiation.short_wave(cosine, split(vapour), split(cloud)),
        radiation.short_wave(cosine, vapour, cloud),
    ]
    for fine, coarse in (long_wave, short_wave):
        scale = np.abs(coarse.down).max()
        for name in ("up", "down"):
            both = getattr(fine, name)[:, ::2], getattr(coarse, name)
            assert both[0] == pytest.approx(both[1], abs=1e-12 * scale)


def test_the_light_that_columns_and_surface_absorb_is_what_the_sun_sends_and_gets_not_back():
    # Conservative air over a white surface sends all back.
    bands = [ShortWaveBand(share=0.5, rayleigh=3e-5, cloud=150.0), ShortWaveBand(share=0.5)]
    _, vapour, cloud, _ = weather(50, 26)
    found = radiation.short_wave(RNG.uniform(0.01, 1.0, 50), vapour, cloud, albedo=1.0, bands=bands)
    # Each of the 26 layers reflects with a rounding of its own.
    assert found.up[:, 0] == pytest.approx(found.down[:, 0], rel=1e-12)


def test_both_kernels_leave_the_same_bits_for_any_number_of_columns_and_threads():
    temperature, vapour, cloud, surface = weather(67, 26)
    cosine = RNG.uniform(-1.0, 1.0, 67)

    def fluxes(first, last, **manner):
        some = slice(first, last)
        pair = (
            radiation.long_wave(
                temperature[some], surface[some], vapour[some], cloud[some], **manner
            ),
            radiation.short_wave(cosine[some], vapour[some], cloud[some], **manner),
        )
        return [getattr(one, name) for one in pair for name in ("up", "down", "heating")]

    expected = fluxes(0, 67, kernel="plain")
    for first, last, threads in ((0, 67, 1), (0, 67, 3), (5, 6, 1), (3, 20, 1), (0, 64, 2)):
        for own, whole in zip(fluxes(first, last, threads=threads), expected, strict=True):
            assert (own == whole[first:last]).all()


def test_arrays_keep_the_shape_of_their_columns():
    temperature = np.full((4, 3, 10), 250.0)
    dry = np.zeros(temperature.shape)
    assert radiation.long_wave(temperature, 280.0).up.shape == (4, 3, 11)
    assert radiation.short_wave(np.full((4, 3), 0.5), dry).heating.shape == (4, 3, 10)
    assert len(radiation.long_wave_bands(np.int64(4))) == 4
    assert radiation.long_wave(np.zeros((0, 10)) + 250.0, np.zeros(0)).up.shape == (0, 11)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: radiation.long_wave(np.full(5, 250.0), [280.0, 281.0]), "surface_temperature has"),
        (lambda: radiation.long_wave(250.0, 280.0), "temperature must have 1 to"),
        (lambda: radiation.long_wave([250.0, np.nan], 280.0), "temperature must be finite"),
        (lambda: radiation.long_wave([250.0], 280.0, vapour=-1.0), "vapour must be finite numbers"),
        (lambda: radiation.long_wave([250.0], 280.0, bands=0), "bands = 0"),
        (lambda: radiation.long_wave([250.0], 280.0, bands=["a"]), "a list of LongWaveBand"),
        (lambda: radiation.long_wave([250.0], 280.0, bands=True), "bands = True must be"),
        (lambda: radiation.long_wave([250.0], 280.0, bands=1.5), "bands must be an integer, or"),
        (lambda: radiation.long_wave([250.0], 280.0, bands=LongWaveBand(1.0)), "bands must be an"),
        (lambda: radiation.long_wave([250.0], 280.0, bands=np.ones(2)), "bands must be an"),
        (lambda: radiation.long_wave(np.array([1j]), 280.0), "temperature must be an array"),
        (lambda: radiation.long_wave([250.0], 280.0, kernel=np.ones(2)), "must be fast or plain"),
        (lambda: radiation.long_wave([2e300], 280.0), "at least 1, at most 10000"),
        (lambda: radiation.adjust([250.0], vapour=5.0), "vapour must be finite numbers"),
        (lambda: radiation.long_wave_bands(1.5), "number = 1.5 must be an integer"),
        (lambda: radiation.layer_mass(0), "levels = 0 must be an integer from 1"),
        (lambda: radiation.long_wave([250.0], 280.0, kernel="quick"), "kernel = 'quick'"),
        (lambda: radiation.short_wave(2.0, [0.0]), "cosine must be finite numbers"),
        (lambda: radiation.short_wave(0.5, [0.0], albedo=1.5), "albedo must be finite numbers"),
        (lambda: radiation.layer(1.0, 1.2), "single_scattering_albedo"),
    ],
)  # fmt: skip
def test_an_argument_that_cannot_be_used_gets_a_sentence(call, sentence):
    with pytest.raises(StudyError, match=sentence):
        call()

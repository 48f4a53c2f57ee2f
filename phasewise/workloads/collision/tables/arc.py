"""The keys of [arc]: everything between the last interaction point and the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.tables.declared import key
from phasewise.tables.keys import Key
from phasewise.workloads.collision.tables.optics import METRES, Four, Pair, Triple


@dataclass(frozen=True, kw_only=True)
class RadioFrequency:
    """Sinusoidal RF."""

    voltage: float = key("number", needed="the peak voltage", above=0, most=1e12, unit="V")
    harmonic: int = key("integer", needed="the number of RF periods in a turn", least=1, most=10**9)
    phase: float = key("number", 0.0, least=-1, most=1, unit="turns", hint="it is not in degrees")


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """Corrects the centroid, which it measures with an error of `noise`."""

    gain: Pair = key("numbers", (0.0, 0.0), length=2, least=0, most=2)
    noise: Pair = key("numbers", (0.0, 0.0), length=2, least=0, most=1, unit="m", hint=METRES)


@dataclass(frozen=True)
class MapFile:
    """What a map's own TOML file holds."""

    matrix: ClassVar[Key] = Key("nested", shape=(6, 6))
    tensor: ClassVar[Key] = Key("nested", shape=(6, 6, 6))


@dataclass(frozen=True, kw_only=True)
class Arc:
    """The arc of one beam."""

    tune: Pair | None = key("numbers", length=2, least=-1e4, most=1e4)
    synchrotron_tune: float = key("number", 0.0, least=-0.5, most=0.5, hint="the unit is turns⁻¹")
    chromaticity: Pair = key("numbers", (0.0, 0.0), length=2, least=-1e4, most=1e4)
    amplitude_detuning: Four = key("nested", (0.0,) * 4, shape=(2, 2), unit="1/m")
    longitudinal: str = key("word", choices=("linear", "rf", "none"))
    momentum_compaction: float | None = key("number", least=-1, most=1)
    rf_: ClassVar[Key] = Key("table")
    rf: RadioFrequency | None
    damping_turns: Triple = key("numbers", (0.0, 0.0, 0.0), length=3, least=0, unit="turns")
    equilibrium_emittance: Pair = key(
        "numbers", length=2, least=0, most=1e-2, unit="m", hint=METRES
    )
    equilibrium_bunch_length: float = key("number", least=0, most=10, unit="m", hint=METRES)
    equilibrium_momentum_spread: float = key("number", least=0, most=0.1)
    excitation: bool = key("flag", True)
    aperture: Pair | None = key("numbers", length=2, above=0, most=10, unit="m", hint=METRES)
    aperture_sigma: ClassVar[Key] = Key("numbers", length=2, above=0, unit="rms")
    aperture_shape: str = key("word", "ellipse", choices=("ellipse", "rectangle"))
    momentum_aperture: Pair | None = key(
        "numbers", length=2, shared=True, above=0, most=1, hint="it is a fraction, not a percentage"
    )
    """Largest -δ and δ of a particle that leaves an interaction point."""
    feedback_: ClassVar[Key] = Key("table")
    feedback: Feedback
    noise: Four = key("numbers", (0.0,) * 4, length=4, least=0, most=1, unit="rms (m, 1, m, 1)")
    map: ClassVar[Key] = Key("text")
    matrix: tuple[float, ...] | None = key("nested", shape=(6, 6))
    """36 numbers, row by row."""
    tensor: tuple[float, ...] | None = key("nested", shape=(6, 6, 6))
    """216 numbers T[i][j][k], k fastest."""

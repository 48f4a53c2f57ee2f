"""A BeamBeam3D deck (``beam1.in`` and ``beam2.in`` of one folder) as a study.

The meanings are those of BeamBeam3D 1.0 (J. Qiang, LBNL): energy is total, emittances are
geometric, angles are half crossing angles, damping multiplies amplitudes by exp(-1/τ) per turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.constants import ELECTRON_MASS, PROTON_MASS, SPEED_OF_LIGHT
from phasewise.errors import StudyError
from phasewise.study import Study
from phasewise.tables.files import parse
from phasewise.tables.keys import shortest
from phasewise.tables.writing import document
from phasewise.workloads.collision.importers.beambeam3d_deck import Deck, read_deck
from phasewise.workloads.collision.importers.beambeam3d_limits import Untranslated, untranslated
from phasewise.workloads.collision.tables.read_point import MAX_POINTS

SAME_MASS = 1e-4
"""Relative difference up to which a mass is the electron's or the proton's."""

SOFT_GAUSSIAN = 10
"""The kind of interaction by which the code chooses its soft-Gaussian model."""


@dataclass(frozen=True)
class Translation:
    """A study as TOML text, and the entries of the deck that were not translated."""

    text: str
    not_translated: list[Untranslated]


def translate(directory: str | Path, line: str | None = None) -> Translation:
    """The study of the deck in ``directory``; StudyError if the deck cannot be read or used."""
    folder = Path(directory)
    if line is not None:
        raise StudyError(f"a deck of BeamBeam3D has no lines, so that --line {line} names none")
    if not folder.is_dir():
        raise StudyError(f"{folder} is not a folder: give the one that holds beam1.in and beam2.in")
    decks = (read_deck(folder / "beam1.in"), read_deck(folder / "beam2.in"))
    if decks[0].values["mesh"][:2] != decks[1].values["mesh"][:2]:
        raise StudyError(f"{decks[1].where('mesh')}: both beams must have the same mesh")
    tables = _tables(decks, folder)
    text = document(tables)
    try:
        Study.from_dict(parse(text, "the study"), folder)
    except StudyError as error:
        raise StudyError(f"{folder} does not describe a study: {error}") from None
    return Translation(text, list(untranslated(decks)))


def _tables(decks: tuple[Deck, Deck], folder: Path) -> dict[str, Any]:
    one, two = decks
    tables: dict[str, Any] = {
        "title": f"BeamBeam3D deck {_plain(folder.resolve().name)}",
        "turns": two.integer("turns", "turns"),
        "seed": 1,
    }
    for k, deck in enumerate(decks, 1):
        tables[f"beam.{k}"] = _beam(deck, squeezed=_squeezed(decks))
    first, second = _arc(one), _arc(two)
    if first == second:
        tables["arc"] = first
    else:
        tables["arc.1"], tables["arc.2"] = first, second
    for k in range(1, _collisions(one) + 1):
        tables |= _ip(decks, k)
    tables["records"] = {"tracked": one.integer("series", "particles")}
    return tables


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in name)


def _collisions(deck: Deck) -> int:
    number = deck.integer("collisions", "number")
    if not 1 <= number <= MAX_POINTS:
        raise StudyError(
            f"{deck.where('collisions')}: {number} collisions per turn; accepted: 1 to {MAX_POINTS}"
        )
    return number


def _beam(deck: Deck, squeezed: bool) -> dict[str, Any]:
    """Keys of one beam; the mismatch follows from its record of rms sizes and its emittance."""
    mass, charge = deck.number("beam", "mass"), deck.number("beam", "charge")
    table: dict[str, Any] = _particle(mass, charge)
    table |= {
        "energy": deck.number("beam", "energy"),
        "bunch_population": deck.number("beam", "population"),
        "macroparticles": deck.integer("particles", "macroparticles"),
        "geometric_emittance": deck.values["emittance"][:2],
        "bunch_length": deck.number("z", "sigma"),
        "momentum_spread": deck.number("z", "beta"),
    }
    offset, mismatch = [], []
    for plane in ("x", "y"):
        centre = 0.0 if squeezed else deck.number(plane, "centre")
        offset += [centre, deck.number(plane, "momentum_centre")]
        mismatch += _mismatch(deck, plane)
    offset += [deck.number("z", "centre"), deck.number("z", "momentum_centre")]
    mismatch += [deck.number("z", "scale"), deck.number("z", "momentum_scale")]
    if any(offset):
        table["offset"] = offset
    if any(factor != 1 for factor in mismatch):
        table["mismatch"] = mismatch
    return table


def _particle(mass: float, charge: float) -> dict[str, Any]:
    for known, names in (
        (PROTON_MASS, ("proton", "antiproton")),
        (ELECTRON_MASS, ("positron", "electron")),
    ):
        if abs(mass / known - 1) < SAME_MASS and abs(charge) == 1:
            return {"particle": names[0] if charge > 0 else names[1]}
    return {"particle": "ion", "mass": mass, "charge": charge}


def _mismatch(deck: Deck, plane: str) -> list[float]:
    """Factors on position and angle; within 1e-3 of 1, the digits of a deck, they are 1."""
    square = deck.number("emittance", plane) * deck.number("beta", plane)
    sigma, beta = deck.number(plane, "sigma"), deck.number(plane, "beta")
    if square <= 0 or beta <= 0:
        return [deck.number(plane, "scale"), deck.number(plane, "momentum_scale")]
    size = math.sqrt(square)
    factors = (sigma / size, sigma / beta * deck.number("beta", plane) / size)
    position, angle = (1.0 if abs(f - 1) < 1e-3 else f for f in factors)
    return [
        position * deck.number(plane, "scale"),
        angle * deck.number(plane, "momentum_scale"),
    ]


def _arc(deck: Deck) -> dict[str, Any]:
    table: dict[str, Any] = {"tune": deck.values["tunes"][:2]}
    tune = deck.number("tunes", "z")
    if tune:
        # The deck's rotation takes +delta to +z; the study's sense, above transition, is the other.
        table["synchrotron_tune"] = -tune
    if any(deck.values["chromaticity"][:2]):
        table["chromaticity"] = deck.values["chromaticity"][:2]
    damping = _damping_turns(deck)
    if damping:
        table["damping_turns"] = damping
    return table


def _damping_turns(deck: Deck) -> list[float]:
    """Damping turns in x, y, z. One time and the partition number D give τx = τy/(1 - D), τz =
    τy/(2 + D).
    """
    first, second, third = deck.values["damping"][:3]
    switch = deck.integer("damping", "switch")
    if switch == 1:
        if first <= 0 or not -2 < second < 1:
            raise StudyError(
                f"{deck.where('damping')}: time {first:g} and partition number {second:g} damp "
                "nothing"
            )
        return [first / (1 - second), first, first / (2 + second)]
    return [first, second, third] if switch == 2 else []


def _squeezed(decks: tuple[Deck, Deck]) -> bool:
    """Whether the orbits are brought together over the first turns, so that centroids are
    orbits.
    """
    return any(deck.integer("squeeze", "switch") == 1 for deck in decks)


def _ip(decks: tuple[Deck, Deck], number: int) -> dict[str, Any]:
    one, two = decks
    name = f"ip.{number}"
    table: dict[str, Any] = {
        "beta": one.values["beta"][:2],
        "alpha": one.values["alpha"][:2],
        "half_crossing_angle": one.number("crossing", "phi"),
        "crossing_plane": one.number("crossing", "alpha"),
        "model": _model(one),
        "grid": [one.integer("mesh", "nx"), one.integer("mesh", "ny")],
        "slices": shortest(tuple(deck.integer("slices", "slices") for deck in decks)),
        "interpolation": "none",
        "longitudinal_kick": False,
    }
    if table["model"] == "weak-strong":
        table["strong_beam"] = 1
    if one.integer("switches", "fixed_domain") == 1:
        table["mesh"] = "fixed"
        table["mesh_half_width"] = _half_width(one)
    tables = {name: table}
    if _squeezed(decks):
        tables[f"{name}.ramp"] = _ramp(decks)
    own = {key: two.values[key][:2] for key in ("beta", "alpha")}
    if any(own[key] != table[key] for key in own):
        tables[f"{name}.beam.2"] = own
    for k, deck in enumerate(decks, 1):
        crab = _crab(deck)
        if crab:
            tables[f"{name}.beam.{k}.crab"] = crab
    return tables


def _model(deck: Deck) -> str:
    if deck.integer("groups", "number") == 1:
        return "weak-strong"
    kind = deck.integer("groups", "kind")
    return "soft-gaussian" if kind == SOFT_GAUSSIAN else "strong-strong"


def _half_width(deck: Deck) -> list[float]:
    domain = deck.values["domain"]
    return [max(abs(domain[0]), abs(domain[1])), max(abs(domain[2]), abs(domain[3]))]


def _ramp(decks: tuple[Deck, Deck]) -> dict[str, Any]:
    start, end = [], []
    for k, plane in enumerate("xy"):
        centres = [deck.number(plane, "centre") for deck in decks]
        targets = [
            deck.values["orbit"][k] if deck.integer("squeeze", "switch") == 1 else centre
            for deck, centre in zip(decks, centres, strict=True)
        ]
        start.append(centres[0] - centres[1])
        end.append(targets[0] - targets[1])
    return {"from": start, "to": end, "turns": [0, decks[1].integer("squeeze", "turns")]}


def _crab(deck: Deck) -> dict[str, Any]:
    """Strength from the cavity's kick V: Δx = sqrt(β* βc) V sin(kz) at the interaction point.

    Full compensation takes z tan φ off x, hence strength = -sqrt(β* βc) V k / tan φ.
    """
    plane = "x" if abs(deck.number("crossing", "alpha")) <= 1e-9 else "y"
    phi, frequency = deck.number("crossing", "phi"), deck.number("crab", "frequency")
    voltage = deck.extra("crab", 2)
    product = deck.number("beta", plane) * deck.number("crab", "beta")
    if frequency <= 0 or voltage == 0 or phi == 0 or product <= 0:
        return {}
    k = 2 * math.pi * frequency / SPEED_OF_LIGHT
    return {
        "strength": -math.sqrt(product) * voltage * k / math.tan(phi),
        "frequency": frequency,
    }

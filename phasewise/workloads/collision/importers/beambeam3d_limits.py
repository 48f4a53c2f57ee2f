"""Finds what a BeamBeam3D deck asks for and a study cannot express, record by record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from phasewise.workload.interface import Unit
from phasewise.workloads.collision.importers.beambeam3d_deck import Deck


@dataclass(frozen=True)
class Untranslated:
    """A record of the deck, and a clause that says what of it the study lacks."""

    record: str
    reason: str


ALIKE = {
    "turns": "the study takes beam 2's number, as the code does",
    "crossing": "the study takes beam 1's angles for both beams",
    "collisions": "the study takes beam 1's number",
    "groups": "the study takes beam 1's",
    "switches": "the study takes beam 1's",
    "series": "the study takes beam 1's",
}
"""Records in which the two files must agree, and what the study has if they do not."""


def untranslated(decks: tuple[Deck, Deck]) -> Iterator[Untranslated]:
    """Everything in the deck that would change the results and is not in the study."""
    for record, reason in ALIKE.items():
        count = 1 if record == "series" else None
        if decks[0].values[record][:count] != decks[1].values[record][:count]:
            place = f"{decks[0].place(record)}, {decks[1].path.name}"
            yield Untranslated(place, f"the two files differ; {reason}")
    for deck in decks:
        for record, reason in _of_one(deck):
            yield Untranslated(deck.place(record), reason)


def _of_one(deck: Deck) -> Iterator[tuple[str, str]]:
    yield from _bunch(deck)
    yield from _ring(deck)
    yield from _collision(deck)
    yield from _run(deck)


def _bunch(deck: Deck) -> Iterator[tuple[str, str]]:
    kind = deck.integer("distribution", "kind")
    if kind != 2:
        yield "distribution", f"initial distribution {kind} becomes a Gaussian"
    for k, plane in enumerate("xy"):
        if deck.number(plane, "alpha") != deck.values["alpha"][k]:
            yield plane, "the bunch's alpha is not the ring's; the study's bunch has the ring's"
        if deck.number(plane, "centre") and deck.integer("squeeze", "switch") != 1:
            yield (
                plane,
                "the centroid is also the closed orbit of that code; the study's bunch starts "
                "there and oscillates about zero (for a lasting offset give ip.1.separation)",
            )


def _ring(deck: Deck) -> Iterator[tuple[str, str]]:
    if deck.integer("sweeping", "switch") == 1:
        yield "sweeping", "orbit sweeping"
    if deck.integer("feedback", "switch") == 1:
        yield "feedback", "feedback that resets the centroid every turn (see arc.feedback)"
    if any(deck.values["gains"][:4]):
        yield "gains", "feedback gains of single monitors (see arc.feedback)"
    if deck.number("curvature", "curvature"):
        yield "curvature", "the ring's curvature"
    for name, order in (("second_order", 1), ("third_order", 2), ("fourth_order", 3)):
        if deck.integer("switches", name) == 1:
            yield "switches", f"external map of order {order} from a file (see arc.map)"
    if deck.integer("damping", "switch") not in (0, 1, 2):
        yield "damping", "a damping switch other than 0, 1 or 2"


def _collision(deck: Deck) -> Iterator[tuple[str, str]]:
    if deck.integer("switches", "slice_file") == 1:
        yield "switches", "numbers of slices from a file"
    if deck.integer("collisions", "number") > 1:
        yield "collisions", "the schedule of collisions (idblist1.in, idblist2.in)"
    if deck.integer("bunches", "bunches") > 1 or deck.integer("bunches", "steps") > 1:
        yield "bunches", "several bunches; the study has one per beam"
    if deck.integer("groups", "number") == 1 and deck.integer("groups", "kind") == 1:
        yield "groups", "the strong beam's mesh field; the study's strong beam is a Gaussian"
    if deck.extra("crab", 2) and deck.number("crossing", "phi") == 0:
        yield "crab", "crab cavities without a crossing angle"
    if deck.extra("crab", 2) and deck.extra("crab", 4):
        yield "crab", "the second harmonic of the crab cavities"


def _run(deck: Deck) -> Iterator[tuple[str, str]]:
    if deck.integer("restart", "switch") == 1:
        yield "restart", "particles of an earlier run"
    if 0 < deck.integer("resampling", "every") <= deck.integer("turns", "turns"):
        yield "resampling", "sampling the bunch anew during the run"
    every = deck.integer("output", "particles_every")
    if every > 0 and deck.integer("output", "particles_fraction") > 0:
        yield "output", f"particles written every {Unit().of(every)} (see records.particles_every)"

"""Codes whose decks can be studies of colliding beams."""

from phasewise.workloads.collision.importers.beambeam3d import translate

CODES = {"beambeam3d": translate}
"""Functions that translate a deck, by the name of its code."""

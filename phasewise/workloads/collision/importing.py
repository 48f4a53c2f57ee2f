"""Codes whose decks can be studies of colliding beams."""

from phasewise.study.importing import Importing
from phasewise.workloads.collision.importers.beambeam3d import translate


class CollisionImporting(Importing):
    """The codes whose decks it can read."""

    CODES = {"beambeam3d": translate}
    """Functions that translate a deck, by the name of its code."""

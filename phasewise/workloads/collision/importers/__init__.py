"""Decks of other codes for colliding beams as studies."""

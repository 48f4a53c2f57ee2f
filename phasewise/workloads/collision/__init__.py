"""Colliding beams."""

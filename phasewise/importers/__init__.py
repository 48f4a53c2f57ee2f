"""Decks of other codes as studies."""

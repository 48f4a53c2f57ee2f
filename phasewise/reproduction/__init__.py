"""Reproduction of papers: what all of their pages share."""

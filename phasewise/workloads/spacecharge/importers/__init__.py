"""Translates lattices of other codes into lattice files."""

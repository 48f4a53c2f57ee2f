"""Lattices of other codes as lattice files."""

"""Analyses of series of numbers: spectra and growth rates, from NumPy arrays to dataclasses."""

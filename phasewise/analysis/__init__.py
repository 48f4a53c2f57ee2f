"""Analyses of any series of numbers: spectra and growth rates; NumPy in, dataclasses out."""

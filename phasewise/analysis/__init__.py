"""Analyses of series of numbers: spectra, growth rates and autocorrelation, from NumPy arrays to
dataclasses.
"""

from phasewise.analysis.autocorrelated import Autocorrelation, autocorrelation

__all__ = ["Autocorrelation", "autocorrelation"]

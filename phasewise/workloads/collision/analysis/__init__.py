"""Analyses of a run: coherent modes, growth rates, luminosity, footprints.

The functions here take the results of a run; those of the modules take NumPy arrays.
"""

from phasewise.analysis.growth_rate import Growth
from phasewise.analysis.spectrum import Peak, Spectrum
from phasewise.analysis.tune_footprint import Footprint
from phasewise.workloads.collision.analysis.both_beams import BothBeams
from phasewise.workloads.collision.analysis.coherent import CoherentModes, PlaneModes
from phasewise.workloads.collision.analysis.from_results import (
    BeamGrowth,
    EmittanceGrowth,
    centroid_phasors,
    coherent_modes,
    footprint,
    growth,
    growth_of_both,
    luminosity,
    setting_of,
)
from phasewise.workloads.collision.analysis.luminosity_history import Luminosity

__all__ = [
    "BeamGrowth",
    "BothBeams",
    "CoherentModes",
    "EmittanceGrowth",
    "Footprint",
    "Growth",
    "Luminosity",
    "Peak",
    "PlaneModes",
    "Spectrum",
    "centroid_phasors",
    "coherent_modes",
    "footprint",
    "growth",
    "growth_of_both",
    "luminosity",
    "setting_of",
]

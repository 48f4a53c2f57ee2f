"""A small study with everything that records show, and how tests run it."""

from __future__ import annotations

import subprocess
import sys

import h5py

STUDY = """
title = "small"
turns = 12
seed = 5
[beam.1]
particle = "proton"
energy = 7e12
bunch_population = 1.15e11
macroparticles = 1501
normalized_emittance = [3.75e-6, 3.75e-6]
bunch_length = 0.0755
momentum_spread = 1.13e-4
offset_sigma = [0.1, 0, 0.1, 0, 0, 0]
[beam.2]
like = "beam.1"
macroparticles = 1000
[ring]
circumference = 26658.883
bunches = 2808
[arc]
tune = [64.31, 59.32]
synchrotron_tune = 0.0019
chromaticity = [2.0, 2.0]
damping_turns = [1000, 1000, 500]
equilibrium_emittance = [5e-10, 5e-10]
equilibrium_bunch_length = 0.0755
equilibrium_momentum_spread = 1.13e-4
aperture_sigma = [3.0, 3.0]
noise = [1e-8, 1e-8, 1e-8, 1e-8]
[arc.feedback]
gain = [0.05, 0.05]
noise = [1e-7, 1e-7]
[ip.1]
beta = [0.55, 0.55]
half_crossing_angle = 142.5e-6
grid = [64, 64]
slices = 3
[records]
moments_order = 4
tracked = 4
slices_every = 5
pair_luminosity_every = 5
field = true
checkpoint_every = 6
"""
NEVER = [
    word
    for key in ("slices_every", "pair_luminosity_every", "checkpoint_every")
    for word in ("--set", f"records.{key}=0")
]
LONG = ["--set", "turns=100000", *NEVER]
WIDE = ["--set", "arc.aperture_sigma=[100.0, 100.0]"]


def command(study, *words):
    return [sys.executable, "-m", "phasewise", "run", str(study), *map(str, words)]


def run(study, *words, timeout=60, **options):
    return subprocess.run(
        command(study, *words),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
    )


def ran(study, *words):
    done = run(study, *words)
    assert done.returncode == 0, done.stderr
    return done


def datasets(folder):
    """Every dataset of a run's records, by name, as bytes."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = item[...].tobytes()

    with h5py.File(folder / "records.h5", "r") as file:
        file.visititems(take)
    return found


def differing(one, other):
    first, second = datasets(one), datasets(other)
    return [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)]

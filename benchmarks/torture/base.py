"""The small run that is killed, damaged and mutated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STUDY = """
title = "torture"
turns = 40
seed = 5
[beam.1]
particle = "proton"
energy = 7e12
bunch_population = 1.15e11
macroparticles = 601
normalized_emittance = [3.75e-6, 3.75e-6]
bunch_length = 0.0755
momentum_spread = 1.13e-4
offset_sigma = [0.1, 0, 0.1, 0, 0, 0]
[beam.2]
like = "beam.1"
macroparticles = 400
[ring]
circumference = 26658.883
bunches = 2808
[arc]
tune = [64.31, 59.32]
synchrotron_tune = 0.0019
aperture_sigma = [3.0, 3.0]
noise = [1e-8, 1e-8, 1e-8, 1e-8]
[ip.1]
beta = [0.55, 0.55]
half_crossing_angle = 142.5e-6
grid = [32, 32]
slices = 3
[records]
moments_order = 4
tracked = 4
slices_every = 10
pair_luminosity_every = 10
field = true
particles_every = 40
checkpoint_every = 3
"""

QUIET_START = [
    *("--set", "records.slices_every=0", "--set", "records.pair_luminosity_every=0"),
    *("--set", "records.field=false", "--set", "records.particles_every=0"),
]
"""The parts of the study that a run leaves out to start fast."""


def command(study: Path, out: Path, *words: str) -> list[str]:
    """The command that runs the study into `out`."""
    head = [sys.executable, "-m", "phasewise", "run", str(study), "--out", str(out), "--quiet"]
    return [*head, *words]


def make_run(folder: Path) -> Path:
    """Make a finished run of 2 ranks in `folder`/run, with a time line and two checkpoints."""
    study, out = folder / "small.toml", folder / "run"
    study.write_text(STUDY, encoding="utf-8")
    words = command(study, out, "--ranks", "2", "--events", "200")
    subprocess.run(words, check=True, capture_output=True, text=True)
    return out

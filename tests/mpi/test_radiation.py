"""Photons and events of scattering are the same bits on any number of ranks and threads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mpi.test_told_once import agreeing

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

RUN = """
import hashlib
import numpy as np
import phasewise
import phasewise._core as core
from phasewise.workloads.collision.recording import spectra_of_ranks
from tests.physics.machines import COORDINATES, study

ARC = {{"tune": [0.31, 0.32], "synchrotron_tune": 0.05, "damping_turns": [50, 50, 25],
       "momentum_aperture": 0.002}}
BEAM = {{"particle": "electron", "energy": 5e11, "bunch_population": 1e10, "macroparticles": 1203,
        "normalized_emittance": None, "geometric_emittance": [1e-12, 1e-13], "bunch_length": 1e-4,
        "momentum_spread": 1e-3}}
OTHER = {{"particle": "positron", "macroparticles": 1501}}
COMMON = {{"beta": [1.0, 1.0], "slices": 3, "grid": [40, 36], "half_crossing_angle": 1e-3,
          "bhabha": {{"least": 0.001, "scale": 1e9}}}}
found = []
for model in ("strong-strong", "soft-gaussian", "weak-strong"):
    for kind in ("quantum", "mean"):
        machine = study(BEAM, OTHER, arc=ARC, ip=COMMON | {{"model": model, "beamstrahlung": kind}},
                        turns=3)
        simulation = phasewise.Simulation(machine, threads={threads})
        photons = lost = events = 0
        for _ in range(3):
            simulation.step()
            record = simulation.driver.record()
            for name in sorted(record):
                found.append((model, kind, name, np.asarray(record[name]).tolist()))
            photons += record["1/photons"][0]
            lost += record["1/lost_by_energy"][0]
            events += record["1/bhabha_events"][0]
        if kind == "quantum":
            spectrum = spectra_of_ranks(simulation.driver, core, 1, 1)
            spectrum = np.frombuffer(core.broadcast(spectrum.tobytes()))
            assert spectrum.sum() == round(record["1/photons"][0] * record["1/particles"])
            found.append(spectrum.tolist())
        assert photons > 0.1 and lost > 0 and events > 0
with open({path!r} + f".{{core.rank()}}", "w") as file:
    print(found, file=file)
print("agrees")
"""


def test_the_photons_are_the_same_on_any_number_of_ranks_and_threads(
    repository: Path, tmp_path: Path
) -> None:
    seen = set()
    for ranks, threads in ((1, 3), (2, 1), (3, 2), (4, 1), (7, 1)):
        path = tmp_path / f"{ranks}x{threads}"
        assert agreeing(RUN.format(threads=threads, path=str(path)), ranks, repository) == ranks
        seen |= {path.with_suffix(f".{rank}").read_text() for rank in range(ranks)}
    assert len(seen) == 1

"""The xfields side of the comparison: a process of its own, in an environment of its own.

It reads one JSON object from standard input (`particles`: the file to read, `kicks`: the file to
write, `cases`: by model), then one command per line (`turn MODEL` or `kick MODEL`), and answers
each with one JSON object on standard output.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np
import xfields as xf
import xobjects as xo
import xtrack as xt

COORDINATES = ("x", "px", "y", "py", "zeta", "delta")
# Each beam of xfields looks along its own motion, so that the horizontal axes are opposite.
MIRROR = ({"x": 1.0, "px": 1.0}, {"x": -1.0, "px": -1.0})


class Collider:
    """Two beams, one interaction point, one arc each, in one process.

    ``model`` is ``pic`` (`BeamBeamPIC3D`) or ``soft-gaussian`` (`BeamBeamBiGaussian3D` with moments
    measured anew in every step).
    """

    def __init__(
        self, case: dict[str, Any], arrays: dict[str, Any], model: str, with_arc: bool = True
    ) -> None:
        self.context = xo.ContextCpu()
        manager = xt.PipelineManager()
        manager.add_element("IP1")
        self.beams = [self._beam(case, arrays, b) for b in (0, 1)]
        for b in (0, 1):
            manager.add_particles(f"beam{b + 1}", 0)
            self.beams[b].init_pipeline(f"beam{b + 1}")
        make = self._pic if model == "pic" else self._soft_gaussian
        self.elements = [make(case, manager, b) for b in (0, 1)]
        branches = []
        for element, beam in zip(self.elements, self.beams, strict=True):
            line = xt.Line(elements=[element, *([_arc(case)] if with_arc else [])])
            line.build_tracker(_context=self.context)
            branches.append(xt.PipelineBranch(line=line, particles=beam))
        self.tracker = xt.PipelineMultiTracker(branches=branches)

    def _beam(self, case: dict[str, Any], arrays: dict[str, Any], b: int) -> Any:
        values = {
            name: np.ascontiguousarray(arrays[f"{b + 1}/{name}"]) * MIRROR[b].get(name, 1.0)
            for name in COORDINATES
        }
        mass, energy = case["mass"], case["energy"]
        return xt.Particles(
            _context=self.context,
            mass0=mass,
            q0=1,
            p0c=np.sqrt(energy**2 - mass**2),
            weight=case["bunch_population"] / case["macroparticles"],
            **values,
        )

    def _pic(self, case: dict[str, Any], manager: Any, b: int) -> Any:
        half_x, half_y = case["mesh_half_width"]
        half_z = case["half_length"]
        element = xf.BeamBeamPIC3D(
            _context=self.context,
            phi=0.0,
            alpha=0.0,
            x_range=(-half_x, half_x),
            y_range=(-half_y, half_y),
            z_range=(-half_z, half_z),
            nx=case["nodes"],
            ny=case["nodes"],
            nz=case["slices"],
        )
        element.name = "IP1"
        element.partner_name = f"beam{2 - b}"
        element.pipeline_manager = manager
        return element

    def _soft_gaussian(self, case: dict[str, Any], manager: Any, b: int) -> Any:
        slicer = xf.TempSlicer(
            _context=self.context,
            n_slices=case["slices"],
            sigma_z=case["bunch_length"],
            mode="unicharge",
        )
        update = xf.ConfigForUpdateBeamBeamBiGaussian3D(
            pipeline_manager=manager,
            element_name="IP1",
            partner_particles_name=f"beam{2 - b}",
            slicer=slicer,
            update_every=1,
        )
        return xf.BeamBeamBiGaussian3D(
            _context=self.context, phi=0.0, alpha=0.0, other_beam_q0=1.0, config_for_update=update
        )

    def turn(self) -> dict[str, float]:
        """Make one turn; return its wall and processor seconds."""
        wall, processor = time.perf_counter(), time.process_time()
        self.tracker.track(num_turns=1)
        return {
            "seconds": time.perf_counter() - wall,
            "processor_seconds": time.process_time() - processor,
        }

    def kick(self, path: str) -> None:
        """Make one turn; write the change of beam 1's px and py, by particle number, to a file."""
        beam = self.beams[0]
        before = {name: np.array(getattr(beam, name)) for name in ("px", "py")}
        number = np.array(beam.particle_id)
        self.tracker.track(num_turns=1)
        after = np.argsort(np.array(beam.particle_id))
        kicks = {
            name: np.array(getattr(beam, name))[after] - before[name][np.argsort(number)]
            for name in before
        }
        np.savez(path, **kicks)


def _arc(case: dict[str, Any]) -> Any:
    return xt.LineSegmentMap(
        qx=case["tune"][0],
        qy=case["tune"][1],
        betx=case["beta"][0],
        bety=case["beta"][1],
        dqx=case["chromaticity"][0],
        dqy=case["chromaticity"][1],
        longitudinal_mode="linear_fixed_qs",
        qs=case["synchrotron_tune"],
        bets=case["bunch_length"] / case["momentum_spread"],
    )


def main() -> None:
    """Answer commands until standard input ends."""
    # What xfields prints on standard output goes to standard error; the answers keep the pipe.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    work = json.loads(sys.stdin.readline())
    arrays = dict(np.load(work["particles"]))
    colliders: dict[str, Collider] = {}
    for line in sys.stdin:
        command, model = line.split()
        case = work["cases"][model]
        particles = {name: arrays[f"{model}/{name}"] for name in beam_arrays()}
        if command == "kick":
            Collider(case, particles, model, with_arc=False).kick(work["kicks"])
            answer = {}
        else:
            if model not in colliders:
                colliders[model] = Collider(case, particles, model)
            answer = colliders[model].turn()
        answers.write(json.dumps(answer) + "\n")
    answers.close()


def beam_arrays() -> list[str]:
    """Names of the arrays of particles: ``1/x`` …, ``2/delta``."""
    return [f"{beam}/{name}" for beam in (1, 2) for name in COORDINATES]


if __name__ == "__main__":
    main()

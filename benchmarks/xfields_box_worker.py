"""The xfields side of the comparison of space charge: a process of its own, in an environment of
its own.

It reads one JSON object from standard input (`particles`: the file to read, `kicks`: the file to
write, `case`), then one command per line (`turn box` or `kick box`), and answers each with one JSON
object on standard output.
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


class Box:
    """A drift with the kick of a bunch's own field in its middle."""

    def __init__(self, case: dict[str, Any], arrays: dict[str, Any]) -> None:
        context = xo.ContextCpu()
        mass, energy = case["mass"], case["energy"]
        self.particles = xt.Particles(
            _context=context,
            mass0=mass,
            q0=1,
            p0c=np.sqrt(energy**2 - mass**2),
            weight=case["bunch_population"] / len(arrays["x"]),
            **arrays,
        )
        ranges = {
            f"{axis}_range": (-half, half)
            for axis, half in zip("xyz", case["half_width"], strict=True)
        }
        nodes = dict(zip(("nx", "ny", "nz"), case["grid"], strict=True))
        half = 0.5 * case["length"]
        kick = xf.SpaceCharge3D(
            _context=context,
            length=case["length"],
            update_on_track=True,
            apply_z_kick=True,
            solver="FFTSolver3D",
            gamma0=energy / mass,
            **ranges,
            **nodes,
        )
        self.line = xt.Line(elements=[xt.Drift(length=half), kick, xt.Drift(length=half)])
        self.line.build_tracker(_context=context)

    def turn(self) -> dict[str, float]:
        """Make one turn; return its wall and processor seconds."""
        wall, processor = time.perf_counter(), time.process_time()
        self.line.track(self.particles, num_turns=1)
        return {
            "seconds": time.perf_counter() - wall,
            "processor_seconds": time.process_time() - processor,
        }

    def kick(self, path: str) -> None:
        """Make one turn; write the changes of px, py and delta, by particle number, to a file."""
        names = ("px", "py", "delta")
        order = np.argsort(np.array(self.particles.particle_id))
        before = {name: np.array(getattr(self.particles, name))[order] for name in names}
        self.turn()
        order = np.argsort(np.array(self.particles.particle_id))
        after = {name: np.array(getattr(self.particles, name))[order] for name in names}
        np.savez(path, **{name: after[name] - before[name] for name in names})


def main() -> None:
    """Answer commands until standard input ends."""
    # What xfields prints on standard output goes to standard error; the answers keep the pipe.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    work = json.loads(sys.stdin.readline())
    given = np.load(work["particles"])
    arrays = {name: np.ascontiguousarray(given[name]) for name in COORDINATES}
    timed: Box | None = None
    for line in sys.stdin:
        if line.split()[0] == "kick":
            Box(work["case"], arrays).kick(work["kicks"])
            answer = {}
        else:
            timed = timed or Box(work["case"], arrays)
            answer = timed.turn()
        answers.write(json.dumps(answer) + "\n")
    answers.close()


if __name__ == "__main__":
    main()

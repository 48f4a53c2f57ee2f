"""Clawpack's side of `blast_wave_peer`, in an environment of its own: Woodward's and Colella's
blast waves on N x M zones. It reads a line of JSON with a case, and answers with a line of JSON. It
imports nothing of phasewise.
"""

import json
import sys
import time

import numpy as np
from clawpack import pyclaw, riemann

GAMMA = 1.4
MC = 4  # the limiter "monotonised central difference"
TVD = 1  # second-order reconstruction


def solver_of(name):
    """The classic solver with split dimensions; SharpClaw with the limiter and the steps in time of
    PyClaw's own example of these blast waves. Its limiter WENO gives no numbers for them.
    """
    if name == "classic":
        solver = pyclaw.ClawSolver2D(riemann.euler_4wave_2D)
        solver.limiters = MC
        solver.dimensional_split = True
        solver.cfl_max, solver.cfl_desired = 1.0, 0.9
    else:
        solver = pyclaw.SharpClawSolver2D(riemann.euler_4wave_2D)
        solver.time_integrator = "SSP33"
        solver.lim_type = TVD
        solver.cfl_max, solver.cfl_desired = 0.65, 0.6
    for axis in range(2):
        solver.bc_lower[axis] = solver.bc_upper[axis] = (
            pyclaw.BC.wall if axis == 0 else pyclaw.BC.periodic
        )
    solver.max_steps = 10**6
    return solver


def solution_of(along, across):
    """The gas at the start; zones are squares."""
    domain = pyclaw.Domain([0.0, 0.0], [1.0, across / along], [along, across])
    state = pyclaw.State(domain, 4)
    state.problem_data["gamma"] = GAMMA
    state.problem_data["gamma1"] = GAMMA - 1.0
    x = state.grid.p_centers[0]
    pressure = np.where(x < 0.1, 1000.0, np.where(x < 0.9, 0.01, 100.0))
    state.q[0], state.q[1], state.q[2] = 1.0, 0.0, 0.0
    state.q[3] = pressure / (GAMMA - 1.0)
    return pyclaw.Solution(state, domain)


def run(case):
    """CPU seconds of a run, and its densities along x, the mean over y."""
    solver, solution = solver_of(case["solver"]), solution_of(case["along"], case["across"])
    solver.setup(solution)
    begin = time.process_time()
    solver.evolve_to_time(solution, case["until"])
    seconds = time.process_time() - begin
    return seconds, solution.state.q[0].mean(axis=1)


def main():
    for line in sys.stdin:
        seconds, density = run(json.loads(line))
        print(json.dumps({"seconds": seconds, "density": list(density)}), flush=True)


if __name__ == "__main__":
    main()

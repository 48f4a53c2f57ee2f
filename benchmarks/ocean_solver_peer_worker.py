"""PETSc's side of `ocean_solver_peer`, for the system's Python. It reads a line of JSON with a
case, and then names of preconditioners, and answers each with a line of JSON. It imports nothing of
phasewise.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

# Debian has a folder for each version of PETSc and each kind of its numbers.
FOLDERS = Path("/usr/lib/petscdir").glob("*/*-real/lib/python3/dist-packages")
sys.path += [str(folder) for folder in FOLDERS]

import petsc4py  # noqa: E402

petsc4py.init([])
from petsc4py import PETSc  # noqa: E402


def solver(case, matrix, preconditioner):
    """Conjugate gradients to the tolerance of |b - A x|, or with a fixed number of iterations. Its
    preconditioner is ready before any time is taken.
    """
    ksp = PETSc.KSP().create(PETSc.COMM_SELF)
    ksp.setOperators(matrix)
    ksp.setType("cg")
    ksp.getPC().setType(preconditioner)
    if case["iterations"]:
        ksp.setNormType(PETSc.KSP.NormType.NONE)  # a norm would cost a pass and a sum of its own
        ksp.setTolerances(max_it=case["iterations"])
    else:
        ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
        ksp.setTolerances(rtol=case["tolerance"], atol=1e-300, max_it=10000)
    ksp.setUp()
    return ksp


def main():
    case = json.loads(sys.stdin.readline())
    given = np.load(case["matrix"])
    size = len(given["b"])
    csr = (given["at"].astype(np.int32), given["columns"].astype(np.int32), given["values"])
    matrix = PETSc.Mat().createAIJ((size, size), csr=csr, comm=PETSc.COMM_SELF)
    matrix.setOption(PETSc.Mat.Option.SPD, True)
    b = PETSc.Vec().createWithArray(given["b"], comm=PETSc.COMM_SELF)
    x = b.duplicate()
    known = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in known:
            known[name] = solver(case, matrix, name)
        x.set(0.0)
        begin = time.process_time()
        known[name].solve(b, x)
        seconds = time.process_time() - begin
        np.save(case["solution"], x.getArray())
        iterations = known[name].getIterationNumber()
        print(json.dumps({"seconds": seconds, "iterations": iterations}), flush=True)


if __name__ == "__main__":
    main()

"""Eigenvalues of the Laplacian against their closed form, and libraries against LAPACK's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.driver import load_core
from phasewise.workloads.kernels.arpack import exact
from phasewise.workloads.kernels.worker import CaseError, Worker

STUDY = Path(__file__).parent / "study.toml"
ACCEPTED = 30
"""LAPACK's own tests accept ratios below it."""


def study(**keys: Any) -> phasewise.Study:
    overrides = [f'kernels.{name}="{value}"' for name, value in keys.items() if name != "n"]
    overrides += [f"kernels.n={keys['n']}"] if "n" in keys else []
    return phasewise.load(STUDY, [text.replace('"True"', "true") for text in overrides])


@pytest.mark.parametrize("n", [12, 31, 128])
def test_the_smallest_eigenvalues_are_those_of_the_closed_form(n: int) -> None:
    run: Any = load_core().start(study(n=n).parameters())
    run.step()
    np.testing.assert_allclose(run.eigenvalues(), exact(n), rtol=0, atol=1e-10)


@pytest.mark.parametrize("library", ["openblas", "blis", "reference"])
def test_libraries_pass_the_tests_of_lapack(library: str) -> None:
    worker = Worker(library)
    try:
        for kernel, vectors in (("dgemm", {}), ("dsyevd", {}), ("dgeev", {"vectors": True})):
            given = study(kernel=kernel, library=library, n=100, **vectors)
            assert worker.time(given, 0.0, lambda: None).residual < ACCEPTED
    except CaseError as error:
        if "install" not in str(error):
            raise
        pytest.skip(str(error))
    finally:
        worker.close()

"""Transforms on several ranks: each has its latitudes and wavenumbers, and all bits of one rank."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.mpi.scripts import printed

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from phasewise.driver import load_core
from phasewise.workloads.sphere import SphericalTransform

comm, folder = load_core(), Path(sys.argv[0]).parent
for transpose in ("pairwise", "ring", "bruck", "alltoallw"):
    t = SphericalTransform(21, 2, transpose=transpose)
    # Each coefficient and each point has a value of its own, whoever has it.
    value = t.degrees + 0.1 * t.orders + 0.3j * (t.orders > 0)
    given = np.stack([value, np.sqrt(value)])
    field = t.synthesise(given)
    u, v = t.winds(given, given)
    np.savez(
        folder / f"{transpose}-{comm.size()}-{comm.rank()}.npz", field=field, u=u, v=v,
        back=t.analyse(field), adjoint=t.adjoint_synthesis(field), latitudes=t.latitudes,
        at=t.orders * 100 + t.degrees,
    )
try:
    t.gradient(np.zeros(5 if comm.rank() == 1 else (2, len(t.degrees))))
except Exception as error:
    (folder / f"{comm.size()}-{comm.rank()}.gradient").write_text(str(error))
try:
    t.analyse(np.zeros((2, 3 if comm.rank() == 1 else len(t.latitudes), t.shape[-1])))
except Exception as error:
    (folder / f"{comm.size()}-{comm.rank()}.said").write_text(str(error))
"""


def test_ranks_have_the_bits_of_one(tmp_path: Path) -> None:
    script = tmp_path / "transform.py"
    script.write_text(SCRIPT)
    for ranks in (1, 3, 4):
        printed([str(script)], ranks, Path())
    one = np.load(tmp_path / "pairwise-1-0.npz")
    order = np.argsort(one["at"])
    for transpose in ("pairwise", "ring", "bruck", "alltoallw"):
        for ranks in (1, 3, 4):
            parts = [np.load(tmp_path / f"{transpose}-{ranks}-{r}.npz") for r in range(ranks)]
            assert sorted(np.concatenate([part["latitudes"] for part in parts])) == [*range(32)]
            for part in parts:
                for name in ("field", "u", "v"):
                    np.testing.assert_array_equal(part[name], one[name][:, part["latitudes"]])
                here = order[np.searchsorted(one["at"], part["at"], sorter=order)]
                for name in ("back", "adjoint"):
                    np.testing.assert_array_equal(part[name], one[name][:, here])


def test_a_field_that_one_rank_has_wrong_is_refused_on_all(tmp_path: Path) -> None:
    script = tmp_path / "transform.py"
    script.write_text(SCRIPT)
    printed([str(script)], 2, Path())
    said = {(tmp_path / f"2-{rank}.said").read_text() for rank in range(2)}
    assert len(said) == 1
    assert "rank 1: a field of the shape (2, 3, 64)" in said.pop()
    said = {(tmp_path / f"2-{rank}.gradient").read_text() for rank in range(2)}
    assert len(said) == 1
    assert "rank 1: coefficients of the shape (5,)" in said.pop()

"""Links and quarks as arrays on several ranks: each has its part, and all have the same physics."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.mpi.scripts import printed
from tests.unit.damaged_fields import SIZE, field

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from phasewise.driver import load_core
from phasewise.workloads.qcd import Links, Noise, Propagator, Quarks, Smeared, mesons, nucleon

comm, folder = load_core(), Path(sys.argv[0]).parent
links = Links.read(folder / "field")
part = links.part
quarks = Quarks(links, 0.04, clover=0.5, solver={"tolerance": 1e-3})
s = quarks.propagator(Smeared(1.0, 1, (1, 2, 0, 3)))
s.write(folder / f"{comm.size()}.h5")
again = Propagator.read(folder / f"{comm.size()}.h5")
assert np.array_equal(again.array, s.array)
whole = np.arange(np.prod(links.size) * 12).reshape(*links.size[::-1], 4, 3) * (1 + 1j)
b = quarks.D_dagger_D(part.own(whole))
noise = Noise(3, 2).field(links, 0, 0)
values = links.measure()
links.write(folder / f"{comm.size()}.lime")
np.savez(
    folder / f"{comm.size()}-{comm.rank()}.npz", b=b, noise=noise, origin=part.origin,
    pion=mesons(s, momenta=((0, 0, 0), (0, 1, 0)))("g5"), nucleon=nucleon(s),
    loops=[values["plaquette"], values["rectangle"], values["link_trace"]],
)
try:
    quarks.D(np.zeros(comm.rank() + 1))
except Exception as error:
    (folder / f"{comm.size()}-{comm.rank()}.said").write_text(str(error))
"""


def test_ranks_have_their_parts_of_the_same_arrays(tmp_path: Path) -> None:
    write_links(tmp_path / "field", form_of("ildg"), SIZE, field())
    script = tmp_path / "quarks.py"
    script.write_text(SCRIPT)
    found = {}
    for ranks in (1, 2):
        printed([str(script)], ranks, Path())
        parts = [np.load(tmp_path / f"{ranks}-{rank}.npz") for rank in range(ranks)]
        found[ranks] = {name: parts[0][name] for name in ("pion", "nucleon", "loops")}
        for name in ("b", "noise"):
            whole = np.empty((*SIZE[::-1], 4, 3), complex)
            for one in parts:
                x, y, z, t = one["origin"]
                lt, lz, ly, lx = one[name].shape[:4]
                whole[t : t + lt, z : z + lz, y : y + ly, x : x + lx] = one[name]
            found[ranks][name] = whole
        # All ranks have the same correlators, and say the same of a wrong shape.
        for one in parts[1:]:
            assert np.array_equal(one["pion"], parts[0]["pion"])
            assert np.array_equal(one["nucleon"], parts[0]["nucleon"])
        said = {(tmp_path / f"{ranks}-{rank}.said").read_text() for rank in range(ranks)}
        assert len(said) == 1, json.dumps(sorted(said))
    for name in ("b", "noise", "loops"):
        assert np.array_equal(found[1][name], found[2][name]), name
    for name in ("pion", "nucleon"):
        assert np.allclose(found[1][name], found[2][name], rtol=1e-12, atol=0), name
    assert (tmp_path / "1.lime").read_bytes() == (tmp_path / "2.lime").read_bytes()
    one, two = (h5_of(tmp_path / f"{ranks}.h5") for ranks in (1, 2))
    assert np.array_equal(one, two)


def h5_of(path: Path) -> np.ndarray:
    import h5py

    with h5py.File(path) as file:
        return np.asarray(file["propagator"])

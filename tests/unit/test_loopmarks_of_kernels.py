"""A kernel whose card says vectorised is vectorised: gcc's record of the build's own commands.

A card may also be true of what gcc does not turn into vectors itself: FFTW's codelets, and vectors
that are written out in the source. Those are named here; any other card needs a loop here.
"""

import json
import platform
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from phasewise.loopmarks.compiling import COMMANDS, command_for
from phasewise.loopmarks.listing import loopmarks
from phasewise.scratch import temporary_folder

LOOPS = {
    "beam/bucket.cpp": {"debunched_card": ["held_by.holds(z[i], delta[i])"]},
    "beam/line.cpp": {"card": ["for (std::int64_t i = 0; i < size; ++i) {"]},
    "beam/moments.cpp": {
        "bounds_card": ["for (std::int64_t i = 0; i < block.size; ++i)"],
        "card": ["for (std::int64_t i = 0; i < n; ++i) {"],
    },
    "collision/luminosity.cpp": {
        "effective_charge_card": ["luminosity.hpp: for (int j = 0; j < ny; ++j) out[at + j]"],
        "overlap_card": ["luminosity.hpp: sum[c] += a[j + c] * b[j + c]"],
    },
    "collision/mesh/kick_nodes.cpp": {
        "nodes_card": [
            "for (std::int64_t at = first; at < last; ++at)",
            "for (int j = begin; j < end; ++j)",
        ]
    },
    "collision/encounter.cpp": {
        "encounter_card": [
            "encounter_steps.hpp: reduction(+ : all_inside)",
            "encounter_steps.hpp: const Between t = between_planes",
            "encounter_steps.hpp: kick_and_return(",
        ],
    },
    "collision/gaussian_kick.cpp": {
        "gaussian_encounter_card": [
            "const Place at = kick.place<rolled, waisted>(block, i);",
            "set(i, field::flat_field(",
            "set(i, field::nearly_round_field(",
            "const Kick found =",
            "kick.apply(block, i,",
        ],
    },
    "collision/radiation/optical_depth.cpp": {
        "optical_depths_card": ["for (int i = 0; i < count; ++i) {"]
    },
    "spacecharge/kernels.cpp": {
        "extent_card": ["for (std::int64_t i = 0; i < p.size; ++i) {"],
        "kick_card": ["at.fx[i] = place.fx;", "px[i] += along_x * at.ex[i];"],
    },
    "spacecharge/period.cpp": {"wrap_card": ["z[i] -= period * std::floor("]},
    "sphere/invariants.cpp": {"diagnose_card": ["const double absolute = vorticity[k]"]},
    "sphere/spectral.cpp": {
        "advance_card": [
            "next[level] = damping * (base[level] + step * tendency[level]);",
            "const double q = d0[level] + step * d[level] - half * (laplacian * p0[level]);",
            "const double q = d0[level] + step * d[level] - step * (laplacian * p1[level]);",
        ],
    },
}
"""For each card that says vectorised the first words of a line in each of its loops; where another
file holds the loop, after that file's name.
"""

BY_OTHERS = {
    ("atmosphere/cards.cpp", "vector_card"): "Lanes, a vector by its type",
    ("atmosphere/turn.cpp", "given_card"): "no loop: a time that was given",
    ("collision/encounter.cpp", "clear_card"): "the library's memset",
    ("collision/slice_moments.cpp", "slice_moments_card"): "Lanes, a vector by its type",
    ("field/doubled_box.cpp", "column_card"): "FFTW",
    ("field/doubled_box.cpp", "green_column_card"): "FFTW",
    ("field/doubled_box.cpp", "line_card"): "FFTW",
    ("field/doubled_box.cpp", "plane_card"): "FFTW",
    ("field/doubled_box.cpp", "row_card"): "FFTW",
    ("field/doubled_grid.cpp", "column_card"): "FFTW, or Lanes, a vector by its type",
    ("collision/strong_strong.cpp", "to_device_card"): "a copy by the device",
    ("collision/strong_strong.cpp", "to_host_card"): "a copy by the device",
    ("field/doubled_grid.cpp", "row_card"): "FFTW, or Lanes, a vector by its type",
    ("field/doubled_grid.cpp", "solve_card"): "FFTW, or Lanes, a vector by its type",
    ("hydro/kernels.cpp", "card_of"): "Lanes, a vector by its type",
    ("hydro/kernels.cpp", "courant_card"): "Lanes, a vector by its type",
    ("hydro/kernels.cpp", "diagnose_card"): "Lanes, a vector by its type",
    ("kernels/description.cpp", "dense_eigen_card"): "LAPACK",
    ("kernels/description.cpp", "lanczos_card"): "products, which have cards of their own",
    ("ocean/kernels.cpp", "vector_card"): "Lanes, a vector by its type",
    ("ocean/solver/iteration.cpp", "tiles_card"): "Lanes, a vector by its type",
    ("qcd/dirac/clover_term.cpp", "clover_blocks_card"): "Vector, a vector by its type",
    ("qcd/dirac/clover_term.cpp", "clover_convert_card"): "Vector, a vector by its type",
    ("qcd/dirac/dirac.cpp", "local_card"): "Vector, a vector by its type",
    ("qcd/gauge/flow_measures.cpp", "flow_measures_card"): "Vector, a vector by its type",
    ("qcd/gauge/flow_step.cpp", "flow_card"): "Vector, a vector by its type",
    ("qcd/gauge/gauge_measurement.cpp", "plaquette_card"): "Vector, a vector by its type",
    ("qcd/gauge/stout.cpp", "stout_card"): "Vector, a vector by its type",
    ("qcd/update/clover_force.cpp", "clover_force_card"): "Vector, a vector by its type",
    ("qcd/update/gauge_monomial.cpp", "gauge_action_card"): "Vector, a vector by its type",
    ("qcd/update/gauge_monomial.cpp", "gauge_force_card"): "Vector, a vector by its type",
    ("qcd/update/heat_bath.cpp", "sweep_card"): "Vector, a vector by its type",
    ("qcd/update/link_update.cpp", "link_update_card"): "Vector, a vector by its type",
    ("qcd/update/link_update.cpp", "reunitarise_card"): "Vector, a vector by its type",
    ("qcd/solver/stabilised_gradient.cpp", "pass_card"): "Vector, a vector by its type",
    ("linear/multiply.cpp", "multiply_card"): "Lanes, a vector by its type",
    ("linear/sparse.cpp", "sell_card"): "Lanes, a vector by its type",
    ("sphere/kernels.cpp", "product_card"): "linear::multiply, by Lanes",
    ("sphere/kernels.cpp", "row_card"): "numerics::RowBatchTransform, by Lanes",
    ("spacecharge/tsc.cpp", "kick_tsc_card"): "FourValues, a vector by its type",
}

STEPS = """
#include "collision/encounter_steps.hpp"
#include "parallel/loops.hpp"
namespace phasewise::collision::encounter_steps {
constexpr int size = parallel::block_size;
using Space = Workspace<size>;
using View = beam::ParticleView;
template double find_places<Cic, size>(const View&, int, double, const WindowFrame&, Space&);
template double find_places<FusedCic, size>(const View&, int, double, const WindowFrame&, Space&);
template void find_fractions<Cic, 2, size>(const View&, int, const KickSource&, Space&);
template void apply_kicks<false, size>(const View&, int, double, const Space&);
template void apply_kicks<true, size>(const View&, int, double, const Space&);
}
"""
"""The loops of the encounter alone. With all that the core makes of them, gcc's record takes a
minute to write and has a gigabyte.
"""

CARD = re.compile(r"KernelCard (?:\w+::)?(\w+)\([^)]*\)[^{;]*\{(.*?)^\}", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def core(repository: Path) -> Path:
    """The core's folder; the test is skipped where nothing was built for this kind of processor."""
    if platform.machine() != "x86_64" or not COMMANDS.is_file():
        pytest.skip("the core was not built here by gcc for x86-64")
    if "g++" not in json.loads(COMMANDS.read_text())[0]["command"].split()[0]:
        pytest.skip("the core was built by another compiler than g++")
    return repository / "core"


@cache
def marks_of(file: Path) -> list[tuple[str, str]]:
    """The text and the marks of each line of a file of the core."""
    if file.name != "encounter_steps.hpp":
        return [(line.text, line.marks) for line in loopmarks(file).lines]
    own = file.with_name("encounter.cpp")
    with temporary_folder("loops") as folder:
        source = Path(folder) / "steps.cpp"
        source.write_text(STEPS)
        words = [str(source) if word == str(own) else word for word in command_for(own, None).words]
        return [(line.text, line.marks) for line in loopmarks(file, shlex.join(words)).lines]


def test_every_card_that_says_vectorised_has_its_loops_here(core):
    said = {
        (str(file.relative_to(core)), name)
        for file in core.rglob("*.cpp")
        for name, body in CARD.findall(file.read_text())
        if re.search(r"\.vectorised = (?!false)", body)
    }
    listed = {(file, card) for file, cards in LOOPS.items() for card in cards}
    assert said == listed | BY_OTHERS.keys() and not listed & BY_OTHERS.keys()


@pytest.mark.parametrize("file", LOOPS)
def test_the_loops_of_a_vectorised_card_are_vectorised(core, file):
    for card, loops in LOOPS[file].items():
        for loop in loops:
            other, _, words = loop.rpartition(".hpp: ")
            path = (core / file).parent / f"{other}.hpp" if other else core / file
            found = [marks for text, marks in marks_of(path) if words in text]
            assert found, f"{path.name} has no line {words!r} of {card}"
            # In the line, or beneath the directive, of a loop: its label stands in what is around.
            at = next(k for k, (text, _) in enumerate(marks_of(path)) if words in text)
            beneath = marks_of(path)[at + 1][1] if "reduction" in words else found[0]
            assert re.search(r"V\d", beneath), f"{path.name}: {words!r} of {card} is {beneath!r}"

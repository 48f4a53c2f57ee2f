"""The compiled core rounds every product of its own: GCC forms sums and differences of products in
one instruction, though it is told not to, on some processors and in some places of a loop.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FUSED = re.compile(r"\bvfm(?:addsub|subadd)\w*")
"""Products that are added and subtracted in turn, which nobody writes out."""
FLAGS = ("-std=c++20", "-O3", "-fopenmp", "-ffp-contract=off", "-fno-math-errno", "-w", "-S")
# What g++ makes of -march=native on an AMD processor with AVX-512 that it does not know.
UNKNOWN_EPYC = ("-march=znver3", "-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw")
PROCESSORS = [
    ("-march=x86-64-v3",),
    ("-march=x86-64-v4",),
    UNKNOWN_EPYC,
    ("-march=native",),
]
PRODUCTS = """
#include "field/poisson.hpp"
using phasewise::field::multiply_complex;
void loop(double* c, const double* g, int n) {
  for (int i = 0; i < n; ++i) multiply_complex(c + 2 * i, g + 2 * i);
}
void one(double* c, const double* g) { multiply_complex(c, g); }
std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return phasewise::numerics::complex_product(a, b);
}
"""


def test_no_instruction_of_the_core_adds_and_subtracts_products_in_turn() -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    objdump = shutil.which("objdump")
    if objdump is None:
        pytest.skip("objdump is not installed")
    words = [objdump, "-d", "--no-show-raw-insn", core.__file__]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert len(listed) > 1_000_000
    assert FUSED.findall(listed) == []


@pytest.mark.parametrize("processor", PROCESSORS, ids=" ".join)
def test_complex_products_are_rounded_alike_for_every_processor(
    processor: tuple[str, ...], repository: Path, tmp_path: Path
) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    source = tmp_path / "products.cpp"
    source.write_text(PRODUCTS)
    out = tmp_path / "products.s"
    words = [compiler, *FLAGS, *processor, "-I", str(repository / "core"), str(source)]
    done = subprocess.run([*words, "-o", str(out)], capture_output=True, text=True, check=False)
    if "unrecognized" in done.stderr or "bad value" in done.stderr:
        pytest.skip(f"this compiler is for another processor: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assembly = out.read_text()
    assert "mulpd" in assembly or "mulsd" in assembly
    assert re.findall(r"\bvf\w*m(?:add|sub)\w*", assembly) == []

"""Gflop/s of the hopping matrix of quarks on a core: the fast kernel beside the plain one.

Run as `python -m benchmarks.lattice_kernels`; flops are 1320 a site.
"""

from __future__ import annotations

from phasewise import _core

BOXES = ([4, 4, 4, 8], [8, 8, 8, 16], [16, 16, 16, 32])
FLOPS = 1320.0


def main() -> None:
    """Print a line for each box and precision."""
    for box in BOXES:
        for precision in ("double", "single"):
            fast, plain = (
                FLOPS * 1e-9 / _core.lattice_hopping_time(box, kernel, precision)
                for kernel in ("fast", "plain")
            )
            name = "x".join(map(str, box))
            print(f"{name} {precision}: fast {fast:.1f}, plain {plain:.1f} Gflop/s")


if __name__ == "__main__":
    main()

"""Gflop/s of the hopping matrix of quarks on one core, for the fast kernel with whole links and
with two rows of each link, and for the plain kernel.

Run it as `python -m benchmarks.qcd_kernels`; a site has 1320 flops.
"""

from __future__ import annotations

from phasewise import _core

BOXES = ([4, 4, 4, 8], [8, 8, 8, 16], [16, 16, 16, 32])
FLOPS = 1320.0


WAYS = {"fast": ("fast", 18), "fast with two rows of a link": ("fast", 12), "plain": ("plain", 18)}


def main() -> None:
    """Print a line for each box and precision."""
    for box in BOXES:
        for precision in ("double", "single"):
            rates = ", ".join(
                f"{name} {rate(box, precision, kernel, reals):.1f}"
                for name, (kernel, reals) in WAYS.items()
            )
            print(f"{'x'.join(map(str, box))} {precision}: {rates} Gflop/s")


def rate(box: list[int], precision: str, kernel: str, link_reals: int) -> float:
    """Gflop/s."""
    seconds = _core.qcd_hopping_time(box, kernel, precision, link_reals=link_reals)
    return FLOPS * 1e-9 / seconds


if __name__ == "__main__":
    main()

"""Worley, "Cray X1 Optimization: A Customer's Perspective" (CUG 2004): what its slides say of
messages and kernels. The text holds no data of the figures.
"""

from __future__ import annotations

from phasewise.reproduction.source import Source, Statement

CRAY_X1 = Source(
    name="cray-x1",
    title="A customer's perspective on the Cray X1, reproduced",
    subtitle=(
        "Worley, Cray X1 Optimization: A Customer's Perspective (CUG 2004): its slides on messages "
        "and kernels"
    ),
    statement=(
        "Messages are those of simulated machines (SimGrid) made from published numbers, and not "
        "of hardware; kernels run on this computer, which is none of the source's."
    ),
    statements={
        "x1": Statement(
            "DGEMM reaches 80 % of peak",
            "Good performance achieved, reaching 80% of peak relatively quickly.",
            "DGEMM Benchmark",
        ),
        "x2": Statement(
            "Dense eigenproblems still gain with their size",
            "Performance still growing with problem size for Cray and SGI.",
            "Euroben MOD2D Benchmark",
        ),
        "x3": Statement(
            "Persistent requests are best in HALO",
            "Persistent isend/irecv is always best. For codes that can not use persistent "
            "commands, MPI_SENDRECV is also a reasonable choice.",
            "HALO MPI Protocol Comparison",
        ),
        "x4": Statement(
            "One-sided messages win small halos",
            "SHMEM and Co-Array Fortran are substantial performance enhancers for this benchmark "
            "for small halos.",
            "HALO Exchange Paradigm Comparison",
        ),
        "x5": Statement(
            "The X1's bandwidth is much higher",
            "Achievable bandwidth is much higher on the X1.",
            "HALO Benchmark",
        ),
        "x6": Statement(
            "Distance hardly matters",
            "MPI latency and bandwidth are relatively insensitive to distance between "
            "communicating processors on the current system.",
            "Moral?",
        ),
        "x7": Statement(
            "Contention matters for long messages alone",
            "Performance degradation due to contention is well-behaved and is significant for the "
            "examined communication pattern only for messages > 8KBytes on the current system.",
            "Moral?",
        ),
        "x8": Statement(
            "One-sided messages are better but for the largest",
            "SHMEM performance is better for all but the largest messages.",
            "MPI vs. SHMEM 0-1 Comparison on X1",
        ),
        "x9": Statement(
            "SWAP carries more than ECHO",
            "MPI (and SHMEM) support bidirectional communication.",
            "Moral?",
        ),
        "x10": Statement(
            "Derived types lose to packing",
            "Using MPI derived types can hurt performance (currently).",
            "POP Optimization Lessons",
        ),
    },
)

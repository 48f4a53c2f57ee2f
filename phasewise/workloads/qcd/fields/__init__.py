"""Links, quarks and correlators as NumPy arrays, on one process or on the ranks of mpiexec."""

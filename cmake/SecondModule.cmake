# The Python module on this build's MPI library, with the bindings of another build folder:
# _core_mpich. phasewise/compiled.py chooses it.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
add_module_of_archives(_core_mpich)
link_core(_core_mpich mpi)

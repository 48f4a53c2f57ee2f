// The driver without Python, the same under mpiexec and under smpirun. It is compiled for each MPI
// library, and all that it does once.
#include "driver/command_line.hpp"

int main(int argc, char** argv) { return phasewise::driver::run_command_line(argc, argv); }

// The command line of phasewise-driver. phasewise-driver PARAMETERS runs a study's flat parameters
// and prints one line per turn; with --out it writes records into files. With --probe it measures
// messages by the patterns of a file, and with --times it times the turns of studies, whose
// parameters are in the files that a file lists.
#pragma once

namespace phasewise::driver {

// Starts MPI, does what the command line says, ends MPI, and returns the exit status.
int run_command_line(int argc, char** argv);

}  // namespace phasewise::driver

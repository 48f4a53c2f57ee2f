// Starts and ends MPI, tells what its library says about itself, and sets the clock of a simulated
// machine.
#include <mpi.h>

// SimGrid's mpi.h names neither library.
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "comm/mpi/posted.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {
namespace {

bool we_started_mpi = false;

#if PHASEWISE_SIMULATED
double flops_per_second = 0.0, bytes_per_second = 0.0;
exchange::Overheads overhead_seconds;

void charge(double flops, double bytes) {
  const double computing = flops_per_second > 0.0 ? flops / flops_per_second : 0.0;
  const double moving = bytes_per_second > 0.0 ? bytes / bytes_per_second : 0.0;
  const double seconds = std::max(computing, moving);
  if (seconds > 0.0) smpi_execute_benched(seconds);  // s of this host, whatever its speed
}

void start_library(bool /*threads*/) {
  MPI_Init(nullptr, nullptr);
  parallel::clock() = {[] { return MPI_Wtime(); }, &charge};
}
#else
// The clock remains the machine's steady one, which the ranks of a node share; MPI_Wtime may begin
// separately in each process.
void start_library(bool threads) {
  // Open MPI's handler of a crash writes a stack trace, and may wait for ever for a lock that the
  // rank held. Without the handler the rank ends, and so do the others. Other libraries ignore the
  // variable.
  setenv("OMPI_MCA_opal_signal", "", 0);
  const int needed = threads ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, needed, &provided);
  if (provided < needed)
    throw std::runtime_error("the MPI library does not support threads (MPI_THREAD_FUNNELED)");
}
#endif

}  // namespace

void initialise(bool threads) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised) return;
  start_library(threads);
  we_started_mpi = true;
  if (!simulated()) std::atexit(finalise);
}

void finalise() {
  if (we_started_mpi && !mpi_has_ended()) MPI_Finalize();
}

int rank_of_all() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void abort_all(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

bool simulated() { return for_simulation; }

#if PHASEWISE_SIMULATED
void set_rates(double flops, double bytes) {
  flops_per_second = flops;
  bytes_per_second = bytes;
}
void set_overheads(const exchange::Overheads& seconds) { overhead_seconds = seconds; }
void pass_overhead(exchange::Overhead kind, std::size_t messages) {
  const double seconds =
      overhead_seconds.message[static_cast<std::size_t>(kind)] * static_cast<double>(messages);
  if (seconds > 0.0) smpi_execute_benched(seconds);
}
void charge_round() {
  if (overhead_seconds.round > 0.0) smpi_execute_benched(overhead_seconds.round);
}
void pass(double seconds) { smpi_execute_benched(seconds); }
#else
void set_rates(double, double) {}
void set_overheads(const exchange::Overheads&) {}
void charge_round() {}
void pass(double) {}
#endif

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

std::string built_with_version() {
#if defined(OPEN_MPI)
  return "Open MPI v" + std::to_string(OMPI_MAJOR_VERSION) + "." +
         std::to_string(OMPI_MINOR_VERSION) + "." + std::to_string(OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return "MPICH Version: " MPICH_VERSION;
#elif defined(PHASEWISE_SERIAL)
  return library_version();
#else
  return "";
#endif
}

bool library_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int taken = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &taken) == MPI_SUCCESS && taken != 0;
#else
  return false;
#endif
}

}  // namespace phasewise::comm

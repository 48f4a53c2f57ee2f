// The halo in bare MPI and through core/comm in turn: bare-halo PARAMETERS PAIRS. Prints a line for
// each pair of repetitions: the seconds of an exchange bare, and through phasewise, both the
// longest over the ranks. benchmarks/bare_halo.py builds and runs it.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bare/plain_halo.hpp"
#include "comm/communicator.hpp"
#include "driver/workloads.hpp"
#include "workload/run.hpp"

namespace {

using namespace phasewise;

constexpr int exchanges = 20;  // in a repetition, which gives their mean time

std::string read_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Seconds of an exchange, from an agreed start, the longest over the ranks.
template <class F>
double seconds(F&& exchange) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < exchanges; ++i) exchange();
  double mine = (MPI_Wtime() - start) / exchanges, longest = 0.0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

int compare(const workload::Parameters& parameters, int pairs) {
  const auto run = driver::start_study(parameters, 1);
  const auto grid = run->process_grid().front();
  const int rows = static_cast<int>(parameters.integer("halo.rows"));
  benchmarks::PlainHalo plain(grid[0], grid[1], parameters.integer("halo.words") / rows, rows,
                              parameters.word("communication.protocol"));
  const auto bare = [&] { plain.exchange(); };
  const auto ours = [&] { run->step(); };
  seconds(bare);
  seconds(ours);
  const bool is_root = comm::rank_of_all() == 0;
  for (int pair = 0; pair < pairs; ++pair) {
    double times[2];
    const int first = pair % 2;  // so that a disturbance meets both
    times[first] = first == 0 ? seconds(bare) : seconds(ours);
    times[1 - first] = first == 0 ? seconds(ours) : seconds(bare);
    if (is_root) std::printf("%.9g %.9g\n", times[0], times[1]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bare-halo PARAMETERS PAIRS\n");
    return 2;
  }
  comm::initialise();
  const int status = compare(workload::Parameters::parse(read_file(argv[1])), std::atoi(argv[2]));
  comm::finalise();
  return status;
}

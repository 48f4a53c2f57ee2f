// Times the halo exchange in bare MPI and through core/comm in alternation: bare-halo PARAMETERS
// REPETITIONS. It prints a line for each repetition: the seconds of an exchange in bare MPI,
// through phasewise, and through phasewise with records, each the maximum over the ranks.
// benchmarks/bare_halo.py builds and runs it.
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

constexpr int exchanges = 20;  // per repetition, which gives their mean time
constexpr int warm_up = 2;     // repetitions

std::string read_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the mean seconds of an exchange from an agreed start, the maximum over the ranks.
template <class F>
double seconds(F&& exchange_all) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  exchange_all();
  double mine = (MPI_Wtime() - start) / exchanges, longest = 0.0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

int compare(const workload::Parameters& parameters, int repetitions) {
  const auto run = driver::start_study(parameters, 1);
  const auto grid = run->study().process_grid().front();
  const int rows = static_cast<int>(parameters.integer("halo.rows"));
  benchmarks::PlainHalo plain(grid[0], grid[1], parameters.integer("halo.words") / rows, rows,
                              parameters.word("communication.protocol"));
  const auto bare = [&] {
    for (int i = 0; i < exchanges; ++i) plain.exchange();
  };
  const auto ours = [&](bool recording) {
    run->session().recorder.set_recording(recording);
    return seconds([&] { run->step(exchanges); });
  };
  const bool is_root = comm::rank_of_all() == 0;
  for (int i = -warm_up; i < repetitions; ++i) {
    double times[3];
    for (int j = 0; j < 3; ++j) {
      const int which = (i + warm_up + j) % 3;  // alternates, so that a disturbance meets all three
      times[which] = which == 0 ? seconds(bare) : ours(which == 2);
    }
    if (is_root && i >= 0) std::printf("%.9g %.9g %.9g\n", times[0], times[1], times[2]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bare-halo PARAMETERS REPETITIONS\n");
    return 2;
  }
  comm::initialise();
  const int status = compare(workload::Parameters::parse(read_file(argv[1])), std::atoi(argv[2]));
  comm::finalise();
  return status;
}

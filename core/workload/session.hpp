// What every live run needs: the ranks, the records of their messages and kernels, and the
// parameters that all workloads share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/executor.hpp"
#include "comm/recorder.hpp"
#include "parallel/kernel_times.hpp"
#include "workload/parameters.hpp"

namespace phasewise::workload {

// The nodes of the ranks: as communication.node_size divides them, or as detected.
std::vector<int> chosen_nodes(const Parameters& parameters, std::vector<int> detected);

struct Session {
  // Collective over all ranks. Reads records.events, records.communication, simulated.* and
  // communication.node_size; throws std::invalid_argument with one sentence if one of them, or the
  // number of threads, cannot be used.
  Session(const Parameters& parameters, int threads);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Makes the executor for the teams that make library calls; all ranks list the same divisions in
  // the same order. Collective.
  void set_teams(const std::vector<comm::TeamOfDivision>& teams);

  comm::Recorder recorder;
  parallel::KernelTimes kernels;
  comm::Communicator world;
  // Runs exchanges; null until the run has set its teams.
  std::unique_ptr<comm::Executor> executor;
  std::vector<int> nodes;  // of each rank
  int threads;
  bool skeleton = false;  // only the messages are sent, and the kernels' time is charged
  int sample = 0;         // pieces of each series that are run; 0: all
  double seconds = 0.0;   // of all turns so far, on this rank
};

}  // namespace phasewise::workload

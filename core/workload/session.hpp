// What every live run needs: the ranks, the records of their messages and kernels, and the
// parameters that all workloads share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/executor.hpp"
#include "comm/recorder.hpp"
#include "parallel/kernel_times.hpp"
#include "workload/parameters.hpp"

namespace phasewise::workload {

// The node of each rank, as communication.node_size divides them, or as detected.
std::vector<int> chosen_nodes(const Parameters& parameters, std::vector<int> detected);

// What a rank records of its messages and kernels.
struct Records {
  Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  comm::Recorder recorder;
  parallel::KernelTimes kernels;
};

// Where kernels run, from run.device. An emulated device has the host's memory and threads.
enum class Device : std::uint8_t { cpu, cuda, emulated, automatic };

Device chosen_device(const Parameters& parameters);

// How the ranks exchange data in a device's memory, from run.device_buffers: the library sends and
// receives them itself, or they go through the host's memory.
enum class DeviceBuffers : std::uint8_t { automatic, direct, staged };

DeviceBuffers chosen_device_buffers(const Parameters& parameters);

struct Session {
  // Collective over all ranks. Reads records.events, records.communication, run.device,
  // run.device_buffers, simulated.* and communication.node_size; throws std::invalid_argument with
  // one sentence if one of them, or the number of threads, cannot be used.
  Session(const Parameters& parameters, int threads);
  // The session of a part of a composite: `team` are its ranks, and `among_them` is their
  // communicator. What it records goes to the records of the whole, under names that begin with
  // `names_begin`.
  Session(const Session& whole, const exchange::TeamPointer& team, comm::Communicator among_them,
          std::string names_begin);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // While it lives, names in the records begin with this session's prefix.
  class Names {
   public:
    explicit Names(Session& session) : records_(*session.records_) {
      before_ = records_.recorder.prefix();
      set(session.prefix);
    }
    ~Names() { set(before_); }
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;

   private:
    void set(const std::string& prefix) {
      records_.recorder.set_prefix(prefix);
      records_.kernels.set_prefix(prefix);
    }
    Records& records_;
    std::string before_;
  };

  // Makes the executor for the teams that make library calls; all ranks list the same divisions in
  // the same order. Collective.
  void set_teams(const std::vector<exchange::TeamOfDivision>& teams);

 private:
  std::shared_ptr<Records> records_;  // shared with the parts of a composite

 public:
  comm::Recorder& recorder;
  parallel::KernelTimes& kernels;
  comm::Communicator world;
  // Runs exchanges; null until the run has set its teams.
  std::unique_ptr<comm::Executor> executor;
  std::vector<int> nodes;      // of each rank
  exchange::TeamPointer team;  // all ranks of the run, and this rank's number among them
  std::string prefix;          // what names in the records begin with
  int threads;
  // Both are automatic until the workload has looked for a device.
  Device device = Device::cpu;
  DeviceBuffers device_buffers = DeviceBuffers::automatic;
  bool charges = true;    // whether computing takes time on a simulated machine
  bool skeleton = false;  // sends only messages, and charges the kernels' time
  int sample = 0;         // pieces of each series that are run; 0: all
  double seconds = 0.0;   // in all turns so far, on this rank
};

}  // namespace phasewise::workload

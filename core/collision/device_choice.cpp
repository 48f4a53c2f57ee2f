#include "collision/device_choice.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <string>

#include "collision/gpu/make_work.hpp"
#include "gpu/cuda_plug_in.hpp"

namespace phasewise::collision {
namespace {

// This rank's number among those of its node.
int number_on_node(const workload::Session& session) {
  const int rank = session.world.rank();
  const auto begin = session.nodes.begin();
  return static_cast<int>(std::count(begin, begin + rank, session.nodes[rank]));
}

// Makes the work on a GPU; returns null, and why, if there is none.
std::unique_ptr<DeviceWork> on_cuda(int number, std::string& why) {
  const auto make = reinterpret_cast<decltype(&phasewise_collision_on_cuda)>(
      phasewise::gpu::cuda_function(gpu::plug_in_entry, why));
  return std::unique_ptr<DeviceWork>(make == nullptr ? nullptr : make(number, &why));
}

// Makes the work on the study's device; returns null, and why, if there is none.
std::unique_ptr<DeviceWork> found_device(const workload::Session& session, std::string& why) {
  if (session.skeleton || session.device == workload::Device::cpu) return nullptr;
  if (session.device == workload::Device::emulated) return gpu::emulated::make_work();
  return on_cuda(number_on_node(session), why);
}

// Whether the library sends from the device's memory on all ranks that have a device, or must have
// one. An emulated device has the host's memory.
bool library_takes_memory(const workload::Session& session, bool found) {
  if (session.device == workload::Device::emulated) return true;
  const bool needed = found || session.device == workload::Device::cuda;
  std::array<std::int64_t, 1> refused{needed && !comm::library_takes_gpu_memory() ? 1 : 0};
  session.world.agree(refused);
  return refused[0] == 0;
}

// Chooses the same on all ranks.
workload::DeviceBuffers chosen_buffers(const workload::Session& session, bool found) {
  using workload::DeviceBuffers;
  if (session.skeleton || session.device == workload::Device::cpu) return DeviceBuffers::staged;
  if (session.world.size() == 1) return DeviceBuffers::direct;  // needs no copies on the host
  if (session.device_buffers == DeviceBuffers::staged) return DeviceBuffers::staged;
  if (library_takes_memory(session, found)) return DeviceBuffers::direct;
  if (session.device_buffers == DeviceBuffers::direct)
    throw std::invalid_argument(
        "run.device_buffers = \"direct\": the MPI library says that it cannot send from a GPU's "
        "memory; give \"staged\" or \"auto\", or use an MPI library that is built for CUDA");
  return DeviceBuffers::staged;
}

}  // namespace

// A rank that lacks a GPU, or whose GPU fails, throws only after all ranks have agreed, so that no
// other rank waits for it.
std::unique_ptr<DeviceWork> device_of(workload::Session& session) {
  using workload::Device;
  std::string why;
  std::unique_ptr<DeviceWork> work;
  std::exception_ptr failure;
  try {
    work = found_device(session, why);
  } catch (...) {
    failure = std::current_exception();
  }
  session.device_buffers = chosen_buffers(session, work != nullptr);
  if (failure) std::rethrow_exception(failure);
  if (!work && session.device == Device::cuda && !session.skeleton)
    throw std::invalid_argument("run.device = \"cuda\": " + why +
                                "; give \"cpu\", or \"emulated\" to test without a GPU");
  if (session.device == Device::automatic) session.device = work ? Device::cuda : Device::cpu;
  if (work) work->exchange_directly(session.device_buffers == workload::DeviceBuffers::direct);
  return work;
}

}  // namespace phasewise::collision

#include "collision/device_choice.hpp"

#include <algorithm>
#include <array>
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

// The work on a GPU; null, and why, if there is none.
std::unique_ptr<DeviceWork> on_cuda(int number, std::string& why) {
  const auto make = reinterpret_cast<decltype(&phasewise_collision_on_cuda)>(
      phasewise::gpu::cuda_function(gpu::plug_in_entry, why));
  return std::unique_ptr<DeviceWork>(make == nullptr ? nullptr : make(number, &why));
}

std::unique_ptr<DeviceWork> found_device(const workload::Session& session) {
  if (session.skeleton || session.device == workload::Device::cpu) return nullptr;
  if (session.device == workload::Device::emulated) return gpu::emulated::make_work();
  std::string why;
  auto work = on_cuda(number_on_node(session), why);
  if (!work && session.device == workload::Device::cuda)
    throw std::invalid_argument("run.device = \"cuda\": " + why +
                                "; give \"cpu\", or \"emulated\" to test without a GPU");
  return work;
}

// Whether the library takes the device's memory on all ranks. That of an emulated device is the
// host's.
bool library_takes_memory(const workload::Session& session) {
  if (session.device == workload::Device::emulated) return true;
  std::array<std::int64_t, 1> refused{comm::library_takes_gpu_memory() ? 0 : 1};
  session.world.agree(refused);
  return refused[0] == 0;
}

}  // namespace

workload::DeviceBuffers device_buffers_of(const workload::Session& session) {
  using workload::DeviceBuffers;
  if (session.skeleton || session.device == workload::Device::cpu) return DeviceBuffers::staged;
  if (session.world.size() == 1) return DeviceBuffers::direct;  // needs no copies on the host
  if (session.device_buffers == DeviceBuffers::staged) return DeviceBuffers::staged;
  if (library_takes_memory(session)) return DeviceBuffers::direct;
  if (session.device_buffers == DeviceBuffers::direct)
    throw std::invalid_argument(
        "run.device_buffers = \"direct\": the MPI library says that it cannot send from a GPU's "
        "memory; give \"staged\" or \"auto\", or use an MPI library that is built for CUDA");
  return DeviceBuffers::staged;
}

std::unique_ptr<DeviceWork> device_of(const workload::Session& session) {
  auto work = found_device(session);
  if (work) work->exchange_directly(session.device_buffers == workload::DeviceBuffers::direct);
  return work;
}

}  // namespace phasewise::collision

#include "collision/device_choice.hpp"

#include <algorithm>
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

}  // namespace

std::unique_ptr<DeviceWork> device_of(const workload::Session& session) {
  if (session.skeleton || session.device == workload::Device::cpu) return nullptr;
  if (session.device == workload::Device::emulated) return gpu::emulated::make_work();
  std::string why;
  auto work = on_cuda(number_on_node(session), why);
  if (!work && session.device == workload::Device::cuda)
    throw std::invalid_argument("run.device = \"cuda\": " + why +
                                "; give \"cpu\", or \"emulated\" to test without a GPU");
  return work;
}

}  // namespace phasewise::collision

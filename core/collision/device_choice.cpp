#include "collision/device_choice.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "collision/gpu/make_work.hpp"

namespace phasewise::collision {
namespace {

namespace fs = std::filesystem;

// Beside this code itself: the Python module or the driver.
fs::path plug_in() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&device_of), &here) == 0) return {};
  std::error_code error;
  return fs::canonical(here.dli_fname, error).parent_path() / "libphasewise_cuda.so";
}

// This rank's number among those of its node.
int number_on_node(const workload::Session& session) {
  const int rank = session.world.rank();
  const auto begin = session.nodes.begin();
  return static_cast<int>(std::count(begin, begin + rank, session.nodes[rank]));
}

// The work on a GPU; null, and why, if there is none.
std::unique_ptr<DeviceWork> on_cuda(int number, std::string& why) {
  const fs::path path = plug_in();
  std::error_code error;
  if (!fs::exists(path, error)) {
    why =
        "this build has no CUDA: install the CUDA toolkit, whose compiler is nvcc, and run make "
        "setup";
    return nullptr;
  }
  // Never closed: the driver of the GPU keeps what it gets from it.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = std::string("the CUDA part cannot be loaded: ") + dlerror();
    return nullptr;
  }
  const auto make =
      reinterpret_cast<decltype(&phasewise_collision_on_cuda)>(dlsym(library, gpu::plug_in_entry));
  if (make == nullptr) {
    why = std::string("the CUDA part cannot be loaded: ") + dlerror();
    return nullptr;
  }
  return std::unique_ptr<DeviceWork>(make(number, &why));
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

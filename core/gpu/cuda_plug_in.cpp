#include "gpu/cuda_plug_in.hpp"

#include "parallel/plug_in.hpp"

namespace phasewise::gpu {

void* cuda_function(const char* name, std::string& why) {
  constexpr const char* library = "phasewise_cuda";
  if (parallel::plug_in_path(library).empty()) {
    why =
        "this build has no CUDA: install the CUDA toolkit, whose compiler is nvcc, and run make "
        "setup";
    return nullptr;
  }
  void* found = parallel::plug_in_function(library, name, why);
  if (found == nullptr) why = "the CUDA part cannot be loaded: " + why;
  return found;
}

}  // namespace phasewise::gpu

// The plug-in with the kernels for a GPU, which is there where the build found nvcc.
#pragma once

#include <string>

namespace phasewise::gpu {

// A function of the plug-in; null, and why in one clause, if there is none.
void* cuda_function(const char* name, std::string& why);

}  // namespace phasewise::gpu

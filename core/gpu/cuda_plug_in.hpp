// The plug-in with the kernels for a GPU, which exists if the build found nvcc.
#pragma once

#include <string>

namespace phasewise::gpu {

// Finds a function of the plug-in; returns null, and the reason in one clause, if there is none.
void* cuda_function(const char* name, std::string& why);

}  // namespace phasewise::gpu

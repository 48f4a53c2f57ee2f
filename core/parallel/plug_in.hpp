// Parts of the project that are loaded at run time, since what they need may be absent.
#pragma once

#include <filesystem>
#include <string>

namespace phasewise::parallel {

// Where lib<name>.so is: beside this code itself (the Python module or the driver), or in the
// package that the driver was installed with. Empty if it is in none of these.
std::filesystem::path plug_in_path(const std::string& name);

// Finds a function of lib<name>.so, which is loaded and never closed, since the code behind it may
// keep pointers to it. Returns null, and the reason in one clause, if it cannot be loaded.
void* plug_in_function(const std::string& name, const char* function, std::string& why);

}  // namespace phasewise::parallel

// Parts of the project that are loaded at run time, since what they need may be absent.
#pragma once

#include <filesystem>
#include <string>

namespace phasewise::parallel {

// Where lib<name>.so is: beside this code itself, the Python module or the driver, or in the
// package that the driver was installed with. Empty if there is none.
std::filesystem::path plug_in_path(const std::string& name);

// A function of lib<name>.so, which is loaded and never closed, since what is behind it may keep
// pointers to it; null, and why in one clause, if it cannot be had.
void* plug_in_function(const std::string& name, const char* function, std::string& why);

}  // namespace phasewise::parallel

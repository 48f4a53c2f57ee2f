#include "parallel/plug_in.hpp"

#include <dlfcn.h>

// The path from the folder of the driver to that of the Python package, where both are installed.
#if !defined(PHASEWISE_PACKAGE_FROM_SCRIPTS)
#define PHASEWISE_PACKAGE_FROM_SCRIPTS "."
#endif

namespace phasewise::parallel {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&plug_in_path), &here) == 0) return {};
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error);
  const fs::path image = fs::canonical(here.dli_fname, error);
  return error ? program.parent_path() : image.parent_path();
}

}  // namespace

fs::path plug_in_path(const std::string& name) {
  const std::string file = "lib" + name + ".so";
  const fs::path own = own_folder();
  std::error_code error;
  for (const fs::path& folder : {own, own / PHASEWISE_PACKAGE_FROM_SCRIPTS})
    if (fs::exists(folder / file, error)) return folder / file;
  return {};
}

void* plug_in_function(const std::string& name, const char* function, std::string& why) {
  const fs::path path = plug_in_path(name);
  if (path.empty()) {
    why = "there is no lib" + name + ".so";
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, function);
  if (found == nullptr) why = dlerror();
  return found;
}

}  // namespace phasewise::parallel

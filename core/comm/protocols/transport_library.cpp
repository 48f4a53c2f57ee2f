#include "comm/protocols/transport_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "comm/communicator.hpp"

// From the folder of the driver to that of the Python package, where both are installed.
#if !defined(PHASEWISE_PACKAGE_FROM_SCRIPTS)
#define PHASEWISE_PACKAGE_FROM_SCRIPTS "."
#endif

namespace phasewise::comm {
namespace {

namespace fs = std::filesystem;

// Where this code itself was loaded from: the Python module or the driver.
fs::path own_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&missing_transport), &here) == 0) return {};
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error);
  const fs::path image = fs::canonical(here.dli_fname, error);
  return error ? program.parent_path() : image.parent_path();
}

// Empty if there is none.
fs::path path_of(Protocol protocol) {
  const std::string name = "libphasewise_" + std::string(name_of(protocol)) + ".so";
  const fs::path own = own_folder();
  std::error_code error;
  for (const fs::path& folder : {own, own / PHASEWISE_PACKAGE_FROM_SCRIPTS})
    if (fs::exists(folder / name, error)) return folder / name;
  return {};
}

const PhasewiseTransport* load(Protocol protocol) {
  const std::string sentence = "communication protocol \"" + std::string(name_of(protocol)) + "\" ";
  if (const std::string why = missing_transport(protocol); !why.empty())
    throw std::invalid_argument(sentence + why);
  // Never closed: the libraries behind it cannot be unloaded.
  void* library = dlopen(path_of(protocol).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::invalid_argument(sentence + "cannot be loaded: " + dlerror());
  const auto table =
      reinterpret_cast<decltype(&phasewise_transport)>(dlsym(library, "phasewise_transport"));
  if (table == nullptr) throw std::invalid_argument(sentence + "cannot be loaded: " + dlerror());
  table()->start(finalise);
  return table();
}

}  // namespace

std::string missing_transport(Protocol protocol) {
  if (!path_of(protocol).empty()) return "";
  const std::string package = protocol == Protocol::shmem
                                  ? "libopenmpi-dev, which has the compiler oshcc,"
                                  : "libcoarrays-openmpi-dev";
  return "is not in this build: install the Debian package " + package + " and run make setup";
}

const PhasewiseTransport& transport_of(Protocol protocol) {
  static const PhasewiseTransport *shmem = nullptr, *coarray = nullptr;
  const PhasewiseTransport*& table = protocol == Protocol::shmem ? shmem : coarray;
  if (table == nullptr) table = load(protocol);
  return *table;
}

}  // namespace phasewise::comm

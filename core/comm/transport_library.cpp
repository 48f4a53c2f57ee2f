#include "comm/transport_library.hpp"

#include <stdexcept>

#include "comm/communicator.hpp"
#include "parallel/plug_in.hpp"

namespace phasewise::comm {
namespace {

std::string library_of(exchange::Protocol protocol) {
  return "phasewise_" + std::string(name_of(protocol));
}

const PhasewiseTransport* load(exchange::Protocol protocol) {
  const std::string sentence = "communication protocol \"" + std::string(name_of(protocol)) + "\" ";
  std::string why = missing_transport(protocol);
  if (!why.empty()) throw std::invalid_argument(sentence + why);
  const auto table = reinterpret_cast<decltype(&phasewise_transport)>(
      parallel::plug_in_function(library_of(protocol), "phasewise_transport", why));
  if (table == nullptr) throw std::invalid_argument(sentence + "cannot be loaded: " + why);
  table()->start(finalise);
  return table();
}

}  // namespace

std::string missing_transport(exchange::Protocol protocol) {
  if (!parallel::plug_in_path(library_of(protocol)).empty()) return "";
  const std::string package = protocol == exchange::Protocol::shmem
                                  ? "libopenmpi-dev, which has the compiler oshcc,"
                                  : "libcoarrays-openmpi-dev";
  return "is not in this build: install the Debian package " + package + " and run make setup";
}

const PhasewiseTransport& transport_of(exchange::Protocol protocol) {
  static const PhasewiseTransport *shmem = nullptr, *coarray = nullptr;
  const PhasewiseTransport*& table = protocol == exchange::Protocol::shmem ? shmem : coarray;
  if (table == nullptr) table = load(protocol);
  return *table;
}

}  // namespace phasewise::comm

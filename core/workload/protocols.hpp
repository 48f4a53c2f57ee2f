// The key by which a study chooses how a workload's messages are sent.
#pragma once

#include <string>
#include <vector>

#include "comm/protocol.hpp"
#include "workload/parameters.hpp"

namespace phasewise::workload {

// Returns irecv-isend if the key is absent.
inline comm::Protocol protocol_in(const Parameters& parameters,
                                  const std::string& key = "communication.protocol") {
  if (!parameters.has(key)) return comm::Protocol::irecv_isend;
  const std::vector<std::string> names(comm::protocol_names.begin(), comm::protocol_names.end());
  return static_cast<comm::Protocol>(parameters.choice(key, names));
}

}  // namespace phasewise::workload

// The key by which a study chooses how a workload's messages are sent.
#pragma once

#include <string>
#include <vector>

#include "exchange/protocol.hpp"
#include "workload/parameters.hpp"

namespace phasewise::workload {

// Returns irecv-isend if the key is absent.
inline exchange::Protocol protocol_in(const Parameters& parameters,
                                      const std::string& key = "communication.protocol") {
  if (!parameters.has(key)) return exchange::Protocol::irecv_isend;
  const std::vector<std::string> names(exchange::protocol_names.begin(),
                                       exchange::protocol_names.end());
  return static_cast<exchange::Protocol>(parameters.choice(key, names));
}

}  // namespace phasewise::workload

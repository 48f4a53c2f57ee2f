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

// The protocol of the messages of sums: one that can add what arrives.
inline exchange::Protocol sum_protocol_in(const Parameters& parameters, const std::string& key) {
  const exchange::Protocol protocol = protocol_in(parameters, key);
  const auto adds = [](exchange::Protocol one) {
    return staging_of(one) != exchange::Staging::types;
  };
  if (adds(protocol)) return protocol;
  std::string able;
  for (int i = 0; i < exchange::protocols; ++i) {
    const auto one = static_cast<exchange::Protocol>(i);
    if (adds(one)) able += (able.empty() ? "" : ", ") + std::string(name_of(one));
  }
  parameters.fail(
      key, "this protocol stores what arrives and cannot add it; those that can are " + able);
}

}  // namespace phasewise::workload

// The plug-ins of core/comm/transports, which are loaded when a protocol needs them.
#pragma once

#include <string>

#include "comm/transport.h"
#include "exchange/protocol.hpp"

namespace phasewise::comm {

// Says why this build has no plug-in for a protocol that needs one, as the end of a sentence; empty
// if it has one or none is needed.
std::string missing_transport(exchange::Protocol protocol);

// The first call for a protocol is collective over all ranks. Throws std::invalid_argument if the
// plug-in, or a library that it needs, is missing.
const PhasewiseTransport& transport_of(exchange::Protocol protocol);

}  // namespace phasewise::comm

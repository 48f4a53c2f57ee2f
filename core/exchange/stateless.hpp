// Protocols whose exchanges need no preparation.
#pragma once

#include "exchange/protocol.hpp"

namespace phasewise::exchange {

// Whether nothing is kept of an exchange from one time to the next.
inline bool is_stateless(Protocol protocol) {
  switch (protocol) {
    case Protocol::irecv_isend:
    case Protocol::ordered:
    case Protocol::sendrecv:
    case Protocol::isend_recv:
    case Protocol::irecv_send:
    case Protocol::synchronous:
      return true;
    default:
      return false;
  }
}

}  // namespace phasewise::exchange

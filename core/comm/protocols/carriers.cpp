#include "comm/protocols/carriers.hpp"

#include <stdexcept>

#include "comm/mpi/posted.hpp"
#include "comm/transport_library.hpp"

namespace phasewise::comm {

std::string unavailable(exchange::Protocol protocol) {
  const std::string name = "communication protocol \"" + std::string(name_of(protocol)) + "\" ";
  if (simulated()) {
    if (protocol == exchange::Protocol::neighbour)
      return name + "cannot be simulated: SimGrid has no neighbourhood collectives";
    if (protocol == exchange::Protocol::partitioned)
      return name + "cannot be simulated: SimGrid has no partitioned messages";
    return "";
  }
  std::string why;
  if (protocol == exchange::Protocol::shmem || protocol == exchange::Protocol::coarray)
    why = missing_transport(protocol);
  else if (protocol == exchange::Protocol::partitioned)
    why = missing_partitioned();
  return why.empty() ? "" : name + why;
}

CarrierPointer make_carrier(const RoundPlace& place) {
  const exchange::Protocol protocol = place.exchange->protocol;
  if (const std::string why = unavailable(protocol); !why.empty()) throw std::invalid_argument(why);
  switch (protocol) {
    case exchange::Protocol::irecv_isend:
      return make_irecv_isend(place);
    case exchange::Protocol::ordered:
      return make_ordered(place);
    case exchange::Protocol::sendrecv:
      return make_sendrecv(place);
    case exchange::Protocol::isend_recv:
      return make_isend_recv(place);
    case exchange::Protocol::irecv_send:
      return make_irecv_send(place);
    case exchange::Protocol::ready:
      return make_ready(place);
    case exchange::Protocol::synchronous:
      return make_synchronous(place);
    case exchange::Protocol::persistent:
      return make_persistent(place);
    case exchange::Protocol::derived:
      return make_derived(place);
    case exchange::Protocol::packed:
      return make_packed(place);
    case exchange::Protocol::neighbour:
      return make_neighbour(place);
    case exchange::Protocol::fence:
      return make_fence(place);
    case exchange::Protocol::post_start:
      return make_post_start(place);
    case exchange::Protocol::put:
      return make_put(place);
    case exchange::Protocol::get:
      return make_get(place);
    case exchange::Protocol::shared:
      return make_shared(place);
    case exchange::Protocol::shmem:
    case exchange::Protocol::coarray:
      return simulated() ? make_simulated_put(place) : make_symmetric(place);
    case exchange::Protocol::partitioned:
      return make_partitioned(place);
  }
  throw std::logic_error("a protocol without a carrier");
}

}  // namespace phasewise::comm

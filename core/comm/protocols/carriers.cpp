#include "comm/protocols/carriers.hpp"

#include <stdexcept>

#include "comm/posted.hpp"
#include "comm/protocols/transport_library.hpp"

namespace phasewise::comm {

std::string unavailable(Protocol protocol) {
  const std::string name = "communication protocol \"" + std::string(name_of(protocol)) + "\" ";
  if (simulated()) {
    if (protocol == Protocol::neighbour)
      return name + "cannot be simulated: SimGrid has no neighbourhood collectives";
    if (protocol == Protocol::partitioned)
      return name + "cannot be simulated: SimGrid has no partitioned messages";
    return "";
  }
  std::string why;
  if (protocol == Protocol::shmem || protocol == Protocol::coarray)
    why = missing_transport(protocol);
  else if (protocol == Protocol::partitioned)
    why = missing_partitioned();
  return why.empty() ? "" : name + why;
}

CarrierPointer make_carrier(const RoundPlace& place) {
  const Protocol protocol = place.exchange->protocol;
  if (const std::string why = unavailable(protocol); !why.empty()) throw std::invalid_argument(why);
  switch (protocol) {
    case Protocol::irecv_isend:
      return make_irecv_isend(place);
    case Protocol::ordered:
      return make_ordered(place);
    case Protocol::sendrecv:
      return make_sendrecv(place);
    case Protocol::isend_recv:
      return make_isend_recv(place);
    case Protocol::irecv_send:
      return make_irecv_send(place);
    case Protocol::ready:
      return make_ready(place);
    case Protocol::synchronous:
      return make_synchronous(place);
    case Protocol::persistent:
      return make_persistent(place);
    case Protocol::derived:
      return make_derived(place);
    case Protocol::packed:
      return make_packed(place);
    case Protocol::neighbour:
      return make_neighbour(place);
    case Protocol::fence:
      return make_fence(place);
    case Protocol::post_start:
      return make_post_start(place);
    case Protocol::put:
      return make_put(place);
    case Protocol::get:
      return make_get(place);
    case Protocol::shared:
      return make_shared(place);
    case Protocol::shmem:
    case Protocol::coarray:
      return simulated() ? make_simulated_put(place) : make_symmetric(place);
    case Protocol::partitioned:
      return make_partitioned(place);
  }
  throw std::logic_error("a protocol without a carrier");
}

}  // namespace phasewise::comm

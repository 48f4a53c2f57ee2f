// Makes the carrier of each protocol; included by their sources and by carriers.cpp alone.
#pragma once

#include <memory>
#include <string>

#include "comm/carrier.hpp"

namespace phasewise::comm {

using CarrierPointer = std::unique_ptr<Carrier>;

CarrierPointer make_irecv_isend(const RoundPlace& place);
CarrierPointer make_ordered(const RoundPlace& place);
CarrierPointer make_sendrecv(const RoundPlace& place);
CarrierPointer make_isend_recv(const RoundPlace& place);
CarrierPointer make_irecv_send(const RoundPlace& place);
CarrierPointer make_ready(const RoundPlace& place);
CarrierPointer make_synchronous(const RoundPlace& place);
CarrierPointer make_persistent(const RoundPlace& place);
CarrierPointer make_derived(const RoundPlace& place);
CarrierPointer make_packed(const RoundPlace& place);
CarrierPointer make_neighbour(const RoundPlace& place);
CarrierPointer make_fence(const RoundPlace& place);
CarrierPointer make_post_start(const RoundPlace& place);
CarrierPointer make_put(const RoundPlace& place);
CarrierPointer make_get(const RoundPlace& place);
CarrierPointer make_shared(const RoundPlace& place);
CarrierPointer make_symmetric(const RoundPlace& place);  // shmem and coarray
// These two on a simulated machine, which has neither: put, at costs of its own. Flags that lie in
// memory elsewhere are empty messages here, and not recorded as messages.
CarrierPointer make_simulated_put(const RoundPlace& place);
// Why the MPI library has no partitioned messages, as the end of a sentence; else empty.
std::string missing_partitioned();
CarrierPointer make_partitioned(const RoundPlace& place);

}  // namespace phasewise::comm

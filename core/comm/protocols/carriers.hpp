// Makes the carrier of each protocol. Only the protocols' sources and carriers.cpp include this
// file.
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
// Stands for the two on a simulated machine, which has neither: puts with costs of their own. The
// flags that would lie in memory are empty messages here, which are not recorded as messages.
CarrierPointer make_simulated_put(const RoundPlace& place);
// Says why the MPI library has no partitioned messages, as the end of a sentence; empty if it has
// them.
std::string missing_partitioned();
CarrierPointer make_partitioned(const RoundPlace& place);

}  // namespace phasewise::comm

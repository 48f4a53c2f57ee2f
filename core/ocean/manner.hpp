// How the ranks divide the ocean, exchange and compute. It changes no bit of a result.
#pragma once

#include "exchange/protocol.hpp"
#include "exchange/sum_rounds.hpp"
#include "ocean/layout.hpp"
#include "ocean/row_loops.hpp"
#include "workload/parameters.hpp"

namespace phasewise::ocean {

struct Manner {
  LayoutSetting layout;  // for a whole run
  Kernel kernel = Kernel::fast;
  bool aggregate = true;  // one message for all levels and fields
  exchange::Protocol boundary = exchange::Protocol::irecv_isend;
  exchange::Protocol solver_halo = exchange::Protocol::irecv_isend;
  exchange::SumAlgorithm solver_sum = exchange::SumAlgorithm::recursive_doubling;
  exchange::Protocol solver_sum_protocol = exchange::Protocol::irecv_isend;
  int iterations_per_exchange = 1;
};

// Throws std::invalid_argument with one sentence if communication.* cannot be used.
Manner read_manner(const workload::Parameters& parameters);

}  // namespace phasewise::ocean

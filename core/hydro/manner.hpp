// How the ranks divide the grid, exchange and compute. It changes no bit of a result.
#pragma once

#include <array>
#include <cstdint>

#include "exchange/protocol.hpp"
#include "exchange/rounds.hpp"
#include "exchange/sum_rounds.hpp"
#include "hydro/sweep.hpp"
#include "workload/parameters.hpp"

namespace phasewise::hydro {

inline constexpr int most_pencils = 4096;  // in a batch

enum class Decomposition : std::uint8_t { slabs, pencils };

struct Manner {
  // Both are for a whole run.
  Decomposition decomposition = Decomposition::slabs;
  std::array<int, 2> process_grid{0, 0};  // of pencils; zeros: chosen for the ranks
  exchange::Transpose transpose = exchange::Transpose::pairwise;
  bool overlap = false;  // a batch's messages are under way while the next one is swept
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;  // of these messages
  int batch = 16;                                                 // pencils swept at once
  Kernel kernel = Kernel::fast;
  exchange::SumAlgorithm sums = exchange::SumAlgorithm::recursive_doubling;
};

// Throws std::invalid_argument with one sentence if communication.* cannot be used.
Manner read_manner(const workload::Parameters& parameters);

}  // namespace phasewise::hydro

// How the ranks exchange and compute. It changes no bit of a result, except for `sums`.
#pragma once

#include <cstdint>

#include "exchange/protocol.hpp"
#include "exchange/rounds.hpp"
#include "exchange/sum_rounds.hpp"
#include "workload/parameters.hpp"

namespace phasewise::sphere {

inline constexpr int most_blocks = 64;

// Where the Legendre transforms are summed over the latitudes: on one rank for each wavenumber,
// after a transpose, or on all ranks, whose sums are added along a ring, a hypercube, or within
// nodes first.
enum class Legendre : std::uint8_t { transpose, ring, hypercube, node_aware };

// How kernels loop over the levels: all at once, one after the other, or all at once with their
// number compiled in (level_count.hpp).
enum class Kernel : std::uint8_t { fast, plain, fixed };

struct Manner {
  Legendre legendre = Legendre::transpose;
  exchange::Transpose transpose = exchange::Transpose::pairwise;
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;
  bool order_free = true;  // whether groups of latitudes are added up without rounding
  int blocks = 4;          // of wavenumbers: one is exchanged while the next one is computed
  Kernel kernel = Kernel::fast;
  bool padding = true;  // of rows (RowLayout)
  exchange::SumAlgorithm invariants = exchange::SumAlgorithm::recursive_doubling;

  bool distributed() const { return legendre != Legendre::transpose; }
};

Manner read_manner(const workload::Parameters& parameters);

}  // namespace phasewise::sphere

// How ranks exchange in a solve; a run may change this.
#pragma once

#include <cstdint>

#include "exchange/protocol.hpp"
#include "parallel/simd.hpp"
#include "qcd/dirac/hopping.hpp"
#include "workload/bounded_sums.hpp"
#include "workload/parameters.hpp"

namespace phasewise::qcd {

// What a rank sends of a spinor at a face: two of four spin components, to which the links of the
// way back have already been applied, or all four.
enum class Spinors : std::uint8_t { half, full };
// How a face is sent: packed by the hopping matrix into one message; in one message for each
// contiguous run of its sites in the field; or in one message of the sites where they lie in the
// field.
enum class Blocks : std::uint8_t { packed, runs, derived };
// What is done while the faces are under way: nothing; sites away from the faces are computed
// between calls of the library; or all threads compute them but the one that makes these calls.
enum class Overlap : std::uint8_t { none, interior, thread };
using workload::Sums;

struct Manner {
  exchange::Protocol halo = exchange::Protocol::irecv_isend;
  Spinors spinors = Spinors::half;
  Blocks blocks = Blocks::packed;
  Overlap overlap = Overlap::none;
  Sums sums = Sums::order_free;
  Kernel kernel = Kernel::fast;
  bool two_rows = false;  // 12 reals of a link are kept instead of 18

  // Whether the faces along all axes are under way at once.
  bool overlaps() const { return overlap != Overlap::none; }
  // Whether faces are sent from where they lie in the field: whole spinors in the order of single
  // sites.
  bool from_field() const {
    return blocks != Blocks::packed && spinors == Spinors::full && kernel == Kernel::plain;
  }
};

// How many sites the loops over links take at once.
inline int lanes_of(const Manner& manner) {
  return manner.kernel == Kernel::fast ? parallel::lanes : 1;
}

Manner read_manner(const workload::Parameters& parameters);

}  // namespace phasewise::qcd

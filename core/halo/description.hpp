// The parameters of a halo exchange: Wallcraft's HALO, as Worley uses it ("Cray X1 Optimization: A
// Customer's Perspective", CUG 2004). Ranks form a periodic grid of Px x Py, and each sends N words
// west and east, then N words south and north, or all four messages at once.
#pragma once

#include <array>
#include <cstdint>

#include "exchange/protocol.hpp"
#include "workload/parameters.hpp"

namespace phasewise::halo {

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  std::int64_t words = 0;                 // of one message, all rows of the halo together
  std::int64_t word = 8;                  // B, 4 or 8
  int rows = 1;                           // of the halo on each side
  bool at_once = false;                   // west, east, south and north in one exchange
  bool verify = true;                     // whether each exchange is checked, cell by cell
  std::array<int, 2> process_grid{0, 0};  // Px, Py; zeros: chosen for the ranks
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;

  // The cells along each side of a rank's own part of the array.
  std::int64_t cells() const { return words / rows; }
  // The words from one row of a rank's array to the next, halo included.
  std::int64_t width() const { return cells() + 2 * rows; }
};

// Px and Py as given, or else the pair of divisors nearest to a square, with Px >= Py. Throws
// std::invalid_argument if the given ones do not fit the ranks.
std::array<int, 2> fitting_grid(const Description& description, int ranks);

}  // namespace phasewise::halo

// What a study says of a lattice, read from its flat parameters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/protocol.hpp"
#include "lattice/hopping.hpp"
#include "lattice/layout.hpp"
#include "workload/parameters.hpp"

namespace phasewise::lattice {

enum class Start : std::uint8_t { cold, hot, file };
// What a rank sends of a spinor at a face: two of four spin components, the links of the way back
// already applied; or all four.
enum class Spinors : std::uint8_t { half, full };
// How a face goes: as one message, or as one for each contiguous run of its sites in the field.
enum class Blocks : std::uint8_t { packed, runs };
enum class Sums : std::uint8_t { order_free, library };

// How the ranks exchange, which a run may change.
struct Manner {
  comm::Protocol halo = comm::Protocol::irecv_isend;
  Spinors spinors = Spinors::half;
  Blocks blocks = Blocks::packed;
  bool overlap = false;  // sites away from the faces are computed while the faces go
  Sums sums = Sums::order_free;
  Kernel kernel = Kernel::fast;
};
Manner read_manner(const workload::Parameters& parameters);

struct Description {
  // Throws std::invalid_argument with one sentence if a parameter cannot be used.
  explicit Description(const workload::Parameters& parameters);

  std::uint64_t seed;
  Extents size{};
  Start start;
  double kappa;
  std::array<double, axes> phases{};  // of ψ(x + L), in units of π
  double tolerance;                   // of the residual over that of the start; 0: fixed work
  std::int64_t iterations;            // at most, or of fixed work
  bool pion;                          // twelve right-hand sides, all spins and colours of a point
  std::array<int, axes> source{};     // the point
  Extents grid{};                     // zeros: the one with the least surface
  Layout layout;
  Manner manner;

  int right_sides() const { return pion ? 12 : 1; }
  // The coefficient of ψ(x) in D: m₀ + 4 = 1/(2κ).
  double diagonal() const { return 0.5 / kappa; }
};

// The process grid of the study on so many ranks. Throws std::invalid_argument if there is none.
Extents grid_for(const Description& description, int ranks);

}  // namespace phasewise::lattice

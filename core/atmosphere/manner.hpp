// How the ranks divide the columns, move them and compute. It changes no bit of a result.
#pragma once

#include <array>
#include <cstdint>

#include "exchange/protocol.hpp"
#include "workload/parameters.hpp"

namespace phasewise::atmosphere {

enum class Division : std::uint8_t { latitudes, longitudes, blocks };
enum class Balance : std::uint8_t { none, node, twin, pairs, all, measured };
// How moved columns go: in messages between those who have any, or in the library's all-to-all.
enum class MoveBy : std::uint8_t { messages, alltoallw };

struct Manner {
  // Both are for a whole run.
  Division division = Division::latitudes;
  std::array<int, 2> process_grid{0, 0};  // ranks along latitude and longitude; zeros: chosen
  Balance balance = Balance::none;
  int costs_every = 3;                 // timesteps from one look at the costs to the next: measured
  double move_seconds_per_byte = 0.0;  // of `measured`; 0: as documented, or as the run finds it
  int chunk = 16;                      // columns that a kernel works on at once
  bool fast = true;                    // lanes lie across columns; else one column after another
  MoveBy moves = MoveBy::messages;
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;  // of these messages
};

// Throws std::invalid_argument with one sentence if communication.* cannot be used.
Manner read_manner(const workload::Parameters& parameters);

}  // namespace phasewise::atmosphere

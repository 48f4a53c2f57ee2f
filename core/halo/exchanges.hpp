// One rank's part in the exchanges of a halo: along x, then along y, or both at once.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "exchange/exchange.hpp"
#include "halo/description.hpp"

namespace phasewise::halo {

namespace phases {
inline constexpr std::string_view along_x = "halo_x", along_y = "halo_y", at_once = "halo";
}

// The rank's place: x = rank modulo Px, y = rank / Px.
struct Place {
  int x, y;
};
Place place_of(const std::array<int, 2>& grid, int rank);

// The exchanges of the array [cells + 2 rows][cells + 2 rows], with x along its rows: two messages
// along x, then two along y, or all four in one exchange. No message contains corners. If the grid
// is one rank wide, the rank is its own neighbour and sends no message; if it is two wide, both
// messages go to the same rank. nodes: the node of each rank.
exchange::Exchanges exchanges_of(const Description& description, const std::array<int, 2>& grid,
                                 const std::vector<int>& nodes, int rank,
                                 exchange::Protocol protocol);

}  // namespace phasewise::halo

// One rank's part in the two exchanges of a halo: along x, then along y.
#pragma once

#include <array>
#include <string_view>

#include "comm/exchange.hpp"
#include "halo/description.hpp"

namespace phasewise::halo {

namespace phases {
inline constexpr std::string_view along_x = "halo_x", along_y = "halo_y", checks = "checks";
}

// The rank's place: x = rank modulo Px, y = rank / Px.
struct Place {
  int x, y;
};
Place place_of(const std::array<int, 2>& grid, int rank);

// Each exchange sends two messages of 8 N bytes from the array [cells + 2 rows][cells + 2 rows],
// with x along its rows; no message contains corners. If the grid is one rank wide, the rank is its
// own neighbour and sends no message; if it is two wide, both messages go to the same rank.
std::array<comm::ExchangePointer, 2> exchanges_of(const Description& description,
                                                  const std::array<int, 2>& grid, int rank,
                                                  comm::Variant variant);

}  // namespace phasewise::halo

// The two exchanges of a halo as one rank takes part in them: along x, then along y.
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

// Each of two messages of 8 N bytes, of the array [cells + 2 rows][cells + 2 rows] with x along its
// rows; corners belong to no message. Where the grid is one rank wide the rank is its own
// neighbour, and no message is sent; where it is two wide both go to the same rank.
std::array<comm::ExchangePointer, 2> exchanges_of(const Description& description,
                                                  const std::array<int, 2>& grid, int rank,
                                                  comm::Variant variant);

}  // namespace phasewise::halo

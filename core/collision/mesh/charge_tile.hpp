// A charge plane, or its middle, in memory that a block of a device's threads shares (a tile). A
// node's charge is a multiple of the charge quantum; its low bits and the rest are added up in one
// word of 32 bits each, exactly and in any order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "field/mesh.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// The nodes of a tile: a window into those of a plane.
struct TileNodes {
  int first_x = 0, first_y = 0, nx = 0, ny = 0;

  PHASEWISE_HD int count() const { return nx * ny; }
  // The index in the tile of the plane's node (x, y), or -1 unless the tile holds it and `width` -
  // 1 further nodes along x and y.
  PHASEWISE_HD int find(int x, int y, int width) const {
    const int i = x - first_x, j = y - first_y;
    const bool inside = i >= 0 && j >= 0 && i + width <= nx && j + width <= ny;
    return inside ? i * ny + j : -1;
  }
};

// The middle of a plane of nx by ny nodes: the same shape, with at most `most` nodes.
inline TileNodes middle_nodes(int nx, int ny, std::int64_t most) {
  const double all = static_cast<double>(nx) * ny;
  const double scale = std::min(1.0, std::sqrt(static_cast<double>(most) / all));
  TileNodes nodes;
  nodes.nx = std::max(1, static_cast<int>(nx * scale));
  nodes.ny = static_cast<int>(std::min<std::int64_t>(ny, most / nodes.nx));
  nodes.first_x = (nx - nodes.nx) / 2;
  nodes.first_y = (ny - nodes.ny) / 2;
  return nodes;
}

// How a charge of at most one macroparticle is divided into words.
struct ChargeWords {
  int low_bits = 0;

  // This many charges, a power of two, can be added to a node before a word overflows: low words
  // below 2^low_bits then sum to less than 2^32, high ones to at most 2^30.
  PHASEWISE_HD std::int64_t most_charges() const { return std::int64_t{1} << (32 - low_bits); }
  // `multiple` counts charge quanta.
  PHASEWISE_HD std::uint32_t low(std::int64_t multiple) const {
    return static_cast<std::uint32_t>(multiple & ((std::int64_t{1} << low_bits) - 1));
  }
  PHASEWISE_HD std::uint32_t high(std::int64_t multiple) const {
    return static_cast<std::uint32_t>(multiple >> low_bits);
  }
  PHASEWISE_HD std::int64_t multiple(std::uint32_t low, std::uint32_t high) const {
    const std::int64_t upper = static_cast<std::int32_t>(high);
    return (upper << low_bits) + static_cast<std::int64_t>(low);
  }
};

// Divides the multiples of a quantum that is 2^-bits of a macroparticle, with bits < 52.
inline ChargeWords charge_words(int bits) { return {32 - std::min(16, (62 - bits) / 2)}; }

// The charge quantum of a rounding offset (numerics/order_free_sum.hpp).
PHASEWISE_HD double quantum_of(double rounding_offset) { return rounding_offset / 0x1.8p52; }
inline int bits_of_macroparticle(double rounding_offset) {
  return -std::ilogb(quantum_of(rounding_offset));
}
// Which multiple of the quantum a charge of at most one macroparticle is. With bits < 52, the
// quantum is the value of the sum's last bit.
PHASEWISE_HD std::int64_t multiple_of(double charge, double rounding_offset) {
  return std::bit_cast<std::int64_t>(charge + rounding_offset) -
         std::bit_cast<std::int64_t>(rounding_offset);
}

}  // namespace phasewise::collision

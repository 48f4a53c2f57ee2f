// Which rank has which place in the grid of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "qcd/geometry.hpp"

namespace phasewise::qcd {

// x_first, t_first: that axis is fastest. bricks: the ranks of a node form the brick with the
// smallest surface, and bricks follow each other with x fastest; if nodes have unequal numbers of
// ranks, or the grid has no such brick, a node has several smaller ones. random: the seed decides
// the order. file: the study numbers the places, with x fastest.
enum class Layout : std::uint8_t { x_first, t_first, bricks, random, file };
inline constexpr std::array<std::string_view, 5> layout_names{"x-first", "t-first", "bricks",
                                                              "random", "file"};

// The place of each rank. `nodes` has each rank's node.
std::vector<Extents> places_of(const Extents& size, const Extents& grid, Layout layout,
                               const std::vector<int>& nodes, std::uint64_t seed);

// The places with these numbers. Throws std::invalid_argument with one sentence unless the numbers
// are those of the grid's places, each once.
std::vector<Extents> places_numbered(const Extents& grid, const std::vector<double>& numbers);

// The rank at each place; places are numbered with x fastest.
std::vector<int> ranks_at(const Extents& grid, const std::vector<Extents>& places);

// The faces of a part that other ranks need, over its volume: Σ 2 P/L over the axes with P > 1.
double surface_ratio(const Extents& size, const Extents& grid);

// The grid of this many ranks that divides the lattice into parts of even extents with the smallest
// surface; among several, the one with the fewest ranks along x, then y, then z. Throws
// std::invalid_argument if there is none.
Extents least_surface(const Extents& size, int ranks);

}  // namespace phasewise::qcd

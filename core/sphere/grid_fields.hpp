// Fields on a rank's part of the grid. A complex value holds the northern and the southern latitude
// of a pair.
#pragma once

#include <algorithm>
#include <cstdint>

#include "parallel/buffer.hpp"
#include "sphere/division.hpp"
#include "sphere/fourier.hpp"
#include "sphere/spectral.hpp"

namespace phasewise::sphere {

struct GridFields {
  RowLayout rows;
  Range pairs;
  // u cos φ, v cos φ [m/s], relative vorticity [1/s], geopotential without its mean [m²/s²]; in
  // the order of `grid`, each [pair][level][rows.stride].
  parallel::Buffer<Complex> field[grid::fields];
  // The Coriolis parameter [1/s] and the height of the ground [m], [pair][rows.stride].
  parallel::Buffer<Complex> coriolis, ground;

  GridFields(const RowLayout& layout, const Range& own) : rows(layout), pairs(own) {}
  void allocate() {
    const std::int64_t count = size_of(pairs);
    for (auto& values : field) {
      values = parallel::Buffer<Complex>(count * rows.size());
      std::fill_n(values.data(), values.size(), Complex{});
    }
    for (auto* values : {&coriolis, &ground}) {
      *values = parallel::Buffer<Complex>(count * rows.stride);
      std::fill_n(values->data(), values->size(), Complex{});
    }
  }
  // `pair` counts among all pairs.
  Complex* at(int number, int pair) {
    return field[number].data() + (pair - pairs.first) * rows.size();
  }
  const Complex* at(int number, int pair) const {
    return field[number].data() + (pair - pairs.first) * rows.size();
  }
  std::int64_t surface_row(int pair) const { return (pair - pairs.first) * rows.stride; }
};

}  // namespace phasewise::sphere

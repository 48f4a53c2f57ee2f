// The pencils of a rank's box along a direction, in batches that are swept at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hydro/division.hpp"
#include "hydro/sweep.hpp"

namespace phasewise::hydro {

// Pencils that lie next to each other along one of the other two axes: axis 1, or axis 2 for those
// along axis 1. Of the other two axes this is always the first one.
struct Batch {
  int first = 0, count = 0;  // along that axis, in the whole grid
  int other = 0;             // the zone along the second one
};

class Batches {
 public:
  Batches(const Box& box, int direction, int batch)
      : box_(box),
        direction_(direction),
        step_axis_(direction == 0 ? 1 : 0),
        other_axis_(direction == 2 ? 1 : 2),
        batch_(batch),
        in_row_((static_cast<int>(box.size(step_axis_)) + batch - 1) / batch) {}

  int count() const { return in_row_ * static_cast<int>(box_.size(other_axis_)); }
  std::int64_t zones_along() const { return box_.size(direction_); }

  Batch operator[](int number) const {
    const auto [begin, end] = box_.along[step_axis_];
    const int first = begin + number % in_row_ * batch_;
    return {first, std::min(batch_, end - first), box_.along[other_axis_].first + number / in_row_};
  }
  // The zones of a batch.
  Box zones_of(const Batch& batch) const {
    Box result = box_;
    result.along[step_axis_] = {batch.first, batch.first + batch.count};
    result.along[other_axis_] = {batch.other, batch.other + 1};
    return result;
  }
  // The pencils of a batch in the six arrays of a state, or `count` of them from pencil `from` on.
  Pencils pencils_of(const Batch& batch, double* state) const {
    return pencils_of(batch, state, 0, batch.count);
  }
  Pencils pencils_of(const Batch& batch, double* state, int from, int count) const {
    const Box zones = zones_of(batch);
    const std::int64_t at =
        box_.place(zones.along[0].first, zones.along[1].first, zones.along[2].first) +
        from * box_.stride(step_axis_);
    Pencils result{.zone_stride = box_.stride(direction_),
                   .pencil_stride = box_.stride(step_axis_),
                   .count = count,
                   .first_other = {batch.first + from, batch.other},
                   .other_step = 0};
    for (int f = 0; f < field::count; ++f) result.values[f] = state + f * box_.zones() + at;
    return result;
  }

 private:
  Box box_;
  int direction_, step_axis_, other_axis_, batch_, in_row_;
};

}  // namespace phasewise::hydro

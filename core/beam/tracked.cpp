#include "beam/tracked.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace phasewise::beam {

void write_tracked(const ParticleView& p, int tracked, double* rows) {
  for (std::int64_t i = 0; i < p.size; ++i)
    if (p.id[i] < static_cast<std::uint32_t>(tracked)) {
      const double row[tracked_width] = {p.x[i], p.px[i], p.y[i], p.py[i], p.z[i], p.delta[i], 1.0};
      std::copy_n(row, tracked_width, rows + static_cast<std::int64_t>(p.id[i]) * tracked_width);
    }
}

std::vector<double> tracked_coordinates(const std::vector<double>& rows) {
  std::vector<double> result;
  result.reserve(rows.size() / tracked_width * 6);
  for (std::size_t row = 0; row + tracked_width <= rows.size(); row += tracked_width)
    for (std::size_t c = 0; c < 6; ++c)
      result.push_back(rows[row + 6] > 0.0 ? rows[row + c]
                                           : std::numeric_limits<double>::quiet_NaN());
  return result;
}

}  // namespace phasewise::beam

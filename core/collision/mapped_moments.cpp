#include "collision/mapped_moments.hpp"

#include <array>

namespace phasewise::collision {

beam::Moments mapped(const beam::Moments& m, const CollisionFrame& frame) {
  const auto image = [&](int coordinate, double step) {
    std::array<double, 6> u = m.mean;
    if (coordinate >= 0) u[coordinate] += step;
    beam::Coordinates c{u[0], u[1], u[2], u[3], u[4], u[5]};
    frame.enter(c);
    return std::array<double, 6>{c.x, c.px, c.y, c.py, c.z, c.delta};
  };
  std::array<std::array<double, 6>, 6> slope{};
  for (int a = 0; a < 6; ++a) {
    const double step = m.rms(a) > 0.0 ? m.rms(a) : 1e-9;
    const auto high = image(a, step), low = image(a, -step);
    for (int i = 0; i < 6; ++i) slope[i][a] = (high[i] - low[i]) / (2.0 * step);
  }
  beam::Moments result = m;
  result.mean = image(-1, 0.0);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      double sum = 0.0;
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) sum += slope[i][a] * m.covariance[a][b] * slope[j][b];
      result.covariance[i][j] = sum;
    }
  return result;
}

}  // namespace phasewise::collision

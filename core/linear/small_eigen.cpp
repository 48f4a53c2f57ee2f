#include "linear/small_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace phasewise::linear {
namespace {

void rotate(double* one, double* other, int n, double cosine, double sine) {
  for (int i = 0; i < n; ++i) {
    const double x = one[i], y = other[i];
    one[i] = cosine * x - sine * y;
    other[i] = sine * x + cosine * y;
  }
}

}  // namespace

SmallEigen small_eigen(std::vector<double> a, int n) {
  std::vector<double> vectors(static_cast<std::size_t>(n) * n, 0.0);
  for (int i = 0; i < n; ++i) vectors[i * n + i] = 1.0;
  double norm = 0.0;
  for (const double value : a) norm += value * value;
  const double least = std::numeric_limits<double>::epsilon() * std::sqrt(norm) / std::max(n, 1);
  constexpr int most_sweeps = 30;
  bool rotated = true;
  for (int sweep = 0; sweep < most_sweeps && rotated; ++sweep) {
    rotated = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double off = a[p * n + q];
        if (std::fabs(off) <= least) continue;
        rotated = true;
        const double cotangent = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
        const double tangent =
            std::copysign(1.0, cotangent) / (std::fabs(cotangent) + std::hypot(cotangent, 1.0));
        const double cosine = 1.0 / std::hypot(tangent, 1.0), sine = tangent * cosine;
        rotate(&a[p * n], &a[q * n], n, cosine, sine);
        for (int i = 0; i < n; ++i) rotate(&a[i * n + p], &a[i * n + q], 1, cosine, sine);
        rotate(&vectors[p * n], &vectors[q * n], n, cosine, sine);
      }
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int one, int other) { return a[one * n + one] < a[other * n + other]; });
  SmallEigen found;
  for (const int i : order) {
    found.values.push_back(a[i * n + i]);
    found.vectors.insert(found.vectors.end(), &vectors[i * n], &vectors[i * n] + n);
  }
  return found;
}

}  // namespace phasewise::linear

// x-y coupling at a place: how the normal modes a and b of the transverse motion become x, px, y,
// py.
//
// (x, px) = g a + C b and (y, py) = g b - C⁺ a with g² = 1 - det C and the adjugate C⁺ (D. Edwards,
// L. Teng, IEEE Trans. Nucl. Sci. 20 (1973) 885; D. Sagan, D. Rubin, PRSTAB 2 (1999) 074001).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "beam/distribution.hpp"
#include "workload/parameters.hpp"

namespace phasewise::beam {

class Coupling {
 public:
  // Reads C11 C12 C21 C22; a missing key is none. Throws std::invalid_argument with one sentence if
  // the determinant exceeds 1.
  Coupling(const workload::Parameters& parameters, const std::string& key)
      : c_(parameters.numbers_or(key, {0, 0, 0, 0})),
        any_(std::ranges::any_of(c_, [](double value) { return value != 0.0; })) {
    const double square = 1.0 - (c_[0] * c_[3] - c_[1] * c_[2]);
    if (!(square >= 0.0)) parameters.fail(key, "its determinant may not exceed 1");
    g_ = std::sqrt(square);
  }

  bool any() const { return any_; }
  // V, by which the modes become x, px, y, py.
  Mixing mixing() const {
    const auto& c = c_;
    return {{{g_, 0.0, c[0], c[1]},
             {0.0, g_, c[2], c[3]},
             {-c[3], c[1], g_, 0.0},
             {c[2], -c[0], 0.0, g_}}};
  }
  // The modes of x, px, y, py: V⁻¹, which has the other sign of C.
  std::array<double, 4> modes_of(const std::array<double, 4>& v) const {
    const auto& c = c_;
    return {g_ * v[0] - c[0] * v[2] - c[1] * v[3], g_ * v[1] - c[2] * v[2] - c[3] * v[3],
            c[3] * v[0] - c[1] * v[1] + g_ * v[2], -c[2] * v[0] + c[0] * v[1] + g_ * v[3]};
  }
  // f·V⁻¹: the linear form on x, px, y, py that has the values of the form f on the modes.
  std::array<double, 4> form_of(const double* f) const {
    const auto& c = c_;
    return {g_ * f[0] + c[3] * f[2] - c[2] * f[3], g_ * f[1] - c[1] * f[2] + c[0] * f[3],
            -c[0] * f[0] - c[2] * f[1] + g_ * f[2], -c[1] * f[0] - c[3] * f[1] + g_ * f[3]};
  }

 private:
  std::vector<double> c_;
  bool any_;
  double g_ = 1.0;
};

}  // namespace phasewise::beam

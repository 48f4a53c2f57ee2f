#include "sphere/spectral.hpp"

#include <algorithm>
#include <cmath>

#include "sphere/legendre_functions.hpp"

namespace phasewise::sphere {
namespace {

// The real and imaginary parts of a field's levels in a row of coefficients.
template <class T>
struct Parts {
  T *re, *im;
};
template <class T, class Levels>
Parts<T> parts_of(T* row, int field, Levels levels) {
  T* re = row + std::int64_t{2} * field * levels;
  return {re, re + levels};
}

// The rows of the degrees l - 1, l and l + 1; those that do not exist are zeros.
struct Neighbours {
  const double *below, *here, *above;
};

// to = (i m factor x(l) + down y(l-1) - up y(l+1)) for the levels of two fields x and y.
struct Derivative {
  double along, down, up;

  void write(const Neighbours& rows, int x, int y, int levels, const Parts<double>& to) const {
    const auto here = parts_of(rows.here, x, levels);
    const auto below = parts_of(rows.below, y, levels), above = parts_of(rows.above, y, levels);
    for (int level = 0; level < levels; ++level)
      to.re[level] = -along * here.im[level] + (down * below.re[level] - up * above.re[level]);
    for (int level = 0; level < levels; ++level)
      to.im[level] = along * here.re[level] + (down * below.im[level] - up * above.im[level]);
  }
};

// Writes the rows of U and V, which are `stride` apart, and calls f(l, row) for the other fields.
// U = (im χ - H ψ) / a and V = (im ψ + H χ) / a, where ∇² ψ = ζ, ∇² χ = δ, and H is (1 - μ²) d/dμ:
// (H ψ)(l) = (l+2) ε(l+1) ψ(l+1) - (l-1) ε(l) ψ(l-1).
template <class F>
void write_winds(const Description& description, int m, const double* from, double* rows,
                 std::int64_t stride, F&& f) {
  const int levels = description.levels, top = description.truncation;
  const std::int64_t width = state_width(levels);
  const std::vector<double> zeros(width);
  const auto potential = [&](int l) {  // of the velocities, over the coefficient of their curl
    return l < 1 ? 0.0 : 1.0 / (description.laplacian(l) * description.radius);
  };
  for (int l = m; l <= top + 1; ++l, from += width, rows += stride) {
    const Neighbours near{l > m ? from - width : zeros.data(), l <= top ? from : zeros.data(),
                          l < top ? from + width : zeros.data()};
    const double along = m * potential(l);
    const double down = l > m ? (l - 1) * epsilon(l, m) * potential(l - 1) : 0.0;
    const double up = (l + 2) * epsilon(l + 1, m) * potential(l + 1);
    Derivative{along, down, up}.write(near, state::divergence, state::vorticity, levels,
                                      parts_of(rows, grid::u, levels));
    Derivative{along, -down, -up}.write(near, state::vorticity, state::divergence, levels,
                                        parts_of(rows, grid::v, levels));
    f(near.here, rows);
  }
}

}  // namespace

void rows_of_state(const Description& description, int m, const double* from, double* rows) {
  const int levels = description.levels;
  write_winds(description, m, from, rows, ColumnLayout{grid::fields, levels}.width(),
              [&](const double* here, double* row) {
                std::copy_n(parts_of(here, state::vorticity, levels).re, 2 * levels,
                            parts_of(row, grid::vorticity, levels).re);
                std::copy_n(parts_of(here, state::geopotential, levels).re, 2 * levels,
                            parts_of(row, grid::geopotential, levels).re);
              });
}

void winds_of_state(const Description& description, int m, const double* from, double* rows) {
  write_winds(description, m, from, rows, ColumnLayout{2, description.levels}.width(),
              [](const double*, double*) {});
}

void state_of_winds(const Description& description, int m, const double* rows, double* to) {
  const int levels = description.levels;
  const std::int64_t width = ColumnLayout{2, levels}.width();
  const std::vector<double> zeros(width);
  for (int l = m; l <= description.truncation; ++l, rows += width, to += width) {
    const Neighbours near{l > m ? rows - width : zeros.data(), rows, rows + width};
    const double along = m / description.radius;
    const double down = (l + 1) * epsilon(l, m) / description.radius;
    const double up = l * epsilon(l + 1, m) / description.radius;
    Derivative{-along, down, up}.write(near, products::a, products::b, levels,
                                       parts_of(to, state::vorticity, levels));
    Derivative{along, down, up}.write(near, products::b, products::a, levels,
                                      parts_of(to, state::divergence, levels));
  }
}

namespace {

// The fields of which gravity waves are, at all levels.
struct Waves {
  const double *divergence, *geopotential;
};

// What the coefficients of one degree need for a timestep. The terms of a row are real and
// imaginary parts of a field at all levels.
struct Degree {
  double step, laplacian, damping;

  // The field goes on by its tendency alone.
  void go_on(const double* base, const double* tendency, int levels,
             double* __restrict next) const {
    for (int level = 0; level < levels; ++level)
      next[level] = damping * (base[level] + step * tendency[level]);
  }

  // δ' = δ + s (D - ∇² Φ) and Φ' = Φ + s (P - Φ₀ δ), with the waves of `here`.
  void explicitly(const Waves& base, const Waves& here, const Waves& tendency, const double* mean,
                  int levels, double* __restrict divergence,
                  double* __restrict geopotential) const {
    const double *d0 = base.divergence, *p0 = base.geopotential, *d1 = here.divergence,
                 *p1 = here.geopotential;
    const double *d = tendency.divergence, *p = tendency.geopotential;
    for (int level = 0; level < levels; ++level) {
      const double q = d0[level] + step * d[level] - step * (laplacian * p1[level]);
      const double r = p0[level] + step * p[level] - step * (mean[level] * d1[level]);
      divergence[level] = damping * q;
      geopotential[level] = damping * r;
    }
  }

  // δ' = Q - s/2 ∇² Φ' and Φ' = R - s/2 Φ₀ δ', where Q and R have the tendencies and half of the
  // waves of `base`.
  void implicitly(const Waves& base, const Waves& tendency, const double* mean, int levels,
                  double* __restrict divergence, double* __restrict geopotential) const {
    const double half = 0.5 * step;
    const double *d0 = base.divergence, *p0 = base.geopotential, *d = tendency.divergence,
                 *p = tendency.geopotential;
    for (int level = 0; level < levels; ++level) {
      const double q = d0[level] + step * d[level] - half * (laplacian * p0[level]);
      const double r = p0[level] + step * p[level] - half * (mean[level] * d0[level]);
      const double wave = 1.0 - half * half * laplacian * mean[level];
      const double next = (q - half * (laplacian * r)) / wave;
      divergence[level] = damping * next;
      geopotential[level] = damping * (r - half * (mean[level] * next));
    }
  }
};

}  // namespace

// Each of six numbers of a coefficient takes some 8 flops; three states are read, one is written.
parallel::KernelCard advance_card() {
  return {.name = "advance", .flops = 48.0, .bytes = 192.0, .vectorised = true};
}

void advance(const Description& description, int m, double step,
             std::span<const double> mean_geopotential, const double* base, const double* here,
             const double* tendency, double* next) {
  const int levels = description.levels;
  const std::int64_t width = state_width(levels);
  const double* mean = mean_geopotential.data();
  for (int l = m; l <= description.truncation; ++l) {
    const double laplacian = description.laplacian(l);
    const double steepness = description.diffusion_order == 2 ? -laplacian : laplacian * laplacian;
    const Degree degree{step, laplacian, 1.0 / (1.0 + step * description.diffusion * steepness)};
    for (int part = 0; part < 2; ++part) {
      const auto row = [&](int field) { return (2 * field + part) * levels; };
      const int z = row(state::vorticity), d = row(state::divergence), p = row(state::geopotential);
      if (description.advects()) {
        std::copy_n(base + z, levels, next + z);
        std::copy_n(base + d, levels, next + d);
        degree.go_on(base + p, tendency + p, levels, next + p);
        continue;
      }
      degree.go_on(base + z, tendency + z, levels, next + z);
      const Waves from{base + d, base + p}, change{tendency + d, tendency + p};
      if (description.semi_implicit)
        degree.implicitly(from, change, mean, levels, next + d, next + p);
      else
        degree.explicitly(from, {here + d, here + p}, change, mean, levels, next + d, next + p);
    }
    base += width;
    here += width;
    tendency += width;
    next += width;
  }
}

}  // namespace phasewise::sphere

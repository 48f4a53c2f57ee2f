// The density per area [1/m²] of a slice where a particle meets it, in real particles, and a bound
// of it for each particle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "beam/coordinates.hpp"
#include "collision/encounter.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/passage.hpp"
#include "field/weights.hpp"
#include "numerics/elementary.hpp"

namespace phasewise::collision {

// 2ΣxΣy/(Σx + Σy) [m] of slices with these variances, of both beams together [m²].
inline double harmonic_size(double xx, double yy) {
  const double x = std::sqrt(xx), y = std::sqrt(yy);
  return 2.0 * x * y / (x + y);
}

// 2ΣxΣy/(Σx + Σy) of two slices where their centres meet.
inline double harmonic_size(const GaussianSlice& a, const GaussianSlice& b) {
  const double s = meeting_distance(a.z, b.z);
  return harmonic_size(std::fmax(a.sxx_at(s) + b.sxx_at(-s), 0.0),
                       std::fmax(a.syy_at(s, a.x_at(s)) + b.syy_at(-s, b.x_at(-s)), 0.0));
}

// Of a Gaussian slice. With a crab waist it has the height that it has where the particle is.
template <bool waisted>
class GaussianDensity {
 public:
  GaussianDensity(const GaussianSlice& slice, double per_macroparticle)
      : slice_(without_effect_of_waist(slice)),
        charge_(slice.count * per_macroparticle / (2.0 * std::numbers::pi)),
        least_(1e-24 * slice_.xx[0] * slice_.yy[0]) {}

  bool any() const { return charge_ > 0.0 && least_ > 0.0; }
  double largest(const beam::ParticleView& p, std::int64_t i) const {
    const double s = meeting_distance(p.z[i], slice_.z);
    return charge_ / std::sqrt(determinant(s, p.x[i] + s * p.px[i]));
  }
  double at(const beam::ParticleView& p, std::int64_t i) const {
    const double s = meeting_distance(p.z[i], slice_.z);
    const double x = p.x[i] + s * p.px[i], dx = x - slice_.x_at(-s);
    const double dy = p.y[i] + s * p.py[i] - slice_.y_at(-s);
    const double square =
        dx * dx * height(s, x) + dy * dy * slice_.sxx_at(-s) - 2.0 * dx * dy * slice_.sxy_at(-s);
    const double by = determinant(s, x);
    return charge_ / std::sqrt(by) * numerics::exp_real(-0.5 * square / by);
  }

 private:
  // The variance in y, and the determinant of the covariance, that a particle at x meets.
  double height(double s, double x) const {
    return slice_.syy_at(waisted ? slice_.from_waist(-s, x) : -s);
  }
  double determinant(double s, double x) const {
    const double xy = slice_.sxy_at(-s);
    const double value = slice_.sxx_at(-s) * height(s, x) - xy * xy;
    return value > least_ ? value : least_;
  }

  GaussianSlice slice_;
  double charge_, least_;
};

// Of the charge on the mesh from which a kick comes, by the differences -∇²u/2π of its potential; 0
// at the edge of the mesh and beyond. `factor` is what the density on the mesh is multiplied by.
class MeshDensity {
 public:
  MeshDensity(const KickSource& kick, double factor)
      : kick_(kick), factor_(factor / (2.0 * std::numbers::pi)) {
    for (int plane = 0; plane < kick.planes; ++plane) find_largest(plane);
  }

  bool any() const { return largest_ > 0.0; }
  double largest(const beam::ParticleView&, std::int64_t) const { return largest_; }
  double at(const beam::ParticleView& p, std::int64_t i) const {
    const double s = meeting_distance(p.z[i], kick_.z_other);
    const double x = p.x[i] + s * p.px[i], y = p.y[i] + s * p.py[i];
    if (kick_.planes == 1) return std::fmax(on_plane(0, x, y), 0.0);
    const Between z = between_planes(p.z[i], kick_.z_tail, kick_.inverse_length);
    const double part = std::clamp(z.fraction, 0.0, 1.0);
    return std::fmax(field::between(on_plane(1, x, y), on_plane(0, x, y), part), 0.0);
  }

 private:
  double at_node(const double* u, const field::WindowFrame& frame) const {
    const double along_x =
        (2.0 * u[0] - u[-frame.ny] - u[frame.ny]) * (frame.inverse_hx * frame.inverse_hx);
    const double along_y = (2.0 * u[0] - u[-1] - u[1]) * (frame.inverse_hy * frame.inverse_hy);
    return factor_ * (along_x + along_y);
  }
  void find_largest(int plane) {
    const field::WindowFrame& frame = kick_.frame[plane];
    for (int i = 1; i + 1 < frame.nx; ++i) {
      const double* row = kick_.far.potential[plane] + static_cast<std::int64_t>(i) * frame.ny;
      double largest = largest_;
#pragma omp simd reduction(max : largest)
      for (int j = 1; j < frame.ny - 1; ++j) {
        const double here = at_node(row + j, frame);
        largest = here > largest ? here : largest;
      }
      largest_ = largest;
    }
  }
  double on_plane(int plane, double x, double y) const {
    const field::WindowFrame frame = kick_.frame[plane].with_rim(0.0);
    int node;
    double fx, fy, inside;
    field::Cic::place(x, y, frame, node, fx, fy, inside);
    const int i = node / frame.ny, j = node % frame.ny;
    if (inside == 0.0 || i < 1 || j < 1 || i + 2 >= frame.nx || j + 2 >= frame.ny) return 0.0;
    const double* u = kick_.far.potential[plane] + node;
    const double low = field::between(at_node(u, frame), at_node(u + frame.ny, frame), fx);
    const double high = field::between(at_node(u + 1, frame), at_node(u + frame.ny + 1, frame), fx);
    return field::between(low, high, fy);
  }

  const KickSource& kick_;
  double factor_;
  double largest_ = 0.0;
};

}  // namespace phasewise::collision

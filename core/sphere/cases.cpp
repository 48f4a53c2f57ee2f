#include "sphere/cases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace phasewise::sphere {
namespace {

constexpr double pi = std::numbers::pi, day = 86400.0;

// The integral of f from a to b by Gauss's quadrature on equal parts.
template <class F>
double integral(double a, double b, F&& f) {
  constexpr int parts = 24;
  static const GaussianPairs nodes = gaussian_pairs(16);
  const double half = 0.5 * (b - a) / parts;
  double sum = 0.0;
  for (int part = 0; part < parts; ++part) {
    const double middle = a + (2 * part + 1) * half;
    for (std::size_t i = 0; i < nodes.sine.size(); ++i)
      sum +=
          nodes.weight[i] * (f(middle - half * nodes.sine[i]) + f(middle + half * nodes.sine[i]));
  }
  return half * sum;
}

// Galewsky, Scott, Polvani, Section 2: the jet between two latitudes, and the bump of its height.
namespace galewsky {
constexpr double speed = 80.0, south = pi / 7.0, north = pi / 2.0 - south;
constexpr double bump = 120.0, bump_latitude = pi / 4.0;
constexpr double bump_longitudes = 1.0 / 3.0, bump_latitudes = 1.0 / 15.0;
}  // namespace galewsky

double jet_speed(double latitude) {
  using namespace galewsky;
  if (latitude <= south || latitude >= north) return 0.0;
  const double scale = std::exp(-4.0 / ((north - south) * (north - south)));
  return speed / scale * std::exp(1.0 / ((latitude - south) * (latitude - north)));
}

}  // namespace

TestCase::TestCase(const Description& description, const GaussianPairs& latitudes)
    : description_(description) {
  if (description.test != Case::jet) return;
  for (const double sine : latitudes.sine)
    for (const double sign : {1.0, -1.0}) falls_.push_back(fall_at(std::asin(sign * sine)));
  // The mean is ∫ fall cos φ dφ / 2. North of the jet the fall is constant.
  const Fall north = fall_at(galewsky::north);
  const auto mean = [&](double Fall::*part) {
    const double within = integral(galewsky::south, galewsky::north, [&](double latitude) {
      return fall_at(latitude).*part * std::cos(latitude);
    });
    return 0.5 * (within + north.*part * (1.0 - std::sin(galewsky::north)));
  };
  mean_fall_ = {mean(&Fall::linear), mean(&Fall::square)};
}

PointFields TestCase::at(const Point& point, int level) const {
  switch (description_.test) {
    case Case::bell:
      return bell(point, level, 0.0);
    case Case::steady:
      return steady(point, level);
    case Case::mountain:
      return mountain(point, level);
    case Case::wave:
      return wave(point, level);
    case Case::jet:
      return jet(point, level);
    case Case::file:
      break;
  }
  return {};
}

double TestCase::depth_at(const Point& point, int level, double time) const {
  if (description_.test == Case::bell) return bell(point, level, time).depth;
  return at(point, level).depth;
}

double TestCase::coriolis(const Point& point) const {
  const double alpha = description_.test == Case::steady ? description_.angle : 0.0;
  return 2.0 * description_.rotation *
         (point.sine * std::cos(alpha) -
          std::cos(point.longitude) * cosine_of(point.sine) * std::sin(alpha));
}

// Case 1: a cosine bell in a solid rotation of 12 days about an axis at the angle α.
PointFields TestCase::bell(const Point& point, int level, double time) const {
  const double alpha = description_.angle, a = description_.radius;
  const double speed = description_.amplitudes[level] * 2.0 * pi * a / (12.0 * day);
  const double cosine = cosine_of(point.sine);
  PointFields f{};
  f.u =
      speed * (cosine * std::cos(alpha) + point.sine * std::cos(point.longitude) * std::sin(alpha));
  f.v = -speed * std::sin(point.longitude) * std::sin(alpha);
  // The centre starts at 270° E on the equator, and turns about the axis (-sin α, 0, cos α).
  const double turned = speed / a * time, start = 1.5 * pi;
  const double axis[3] = {-std::sin(alpha), 0.0, std::cos(alpha)};
  const double from[3] = {std::cos(start), std::sin(start), 0.0};
  const double along = axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2];
  const double across[3] = {axis[1] * from[2] - axis[2] * from[1],
                            axis[2] * from[0] - axis[0] * from[2],
                            axis[0] * from[1] - axis[1] * from[0]};
  const double here[3] = {cosine * std::cos(point.longitude), cosine * std::sin(point.longitude),
                          point.sine};
  double dot = 0.0;
  for (int i = 0; i < 3; ++i)
    dot += here[i] * (from[i] * std::cos(turned) + across[i] * std::sin(turned) +
                      axis[i] * along * (1.0 - std::cos(turned)));
  const double distance = std::acos(std::clamp(dot, -1.0, 1.0)), width = 1.0 / 3.0;
  if (distance < width) f.depth = 500.0 * (1.0 + std::cos(pi * distance / width));
  return f;
}

// Case 2: a steady zonal flow about an axis at the angle α.
PointFields TestCase::steady(const Point& point, int level) const {
  const double alpha = description_.angle, a = description_.radius;
  const double speed = description_.amplitudes[level] * 2.0 * pi * a / (12.0 * day);
  const double cosine = cosine_of(point.sine);
  PointFields f{};
  f.u =
      speed * (cosine * std::cos(alpha) + std::cos(point.longitude) * point.sine * std::sin(alpha));
  f.v = -speed * std::sin(point.longitude) * std::sin(alpha);
  const double tilted =
      -std::cos(point.longitude) * cosine * std::sin(alpha) + point.sine * std::cos(alpha);
  f.depth = (2.94e4 - (a * description_.rotation * speed + 0.5 * speed * speed) * tilted * tilted) /
            description_.gravity;
  return f;
}

// Case 5: a zonal flow over a cone of 2000 m at 30° N, 270° E.
PointFields TestCase::mountain(const Point& point, int level) const {
  const double speed = description_.amplitudes[level] * 20.0, width = pi / 9.0;
  PointFields f{};
  f.u = speed * cosine_of(point.sine);
  const double east = point.longitude - 1.5 * pi, north = std::asin(point.sine) - pi / 6.0;
  const double distance = std::min(width, std::sqrt(east * east + north * north));
  f.ground = 2000.0 * (1.0 - distance / width);
  f.depth = 5960.0 -
            (description_.radius * description_.rotation * speed + 0.5 * speed * speed) /
                description_.gravity * point.sine * point.sine -
            f.ground;
  return f;
}

// Case 6: a Rossby-Haurwitz wave of wavenumber R = 4.
PointFields TestCase::wave(const Point& point, int level) const {
  const double omega = description_.amplitudes[level] * 7.848e-6, k = omega, r = 4.0;
  const double a = description_.radius, rotation = description_.rotation;
  const double c = cosine_of(point.sine), c2 = c * c, s2 = point.sine * point.sine;
  const double c4 = c2 * c2, c8 = c4 * c4;  // cos^R φ, cos^2R φ
  PointFields f{};
  f.u = a * omega * c + a * k * c2 * c * (r * s2 - c2) * std::cos(r * point.longitude);
  f.v = -a * k * r * c2 * c * point.sine * std::sin(r * point.longitude);
  const double mean =
      0.5 * omega * (2.0 * rotation + omega) * c2 +
      0.25 * k * k * c8 / c2 * ((r + 1.0) * c4 + (2.0 * r * r - r - 2.0) * c2 - 2.0 * r * r);
  const double once = 2.0 * (rotation + omega) * k / ((r + 1.0) * (r + 2.0)) * c4 *
                      (r * r + 2.0 * r + 2.0 - (r + 1.0) * (r + 1.0) * c2);
  const double twice = 0.25 * k * k * c8 * ((r + 1.0) * c2 - (r + 2.0));
  f.depth = 8000.0 + a * a / description_.gravity *
                         (mean + once * std::cos(r * point.longitude) +
                          twice * std::cos(2.0 * r * point.longitude));
  return f;
}

TestCase::Fall TestCase::fall_at(double latitude) const {
  const double end = std::clamp(latitude, galewsky::south, galewsky::north);
  const auto along = [&](auto&& f) { return integral(galewsky::south, end, f); };
  return {along([&](double phi) {
            return description_.radius * jet_speed(phi) * 2.0 * description_.rotation *
                   std::sin(phi);
          }),
          along([&](double phi) {
            const double u = jet_speed(phi);
            return std::tan(phi) * u * u;
          })};
}

PointFields TestCase::jet(const Point& point, int level) const {
  using namespace galewsky;
  const double latitude = std::asin(point.sine);
  PointFields f{};
  const double amplitude = description_.amplitudes[level];
  f.u = amplitude * jet_speed(latitude);
  f.depth = description_.mean_depth +
            (mean_fall_.of(amplitude) - falls_[point.row].of(amplitude)) / description_.gravity;
  if (description_.perturbed) {
    const double east = std::remainder(point.longitude, 2.0 * pi) / bump_longitudes;
    const double north_of = (bump_latitude - latitude) / bump_latitudes;
    f.depth += bump * std::cos(latitude) * std::exp(-east * east - north_of * north_of);
  }
  return f;
}

}  // namespace phasewise::sphere

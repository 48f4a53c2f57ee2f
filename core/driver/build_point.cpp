#include "driver/build_point.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace phasewise::driver {
namespace {

constexpr double speed_of_light = 299792458.0;  // m/s

template <class Value>
Value choose(const Parameters& parameters, const std::string& key,
             std::initializer_list<std::pair<const char*, Value>> choices) {
  const std::string word = parameters.word(key);
  std::string names;
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument(key + " = " + word + " is not one of " + names);
}

collision::Crab read_crab(const Parameters& parameters, const std::string& key) {
  const auto values = parameters.numbers(key, 2);
  return {values[0], 2.0 * std::numbers::pi * values[1] / speed_of_light};
}

void read_slices(const Parameters& parameters, const std::string& at,
                 collision::InteractionPoint& point) {
  point.slices = static_cast<int>(parameters.integer(at + "slices"));
  point.slicing = choose<beam::Slicing>(parameters, at + "slicing",
                                        {{"equal-charge", beam::Slicing::equal_charge},
                                         {"equal-width", beam::Slicing::equal_width}});
  point.slice_extent = parameters.number(at + "slice_extent");
  point.planes = choose<int>(parameters, at + "interpolation", {{"none", 1}, {"linear", 2}});
  if (point.slices < 1 || point.slices > 255)
    throw std::invalid_argument(at + "slices must lie between 1 and 255");
}

void read_mesh(const Parameters& parameters, const std::string& at,
               collision::InteractionPoint& point) {
  const auto grid = parameters.numbers(at + "grid", 2);
  point.nx = static_cast<int>(grid[0]);
  point.ny = static_cast<int>(grid[1]);
  if (point.nx < 8 || point.ny < 8 || point.nx > 16384 || point.ny > 16384)
    throw std::invalid_argument(at + "grid must have between 8 and 16384 nodes each way");
  point.weighting = choose<collision::Weighting>(
      parameters, at + "weighting",
      {{"cic", collision::Weighting::cic}, {"tsc", collision::Weighting::tsc}});
  point.fixed_mesh = choose<bool>(parameters, at + "mesh", {{"follow", false}, {"fixed", true}});
  point.mesh_extent = parameters.number(at + "mesh_extent");
  const auto half_width = parameters.numbers(at + "mesh_half_width", 2);
  point.mesh_half_width = {half_width[0], half_width[1]};
}

}  // namespace

collision::InteractionPoint build_point(const Parameters& parameters, int ip) {
  const std::string at = "ip." + std::to_string(ip) + ".";
  collision::InteractionPoint point;
  point.model = choose<collision::Model>(parameters, at + "model",
                                         {{"strong-strong", collision::Model::strong_strong},
                                          {"soft-gaussian", collision::Model::soft_gaussian},
                                          {"weak-strong", collision::Model::weak_strong},
                                          {"none", collision::Model::none}});
  point.angle = beam::CrossingAngle(parameters.number(at + "half_crossing_angle"),
                                    parameters.number(at + "crossing_plane"));
  const auto separation = parameters.numbers(at + "separation", 4);
  const auto ramp = parameters.numbers(at + "separation_ramp", 2);
  std::copy_n(separation.begin(), 4, point.separation.begin());
  point.ramp = {ramp[0], ramp[1]};
  point.crab = {read_crab(parameters, at + "crab.1"), read_crab(parameters, at + "crab.2")};
  point.longitudinal_kick = parameters.integer(at + "longitudinal_kick") != 0;
  point.luminosity = parameters.integer(at + "luminosity") != 0;
  read_slices(parameters, at, point);
  read_mesh(parameters, at, point);
  return point;
}

beam::Moments design_moments(const Parameters& parameters, int beam, int ip) {
  const std::string of = "beam." + std::to_string(beam) + ".";
  const std::string at = "ip." + std::to_string(ip) + ".", end = "." + std::to_string(beam);
  const auto emittance = parameters.numbers(of + "geometric_emittance", 2);
  const auto beta = parameters.numbers(at + "beta" + end, 2);
  const auto alpha = parameters.numbers(at + "alpha" + end, 2);
  const auto dispersion = parameters.numbers(at + "dispersion" + end, 4);
  const auto offset = parameters.numbers(of + "offset", 6);
  const double bunch_length = parameters.number(of + "bunch_length");
  const double spread = parameters.number(of + "momentum_spread");
  beam::Moments m;
  m.particles = static_cast<double>(parameters.integer(of + "macroparticles"));
  std::copy_n(offset.begin(), 6, m.mean.begin());
  auto& c = m.covariance;
  for (int plane = 0; plane < 2; ++plane) {
    const int u = 2 * plane;
    c[u][u] = emittance[plane] * beta[plane];
    c[u][u + 1] = c[u + 1][u] = -emittance[plane] * alpha[plane];
    c[u + 1][u + 1] = emittance[plane] * (1.0 + alpha[plane] * alpha[plane]) / beta[plane];
  }
  c[4][4] = bunch_length * bunch_length;
  c[5][5] = spread * spread;
  for (int i = 0; i < 4; ++i) {
    c[i][5] = c[5][i] = dispersion[i] * c[5][5];
    for (int j = 0; j < 4; ++j) c[i][j] += dispersion[i] * dispersion[j] * c[5][5];
  }
  return m;
}

beam::LongitudinalHistogram gaussian_histogram(double mean, double rms) {
  constexpr double particles = 1e15;
  beam::LongitudinalHistogram histogram(std::fabs(mean) + 6.0 * rms);
  for (int bin = 0; bin < beam::LongitudinalHistogram::bins; ++bin) {
    const auto below = [&](double z) { return std::erfc((mean - z) / (rms * std::numbers::sqrt2)); };
    histogram.counts()[bin] = static_cast<std::int64_t>(
        0.5 * particles * (below(histogram.edge(bin + 1.0)) - below(histogram.edge(bin))));
  }
  return histogram;
}

}  // namespace phasewise::driver

#include "collision/build_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "beam/coupling.hpp"
#include "collision/build_insertions.hpp"

namespace phasewise::collision {
namespace {

Slices slices_of(const workload::Parameters& parameters, const std::string& key) {
  const std::vector<double> given = parameters.shared_numbers(key, 2);
  for (const double n : given)
    if (!(n >= 1.0 && n <= 255.0) || n != std::floor(n))
      parameters.fail(key, "give 1 to 255 slices");
  return {static_cast<int>(given.front()), static_cast<int>(given.back())};
}

void read_slices(const workload::Parameters& parameters, const std::string& at,
                 InteractionPoint& point) {
  point.slices = slices_of(parameters, at + "slices");
  point.slicing = static_cast<beam::Slicing>(
      parameters.choice(at + "slicing", {"equal-charge", "equal-width"}));
  point.slice_extent = parameters.number(at + "slice_extent");
  point.planes = 1 + static_cast<int>(parameters.choice(at + "interpolation", {"none", "linear"}));
  const bool shared = parameters.choice(at + "planes", {"pair", "shared"}) == 1;
  point.share_planes = shared && point.planes == 2;
  // With pairs a study has the bits that it had before planes were shared.
  point.transforms = point.share_planes ? field::Transforms::lanes : field::Transforms::fftw;
}

void read_mesh(const workload::Parameters& parameters, const std::string& at,
               InteractionPoint& point) {
  const auto grid = parameters.numbers(at + "grid", 2);
  for (const double nodes : grid)
    if (!(nodes >= 8.0 && nodes <= 8192.0) || nodes != std::floor(nodes))
      parameters.fail(at + "grid", "give 8 to 8192 nodes each way");
  point.nx = static_cast<int>(grid[0]);
  point.ny = static_cast<int>(grid[1]);
  point.weighting = static_cast<Weighting>(parameters.choice(at + "weighting", {"cic", "tsc"}));
  point.fixed_mesh = parameters.choice(at + "mesh", {"follow", "fixed"}) == 1;
  point.mesh_extent = parameters.positive(at + "mesh_extent");
  const auto half_width = parameters.numbers(at + "mesh_half_width", 2);
  if (point.fixed_mesh && !(half_width[0] > 0.0 && half_width[1] > 0.0))
    parameters.fail(at + "mesh_half_width", "a fixed mesh needs lengths above zero");
  point.mesh_half_width = {half_width[0], half_width[1]};
}

using Transverse = std::array<std::array<double, 4>, 4>;

// The covariance of x, px, y, py from that of two normal modes.
Transverse coupled(const Transverse& modes, const beam::Mixing& mixing) {
  const double(&v)[4][4] = mixing.rows;
  Transverse result{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) result[i][j] += v[i][a] * modes[a][b] * v[j][b];
  return result;
}

// The covariance of x, px, y, py of a bunch without dispersion.
Transverse transverse_covariance(const workload::Parameters& parameters, int beam, int ip) {
  const std::string at = "ip." + std::to_string(ip) + ".", end = "." + std::to_string(beam);
  const auto emittance =
      parameters.numbers("beam." + std::to_string(beam) + ".geometric_emittance", 2);
  const auto beta = parameters.numbers(at + "beta" + end, 2);
  const auto alpha = parameters.numbers(at + "alpha" + end, 2);
  Transverse modes{};
  for (int plane = 0; plane < 2; ++plane) {
    const int u = 2 * plane;
    modes[u][u] = emittance[plane] * beta[plane];
    modes[u][u + 1] = modes[u + 1][u] = -emittance[plane] * alpha[plane];
    modes[u + 1][u + 1] = emittance[plane] * (1.0 + alpha[plane] * alpha[plane]) / beta[plane];
  }
  const beam::Coupling coupling(parameters, at + "coupling" + end);
  return coupling.any() ? coupled(modes, coupling.mixing()) : modes;
}

}  // namespace

InteractionPoint build_point(const workload::Parameters& parameters, int ip) {
  const std::string at = "ip." + std::to_string(ip) + ".";
  InteractionPoint point;
  point.model = static_cast<Model>(
      parameters.choice(at + "model", {"none", "strong-strong", "soft-gaussian", "weak-strong"}));
  point.angle = beam::crossing_angle(parameters.number(at + "half_crossing_angle"),
                                     parameters.number(at + "crossing_plane"));
  const auto separation = parameters.numbers(at + "separation", 4);
  const auto ramp = parameters.numbers(at + "separation_ramp", 2);
  std::copy_n(separation.begin(), 4, point.separation.begin());
  point.ramp = {ramp[0], ramp[1]};
  for (int b = 0; b < 2; ++b) {
    const auto crab = parameters.numbers(at + "crab." + std::to_string(b + 1), 2);
    point.crab[b] = beam::crab_pair(crab[0], crab[1], point.angle);
    point.inserts[b] = build_insertions(parameters, b + 1, ip, point.angle);
  }
  point.longitudinal_kick = parameters.integer(at + "longitudinal_kick") != 0;
  point.static_kick = parameters.integer(at + "static_kick") != 0;
  point.luminosity = parameters.integer(at + "luminosity") != 0;
  point.green_every_step =
      parameters.has(at + "green_function") &&
      parameters.choice(at + "green_function", {"as-needed", "every-step"}) == 1;
  if (parameters.has(at + "beamstrahlung")) {
    const auto kind = parameters.choice(at + "beamstrahlung", {"quantum", "mean"});
    if (point.model != Model::none) point.beamstrahlung = static_cast<Beamstrahlung>(1 + kind);
  }
  if (parameters.has(at + "bhabha")) {
    const auto bhabha = parameters.numbers(at + "bhabha", 3);
    if (!(bhabha[0] > 0.0 && bhabha[0] < 1.0 && bhabha[2] > 0.0))
      parameters.fail(at + "bhabha", "give the least loss, between 0 and 1, 1 or 0, and a scale");
    point.bhabha = {point.model != Model::none, bhabha[0], bhabha[1] != 0.0, bhabha[2]};
  }
  read_slices(parameters, at, point);
  read_mesh(parameters, at, point);
  return point;
}

beam::Moments design_moments(const workload::Parameters& parameters, int beam, int ip) {
  const std::string of = "beam." + std::to_string(beam) + ".";
  const std::string at = "ip." + std::to_string(ip) + ".", end = "." + std::to_string(beam);
  const auto dispersion = parameters.numbers(at + "dispersion" + end, 4);
  const auto offset = parameters.numbers(of + "offset", 6);
  const double bunch_length = parameters.number(of + "bunch_length");
  const double spread = parameters.number(of + "momentum_spread");
  beam::Moments m;
  m.particles = static_cast<double>(parameters.integer(of + "macroparticles"));
  const auto orbit = parameters.numbers_or(of + "orbit", {0.0, 0.0, 0.0, 0.0, 0.0, 0.0});
  for (int i = 0; i < 6; ++i) m.mean[i] = orbit[i] + offset[i];
  auto& c = m.covariance;
  const Transverse transverse = transverse_covariance(parameters, beam, ip);
  for (int i = 0; i < 4; ++i) std::ranges::copy(transverse[i], c[i].begin());
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
  beam::LongitudinalHistogram histogram(std::fabs(mean) + 8.0 * rms);
  for (int bin = 0; bin < beam::LongitudinalHistogram::bins; ++bin) {
    const auto below = [&](double z) {
      return std::erfc((mean - z) / (rms * std::numbers::sqrt2));
    };
    histogram.counts()[bin] = static_cast<std::int64_t>(
        0.5 * particles * (below(histogram.high(bin)) - below(histogram.low(bin))));
  }
  return histogram;
}

}  // namespace phasewise::collision

#include "collision/strong_slices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/mapped_moments.hpp"
#include "collision/waist.hpp"

namespace phasewise::collision {
namespace {

// A Gaussian beam has 2e-9 of its charge beyond this many rms of z.
constexpr double reach = 6.0;

// Gauss-Legendre rule on (-1, 1): the positive nodes and their weights.
constexpr std::array<double, 8> node{
    0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
    0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
constexpr std::array<double, 8> weight{
    0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382, 0.1495959888165767321,
    0.1246289712555338720, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};

// The moments of the part of the beam at z, which has no extent along z.
beam::Moments at(const beam::Moments& m, double z) {
  const double zz = m.covariance[4][4], dz = z - m.mean[4];
  beam::Moments here = m;
  for (int a = 0; a < 6; ++a) {
    const double slope = zz > 0.0 ? m.covariance[a][4] / zz : 0.0;
    here.mean[a] += slope * dz;
    for (int b = 0; b < 6; ++b) here.covariance[a][b] -= slope * m.covariance[4][b];
  }
  here.mean[4] = z;
  for (int a = 0; a < 6; ++a) here.covariance[a][4] = here.covariance[4][a] = 0.0;
  return here;
}

// Sums, over parts of a charge of 1, of first and second moments about zero.
struct Sums {
  std::array<double, 4> first{};
  std::array<std::array<double, 4>, 4> second{};

  void add(double w, const beam::Moments& m) {
    for (int a = 0; a < 4; ++a) {
      first[a] += w * m.mean[a];
      for (int b = 0; b < 4; ++b) second[a][b] += w * (m.covariance[a][b] + m.mean[a] * m.mean[b]);
    }
  }
  void put_into(GaussianSlice& slice) const {
    slice.mean = first;
    const auto central = [&](int a, int b) { return second[a][b] - first[a] * first[b]; };
    slice.xx = {central(0, 0), central(0, 1), central(1, 1)};
    slice.yy = {central(2, 2), central(2, 3), central(3, 3)};
    slice.xy = {central(0, 2), central(0, 3), central(1, 2), central(1, 3)};
  }
};

// Places along a slice and the charge at each, which sum to 1.
struct Places {
  std::vector<double> z, charge;
};

// Places in a Gaussian density between two cuts. They are shifted and stretched to the mean and rms
// of z that the slice had when it was cut, so that a straight beam has exactly the moments that
// follow from these two.
Places places(double low, double high, double rms_z, double mean, double rms) {
  Places p;
  double sum = 0.0, first = 0.0, second = 0.0;
  for (std::size_t k = 0; k < node.size() && high > low; ++k)
    for (const double sign : {-1.0, 1.0}) {
      const double z = 0.5 * (high + low) + sign * 0.5 * (high - low) * node[k];
      const double charge = weight[k] * std::exp(-0.5 * z * z / (rms_z * rms_z));
      p.z.push_back(z);
      p.charge.push_back(charge);
      sum += charge;
      first += charge * z;
      second += charge * z * z;
    }
  const double variance = sum > 0.0 ? second / sum - (first / sum) * (first / sum) : 0.0;
  if (!(variance > 0.0)) return {{mean}, {1.0}};
  const double stretch = rms / std::sqrt(variance);
  for (std::size_t k = 0; k < p.z.size(); ++k) {
    p.z[k] = mean + stretch * (p.z[k] - first / sum);
    p.charge[k] /= sum;
  }
  return p;
}

}  // namespace

std::vector<GaussianSlice> strong_slices(const beam::Moments& design, const CollisionFrame& frame,
                                         double cos_phi, const beam::SliceCuts& cuts, double mean_z,
                                         double rms_z, double macroparticles) {
  std::vector<GaussianSlice> result(cuts.slices());
  const double far = reach * rms_z;
  const CollisionFrame straight = frame.without_waist();
  const std::vector<SliceWaist> waists = slice_waists(frame, cos_phi, cuts);
  for (int s = 0; s < cuts.slices(); ++s) {
    GaussianSlice& slice = result[s];
    slice.z = cuts.z[s];
    slice.count = cuts.share[s] * macroparticles;
    const double high = s > 0 ? std::min(cuts.cut[s - 1] - mean_z, far) : far;
    const double low = s + 1 < cuts.slices() ? std::max(cuts.cut[s] - mean_z, -far) : -far;
    const Places along = places(low, high, rms_z, slice.z, cuts.rms[s]);
    Sums sums;
    for (std::size_t k = 0; k < along.z.size(); ++k) {
      // z = z*/cos φ, up to squares of the momenta.
      const double z = design.mean[4] + (along.z[k] - mean_z) * cos_phi;
      sums.add(along.charge[k], mapped(at(design, z), straight));
    }
    sums.put_into(slice);
    if (!waists.empty()) put_waist_of_design(slice, waists[s], cuts.rms[s]);
  }
  return result;
}

}  // namespace phasewise::collision

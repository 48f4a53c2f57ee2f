#include "collision/radiation/slice_density.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace phasewise::collision {
namespace {

constexpr int per_sigma = 8, sigmas_covered = 8;  // bins of a σ, and σ on each side
constexpr double one_sigma = 0.1586552539314571;  // share of a Gaussian's charge below -1σ

using ZHistogram = beam::LongitudinalHistogram;

// Shares of the charge behind the edges of a histogram's bins, and places that follow from them.
class Cumulative {
 public:
  explicit Cumulative(const ZHistogram& histogram)
      : histogram_(histogram), below_(ZHistogram::bins + 1, 0.0) {
    const auto& counts = histogram.counts();
    const auto total =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    std::int64_t sum = 0;
    for (int bin = 0; bin < ZHistogram::bins; ++bin) {
      sum += counts[bin];
      below_[bin + 1] = total > 0.0 ? static_cast<double>(sum) / total : 0.0;
    }
  }

  bool empty() const { return below_.back() == 0.0; }

  // The place behind which this share of the charge lies.
  double place(double share) const {
    const auto found = std::lower_bound(below_.begin() + 1, below_.end(), share);
    const int bin = static_cast<int>(
        std::min<std::ptrdiff_t>(found - below_.begin() - 1, ZHistogram::bins - 1));
    const double here = below_[bin + 1] - below_[bin];
    const double part = here > 0.0 ? (share - below_[bin]) / here : 0.0;
    return histogram_.low(bin) + part * (histogram_.high(bin) - histogram_.low(bin));
  }

  // The share of the charge behind z, where `bin` moves up to the bin of z.
  double behind(double z, int& bin) const {
    while (bin < ZHistogram::bins && histogram_.high(bin) <= z) ++bin;
    if (bin >= ZHistogram::bins) return 1.0;
    const double low = histogram_.low(bin), width = histogram_.high(bin) - low;
    const double part = std::clamp((z - low) / width, 0.0, 1.0);
    return below_[bin] + part * (below_[bin + 1] - below_[bin]);
  }

 private:
  const ZHistogram& histogram_;
  std::vector<double> below_;
};

}  // namespace

SliceDensity::SliceDensity(const ZHistogram& histogram, const std::vector<double>& cuts) {
  const Cumulative all(histogram);
  slice_.resize(cuts.size() + 1);
  if (all.empty()) return;
  const double low = all.place(one_sigma), high = all.place(1.0 - one_sigma);
  const double centre = 0.5 * (high + low), width = 0.5 * (high - low) / per_sigma;
  if (!(width > 0.0)) return;
  const double first = all.place(0.0), last = all.place(1.0);
  constexpr int half = per_sigma * sigmas_covered;
  edge_.push_back(std::min(first, centre - (half + 1) * width));
  for (int k = -half; k <= half; ++k) edge_.push_back(centre + k * width);
  edge_.push_back(std::max(last, centre + (half + 1) * width));
  int bin = 0;
  for (const double edge : edge_) below_.push_back(all.behind(edge, bin));
  below_.front() = 0.0;
  below_.back() = 1.0;
  for (std::size_t k = 0; k + 1 < edge_.size(); ++k)
    density_.push_back((below_[k + 1] - below_[k]) / (edge_[k + 1] - edge_[k]));
  const int bins = static_cast<int>(density_.size());
  const auto bin_of = [&](double share) {
    const auto found = std::upper_bound(below_.begin(), below_.end(), share);
    return std::clamp(static_cast<int>(found - below_.begin()) - 1, 0, bins - 1);
  };
  for (std::size_t s = 0; s < slice_.size(); ++s) {
    const double ahead = s == 0 ? 1.0 : behind(cuts[s - 1]);
    slice_[s].below = s == cuts.size() ? 0.0 : behind(cuts[s]);
    slice_[s].charge = ahead - slice_[s].below;
    slice_[s].first = bin_of(slice_[s].below);
    slice_[s].last = bin_of(ahead);
  }
}

// The share of the charge behind z, by the bins of the density.
double SliceDensity::behind(double z) const {
  if (z <= edge_.front()) return 0.0;
  if (z >= edge_.back()) return 1.0;
  const auto found = std::upper_bound(edge_.begin(), edge_.end(), z);
  const auto k = static_cast<std::size_t>(found - edge_.begin() - 1);
  return below_[k] + (z - edge_[k]) * density_[k];
}

SliceDensity::Means SliceDensity::means(int slice) const {
  const Slice& s = slice_[slice];
  double moment[4] = {};  // of g over the charge: orders 0 to 3
  Means result;
  for (int bin = s.first; bin <= s.last; ++bin) {
    const double from = std::max(below_[bin], s.below);
    const double part = (std::min(below_[bin + 1], s.below + s.charge) - from) / s.charge;
    if (!(part > 0.0)) continue;
    const double g = density_[bin] / s.charge;
    result.largest = std::max(result.largest, g);
    double power = part;
    for (double& m : moment) {
      m += power;
      power *= g;
    }
  }
  result.mean = moment[1] / moment[0];
  const double spread =
      std::sqrt(std::fmax(moment[2] / moment[0] - result.mean * result.mean, 0.0));
  const double weighted = moment[2] / moment[1];
  const double weighted_spread =
      std::sqrt(std::fmax(moment[3] / moment[1] - weighted * weighted, 0.0));
  result.low = std::fmax(result.mean - spread, 0.0);
  result.high = result.mean + spread;
  result.weighted_low = std::fmax(weighted - weighted_spread, 0.0);
  result.weighted_high = weighted + weighted_spread;
  return result;
}

}  // namespace phasewise::collision

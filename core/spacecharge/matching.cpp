#include "spacecharge/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "beam/normal_modes.hpp"
#include "spacecharge/linear_force.hpp"

namespace phasewise::spacecharge {
namespace {

using beam::Square;
using beam::times;

class Envelope {
 public:
  Envelope(const Description& description, const beam::Place& start, const beam::BunchSize& size,
           bool all_planes)
      : size_(size), all_planes_(all_planes) {
    force_ = linear_force(description, all_planes && description.kind == Kind::box);
    beam::Place at = start;
    for (const Stretch& stretch : description.stretches) {
      std::vector<beam::Element> elements;
      for (const beam::Line& line : stretch.lines)
        elements.insert(elements.end(), line.elements().begin(), line.elements().end());
      const auto passage = beam::expansion_about(at, elements).first;
      parts_.push_back(beam::square_of(passage.map.rows));
      at = passage.end;
    }
  }

  std::size_t kicks() const { return parts_.size() - 1; }

  // A passage with the force of a bunch of these sizes in each kick; without sizes there is no
  // force.
  beam::SecondOrder passage(const std::vector<Sizes>& sizes) const {
    Square map = parts_[0];
    for (std::size_t k = 0; k < kicks(); ++k) {
      if (!sizes.empty()) force_.add(map, sizes[k]);
      map = times(parts_[k + 1], map);
    }
    beam::SecondOrder result{};
    for (int i = 0; i < 6; ++i) std::copy(map[i].begin(), map[i].end(), result.rows[i]);
    return result;
  }

  // The sizes in each kick of a bunch that starts with these columns, under the force of a bunch
  // with the sizes `before`.
  std::vector<Sizes> sizes(Square columns, const std::vector<Sizes>& before) const {
    std::vector<Sizes> result;
    for (std::size_t k = 0; k < kicks(); ++k) {
      columns = times(parts_[k], columns);
      Sizes s{0.0, 0.0, 0.0, 0.0};
      for (int j = 0; j < 6; ++j) {
        s.xx += columns[0][j] * columns[0][j];
        s.xy += columns[0][j] * columns[2][j];
        s.yy += columns[2][j] * columns[2][j];
        s.zz += columns[4][j] * columns[4][j];
      }
      // If nothing bunches the beam, its length stays as it is.
      if (!all_planes_) s.zz = size_.bunch_length * size_.bunch_length;
      if (!before.empty()) force_.add(columns, before[k]);
      result.push_back(s);
    }
    return result;
  }

  Square columns(const beam::SecondOrder& passage) const {
    return all_planes_ ? beam::matched_columns_with_rf(passage, size_)
                       : beam::matched_columns(passage, size_);
  }

 private:
  beam::BunchSize size_;
  bool all_planes_;
  LinearForce force_;
  std::vector<Square> parts_;
};

double difference(const std::vector<Sizes>& a, const std::vector<Sizes>& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k)
    most = std::max({most, std::fabs(b[k].xx / a[k].xx - 1.0), std::fabs(b[k].yy / a[k].yy - 1.0),
                     std::fabs(b[k].zz / a[k].zz - 1.0),
                     std::fabs(b[k].xy - a[k].xy) / std::sqrt(a[k].xx * a[k].yy)});
  return most;
}

std::vector<Sizes> mixed(const std::vector<Sizes>& a, const std::vector<Sizes>& b, double share) {
  std::vector<Sizes> result;
  result.reserve(a.size());
  const auto mean = [&](double one, double other) { return one + share * (other - one); };
  for (std::size_t k = 0; k < a.size(); ++k)
    result.push_back({mean(a[k].xx, b[k].xx), mean(a[k].xy, b[k].xy), mean(a[k].yy, b[k].yy),
                      mean(a[k].zz, b[k].zz)});
  return result;
}

// The sizes that follow from the force of given sizes; none if the motion is unstable with it.
struct Answer {
  Square columns;
  std::vector<Sizes> sizes;
};
std::optional<Answer> answer(const Envelope& envelope, const std::vector<Sizes>& sizes) {
  try {
    const Square columns = envelope.columns(envelope.passage(sizes));
    return Answer{columns, envelope.sizes(columns, sizes)};
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// Iterates to sizes that reproduce themselves; each iteration moves part of the way to the answer.
// If the bunch is so small that its force allows no answer, the sizes grow. If answers diverge, the
// steps become smaller.
std::vector<Sizes> settled(const Envelope& envelope, std::vector<Sizes> sizes) {
  constexpr int most_iterations = 3000;
  constexpr double tolerance = 1e-12, growth = 1.2;
  double part = 0.5, last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    const auto found = answer(envelope, sizes);
    if (!found) {
      for (Sizes& s : sizes) s = {growth * s.xx, growth * s.xy, growth * s.yy, growth * s.zz};
      part *= 0.8;
      last = std::numeric_limits<double>::infinity();
      continue;
    }
    const double change = difference(sizes, found->sizes);
    if (change < tolerance) return sizes;
    if (change > last) part *= 0.8;
    last = change;
    sizes = mixed(sizes, found->sizes, part);
  }
  throw std::invalid_argument(
      "no bunch with this charge is matched to the lattice: its envelope does not settle; give "
      "fewer particles, a larger emittance, or more kicks");
}

}  // namespace

MatchedWithCharge matched_with_charge(const Description& description, const beam::Place& start,
                                      const beam::BunchSize& size) {
  if (!(size.emittance_x > 0.0 && size.emittance_y > 0.0))
    throw std::invalid_argument(
        "a bunch without emittance cannot be matched to a lattice with its charge");
  const bool all_planes = size.bunch_length == 0.0 || size.momentum_spread == 0.0;
  const Envelope bare(description, start, size, false);
  const beam::SecondOrder without = bare.passage({});
  const bool bunched = without.rows[5][4] != 0.0;
  if (!bunched && size.bunch_length == 0.0)
    throw std::invalid_argument(
        "the lattice has no cavity that bunches the beam: bunch_length is needed");
  if (bunched && all_planes && description.pipe_radius)
    throw std::invalid_argument(
        "a bunch in a pipe is matched with its transverse force only: give its length and its "
        "momentum spread");
  const Envelope envelope(description, start, size, bunched && all_planes);
  const std::vector<Sizes> sizes = settled(envelope, envelope.sizes(envelope.columns(without), {}));
  const beam::SecondOrder passage = envelope.passage(sizes);
  MatchedWithCharge result{.columns = envelope.columns(passage)};
  for (const beam::NormalMode& mode :
       beam::normal_modes(beam::square_of(passage.rows), bunched && all_planes ? 6 : 4))
    result.phases.push_back(mode.phase);
  return result;
}

}  // namespace phasewise::spacecharge

#include "spacecharge/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "beam/normal_modes.hpp"
#include "beam/periodic.hpp"
#include "numerics/carlson.hpp"

namespace phasewise::spacecharge {
namespace {

using beam::Square;
using beam::times;

// Second moments in x and y.
struct Sizes {
  double xx, xy, yy;  // m²
};

// <λ> σz/N of a profile over that of an ellipsoid, 3/(5√5).
double line_density(beam::Profile profile) {
  constexpr double pi = 3.14159265358979323846;
  const double ellipsoid = 3.0 / (5.0 * std::sqrt(5.0));
  switch (profile) {
    case beam::Profile::gaussian:
      return 0.5 / std::sqrt(pi) / ellipsoid;
    case beam::Profile::kv:
      return 1.0 / std::sqrt(12.0) / ellipsoid;
    case beam::Profile::waterbag:
      // λ ∝ (1 - z²/8σz²)^(5/2): the ratio of ∫(1 - t²)⁵ to (∫(1 - t²)^(5/2))², over √8.
      return 512.0 / 693.0 / std::pow(5.0 * pi / 16.0, 2) / std::sqrt(8.0) / ellipsoid;
    case beam::Profile::uniform:
      break;
  }
  return 1.0;
}

// Adds the matrix of a kick by the bunch's own force to a map, about the principal axes.
void add_kick(Square& map, const Sizes& s, double along, double factor) {
  const double half = 0.5 * (s.xx - s.yy), mean = 0.5 * (s.xx + s.yy);
  const double spread = std::hypot(half, s.xy);
  const double c2 = spread > 0.0 ? half / spread : 1.0, s2 = spread > 0.0 ? s.xy / spread : 0.0;
  const double first = 5.0 * (mean + spread), second = 5.0 * std::fmax(mean - spread, 0.0);
  const double k1 = factor * numerics::carlson_rd(second, 5.0 * along, first);
  const double k2 = factor * numerics::carlson_rd(first, 5.0 * along, second);
  const double xx = 0.5 * (k1 + k2) + 0.5 * (k1 - k2) * c2;
  const double yy = 0.5 * (k1 + k2) - 0.5 * (k1 - k2) * c2;
  const double xy = 0.5 * (k1 - k2) * s2;
  for (int j = 0; j < 6; ++j) {
    const double x = map[0][j], y = map[2][j];
    map[1][j] += xx * x + xy * y;
    map[3][j] += xy * x + yy * y;
  }
}

class Envelope {
 public:
  Envelope(const Description& description, const beam::Place& start, const beam::BunchSize& size)
      : size_(size) {
    const double length = description.bunch.gamma() * size.bunch_length;
    along_ = length * length;
    factor_ = description.kick_factor() * static_cast<double>(description.bunch.macroparticles) *
              line_density(description.profile.profile);
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

  // A passage with the force of a bunch of these sizes in each kick; without sizes, with none.
  beam::SecondOrder passage(const std::vector<Sizes>& sizes) const {
    Square map = parts_[0];
    for (std::size_t k = 0; k < kicks(); ++k) {
      if (!sizes.empty()) add_kick(map, sizes[k], along_, factor_);
      map = times(parts_[k + 1], map);
    }
    beam::SecondOrder result{};
    for (int i = 0; i < 6; ++i) std::copy(map[i].begin(), map[i].end(), result.rows[i]);
    return result;
  }

  // The sizes in each kick of a bunch that begins with these columns, with the force of one that
  // has the sizes `before`.
  std::vector<Sizes> sizes(Square columns, const std::vector<Sizes>& before) const {
    std::vector<Sizes> result;
    for (std::size_t k = 0; k < kicks(); ++k) {
      columns = times(parts_[k], columns);
      Sizes s{0.0, 0.0, 0.0};
      for (int j = 0; j < 6; ++j) {
        s.xx += columns[0][j] * columns[0][j];
        s.xy += columns[0][j] * columns[2][j];
        s.yy += columns[2][j] * columns[2][j];
      }
      if (!before.empty()) add_kick(columns, before[k], along_, factor_);
      result.push_back(s);
    }
    return result;
  }

  const beam::BunchSize& size() const { return size_; }

 private:
  beam::BunchSize size_;
  double along_ = 0.0;   // (γσz)² [m²]
  double factor_ = 0.0;  // of a kick [m²]
  std::vector<Square> parts_;
};

double difference(const std::vector<Sizes>& a, const std::vector<Sizes>& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k)
    most = std::max({most, std::fabs(b[k].xx / a[k].xx - 1.0), std::fabs(b[k].yy / a[k].yy - 1.0),
                     std::fabs(b[k].xy - a[k].xy) / std::sqrt(a[k].xx * a[k].yy)});
  return most;
}

std::vector<Sizes> mixed(const std::vector<Sizes>& a, const std::vector<Sizes>& b, double share) {
  std::vector<Sizes> result;
  const auto mean = [&](double one, double other) { return one + share * (other - one); };
  for (std::size_t k = 0; k < a.size(); ++k)
    result.push_back({mean(a[k].xx, b[k].xx), mean(a[k].xy, b[k].xy), mean(a[k].yy, b[k].yy)});
  return result;
}

// What sizes follow from sizes; nothing if the motion is unstable with them.
struct Answer {
  Square columns;
  std::vector<Sizes> sizes;
};
std::optional<Answer> answer(const Envelope& envelope, const std::vector<Sizes>& sizes) {
  try {
    const Square columns = beam::matched_columns(envelope.passage(sizes), envelope.size());
    return Answer{columns, envelope.sizes(columns, sizes)};
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// Sizes that follow from themselves, by iterations that take a part of each answer. Too small a
// bunch has too strong a force for any answer: then the sizes grow. Where answers draw apart,
// parts become smaller.
std::vector<Sizes> settled(const Envelope& envelope, std::vector<Sizes> sizes) {
  constexpr int most_iterations = 3000;
  constexpr double tolerance = 1e-12, growth = 1.2;
  double part = 0.5, last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    const auto found = answer(envelope, sizes);
    if (!found) {
      for (Sizes& s : sizes) s = {growth * s.xx, growth * s.xy, growth * s.yy};
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
      "no bunch is matched to the lattice with its charge: its envelope does not settle; give "
      "fewer particles, a larger emittance, or more kicks");
}

}  // namespace

MatchedWithCharge matched_with_charge(const Description& description, const beam::Place& start,
                                      const beam::BunchSize& size) {
  if (!(size.emittance_x > 0.0 && size.emittance_y > 0.0))
    throw std::invalid_argument(
        "a bunch without emittance is not matched to any lattice with its charge");
  const Envelope envelope(description, start, size);
  // Without charge; throws if even that is unstable.
  const Square bare = beam::matched_columns(envelope.passage({}), size);
  const std::vector<Sizes> sizes = settled(envelope, envelope.sizes(bare, {}));
  const beam::SecondOrder passage = envelope.passage(sizes);
  MatchedWithCharge result{.columns = beam::matched_columns(passage, size)};
  const auto modes = beam::couples(passage)
                         ? beam::normal_modes(beam::square_of(passage.rows), 4)
                         : std::vector<beam::NormalMode>{};
  const auto within = [](double turns) { return turns > 0.5 ? turns - 1.0 : turns; };
  if (modes.empty()) {
    const auto periodic = beam::periodic_optics(passage);
    result.phase_x = within(periodic.phase_x);
    result.phase_y = within(periodic.phase_y);
  } else {
    result.phase_x = modes[0].phase;
    result.phase_y = modes[1].phase;
  }
  return result;
}

}  // namespace phasewise::spacecharge

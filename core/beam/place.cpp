#include "beam/place.hpp"

#include <cmath>

#include "numerics/elementary.hpp"

namespace phasewise::beam {
namespace {

// A position at the place over sqrt(β), from the normalised pair at the point: a positive phase
// turns clockwise on the way from the place to the point, and on from the point.
double turned(double position, double momentum, double phase, bool before) {
  double sine, cosine;
  numerics::sincos_turns(phase, sine, cosine);
  return position * cosine + (before ? -momentum : momentum) * sine;
}

}  // namespace

PlaceForms forms_at(const KickPlace& place, const Optics& point) {
  PlaceForms forms{};
  for (int j = 0; j < 6; ++j) {
    const auto at = [j](int i) { return i == j ? 1.0 : 0.0; };
    const Coordinates n = normalise({at(0), at(1), at(2), at(3), at(4), at(5)}, point);
    forms.x[j] = std::sqrt(place.beta[0]) * turned(n.x, n.px, place.phase[0], place.before);
    forms.y[j] = std::sqrt(place.beta[1]) * turned(n.y, n.py, place.phase[1], place.before);
    forms.z[j] = n.z;
  }
  return forms;
}

}  // namespace phasewise::beam

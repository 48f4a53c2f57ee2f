#include "spacecharge/build_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "beam/closed_orbit.hpp"
#include "beam/matched.hpp"
#include "beam/periodic.hpp"
#include "spacecharge/matching.hpp"
#include "spacecharge/optics_sizes.hpp"

namespace phasewise::spacecharge {
namespace {

using workload::Parameters;

enum class Shape { given, matched, with_rf, with_charge };

std::vector<double> not_negative(const Parameters& parameters, const std::string& key) {
  const std::vector<double> given = parameters.numbers(key, 2);
  for (const double value : given)
    if (!(value >= 0.0)) parameters.fail(key, "numbers not below 0 are accepted");
  return given;
}

beam::PlaneShape matched_plane(const beam::PlaneOptics& optics, double emittance) {
  return {.size = optics.sqrt_beta * std::sqrt(emittance),
          .emittance = emittance,
          .alpha = optics.alpha,
          .dispersion = optics.dispersion,
          .dispersion_slope = optics.dispersion_slope};
}

void read_given(const Parameters& parameters, const std::vector<double>& emittance,
                beam::ProfileDescription& bunch) {
  const std::vector<double> size = not_negative(parameters, "bunch.size");
  const std::vector<double> alpha = parameters.numbers("bunch.alpha", 2);
  const std::vector<double> dispersion = parameters.numbers("bunch.dispersion", 4);
  bunch.x = {size[0], emittance[0], alpha[0], dispersion[0], dispersion[1]};
  bunch.y = {size[1], emittance[1], alpha[1], dispersion[2], dispersion[3]};
}

// Sets the profile to the matched bunch, and returns where its orbit starts.
beam::Place match(const beam::Lattice& lattice, Shape shape, const std::vector<double>& emittance,
                  Description& description) {
  beam::ProfileDescription& bunch = description.profile;
  const auto [passage, straight] = beam::expansion(lattice.whole());
  if (shape == Shape::matched && straight && !beam::couples(passage)) {
    const beam::Optics optics = beam::periodic_optics(passage).optics;
    bunch.x = matched_plane(optics.x, emittance[0]);
    bunch.y = matched_plane(optics.y, emittance[1]);
    return {};
  }
  const beam::ClosedOrbit orbit = beam::closed_orbit(description.elements());
  const beam::BunchSize size{emittance[0], emittance[1], bunch.bunch_length, bunch.momentum_spread};
  if (shape == Shape::with_charge)
    bunch.columns = matched_with_charge(description, orbit.start, size).columns;
  else if (shape == Shape::with_rf)
    bunch.columns = beam::matched_columns_with_rf(orbit.map, size);
  else
    bunch.columns = beam::matched_columns(orbit.map, size);
  for (int i = 0; i < 6; ++i) bunch.offset[i] += orbit.start[i];
  return orbit.start;
}

}  // namespace

void read_profile(const Parameters& parameters, const beam::Lattice& lattice,
                  Description& description) {
  beam::ProfileDescription& bunch = description.profile;
  bunch.profile = static_cast<beam::Profile>(
      parameters.choice("bunch.distribution", {"gaussian", "waterbag", "kv", "uniform"}));
  bunch.quiet = parameters.integer("bunch.quiet") != 0;
  bunch.bunch_length = parameters.not_negative("bunch.bunch_length");
  bunch.coasting = parameters.has("bunch.coasting") && parameters.integer("bunch.coasting") != 0;
  bunch.momentum_spread = parameters.not_negative("bunch.momentum_spread");
  bunch.cut = parameters.not_negative("bunch.cut");
  const std::vector<double> offset = parameters.numbers("bunch.offset", 6);
  std::copy(offset.begin(), offset.end(), bunch.offset);
  const std::vector<double> emittance = not_negative(parameters, "bunch.geometric_emittance");
  const auto shape = static_cast<Shape>(parameters.choice(
      "bunch.optics", {"given", "matched", "matched-with-rf", "matched-with-charge"}));
  const bool length = bunch.bunch_length > 0.0, spread = bunch.momentum_spread > 0.0;
  const bool enough = shape == Shape::with_rf       ? length != spread
                      : shape == Shape::with_charge ? length || spread
                                                    : length;
  if (!enough)
    parameters.fail("bunch.bunch_length",
                    "give a length above 0, or a momentum spread if the length follows from it by "
                    "the lattice's cavities");
  bunch.x.emittance = emittance[0];
  bunch.y.emittance = emittance[1];
  beam::Place orbit{};
  if (shape == Shape::given)
    read_given(parameters, emittance, bunch);
  else
    orbit = match(lattice, shape, emittance, description);
  const bool by_optics =
      parameters.has("solver.optics_sizes") && parameters.integer("solver.optics_sizes") != 0;
  if (by_optics) description.frozen = optics_sizes(description, orbit, shape == Shape::with_rf);
}

}  // namespace phasewise::spacecharge

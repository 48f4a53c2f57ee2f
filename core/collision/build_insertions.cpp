#include "collision/build_insertions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "beam/coupling.hpp"
#include "beam/place.hpp"
#include "numerics/constants.hpp"

namespace phasewise::collision {
namespace {

using numerics::two_pi;

// The keys of one beam at one point, and its optics there.
struct Where {
  const workload::Parameters& parameters;
  std::string at, end, beam;
  int number, ip;
  const beam::CrossingAngle& angle;

  std::string key(const std::string& name) const { return at + name + end; }
  std::vector<double> beta() const { return parameters.numbers(key("beta"), 2); }
  // Position and z at a place, where the point may be coupled and the place is not.
  beam::PlaceForms forms_at(const beam::KickPlace& place) const {
    const auto b = beta(), a = parameters.numbers(key("alpha"), 2);
    const auto at_point = parameters.numbers(key("dispersion"), 4);
    const beam::Coupling coupling(parameters, key("coupling"));
    std::array<double, 4> d{at_point[0], at_point[1], at_point[2], at_point[3]};
    if (coupling.any()) d = coupling.modes_of(d);
    beam::PlaceForms forms = beam::forms_at(place, {beam::plane_optics(b[0], a[0], d[0], d[1]),
                                                    beam::plane_optics(b[1], a[1], d[2], d[3])});
    if (coupling.any())
      for (double* form : {forms.x, forms.y, forms.z})
        std::ranges::copy(coupling.form_of(form), form);
    return forms;
  }
};

beam::KickPlace place_of(const Where& where, const std::string& key, const double* values,
                         bool before) {
  if (!(values[0] > 0.0 && values[1] > 0.0))
    where.parameters.fail(key, "a beta function must be above 0");
  return {{values[0], values[1]}, {values[2], values[3]}, before};
}

// The sextupoles that do what the thin kick of ½ k x py² does, with K2L = χ/(2φ β*y βy)
// sqrt(β*x/βx).
void add_sextupoles(const Where& where, double strength, InsertedAround& around) {
  const std::string key = where.key("crab_sextupoles");
  const auto values = where.parameters.numbers(key, 8);
  const auto beta = where.beta();
  const double full_angle = 2.0 * std::atan2(where.angle.sin_phi, where.angle.cos_phi);
  for (const bool before : {true, false}) {
    const beam::KickPlace place = place_of(where, key, values.data() + (before ? 0 : 4), before);
    const double ratio = std::sqrt(beta[0] / place.beta[0]);
    const double k2l = strength * ratio / (full_angle * beta[1] * place.beta[1]);
    const double cosine = std::cos(two_pi * place.phase[0]);
    const double sine = std::sin(two_pi * place.phase[1]);
    // Where the beams move towards -x, the other beam's axis lies on the other side.
    const double side = where.angle.cos_alpha < 0.0 ? -1.0 : 1.0;
    const double sign = (cosine < 0.0) == before ? side : -side;
    Insertions& design = (before ? around.before : around.behind).design;
    design.waist = beam::sextupole(sign * k2l, where.forms_at(place));
    design.has_waist = true;
    if (before)
      around.waist_slope = k2l * std::fabs(cosine) * sine * sine / ratio * place.beta[1] * beta[1];
  }
}

void add_waist(const Where& where, InsertedAround& around) {
  const std::string key = where.key("crab_waist");
  if (!where.parameters.has(key)) return;
  const double strength = where.parameters.number(key);
  if (where.angle.sin_phi == 0.0) where.parameters.fail(key, "it needs a crossing angle");
  if (where.parameters.has(where.key("crab_sextupoles"))) {
    add_sextupoles(where, strength, around);
  } else {
    const double tangent = where.angle.tan_phi;
    around.waist_slope = strength * (1.0 - tangent * tangent) / (2.0 * tangent);  // χ/tan 2φ
    around.before.design.waist = beam::thin_waist(around.waist_slope, where.angle);
    around.behind.design.waist = beam::thin_waist(-around.waist_slope, where.angle);
    around.before.design.has_waist = around.behind.design.has_waist = true;
  }
  // Gaussian slices know the waist of a horizontal crossing only.
  around.waist_slope *= std::fabs(where.angle.sin_alpha) < 1e-9 ? where.angle.cos_alpha : 0.0;
}

// The kick of a particle by a voltage, over its momentum.
double kick_of(const Where& where, double voltage) {
  const double energy = where.parameters.positive(where.beam + "energy");
  const double mass = where.parameters.positive(where.beam + "mass");
  const double charge = where.parameters.number(where.beam + "charge");
  return std::fabs(charge) * voltage * energy / ((energy - mass) * (energy + mass));
}

// The cavity of `prefix` on one side. Full strength displaces a particle at the point by
// -tan φ sin(2π κ z)/(2π κ) along the crossing plane, and takes that back behind it.
beam::CrabCavity cavity_of(const Where& where, const std::string& prefix, bool before) {
  const workload::Parameters& all = where.parameters;
  beam::CrabCavity cavity;
  cavity.wave_number = all.positive(prefix + "frequency") / numerics::speed_of_light;
  cavity.phase = all.number(prefix + "phase");
  const double full = where.angle.tan_phi / (two_pi * cavity.wave_number);
  const beam::CrossingAngle& angle = where.angle;
  if (!all.has(prefix + "place")) {
    cavity.u[1] = angle.cos_alpha;
    cavity.u[3] = angle.sin_alpha;
    cavity.z[4] = 1.0;
    cavity.amplitude = (before ? -full : full) * all.number(prefix + "strength");
    return cavity;
  }
  const auto values = all.numbers(prefix + "place", 4);
  const beam::KickPlace place = place_of(where, prefix + "place", values.data(), before);
  const beam::PlaceForms forms = where.forms_at(place);
  for (int j = 0; j < 6; ++j) {
    cavity.u[j] = angle.cos_alpha * forms.x[j] + angle.sin_alpha * forms.y[j];
    cavity.z[j] = forms.z[j];
  }
  if (all.has(prefix + "voltage")) {
    cavity.amplitude = kick_of(where, all.number(prefix + "voltage"));
    return cavity;
  }
  const int plane = std::fabs(angle.cos_alpha) >= std::fabs(angle.sin_alpha) ? 0 : 1;
  const double arm =
      std::sqrt(place.beta[plane] * where.beta()[plane]) * std::sin(two_pi * place.phase[plane]);
  cavity.amplitude = all.number(prefix + "strength") * full / arm;
  return cavity;
}

beam::CavityNoise noise_of(const Where& where, const std::string& prefix, std::uint32_t id) {
  const workload::Parameters& all = where.parameters;
  beam::CavityNoise noise;
  noise.seed = static_cast<std::uint64_t>(all.integer("seed"));
  noise.id = id;
  noise.beam = static_cast<std::uint32_t>(where.number);
  const auto rms = all.numbers_or(prefix + "noise", {0.0, 0.0});
  noise.phase = rms[0];
  noise.amplitude = rms[1];
  const auto drift = all.numbers_or(prefix + "drift", {0.0, 0.0, 0.0, 0.0});
  noise.drift = {drift[0], drift[1]};
  noise.drift_turns = {drift[2], drift[3]};
  const auto lines = [&](const std::string& name, std::uint32_t which) {
    if (!all.has(prefix + name)) return beam::NoiseLines{};
    const double frequency = all.positive(prefix + "revolution_frequency");
    return beam::NoiseLines(all.list(prefix + name), frequency, noise.seed, id, noise.beam, which);
  };
  noise.phase_lines = lines("phase_spectrum", 0);
  noise.amplitude_lines = lines("amplitude_spectrum", 1);
  return noise;
}

void add_cavities(const Where& where, InsertedAround& around) {
  const std::string all = where.at + "crab_cavities" + where.end + ".";
  const workload::Parameters& parameters = where.parameters;
  if (!parameters.has(all + "count")) return;
  const auto count = static_cast<int>(parameters.integer_within(all + "count", 0, 64));
  for (int k = 1; k <= count; ++k) {
    const std::string prefix = all + std::to_string(k) + ".";
    const auto sides = parameters.choice(prefix + "side", {"both", "before", "behind"});
    const bool common = parameters.choice(prefix + "noise_of", {"each", "both"}) == 1;
    for (const bool before : {true, false}) {
      if (sides == (before ? 2U : 1U)) continue;
      InsertedSide& side = before ? around.before : around.behind;
      if (side.design.cavities == Insertions::most_cavities)
        parameters.fail(prefix + "side", "at most " + std::to_string(Insertions::most_cavities) +
                                             " cavities are accepted on a side");
      side.design.cavity[side.design.cavities++] = cavity_of(where, prefix, before);
      const int own = 2 * ((where.ip - 1) * 64 + (k - 1)) + (before || common ? 0 : 1);
      side.noise.push_back(noise_of(where, prefix, static_cast<std::uint32_t>(own)));
    }
  }
}

}  // namespace

InsertedAround build_insertions(const workload::Parameters& parameters, int beam, int ip,
                                const beam::CrossingAngle& angle) {
  const std::string number = std::to_string(beam);
  const Where where{
      parameters, "ip." + std::to_string(ip) + ".", "." + number, "beam." + number + ".", beam, ip,
      angle};
  InsertedAround around;
  add_waist(where, around);
  add_cavities(where, around);
  return around;
}

}  // namespace phasewise::collision

#include "beam/build_line.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "beam/element_keys.hpp"
#include "beam/streams.hpp"
#include "numerics/constants.hpp"

namespace phasewise::beam {

namespace {

using numerics::speed_of_light;
using numerics::two_pi;

std::vector<double> positive_numbers(const workload::Parameters& parameters, const std::string& key,
                                     std::size_t count) {
  const std::vector<double> values = parameters.numbers(key, count);
  for (const double value : values) {
    if (!(value > 0.0)) parameters.fail(key, "numbers above 0 are accepted");
  }
  return values;
}

std::vector<double> not_negative_numbers(const workload::Parameters& parameters,
                                         const std::string& key, std::size_t count) {
  const std::vector<double> values = parameters.numbers(key, count);
  for (const double value : values) {
    if (!(value >= 0.0)) parameters.fail(key, "numbers not below 0 are accepted");
  }
  return values;
}

Optics optics(const workload::Parameters& parameters, const std::string& beta_key,
              const std::string& alpha_key, const std::string& dispersion_key) {
  const std::vector<double> beta = positive_numbers(parameters, beta_key, 2);
  const std::vector<double> alpha = parameters.numbers_or(alpha_key, {0, 0});
  const std::vector<double> d = parameters.numbers_or(dispersion_key, {0, 0, 0, 0});
  return {plane_optics(beta[0], alpha[0], d[0], d[1]), plane_optics(beta[1], alpha[1], d[2], d[3])};
}

Optics optics(const ElementKeys& keys, const std::string& suffix) {
  return optics(keys.all(), keys.key("beta" + suffix), keys.key("alpha" + suffix),
                keys.key("dispersion" + suffix));
}

Element twiss(const ElementKeys& keys) {
  const std::vector<double> phase = keys.numbers("phase", 2);
  const std::vector<double> chromaticity = keys.numbers_or_zero("chromaticity", 2);
  const std::vector<double> a = keys.numbers_or_zero("detuning", 4);
  if (std::fabs(a[1] - a[2]) > 1e-9 * (std::fabs(a[1]) + std::fabs(a[2]))) {
    keys.all().fail(keys.key("detuning"),
                    "axy and ayx are accepted only when equal, or the map is not symplectic");
  }
  return Twiss{optics(keys, "0"),
               optics(keys, "1"),
               phase[0],
               phase[1],
               chromaticity[0],
               chromaticity[1],
               a[0],
               a[1],
               a[3]};
}

Element synchrotron(const ElementKeys& keys) {
  const double mu = two_pi * keys.number("tune");
  return Synchrotron{std::sin(mu), std::cos(mu), keys.positive("beta_z")};
}

Element radio_frequency(const ElementKeys& keys) {
  const double energy = keys.all().positive(keys.beam_key("energy"));
  const double mass = keys.all().positive(keys.beam_key("mass"));
  const double charge = keys.all().number(keys.beam_key("charge"));
  if (!(energy > mass)) keys.all().fail(keys.beam_key("energy"), "it must exceed the rest mass");
  const double beta_squared = (1.0 - mass / energy) * (1.0 + mass / energy);
  const double phase = keys.number("phase");
  const double frequency = keys.positive("frequency");
  // Computed as in `push`, so that the reference particle's kick is exactly zero.
  double reference, cosine;
  numerics::sincos_turns(phase, reference, cosine);
  return RadioFrequency{std::fabs(charge) * keys.number("voltage") / (beta_squared * energy), phase,
                        frequency / (std::sqrt(beta_squared) * speed_of_light), reference,
                        keys.number("slip") * keys.positive("circumference")};
}

// λ = exp(-1/τ) and sqrt(1 - λ²); τ = 0 means no damping.
struct Rate {
  double lambda, excitation;
};

Rate rate(double turns) {
  if (turns == 0.0) return {1.0, 0.0};
  return {std::exp(-1.0 / turns), std::sqrt(-std::expm1(-2.0 / turns))};
}

Element damping(const ElementKeys& keys) {
  const std::vector<double> turns = not_negative_numbers(keys.all(), keys.key("turns"), 3);
  const std::vector<double> rms = not_negative_numbers(keys.all(), keys.key("equilibrium"), 4);
  const Rate x = rate(turns[0]), y = rate(turns[1]), z = rate(turns[2]);
  return Damping{optics(keys, ""),
                 x.lambda,
                 y.lambda,
                 z.lambda,
                 x.excitation * std::sqrt(rms[0]),
                 y.excitation * std::sqrt(rms[1]),
                 z.excitation * rms[2],
                 z.excitation * rms[3]};
}

Element aperture(const ElementKeys& keys) {
  const std::size_t shape = keys.choice("shape", {"ellipse", "rectangle"});
  const std::vector<double> a = positive_numbers(keys.all(), keys.key("half_width"), 2);
  if (shape == 0) return EllipticAperture{a[0], a[1]};
  return RectangularAperture{a[0], a[1]};
}

Element feedback(const ElementKeys& keys) {
  const std::vector<double> gain = keys.numbers("gain", 2);
  const std::vector<double> noise = keys.numbers_or_zero("noise", 2);
  const std::vector<double> beta = positive_numbers(keys.all(), keys.key("beta"), 2);
  const std::vector<double> alpha = keys.numbers_or_zero("alpha", 2);
  return Feedback{{gain[0], noise[0], beta[0], alpha[0]}, {gain[1], noise[1], beta[1], alpha[1]}};
}

Element beam_noise(const ElementKeys& keys) {
  const std::vector<double> rms = not_negative_numbers(keys.all(), keys.key("amplitude"), 4);
  return BeamNoise{rms[0], rms[1], rms[2], rms[3]};
}

void copy_matrix(const ElementKeys& keys, double (&rows)[6][6]) {
  const std::vector<double> values = keys.numbers("matrix", 36);
  for (std::size_t i = 0; i < 36; ++i) rows[i / 6][i % 6] = values[i];
}

Element matrix(const ElementKeys& keys) {
  Matrix map{};
  copy_matrix(keys, map.rows);
  return map;
}

Element second_order(const ElementKeys& keys) {
  SecondOrder map{};
  copy_matrix(keys, map.rows);
  const std::vector<double> values = keys.numbers("tensor", 216);
  for (int i = 0; i < 216; ++i)
    map.quadratic[i / 36][SecondOrder::index((i / 6) % 6, i % 6)] += values[i];
  return map;
}

using Builder = Element (*)(const ElementKeys&);

const std::vector<std::pair<std::string, Builder>>& builders() {
  static const std::vector<std::pair<std::string, Builder>> all = {
      {"twiss", twiss},      {"synchrotron", synchrotron}, {"rf", radio_frequency},
      {"damping", damping},  {"aperture", aperture},       {"feedback", feedback},
      {"noise", beam_noise}, {"matrix", matrix},           {"second-order", second_order}};
  return all;
}

std::string line_prefix(int beam, int segment) {
  return "line." + std::to_string(beam) + "." + std::to_string(segment) + ".";
}

std::uint32_t element_count(const workload::Parameters& parameters, int beam, int segment) {
  const std::string key = line_prefix(beam, segment) + "count";
  const std::int64_t count = parameters.integer(key);
  if (count < 0 || count > std::int64_t{elements_max}) {
    parameters.fail(key, "0 to " + std::to_string(elements_max) + " are accepted");
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Element build_element(const ElementKeys& keys) {
  std::vector<std::string> names;
  for (const auto& [name, builder] : builders()) names.push_back(name);
  return builders()[keys.choice("element", names)].second(keys);
}

Line build_line(const workload::Parameters& parameters, int beam, int segment) {
  std::uint32_t first = 0;
  for (int s = 1; s < segment; ++s) first += element_count(parameters, beam, s);
  const std::uint32_t count = element_count(parameters, beam, segment);
  if (first + count > elements_max) {
    parameters.fail(
        line_prefix(beam, segment) + "count",
        "a beam's lines may have at most " + std::to_string(elements_max) + " elements together");
  }
  std::vector<Element> elements;
  for (std::uint32_t k = 1; k <= count; ++k) {
    const std::string prefix = line_prefix(beam, segment) + std::to_string(k) + ".";
    elements.push_back(build_element(ElementKeys(parameters, prefix, beam)));
  }
  return Line(std::move(elements), first);
}

}  // namespace phasewise::beam

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "beam/build_line.hpp"
#include "beam/coupling.hpp"

namespace phasewise::beam {
namespace {

// Numbers that must lie within bounds.
std::vector<double> checked_numbers(const workload::Parameters& parameters, const std::string& key,
                                    std::size_t count, const char* accepted, auto&& fits) {
  const std::vector<double> values = parameters.shared_numbers(key, count);
  if (!std::ranges::all_of(values, fits)) parameters.fail(key, accepted);
  return values;
}

bool not_below_zero(double value) { return value >= 0.0; }

// The keys <prefix>shape, a word for each plane, and <prefix>q; without them the part is Gaussian.
// `cut` is in rms of the bunch.
BunchPart read_part(const workload::Parameters& parameters, const std::string& prefix,
                    const std::array<double, 3>& cut, const std::array<double, 3>& scale) {
  std::vector<double> q(3, 1.0);
  std::vector<std::string> shape(3, "q-gaussian");
  if (parameters.has(prefix + "shape")) shape = parameters.words(prefix + "shape");
  if (shape.size() != 3) parameters.fail(prefix + "shape", "one word for each of x, y and z");
  if (parameters.has(prefix + "q"))
    q = checked_numbers(parameters, prefix + "q", 3, "numbers below 5/3 are accepted",
                        [](double value) { return value < 5.0 / 3.0; });
  BunchPart part;
  part.scale = scale;
  for (int plane = 0; plane < 3; ++plane) {
    if (shape[plane] != "q-gaussian" && shape[plane] != "hollow")
      parameters.fail(prefix + "shape", "q-gaussian and hollow are accepted");
    const Shape of = shape[plane] == "hollow" ? Shape::hollow : Shape::q_gaussian;
    part.amplitudes[plane] = Amplitudes(of, q[plane], cut[plane] / scale[plane]);
  }
  return part;
}

// Both parts of the bunch. Together they have its rms.
void read_parts(const workload::Parameters& parameters, const std::string& prefix,
                BunchDescription& bunch) {
  std::array<double, 3> cut{}, one{1.0, 1.0, 1.0};
  if (parameters.has(prefix + "cut"))
    std::ranges::copy(checked_numbers(parameters, prefix + "cut", 3,
                                      "numbers not below 0 are accepted", not_below_zero),
                      cut.begin());
  if (!parameters.has(prefix + "second.share")) {
    bunch.first = read_part(parameters, prefix, cut, one);
    return;
  }
  const std::string second = prefix + "second.";
  bunch.second_share = parameters.not_negative(second + "share");
  const auto size = checked_numbers(parameters, second + "size", 3, "numbers above 0 are accepted",
                                    [](double value) { return value > 0.0; });
  std::array<double, 3> first_scale{}, second_scale{};
  for (int plane = 0; plane < 3; ++plane) {
    const double share = bunch.second_share, square = size[plane] * size[plane];
    first_scale[plane] = 1.0 / std::sqrt((1.0 - share) + share * square);
    second_scale[plane] = size[plane] * first_scale[plane];
  }
  bunch.first = read_part(parameters, prefix, cut, first_scale);
  bunch.second = read_part(parameters, second, cut, second_scale);
}

// The optics of the bunch: of its normal modes, and how they mix, where x and y are coupled.
void read_optics(const workload::Parameters& parameters, const std::string& end,
                 BunchDescription& bunch) {
  const auto beta =
      checked_numbers(parameters, "ip.1.beta" + end, 2, "numbers above 0 are accepted",
                      [](double value) { return value > 0.0; });
  const auto alpha = parameters.numbers_or("ip.1.alpha" + end, {0, 0});
  std::array<double, 4> d{};
  std::ranges::copy(parameters.numbers_or("ip.1.dispersion" + end, {0, 0, 0, 0}), d.begin());
  const Coupling coupling(parameters, "ip.1.coupling" + end);
  if (coupling.any()) {
    bunch.mixing = coupling.mixing();
    d = coupling.modes_of(d);
  }
  bunch.optics = {plane_optics(beta[0], alpha[0], d[0], d[1]),
                  plane_optics(beta[1], alpha[1], d[2], d[3])};
}

}  // namespace

BunchDescription build_bunch(const workload::Parameters& parameters, int beam) {
  const std::string index = std::to_string(beam);
  const std::string prefix = "beam." + index + ".";
  BunchDescription bunch;
  bunch.distribution = static_cast<Distribution>(
      parameters.choice(prefix + "distribution", {"gaussian", "quiet", "file"}));
  read_optics(parameters, "." + index, bunch);
  const auto emittance = checked_numbers(parameters, prefix + "geometric_emittance", 2,
                                         "numbers not below 0 are accepted", not_below_zero);
  bunch.emittance_x = emittance[0];
  bunch.emittance_y = emittance[1];
  bunch.bunch_length = parameters.not_negative(prefix + "bunch_length");
  bunch.momentum_spread = parameters.not_negative(prefix + "momentum_spread");
  read_parts(parameters, prefix, bunch);
  const std::vector<double> factors =
      parameters.numbers_or(prefix + "mismatch", {1, 1, 1, 1, 1, 1});
  const std::vector<double> offset = parameters.numbers_or(prefix + "offset", {0, 0, 0, 0, 0, 0});
  const std::vector<double> orbit = parameters.numbers_or(prefix + "orbit", {0, 0, 0, 0, 0, 0});
  for (std::size_t i = 0; i < 6; ++i) {
    bunch.mismatch[i] = factors[i];
    bunch.offset[i] = orbit[i] + offset[i];
  }
  return bunch;
}

}  // namespace phasewise::beam

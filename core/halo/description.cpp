#include "halo/description.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "workload/protocols.hpp"

namespace phasewise::halo {
namespace {

using workload::Parameters;

constexpr int max_ranks = 1'000'000;
// With this many words, a rank's array takes 2 TB.
constexpr std::int64_t max_words = 1 << 19;

std::array<int, 2> read_grid(const Parameters& parameters) {
  const std::string key = "communication.process_grid";
  if (!parameters.has(key)) return {0, 0};
  const auto given = parameters.numbers(key, 2);
  for (const double ranks : given)
    if (!(ranks >= 0.0 && ranks <= max_ranks) || ranks != std::floor(ranks))
      parameters.fail(key, "give Px and Py as whole numbers, or two zeros");
  if ((given[0] == 0.0) != (given[1] == 0.0))
    parameters.fail(key, "give Px and Py above zero, or two zeros");
  return {static_cast<int>(given[0]), static_cast<int>(given[1])};
}

}  // namespace

Description::Description(const Parameters& parameters) {
  words = parameters.integer("halo.words");
  if (words < 1 || words > max_words)
    parameters.fail("halo.words", "give 1 to " + std::to_string(max_words) + " words");
  const std::int64_t given = parameters.integer("halo.rows");
  if (given != 1 && given != 2) parameters.fail("halo.rows", "give 1 or 2");
  rows = static_cast<int>(given);
  if (words % rows != 0)
    parameters.fail("halo.words", "two rows share the words of a message: give an even number");
  if (cells() < rows) parameters.fail("halo.words", "give at least 4 words for a halo of two rows");
  word = parameters.integer("halo.word_size");
  if (word != 4 && word != 8) parameters.fail("halo.word_size", "give 4 or 8 bytes");
  at_once = parameters.integer("halo.at_once") != 0;
  verify = parameters.integer("halo.verify") != 0;
  process_grid = read_grid(parameters);
  protocol = workload::protocol_in(parameters);
}

std::array<int, 2> fitting_grid(const Description& description, int ranks) {
  const auto [px, py] = description.process_grid;
  if (px > 0) {
    if (static_cast<std::int64_t>(px) * py != ranks)
      throw std::invalid_argument("communication.process_grid = " + std::to_string(px) + "x" +
                                  std::to_string(py) + " needs " +
                                  std::to_string(static_cast<std::int64_t>(px) * py) +
                                  " ranks, not " + std::to_string(ranks));
    return {px, py};
  }
  int shorter = 1;
  for (int side = 1; static_cast<std::int64_t>(side) * side <= ranks; ++side)
    if (ranks % side == 0) shorter = side;
  return {ranks / shorter, shorter};
}

}  // namespace phasewise::halo

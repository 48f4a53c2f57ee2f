#include "commtest/description.hpp"

#include <cmath>
#include <string>

#include "workload/protocols.hpp"

namespace phasewise::commtest {
namespace {

using workload::Parameters;

constexpr std::int64_t max_bytes = 1'000'000'000;
constexpr int max_window = 1024, max_ranks = 1'000'000;
constexpr std::int64_t max_pieces = 65536;

std::vector<PairRange> read_pairs(const Parameters& parameters) {
  const std::string key = "commtest.pairs";
  const std::vector<double> given = parameters.list(key);
  if (given.size() % 3 != 0) parameters.fail(key, "give three numbers for each range of pairs");
  for (const double number : given)
    if (number != std::floor(number) || std::fabs(number) > max_ranks)
      parameters.fail(key, "give ranks as whole numbers");
  std::vector<PairRange> pairs;
  for (std::size_t i = 0; i < given.size(); i += 3) {
    const PairRange range{static_cast<int>(given[i]), static_cast<int>(given[i + 1]),
                          static_cast<int>(given[i + 2])};
    const bool open = range.last < 0;
    if (range.first < 0 || range.first + range.distance < 0 || (open && range.distance < 1) ||
        (!open && range.last < range.first))
      parameters.fail(key, "a range has a first rank, a last one, or -1 for all, and a distance");
    pairs.push_back(range);
  }
  return pairs;
}

}  // namespace

Manner read_manner(const Parameters& parameters, const Description& description) {
  const std::string packet = "communication.packet";
  Manner manner{.protocol = workload::protocol_in(parameters)};
  if (!parameters.has(packet)) return manner;
  manner.packet = parameters.integer_within(packet, 0, max_bytes);
  if (manner.packet == 0) return manner;
  const std::int64_t pieces = (description.bytes + manner.packet - 1) / manner.packet;
  if (pieces * description.messages() > max_pieces)
    parameters.fail(packet, "the messages would have " +
                                std::to_string(pieces * description.messages()) +
                                " pieces; at most " + std::to_string(max_pieces) + " are accepted");
  return manner;
}

Description::Description(const Parameters& parameters) {
  operation =
      static_cast<Operator>(parameters.choice("commtest.operator", {"swap", "echo", "stream"}));
  bytes = parameters.integer_within("commtest.bytes", 1, max_bytes);
  window = static_cast<int>(parameters.integer_within("commtest.window", 1, max_window));
  pairs = read_pairs(parameters);
  verify = parameters.integer("commtest.verify") != 0;
  manner = read_manner(parameters, *this);
}

}  // namespace phasewise::commtest

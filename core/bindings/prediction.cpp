// The input of the models, and the model that follows a turn's messages in time. No MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/parameters.hpp"
#include "contention/execution.hpp"
#include "contention/fair_share.hpp"
#include "contention/loads.hpp"
#include "contention/torus.hpp"
#include "driver/pair_program.hpp"
#include "driver/phase_messages.hpp"
#include "driver/program.hpp"
#include "driver/round_costs.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::numpy;

// Number of a turn's messages to follow; if there are more, fewer steps stand for all.
constexpr std::int64_t many_messages = 400'000, few_messages = 100'000;
// Rates are kept for this fraction of the time that a message takes in the mean. With the fine one
// each start and end of a message sets new rates; the coarse one keeps a turn of a million messages
// within seconds, and is right within 1 %.
constexpr double fine = 2e-5, coarse = 2e-3;
constexpr int long_turn = 200'000;  // messages

double resolution(const contention::Program& program) {
  return program.messages < long_turn ? fine : coarse;
}

nb::list messages(const std::string& parameters, int ranks, int node_size, const nb::dict& pieces) {
  const auto study = bindings::plan_study(parameters, ranks, node_size);
  const std::vector<workload::Phase> phases = study->phases();
  nb::list result;
  for (driver::PhaseMessages& phase :
       driver::phase_messages(*study, node_size, bindings::counts_from(pieces))) {
    const workload::Phase& traits = workload::phase_named(phases, phase.name);
    nb::dict one;
    one["name"] = phase.name;
    one["pattern"] = traits.pattern;
    one["direction"] = traits.direction;
    one["main"] = traits.main;
    one["colour"] = traits.colour;
    one["moved"] = traits.moved;
    one["rank"] = phase.rank;
    one["bytes"] = numpy(std::move(phase.bytes));
    one["count"] = numpy(std::move(phase.count));
    one["inter"] = numpy(std::move(phase.inter));
    one["distance"] = numpy(std::move(phase.distance));
    one["active"] = numpy(std::move(phase.active));
    result.append(one);
  }
  return result;
}

contention::Streams streams_from(const nb::dict& given) {
  if (!given.contains("streams")) return {};
  auto streams = nb::cast<std::map<std::string, std::vector<double>>>(given["streams"]);
  return {streams["sizes"], streams["messages"], streams["puts"], streams["handshake"].at(0)};
}

contention::Swaps swaps_from(const nb::dict& given) {
  if (!given.contains("swaps")) return {};
  auto swaps = nb::cast<std::map<std::string, std::vector<double>>>(given["swaps"]);
  return {swaps["sizes"], swaps["seconds"]};
}

driver::Rates rates_from(const nb::dict& given) {
  driver::Rates rates;
  if (given.contains("overheads"))
    rates.overheads.message = nb::cast<std::array<double, comm::overheads>>(given["overheads"]);
  if (given.contains("round")) rates.overheads.round = nb::cast<double>(given["round"]);
  if (given.contains("copies")) {
    auto copies = nb::cast<std::map<std::string, std::vector<double>>>(given["copies"]);
    rates.copies = {copies["spans"], copies["seconds"]};
    rates.blocks = {copies["sizes"], copies["within"], copies["across"]};
  }
  if (given.contains("types")) {
    const auto types = nb::cast<nb::dict>(given["types"]);
    const auto list = [&](const char* name) { return nb::cast<std::vector<double>>(types[name]); };
    rates.types = {nb::cast<double>(types["message"]), {list("spans"), list("seconds")}};
  }
  rates.streams = streams_from(given);
  if (given.contains("started_at_once"))
    rates.started_at_once = nb::cast<bool>(given["started_at_once"]);
  if (given.contains("rounds")) rates.rounds = nb::cast<std::vector<double>>(given["rounds"]);
  if (given.contains("one_way")) rates.one_way = nb::cast<std::vector<double>>(given["one_way"]);
  if (!given.contains("flop")) return rates;
  rates.flop = nb::cast<double>(given["flop"]);
  rates.byte = nb::cast<double>(given["byte"]);
  for (const auto& [name, part, seconds] :
       nb::cast<std::vector<std::tuple<std::string, int, double>>>(given["kernels"]))
    rates.kernels[{name, part - 1}] = seconds;
  if (given.contains("unit")) rates.unit = bindings::unit_from(nb::cast<nb::dict>(given["unit"]));
  return rates;
}

// Seconds of a turn: communication of each phase, waiting in it and computing as means over the
// ranks, and all of these on the rank that takes longest.
nb::dict summed(const contention::Program& program, const contention::Execution& execution) {
  const double ranks = static_cast<double>(execution.size());
  std::vector<double> communicating(program.phases.size()), waiting(program.phases.size());
  double computing = 0.0, turn = 0.0;
  for (const contention::RankTimes& of_rank : execution) {
    for (std::size_t phase = 0; phase < program.phases.size(); ++phase) {
      communicating[phase] += of_rank.communicating[phase] / ranks;
      waiting[phase] += of_rank.waiting[phase] / ranks;
    }
    computing += of_rank.computing / ranks;
    turn = std::max(turn, std::accumulate(of_rank.communicating.begin(),
                                          of_rank.communicating.end(), of_rank.computing));
  }
  nb::dict phases, waits, result;
  for (std::size_t phase = 0; phase < program.phases.size(); ++phase) {
    phases[program.phases[phase].c_str()] = communicating[phase];
    waits[program.phases[phase].c_str()] = waiting[phase];
  }
  result["phases"] = phases;
  result["waiting"] = waits;
  result["computing"] = computing;
  result["turn"] = turn;
  result["messages"] = program.messages;
  return result;
}

nb::dict contend(const std::string& parameters, int ranks, const std::string& platform,
                 std::int64_t eager, std::vector<std::int64_t> sizes,
                 std::vector<double> bandwidth_factors, std::vector<double> latency_factors,
                 const nb::dict& pieces, const nb::dict& rates, double effort, bool agreed) {
  const contention::Network network(platform);
  const auto study = bindings::plan_study(parameters, ranks, network.node_ranks());
  const contention::Program program =
      driver::turn_program(*study, bindings::counts_from(pieces), rates_from(rates),
                           static_cast<std::int64_t>(effort * many_messages), agreed);
  const contention::Protocol protocol(std::move(sizes), std::move(bandwidth_factors),
                                      std::move(latency_factors), streams_from(rates),
                                      swaps_from(rates));
  contention::Execution execution;
  {
    const nb::gil_scoped_release unlocked;
    execution =
        contention::execute(program, network, protocol, eager, resolution(program) / effort);
  }
  return summed(program, execution);
}

std::vector<double> pair_seconds(const std::string& platform, std::int64_t eager,
                                 std::vector<std::int64_t> sizes,
                                 std::vector<double> bandwidth_factors,
                                 std::vector<double> latency_factors, const nb::dict& rates,
                                 bool back) {
  const contention::Network network(platform);
  const auto order = back ? driver::PairOrder::there_and_back : driver::PairOrder::at_once;
  const contention::Protocol timing(std::move(sizes), std::move(bandwidth_factors),
                                    std::move(latency_factors), streams_from(rates),
                                    swaps_from(rates));
  std::vector<double> seconds;
  for (int number = 0; number < comm::protocols; ++number) {
    const contention::Program program =
        driver::pair_program(static_cast<comm::Protocol>(number), order, rates_from(rates));
    const auto times = summed(program, contention::execute(program, network, timing, eager, fine));
    seconds.push_back(nb::cast<double>(times["turn"]));
  }
  return seconds;
}

// Times of messages by load (increasing), all of the same sizes.
contention::LoadTable table_from(const nb::dict& given) {
  return {nb::cast<std::vector<double>>(given["sizes"]),
          nb::cast<std::vector<double>>(given["loads"]),
          nb::cast<std::vector<std::vector<double>>>(given["seconds"])};
}

nb::dict by_load(const std::string& parameters, int ranks, const std::string& platform,
                 const nb::dict& within, const nb::dict& between, std::int64_t eager,
                 const nb::dict& pieces, const nb::dict& rates) {
  const contention::Network network(platform);
  const auto study = bindings::plan_study(parameters, ranks, network.node_ranks());
  const contention::Program program =
      driver::turn_program(*study, bindings::counts_from(pieces), rates_from(rates), few_messages);
  const contention::LoadTables tables(network, table_from(within), table_from(between));
  contention::Execution execution;
  {
    const nb::gil_scoped_release unlocked;
    execution = contention::execute(program, network, tables, eager, resolution(program));
  }
  return summed(program, execution);
}

nb::list round_costs(const std::string& parameters, int ranks, const std::string& platform,
                     std::vector<std::int64_t> sizes, std::vector<double> bandwidth_factors,
                     std::vector<double> latency_factors, const nb::dict& pieces) {
  const contention::Network network(platform);
  const auto study = bindings::plan_study(parameters, ranks, network.node_ranks());
  const contention::Protocol protocol(std::move(sizes), std::move(bandwidth_factors),
                                      std::move(latency_factors));
  nb::list result;
  for (const driver::PhaseCosts& phase :
       driver::round_costs(*study, bindings::counts_from(pieces), network, protocol)) {
    nb::dict one;
    one["name"] = phase.name;
    one["library"] = phase.library;
    one["mean"] = phase.mean.seconds;
    one["longest"] = phase.longest.seconds;
    result.append(one);
  }
  return result;
}

std::vector<double> pattern_loads(const std::vector<int>& to, const std::string& platform) {
  return contention::loads_of(to, contention::Network(platform));
}

std::vector<double> fair_rates(const std::vector<double>& capacities,
                               const std::vector<std::vector<int>>& links,
                               const std::vector<double>& max_rates, double tolerance) {
  const int count = static_cast<int>(capacities.size());
  if (links.size() != max_rates.size()) throw std::invalid_argument("give one limit for each flow");
  std::vector<contention::FairShare::Flow> flows;
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const int link : links[i])
      if (link < 0 || link >= count)
        throw std::invalid_argument("there is no link " + std::to_string(link));
    flows.push_back({links[i], max_rates[i]});
  }
  std::vector<double> rates;
  contention::FairShare(capacities).rates(flows, tolerance, rates);
  return rates;
}

std::vector<int> torus_links(const std::array<int, 3>& dims, int from, int to) {
  const contention::Torus torus{dims};
  for (const int node : {from, to})
    if (node < 0 || node >= torus.nodes())
      throw std::invalid_argument("there is no node " + std::to_string(node));
  std::vector<int> links;
  torus.follow(from, to, [&](int link) { links.push_back(link); });
  return links;
}

}  // namespace

void bind_prediction(nb::module_& m) {
  m.def("messages", &messages, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size"),
        nb::arg("pieces") = nb::dict(),
        "The messages that the busiest rank sends in each phase of a turn, by kind "
        "(docs/models.md).");
  m.def(
      "contend", &contend, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
      nb::arg("eager"), nb::arg("sizes"), nb::arg("bandwidth_factors"), nb::arg("latency_factors"),
      nb::arg("pieces") = nb::dict(), nb::arg("rates") = nb::dict(), nb::arg("effort") = 1.0,
      nb::arg("agreed") = false,
      "Seconds of a turn, from following all ranks and their messages through the network: "
      "phases, waiting (the part of phases before the last sender has posted its message) and "
      "computing, means over the ranks; turn, of the slowest rank. rates: flop and byte, "
      "seconds of a flop and of a byte moved; kernels, a list of name, part (from 1) and seconds "
      "of a flop, or of a byte if it has no flops; unit, as of work; overheads, seconds of a "
      "message at either end beyond its latency, by kind; round, of each round, or rounds, by "
      "protocol, and one_way, of those that go one way; copies: spans [B] and seconds of runs that "
      "lie apart, sizes [B] of blocks and "
      "seconds to copy them within a rank's memory and across to that of another; types: spans [B] "
      "and seconds of runs, and message, seconds of an end of a message by types; streams: sizes "
      "[B], and seconds of a further message and of a further put one way, and of a handshake; "
      "swaps: sizes [B], and "
      "seconds of a message that meets another one; started_at_once: the library's started "
      "collectives send all their messages at once. Without flop nothing is computed. "
      "effort: 1 is the usual accuracy, more is finer. agreed: all ranks begin together, and not "
      "where the turn before has left them.");
  m.def(
      "pair_seconds", &pair_seconds, nb::arg("platform"), nb::arg("eager"), nb::arg("sizes"),
      nb::arg("bandwidth_factors"), nb::arg("latency_factors"), nb::arg("rates") = nb::dict(),
      nb::arg("back") = false,
      "Seconds of an exchange of 8 bytes each way between two ranks of a node, by protocol; back: "
      "not at once, but there and back.");
  m.def("by_load", &by_load, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
        nb::arg("within"), nb::arg("between"), nb::arg("eager") = 0, nb::arg("pieces") = nb::dict(),
        nb::arg("rates") = nb::dict(),
        "As contend, from tables of message times by size and load, within nodes and between them: "
        "dicts of sizes, loads, seconds[load][size].");
  m.def("round_costs", &round_costs, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
        nb::arg("sizes"), nb::arg("bandwidth_factors"), nb::arg("latency_factors"),
        nb::arg("pieces") = nb::dict(),
        "Seconds of each phase of a turn if all ranks enter each round together, of the mean rank "
        "and of the longest one in each round: latency and transfer within nodes, and between "
        "them.");
  m.def("pattern_loads", &pattern_loads, nb::arg("to"), nb::arg("platform"),
        "The load of each message if rank i sends to to[i] (-1: nothing): how many messages share "
        "the narrowest place on its way.");
  m.def("torus_links", &torus_links, nb::arg("dims"), nb::arg("start"), nb::arg("end"),
        "Links that a message crosses from node to node; node n has links 6 n to 6 n + 5: up and "
        "down along x, y and z.");
  m.def("fair_rates", &fair_rates, nb::arg("capacities"), nb::arg("links"), nb::arg("max_rates"),
        nb::arg("tolerance") = 0.0,
        "Max-min fair rates [B/s] of flows that use links[i] and get max_rates[i] at most. Links "
        "whose shares differ by less than the relative tolerance are filled together.");
}

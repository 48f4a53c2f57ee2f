// The input of the models, and the model that follows a turn's messages in time, without MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
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
#include "contention/stuck.hpp"
#include "contention/torus.hpp"
#include "driver/pair_program.hpp"
#include "driver/phase_messages.hpp"
#include "driver/program.hpp"
#include "driver/round_costs.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::numpy;

// Limits of the messages of a turn that are followed; beyond them, fewer steps stand for all.
constexpr std::int64_t many_messages = 400'000, few_messages = 100'000;
// Rates are kept for this fraction of the mean time of a message. With the fine value each start
// and end of a message sets new rates; the coarse value follows a turn of a million messages within
// seconds, and is right within 1 %.
constexpr double fine = 2e-5, coarse = 2e-3;
constexpr int long_turn = 200'000;  // messages

double resolution(const contention::Program& program) {
  return program.messages < long_turn ? fine : coarse;
}

nb::list messages(const std::string& parameters, int ranks, int node_size, const nb::dict& pieces,
                  int sockets, int adapters) {
  const contention::NodeShape node{.ranks = node_size, .sockets = sockets, .adapters = adapters};
  const auto study = bindings::plan_study(parameters, ranks, node_size);
  const std::vector<workload::Phase> phases = study->phases();
  nb::list result;
  for (driver::PhaseMessages& phase :
       driver::phase_messages(*study, node, bindings::counts_from(pieces))) {
    const workload::Phase& traits = workload::phase_named(phases, phase.name);
    nb::dict one;
    one["name"] = phase.name;
    one["pattern"] = traits.pattern;
    one["direction"] = traits.direction;
    one["main"] = traits.main;
    one["colour"] = traits.colour;
    one["copied"] = phase.copied;
    one["rank"] = phase.rank;
    one["bytes"] = numpy(std::move(phase.bytes));
    one["count"] = numpy(std::move(phase.count));
    one["inter"] = numpy(std::move(phase.inter));
    one["across"] = numpy(std::move(phase.across));
    one["distance"] = numpy(std::move(phase.distance));
    one["active"] = numpy(std::move(phase.active));
    one["together"] = numpy(std::move(phase.together));
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
    rates.overheads.message = nb::cast<std::array<double, exchange::overheads>>(given["overheads"]);
  if (given.contains("round")) rates.overheads.round = nb::cast<double>(given["round"]);
  if (given.contains("collective"))
    rates.overheads.collective = nb::cast<double>(given["collective"]);
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
  if (given.contains("begins_together"))
    rates.begins_together = nb::cast<bool>(given["begins_together"]);
  if (given.contains("rounds")) rates.rounds = nb::cast<std::vector<double>>(given["rounds"]);
  if (given.contains("one_way")) rates.one_way = nb::cast<std::vector<double>>(given["one_way"]);
  if (given.contains("turns")) rates.turns = nb::cast<int>(given["turns"]);
  if (!given.contains("flop")) return rates;
  rates.flop = nb::cast<double>(given["flop"]);
  rates.byte = nb::cast<double>(given["byte"]);
  for (const auto& [name, part, seconds] :
       nb::cast<std::vector<std::tuple<std::string, int, double>>>(given["kernels"]))
    rates.kernels[{name, part - 1}] = seconds;
  if (given.contains("unit")) rates.unit = bindings::unit_from(nb::cast<nb::dict>(given["unit"]));
  return rates;
}

// The seconds of a turn: the communication of each phase, the waiting in it and the computation as
// means over the ranks, and the same on the rank that takes longest.
class Seconds {
 public:
  // Adds those of a program, times a share.
  void add(double share, const contention::Program& program,
           const contention::Execution& execution) {
    const auto ranks = static_cast<double>(execution.size());
    double turn = 0.0;
    for (const contention::RankTimes& of_rank : execution) {
      for (std::size_t phase = 0; phase < program.phases.size(); ++phase) {
        Phase& own = named(program.phases[phase]);
        own.communicating += share * (of_rank.communicating[phase] / ranks);
        own.waiting += share * (of_rank.waiting[phase] / ranks);
      }
      computing_ += share * (of_rank.computing / ranks);
      turn = std::max(turn, std::accumulate(of_rank.communicating.begin(),
                                            of_rank.communicating.end(), of_rank.computing));
    }
    turn_ += share * turn;
    variation_ = std::max(variation_, variation_of(execution));
    messages_ += program.messages;
  }
  double turn() const { return turn_; }
  nb::dict as_dict() const {
    nb::dict phases, waits, result;
    for (const Phase& phase : phases_) {
      phases[phase.name.c_str()] = phase.communicating;
      waits[phase.name.c_str()] = phase.waiting;
    }
    result["phases"] = phases;
    result["waiting"] = waits;
    result["computing"] = computing_;
    result["turn"] = turn_;
    result["variation"] = variation_;
    result["messages"] = messages_;
    return result;
  }

 private:
  struct Phase {
    std::string name;
    double communicating = 0.0, waiting = 0.0;
  };
  Phase& named(const std::string& name) {
    const auto found = std::ranges::find(phases_, name, &Phase::name);
    return found != phases_.end() ? *found : phases_.emplace_back(Phase{name});
  }

  // By how much turns that follow each other differ: the standard deviation of their mean time over
  // the ranks, over its mean. 0 if only one turn was followed.
  static double variation_of(const contention::Execution& execution) {
    const std::size_t marks = execution.empty() ? 0 : execution[0].marks.size();
    if (marks < 3) return 0.0;
    std::vector<double> turns(marks - 1, 0.0);
    for (const contention::RankTimes& rank : execution)
      for (std::size_t i = 0; i + 1 < marks; ++i) turns[i] += rank.marks[i + 1] - rank.marks[i];
    const auto count = static_cast<double>(turns.size());
    const double mean = std::accumulate(turns.begin(), turns.end(), 0.0) / count;
    double squares = 0.0;
    for (const double turn : turns) squares += (turn - mean) * (turn - mean);
    return mean > 0.0 ? std::sqrt(squares / (count - 1)) / mean : 0.0;
  }

  std::vector<Phase> phases_;
  double computing_ = 0.0, turn_ = 0.0, variation_ = 0.0;
  std::int64_t messages_ = 0;  // that were followed
};

// Follows the turns that make up the mean turn. follow(counts) returns the program of one and its
// execution.
template <class Follow>
nb::dict mean_turn(const workload::Workload& study, const nb::dict& pieces, Follow&& follow) {
  Seconds seconds;
  for (const auto& [share, counts] :
       workload::turns_with(study.pieces(), bindings::counts_from(pieces))) {
    const auto [program, execution] = follow(counts);
    seconds.add(share, program, execution);
  }
  return seconds.as_dict();
}

nb::dict contend(const std::string& parameters, int ranks, const std::string& platform,
                 std::int64_t eager, std::vector<std::int64_t> sizes,
                 std::vector<double> bandwidth_factors, std::vector<double> latency_factors,
                 const nb::dict& pieces, const nb::dict& rates, double effort, bool agreed) {
  const contention::Network network(platform);
  const auto study = bindings::plan_study(parameters, ranks, network.node_ranks());
  const driver::Rates how = rates_from(rates);
  const std::int64_t header =
      rates.contains("header") ? nb::cast<std::int64_t>(rates["header"]) : std::int64_t{0};
  const contention::Protocol protocol(std::move(sizes), std::move(bandwidth_factors),
                                      std::move(latency_factors), streams_from(rates),
                                      swaps_from(rates), header, rates.contains("by_latency"));
  return mean_turn(*study, pieces, [&](const workload::PieceCounts& counts) {
    const nb::gil_scoped_release unlocked;
    contention::Program program = driver::turn_program(
        *study, counts, how, static_cast<std::int64_t>(effort * many_messages), agreed);
    contention::Execution execution =
        contention::execute(program, network, protocol, eager, resolution(program) / effort);
    return std::pair(std::move(program), std::move(execution));
  });
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
  for (int number = 0; number < exchange::protocols; ++number) {
    const contention::Program program =
        driver::pair_program(static_cast<exchange::Protocol>(number), order, rates_from(rates));
    Seconds times;
    times.add(1.0, program, contention::execute(program, network, timing, eager, fine));
    seconds.push_back(times.turn());
  }
  return seconds;
}

// Times of messages by load (increasing), for the same sizes at each load.
contention::LoadTable table_from(const nb::dict& given) {
  return {nb::cast<std::vector<double>>(given["sizes"]),
          nb::cast<std::vector<double>>(given["loads"]),
          nb::cast<std::vector<std::vector<double>>>(given["seconds"])};
}

nb::dict by_load(const std::string& parameters, int ranks, const std::string& platform,
                 const nb::dict& within, const nb::dict& between, std::int64_t eager,
                 const nb::dict& pieces, const nb::dict& rates, const nb::dict& across) {
  const contention::Network network(platform);
  const auto study = bindings::plan_study(parameters, ranks, network.node_ranks());
  const driver::Rates how = rates_from(rates);
  const contention::LoadTables tables(network, table_from(within),
                                      table_from(across.empty() ? within : across),
                                      table_from(between));
  return mean_turn(*study, pieces, [&](const workload::PieceCounts& counts) {
    const nb::gil_scoped_release unlocked;
    contention::Program program = driver::turn_program(*study, counts, how, few_messages);
    contention::Execution execution =
        contention::execute(program, network, tables, eager, resolution(program));
    return std::pair(std::move(program), std::move(execution));
  });
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
  const nb::exception<contention::WaitsForEver> waits(m, "WaitsForEver", PyExc_ValueError);
  const nb::exception<contention::OneEnd> one_end(m, "OneEnd", PyExc_ValueError);
  m.def("messages", &messages, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size"),
        nb::arg("pieces") = nb::dict(), nb::arg("sockets") = 1, nb::arg("adapters") = 1,
        "The messages that the busiest rank sends in each phase of a turn, by kind "
        "(docs/models.md).");
  m.def(
      "contend", &contend, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
      nb::arg("eager"), nb::arg("sizes"), nb::arg("bandwidth_factors"), nb::arg("latency_factors"),
      nb::arg("pieces") = nb::dict(), nb::arg("rates") = nb::dict(), nb::arg("effort") = 1.0,
      nb::arg("agreed") = false,
      "Seconds of a turn, found by following all ranks and their messages through the network: "
      "phases, waiting (the part of phases before the last sender has posted its message) and "
      "computing are means over the ranks; turn is that of the slowest rank; variation is the "
      "standard deviation of turns that follow each other over their mean. rates: flop and byte, "
      "seconds per flop and per byte moved; kernels, a list of name, part (from 1) and seconds per "
      "flop, or per byte for a kernel without flops; unit, as for work; overheads, by kind of "
      "call, seconds of a message at either end beyond its latency; round, seconds of each round, "
      "or rounds, by protocol, and one_way, those of rounds that go one way; collective, seconds "
      "of a collective call of the library beside its messages; copies, spans [B] and seconds of "
      "runs that lie apart, sizes [B] of blocks and seconds to copy them within a rank's memory "
      "(within) and to another rank's (across); types, spans [B] and seconds of runs, and "
      "message, seconds of an end of a message by types; streams, sizes [B], the seconds of a "
      "further message and of a further put in one direction, and of a handshake; swaps, "
      "sizes [B] and seconds of a message that meets another one; started_at_once, whether the "
      "library's nonblocking collectives send all their messages at once; begins_together, whether "
      "a run's ranks begin together; header, bytes that a message has beside its data; "
      "by_latency, given where messages get shares of a link in inverse proportion to their "
      "latencies; turns, how many first turns of a run give the mean (0: a turn of a long run). "
      "Without flop nothing is "
      "computed. effort: 1 is the usual accuracy, more is finer. agreed: all ranks begin together, "
      "instead of where the preceding turn has left them.");
  m.def(
      "pair_seconds", &pair_seconds, nb::arg("platform"), nb::arg("eager"), nb::arg("sizes"),
      nb::arg("bandwidth_factors"), nb::arg("latency_factors"), nb::arg("rates") = nb::dict(),
      nb::arg("back") = false,
      "Seconds of an exchange of 8 bytes each way between two ranks of a node, by protocol. back: "
      "the messages go there and back instead of at the same time.");
  m.def("by_load", &by_load, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
        nb::arg("within"), nb::arg("between"), nb::arg("eager") = 0, nb::arg("pieces") = nb::dict(),
        nb::arg("rates") = nb::dict(), nb::arg("across") = nb::dict(),
        "As contend, but from tables of message times by size and load, for messages within nodes "
        "and between them: dicts of sizes, loads, seconds[load][size]. across: the table for "
        "messages from one socket of a node to another, where it has several.");
  m.def("round_costs", &round_costs, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
        nb::arg("sizes"), nb::arg("bandwidth_factors"), nb::arg("latency_factors"),
        nb::arg("pieces") = nb::dict(),
        "Seconds of each phase of a turn if all ranks enter each round together, for the mean rank "
        "and for the longest one in each round: latency and transfer within nodes, and between "
        "them.");
  m.def("pattern_loads", &pattern_loads, nb::arg("to"), nb::arg("platform"),
        "The load of each message if rank i sends to to[i] (-1: nothing): how many messages share "
        "the narrowest link on its way.");
  m.def("torus_links", &torus_links, nb::arg("dims"), nb::arg("start"), nb::arg("end"),
        "The links that a message crosses from node to node. Node n has links 6 n to 6 n + 5: up "
        "and down along x, y and z.");
  m.def("fair_rates", &fair_rates, nb::arg("capacities"), nb::arg("links"), nb::arg("max_rates"),
        nb::arg("tolerance") = 0.0,
        "Max-min fair rates [B/s] of flows that use links[i] and get at most max_rates[i]. Links "
        "whose shares differ by less than the relative tolerance are filled together.");
}

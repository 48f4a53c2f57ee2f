#include "driver/protocol_steps.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace phasewise::driver {
namespace {

using comm::Exchange;
using comm::Protocol;
using comm::Round;
using contention::Send;

Round opposite(const Round& round) { return {round.receives, round.sends}; }

std::vector<Send> empties(const std::vector<int>& ranks) {
  std::vector<Send> sends;
  for (const int rank : ranks) sends.push_back({rank, 0});
  return sends;
}

// Data to and from other ranks. `far_only`: none within a node.
ProtocolStep data_of(const Exchange& exchange, const Round& round, bool far_only = false) {
  const auto counts = [&](const comm::Transfer& t) {
    return exchange.message_bytes(t) > 0 && !(far_only && exchange.team->near(t.peer));
  };
  ProtocolStep step;
  for (const comm::Transfer& t : round.sends)
    if (counts(t)) step.sends.push_back({exchange.team->ranks[t.peer], exchange.bytes(t)});
  for (const comm::Transfer& t : round.receives)
    if (counts(t)) step.sources.push_back(exchange.team->ranks[t.peer]);
  return step;
}

// The i-th send with the i-th receive; what is left over goes together.
std::vector<ProtocolStep> in_pairs(const ProtocolStep& all) {
  const std::size_t pairs = std::min(all.sends.size(), all.sources.size());
  std::vector<ProtocolStep> steps;
  for (std::size_t i = 0; i < pairs; ++i) steps.push_back({{all.sends[i]}, {all.sources[i]}});
  ProtocolStep rest;
  rest.sends.assign(all.sends.begin() + pairs, all.sends.end());
  rest.sources.assign(all.sources.begin() + pairs, all.sources.end());
  steps.push_back(std::move(rest));
  return steps;
}

// Pair after pair of ranks, the lower rank first.
std::vector<ProtocolStep> in_order(const ProtocolStep& all, int rank) {
  std::set<std::pair<int, int>> pairs;
  for (const Send& send : all.sends) pairs.insert(std::minmax(rank, send.peer));
  for (const int source : all.sources) pairs.insert(std::minmax(rank, source));
  std::vector<ProtocolStep> steps;
  for (const auto& [lower, upper] : pairs) {
    const int peer = lower == rank ? upper : lower;
    std::vector<ProtocolStep> out, in;
    for (const Send& send : all.sends)
      if (send.peer == peer) out.push_back({{send}, {}});
    for (const int source : all.sources)
      if (source == peer) in.push_back({{}, {source}});
    if (lower != rank) std::swap(out, in);
    steps.insert(steps.end(), out.begin(), out.end());
    steps.insert(steps.end(), in.begin(), in.end());
  }
  return steps;
}

struct SignalSteps {
  ProtocolStep before, after;
};

SignalSteps signals(const Exchange& exchange, const Round& round) {
  const comm::Signals out = signals_of(exchange, round);
  const comm::Signals in = signals_of(exchange, opposite(round));
  return {{empties(out.before), in.before}, {empties(out.after), in.after}};
}

// As put, whose flags are the same empty messages.
Exchange as_put(const Exchange& exchange) {
  Exchange put = exchange;
  put.protocol = Protocol::put;
  return put;
}

std::vector<int> distinct_peers(const ProtocolStep& step, bool to) {
  std::set<int> peers;
  if (to)
    for (const Send& send : step.sends) peers.insert(send.peer);
  else
    peers.insert(step.sources.begin(), step.sources.end());
  return {peers.begin(), peers.end()};
}

}  // namespace

ProtocolSteps steps_of(const Exchange& exchange, const Round& round, int rank) {
  const ProtocolStep data = data_of(exchange, round);
  ProtocolSteps result;
  result.blocking = comm::blocks(exchange.protocol);
  switch (exchange.protocol) {
    case Protocol::sendrecv:
      result.steps = in_pairs(data);
      break;
    case Protocol::ordered:
      result.steps = in_order(data, rank);
      break;
    case Protocol::ready: {
      const SignalSteps empty = signals(exchange, round);
      result.steps = {empty.before, data};
      break;
    }
    case Protocol::put: {
      const SignalSteps empty = signals(exchange, round);
      result.steps = {empty.before, data, empty.after};
      break;
    }
    case Protocol::shmem:
    case Protocol::coarray: {
      const SignalSteps empty = signals(as_put(exchange), round);
      result.steps = {empty.before, data, empty.after};
      break;
    }
    case Protocol::get: {
      const SignalSteps empty = signals(exchange, round);
      result.steps = {empty.before, empty.after, data};
      break;
    }
    case Protocol::shared: {
      const SignalSteps empty = signals(as_put(exchange), round);
      result.steps = {empty.before, data_of(exchange, round, true), empty.after};
      break;
    }
    case Protocol::post_start: {
      // Memory is opened before it is written to, so early that nobody waits for it.
      const std::vector<int> to = distinct_peers(data, true), from = distinct_peers(data, false);
      result.steps = {data, {empties(to), from}};
      break;
    }
    case Protocol::fence:
      result.steps = {data};
      result.fence = true;
      break;
    default:
      result.steps = {data};
  }
  return result;
}

}  // namespace phasewise::driver

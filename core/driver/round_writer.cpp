#include "driver/round_writer.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "contention/collectives.hpp"
#include "exchange/in_place.hpp"

namespace phasewise::driver {

using contention::Company;
using contention::Sending;
using exchange::Protocol;

namespace {

// Signals have a communicator of their own.
std::int32_t signal_channel(exchange::Channel channel) {
  return static_cast<int>(channel) + exchange::channels;
}

std::vector<int> distinct(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  return ranks;
}

template <class Sends>
std::vector<int> targets_of(const Sends& sends) {
  std::vector<int> targets;
  targets.reserve(sends.size());
  for (const auto& send : sends) targets.push_back(send.peer);
  return targets;
}

}  // namespace

RoundWriter::RoundWriter(Followed& program, const exchange::Exchange& exchange, double weight,
                         Copying copying)
    : program_(program),
      exchange_(exchange),
      weight_(weight),
      overhead_(program.options_.rates.overheads
                    .message[static_cast<int>(overhead_of(exchange.protocol))]),
      further_(overhead_),
      copying_(copying),
      me_(program.rank_),
      posting_(exchange::blocks(exchange.protocol) ? Followed::Posting::in_pairs
                                                   : Followed::Posting::at_once) {}

void RoundWriter::write(const exchange::Round& round) {
  // Each message is answered, which takes calls too; their times are known if whole exchanges were
  // timed.
  if (exchange_.protocol == Protocol::synchronous && !program_.options_.rates.rounds.empty())
    overhead_ = further_ = 2.0 * overhead_;
  const contention::Streams& streams = program_.options_.rates.streams;
  streams_ = one_way(round) && streams.known();
  overlaps_ = streams_ && sends_freely();
  crosses_ = both_ways(round) && !is_one_sided() && exchange_.protocol != Protocol::ordered;
  if (overlaps_)
    further_ = std::min(overhead_, by_epochs() ? streams.puts.front() : streams.messages.front());
  const Ends ends = ends_of(round);
  switch (exchange_.protocol) {
    case Protocol::sendrecv:
      return in_pairs(ends, exchange::paired(ends.sends.size(), ends.sources.size()));
    case Protocol::ordered:
      return ordered(ends);
    case Protocol::packed:
      return packed(ends);
    case Protocol::shared:
      return shared(round);
    case Protocol::isend_recv:
      send_each(ends.sends, Sending::plain, true);
      // Messages that were sent meanwhile wait in the library's buffers.
      if (streams_)
        receive_later(ends.sources);
      else
        receive_each(ends.sources);
      return wait(ends.sources.size());
    case Protocol::irecv_send:
    case Protocol::synchronous: {
      const bool synchronous = exchange_.protocol == Protocol::synchronous;
      receive_later(ends.sources);
      send_each(ends.sends, synchronous ? Sending::synchronous : Sending::plain, synchronous);
      return wait(ends.sources.size());
    }
    case Protocol::ready:
      receive_later(ends.sources);
      exchange(signals_of(round, Protocol::ready).before);
      send_each(ends.sends, Sending::plain, true);
      return wait(ends.sources.size());
    case Protocol::fence:
      return between_fences(ends);
    case Protocol::post_start:
      return between_posts(ends);
    case Protocol::get:
      return get(round);
    case Protocol::put:
    case Protocol::shmem:
    case Protocol::coarray: {
      const SignalPair signals = signals_of(round, Protocol::put);
      put(signals, ends);
      flags_behind(signals.after);
      return wait(ends.sources.size());
    }
    default:
      return in_pairs(ends, 0);
  }
}

RoundWriter::Ends RoundWriter::ends_of(const exchange::Round& round) const {
  const std::vector<int>& ranks = exchange_.team->ranks;
  Ends ends;
  for (const exchange::Transfer& t : round.sends)
    if (const std::int64_t bytes = exchange_.message_bytes(t); bytes > 0)
      ends.sends.push_back({ranks[t.peer], left_to_network(t, bytes, ends.copying)});
  for (const exchange::Transfer& t : round.receives)
    if (const std::int64_t bytes = exchange_.message_bytes(t); bytes > 0) {
      ends.sources.push_back(ranks[t.peer]);
      ends.received += bytes;
    }
  return ends;
}

// The bytes of a message that go through the network. Within a node whose costs of copies are
// known, the rank itself copies one-sided data: that adds to `copying` [s], and nothing is left for
// the network.
std::int64_t RoundWriter::left_to_network(const exchange::Transfer& t, std::int64_t bytes,
                                          double& copying) const {
  const Rates& rates = program_.options_.rates;
  if (!is_one_sided() || !rates.blocks.known() || !exchange_.team->near(t.peer)) return bytes;
  const bool further = streams_ && copying > 0.0;
  copying += rates.to_other(static_cast<double>(bytes), further);
  return 0;
}

// Whether puts lie between calls that all ranks of an exchange make, so that a put is a single
// call.
bool RoundWriter::by_epochs() const {
  return exchange_.protocol == Protocol::fence || exchange_.protocol == Protocol::post_start;
}

// Whether a sender goes on to its next message without hearing from the receiver.
bool RoundWriter::sends_freely() const {
  switch (exchange_.protocol) {
    case Protocol::ready:
    case Protocol::synchronous:
    case Protocol::shared:
      return false;
    default:
      return by_epochs() || !is_one_sided();
  }
}

bool RoundWriter::is_one_sided() const {
  const exchange::Staging staging = exchange::staging_of(exchange_.protocol);
  return staging == exchange::Staging::window || staging == exchange::Staging::exposed;
}

// The signals that come to this rank are those of the round in which all messages go the other way.
RoundWriter::SignalPair RoundWriter::signals_of(const exchange::Round& round,
                                                Protocol protocol) const {
  exchange::Exchange exchange = exchange_;
  exchange.protocol = protocol;
  const exchange::Signals out = exchange::signals_of(exchange, round);
  const exchange::Signals in = exchange::signals_of(exchange, opposite(round));
  return {{out.before, in.before}, {out.after, in.after}};
}

// The messages of a round within the node (`near`), or between nodes.
exchange::Round RoundWriter::part_of(const exchange::Round& round, bool near) const {
  exchange::Round part = round;
  for (auto* transfers : {&part.sends, &part.receives})
    std::erase_if(*transfers, [&](const exchange::Transfer& t) {
      return exchange_.team->near(t.peer) != near;
    });
  return part;
}

void RoundWriter::open(bool waits) {
  if (begun_) program_.end_round();
  program_.begin_round(exchange_.phase, exchange_.channel, posting_, weight_);
  step().waits_for_all = waits;
  if (crosses_) step().company = Company::crossing;
  if (!begun_) step().packing = copying_.packing;
  begun_ = true;
}

// Ends the step when all messages so far are done, within the call that posts them.
void RoundWriter::settle() {
  open();
  step().flushes = true;
  program_.end_round(true);
  begun_ = false;
  copying_.packing = 0.0F;
}

// Ends the last step: the calls that receive take their time, and what arrived is stored.
void RoundWriter::wait(std::size_t received) {
  open();
  step().after = charged_to_get(received);
  step().storing = copying_.storing;
  program_.end_round(true);
}

void RoundWriter::receive_later(const Ranks& sources) {
  open(false);
  step().keeps_receives = true;
  for (const int source : sources) program_.receive(source);
}

// Receives one message after another, in blocking calls.
void RoundWriter::receive_each(const Ranks& sources) {
  for (const int source : sources) {
    open(false);
    program_.receive(source);
  }
}

void RoundWriter::send_each(const Sends& sends, Sending sending, bool later, double copying) {
  double call = overhead_;
  for (const contention::Send& send : sends) {
    open(false);
    if (streams_ && !later && &send != sends.data()) step().company = Company::behind;
    step().before = static_cast<float>(std::exchange(call, further_) + std::exchange(copying, 0.0));
    step().sending = sending;
    step().keeps_sends = later;
    program_.send(send.peer, send.bytes);
  }
}

void RoundWriter::exchange(const Signals& signals) {
  if (signals.to.empty() && signals.from.empty()) return;
  open(false);
  step().channel = signal_channel(exchange_.channel);
  // A rank that only tells others something goes on at once.
  if (signals.from.empty()) step().sending = Sending::eager;
  charge_flags(signals);
  for (const int rank : signals.to) program_.send(rank, 0);
  for (const int rank : signals.from) program_.receive(rank);
}

// Flags that are messages take calls, whose times are known if whole exchanges were timed.
void RoundWriter::charge_flags(const Signals& signals) {
  const Rates& rates = program_.options_.rates;
  const bool messages = exchange_.protocol == Protocol::put ||
                        exchange_.protocol == Protocol::get ||
                        exchange_.protocol == Protocol::ready;
  // In a one-way stream a rank raises flags while the other one sees the preceding flags.
  if (rates.rounds.empty() || !messages || streams_) return;
  const double call = rates.overheads.message[static_cast<int>(exchange::Overhead::two_sided)];
  step().before = static_cast<float>(call * static_cast<double>(signals.to.size()));
  step().after = static_cast<float>(call * static_cast<double>(signals.from.size()));
}

// A barrier of all ranks.
void RoundWriter::fence() {
  const int ranks = static_cast<int>(program_.everyone_.size());
  for (const contention::CollectiveRound& part : contention::barrier_rounds(ranks, program_.rank_))
    exchange({targets_of(part.sends), part.receives});
}

// Sends this many messages together with receives, pair by pair, and the rest together.
void RoundWriter::in_pairs(const Ends& ends, std::size_t pairs) {
  const Sends& sends = ends.sends;
  const Ranks& sources = ends.sources;
  for (std::size_t i = 0; i < pairs; ++i) {
    open();
    step().before = step().after = charged(1);
    program_.send(sends[i].peer, sends[i].bytes);
    program_.receive(sources[i]);
  }
  open();
  step().before = charged(sends.size() - pairs);
  for (std::size_t i = pairs; i < sends.size(); ++i) program_.send(sends[i].peer, sends[i].bytes);
  for (std::size_t i = pairs; i < sources.size(); ++i) program_.receive(sources[i]);
  step().after = charged_to_get(sources.size() - pairs);
  step().storing = copying_.storing;
  program_.end_round();
}

// Pairs of ranks exchange one after another, and the lower rank sends first.
void RoundWriter::ordered(const Ends& ends) {
  std::set<std::pair<int, int>> pairs;
  for (const int peer : targets_of(ends.sends)) pairs.insert(std::minmax(me_, peer));
  for (const int peer : ends.sources) pairs.insert(std::minmax(me_, peer));
  for (const auto& [lower, upper] : pairs) {
    const int peer = lower == me_ ? upper : lower;
    const auto with_peer = [&](const contention::Send& send) { return send.peer == peer; };
    Sends own;
    std::ranges::copy_if(ends.sends, std::back_inserter(own), with_peer);
    if (lower == me_) send_each(own, Sending::plain, false);
    receive_each(Ranks(std::ranges::count(ends.sources, peer), peer));
    if (lower != me_) send_each(own, Sending::plain, false);
  }
  wait(ends.sources.size());
}

// The library packs each message before it is sent, and unpacks all messages once they have
// arrived.
void RoundWriter::packed(const Ends& ends) {
  const auto copied = [&](std::int64_t bytes) {
    return static_cast<float>(program_.options_.rates.moving(exchange::packed_traffic(bytes)));
  };
  receive_later(ends.sources);
  for (const contention::Send& send : ends.sends) {
    send_each({send}, Sending::plain, true);
    step().before += copied(send.bytes);
  }
  open();
  step().after = charged_to_get(ends.sources.size()) + copied(ends.received);
  step().storing = copying_.storing;
  program_.end_round(true);
}

// Epochs of all ranks: the data arrive before the second fence is complete.
void RoundWriter::between_fences(const Ends& ends) {
  receive_later(ends.sources);
  send_each(ends.sends, Sending::eager, true, ends.copying);
  fence();
  settle();
  fence();
  wait(ends.sources.size());
}

// Epochs of only the ranks that exchange.
void RoundWriter::between_posts(const Ends& ends) {
  const Ranks to = distinct(targets_of(ends.sends)), from = distinct(ends.sources);
  receive_later(ends.sources);
  exchange({from, {}});  // post
  exchange({{}, to});    // start
  send_each(ends.sends, Sending::eager, true, ends.copying);
  exchange({to, {}});    // complete
  exchange({{}, from});  // wait
  wait(ends.sources.size());
}

// Flags say that the data are there; then the receiver reads them, in messages of its own.
void RoundWriter::get(const exchange::Round& round) {
  const SignalPair signals = signals_of(round, Protocol::get);
  const Ends reads = ends_of(opposite(round));
  exchange(signals.before);
  exchange(signals.after);
  send_each(reads.sends, Sending::get, true, reads.copying);
  wait(reads.sends.size());
}

// Puts the data, up to the flush.
void RoundWriter::put(const SignalPair& signals, const Ends& ends) {
  exchange(signals.before);
  send_each(ends.sends, Sending::put, true, ends.copying);
  if (!ends.sends.empty()) settle();
}

// Flags are sent and awaited while other messages may be under way.
void RoundWriter::flags_behind(const Signals& signals) {
  open(false);
  step().channel = signal_channel(exchange_.channel);
  step().keeps_sends = step().keeps_receives = true;
  charge_flags(signals);
  for (const int rank : signals.to) program_.send(rank, 0);
  for (const int rank : signals.from) program_.receive(rank);
}

// Between nodes as put; within a node there are two exchanges of flags, and data are stored before
// them.
void RoundWriter::shared(const exchange::Round& round) {
  const exchange::Round near = part_of(round, true), far = part_of(round, false);
  const Ends within = ends_of(near), between = ends_of(far);
  const SignalPair far_signals = signals_of(far, Protocol::put);
  const SignalPair near_signals = signals_of(near, Protocol::put);
  put(far_signals, between);
  flags_behind(far_signals.after);
  exchange(near_signals.before);
  exchange(near_signals.after);
  // Messages within the node have been received before the rank waits for the rest.
  if (!within.sources.empty()) step().after = charged_to_get(within.sources.size());
  wait(between.sources.size());
}

}  // namespace phasewise::driver

#include "driver/followed.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "driver/round_writer.hpp"
#include "exchange/in_place.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::driver {

using contention::Action;
using exchange::Channel;
using exchange::Exchange;

namespace {

// How many repetitions of an exchange are written down. The last one, for which traffic has
// settled, stands for all later ones.
constexpr int max_repetitions = 4;
constexpr std::int64_t longest_short_sum = 2048;  // [B], as in MPICH

double runs_of(const exchange::Fragment& fragment) {
  return static_cast<double>(fragment.count * fragment.outer_count);
}
double span_of(const exchange::Fragment& fragment) {
  return static_cast<double>(
      std::max(fragment.count * fragment.stride, fragment.outer_count * fragment.outer_stride));
}

// Whether a member sends to one from which it receives in the same round.
bool crosses(const contention::CollectiveRound& round) {
  return std::ranges::any_of(round.sends, [&](const contention::CollectiveSend& send) {
    return std::ranges::find(round.receives, send.peer) != round.receives.end();
  });
}

bool alike(const Exchange& a, const Exchange& b) {
  if (a.phase != b.phase || !a.uniform || a.rounds != b.rounds) return false;
  return std::equal(
      a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
      [](const exchange::Block& x, const exchange::Block& y) { return x.bytes() == y.bytes(); });
}

}  // namespace

Followed::Followed(int ranks, int rank, const ProgramOptions& options,
                   std::vector<std::string>& phases)
    : rank_(rank), options_(options), phases_(phases), everyone_(ranks), receiving_(ranks) {
  std::iota(everyone_.begin(), everyone_.end(), 0);
  under_way_.fill(-1);
}

contention::RankProgram Followed::take() {
  program_.sends.shrink_to_fit();
  program_.receives.shrink_to_fit();
  program_.rounds.shrink_to_fit();
  program_.instructions.shrink_to_fit();
  return std::move(program_);
}

void Followed::kernel(const parallel::KernelCard& card, double items,
                      const std::function<void()>& /*work*/) {
  add_computing(options_.rates.seconds(card, items, part_));
}

// Without rates nothing is computed.
void Followed::compute(std::string_view /*name*/, double seconds) {
  if (options_.rates.flop > 0.0) add_computing(seconds);
}

void Followed::add_computing(double seconds) {
  if (seconds <= 0.0) return;
  const auto weight = static_cast<float>(weight_);
  auto& instructions = program_.instructions;
  auto& computations = program_.computations;
  const bool goes_on = !instructions.empty() && instructions.back().action == Action::compute &&
                       computations.back().weight == weight;
  if (goes_on) {
    computations.back().seconds += seconds;
    return;
  }
  instructions.push_back({Action::compute, 0, static_cast<int>(computations.size())});
  computations.push_back({seconds, weight});
}

void Followed::summed(std::string_view phase, std::size_t values,
                      const exchange::TeamPointer& team) {
  const std::vector<int>& ranks = team ? team->ranks : everyone_;
  if (ranks.size() == 1) return;
  begin(exchange::common_channel);
  add_collective(phase, exchange::common_channel, ranks,
                 library_sum(static_cast<int>(ranks.size()), team ? team->me : rank_,
                             static_cast<std::int64_t>(8 * values)),
                 1.0);
  end(exchange::common_channel);
  finish(exchange::common_channel);
}

void Followed::start(Channel channel, const Exchanges& exchanges) {
  exchange::Works works;
  exchanges(works);
  begin(channel);
  for (std::size_t i = 0; i < works.size();) {
    std::size_t same = 1;
    while (i + same < works.size() && alike(*works[i].exchange, *works[i + same].exchange)) ++same;
    for (int j = 0; j < repeated(same); ++j) add(works[i + j], share_of(j, static_cast<int>(same)));
    i += same;
  }
  end(channel);
}
void Followed::progress(Channel channel) { act(Action::progress, channel); }
void Followed::finish(Channel channel) { act(Action::finish, channel); }

void Followed::if_needed(std::string_view piece, const std::function<void()>& actions) {
  const auto found = inside_.find(piece);
  if (found == inside_.end() || found->second <= 0.0) return;
  const double around = std::exchange(weight_, found->second);
  actions();
  weight_ = around;
}

void Followed::transpose(const exchange::TransposeExchange& exchange,
                         const exchange::ItemBuffer& /*from*/, const exchange::ItemBuffer& /*to*/) {
  begin(exchange.channel);
  add_transpose(exchange);
  end(exchange.channel);
  finish(exchange.channel);
}

void Followed::add_transpose(const exchange::TransposeExchange& exchange) {
  const std::vector<int>& ranks = exchange.team->ranks;
  if (exchange.by_library()) {
    const int p = static_cast<int>(ranks.size());
    const auto rounds =
        contention::all_at_once(p, exchange.team->me, exchange.asked_bytes() / std::max(1, p - 1));
    for (int grid = 0; grid < repeated(exchange.grids); ++grid)
      add_collective(exchange.phase, exchange.channel, ranks, rounds,
                     share_of(grid, exchange.grids));
    return;
  }
  const auto copying = static_cast<float>(0.5 * options_.rates.moving(exchange.copied_traffic()));
  for (const exchange::Round& from : *exchange.rounds) {
    begin_round(exchange.phase, exchange.channel, Posting::at_once, 1.0);
    if (&from == &exchange.rounds->front()) round_.packing = copying;
    if (&from == &exchange.rounds->back()) round_.storing = copying;
    const double each =
        options_.rates.overheads.message[static_cast<int>(exchange::Overhead::two_sided)];
    round_.before = static_cast<float>(each * static_cast<double>(from.sends.size()));
    round_.after = static_cast<float>(each * static_cast<double>(from.receives.size()));
    for (const exchange::Transfer& t : from.sends) send(ranks[t.peer], exchange.sent_bytes(t));
    for (const exchange::Transfer& t : from.receives) receive(ranks[t.peer]);
    end_round();
  }
}

int Followed::repeated(std::size_t times) const {
  return static_cast<int>(in_full() ? times : std::min<std::size_t>(times, max_repetitions));
}
// The last repetition that is written down stands for the remaining ones too.
double Followed::share_of(int number, int times) const {
  return !in_full() && number == max_repetitions - 1 ? times - max_repetitions + 1.0 : 1.0;
}

int Followed::phase(std::string_view name) {
  const auto found = std::find(phases_.begin(), phases_.end(), name);
  if (found != phases_.end()) return static_cast<int>(found - phases_.begin());
  phases_.emplace_back(name);
  return static_cast<int>(phases_.size()) - 1;
}

void Followed::begin_round(std::string_view name, Channel channel, Posting posting, double weight) {
  round_ = {.phase = static_cast<std::int16_t>(phase(name)),
            .channel = static_cast<std::int32_t>(channel),
            .blocking = posting == Posting::in_pairs || posting == Posting::by_library,
            .library = posting == Posting::by_library || posting == Posting::by_library_at_once,
            .weight = static_cast<float>(weight),
            .packing = 0.0F,
            .storing = 0.0F,
            .first_send = static_cast<int>(program_.sends.size()),
            .last_send = 0,
            .first_receive = static_cast<int>(program_.receives.size()),
            .last_receive = 0};
}

// A round in which nothing happens is left out, unless it waits for earlier ones.
void Followed::end_round(bool waits) {
  round_.last_send = static_cast<int>(program_.sends.size());
  round_.last_receive = static_cast<int>(program_.receives.size());
  if (waits || round_.last_send > round_.first_send || round_.last_receive > round_.first_receive ||
      round_.packing > 0.0F || round_.storing > 0.0F || round_.before > 0.0F || round_.after > 0.0F)
    program_.rounds.push_back(round_);
}

void Followed::add(const exchange::Work& work, double weight) {
  const Exchange& exchange = *work.exchange;
  if (exchange.by_library()) return add_library(exchange, weight);
  for (const exchange::Round& round : *exchange.rounds) add_round(work, round, weight);
}

// A copy costs its memory traffic; runs that lie apart cost a cache line each.
double Followed::seconds_of(std::span<const exchange::Fragment> fragments,
                            std::int64_t traffic) const {
  const double moving = options_.rates.moving(traffic);
  if (options_.rates.copies.spans.empty()) return moving;
  double apart = 0.0;
  for (const exchange::Fragment& one : fragments) {
    const std::int64_t stride = one.count > 1 ? one.stride : one.outer_stride;
    if (one.contiguous() || stride < parallel::cache_line) continue;
    apart += runs_of(one) * options_.rates.copies.at(span_of(one));
  }
  return std::max(moving, apart);
}

// The library's time to gather or scatter runs that lie apart, beyond that of the message.
double Followed::by_types(std::span<const exchange::Fragment> fragments) const {
  const TypedMessages& types = options_.rates.types;
  if (!types.known()) return seconds_of(fragments, 0);
  if (exchange::in_one_piece(fragments)) return 0.0;
  double seconds = types.message;
  for (const exchange::Fragment& one : fragments)
    seconds += runs_of(one) * types.runs.at(span_of(one));
  return seconds;
}

// How much longer it takes to store data in another rank's memory than in this rank's own.
double Followed::beyond(const exchange::Exchange& exchange, const exchange::Transfer& t,
                        bool further) const {
  const BlockCopies& blocks = options_.rates.blocks;
  const bool stored = exchange::staging_of(exchange.protocol) == exchange::Staging::stored;
  const bool other = t.peer != exchange.team->me && exchange.team->near(t.peer);
  if (!stored || !blocks.known() || !other) return 0.0;
  const auto bytes = static_cast<double>(exchange.bytes(t));
  return options_.rates.to_other(bytes, further) - blocks.within_rank(bytes);
}

// The seconds of the executor's copies.
Followed::Copied Followed::copied(const exchange::Work& work, const exchange::Round& round) const {
  const Exchange& exchange = *work.exchange;
  const int me = exchange.team->me;
  Copied copied;
  if (options_.rates.byte <= 0.0) return copied;
  exchange::Fragments fragments;
  const auto fragments_of = [&](const exchange::Transfer& t, std::int64_t item_size) {
    fragments.clear();
    append(fragments, exchange, t, item_size);
    return std::span<const exchange::Fragment>(fragments);
  };
  const bool typed = exchange::staging_of(exchange.protocol) == exchange::Staging::types;
  for (const exchange::Transfer& t : round.sends) {
    const auto parts = fragments_of(t, work.from.item_size);
    const bool further = one_way(round) && &t != round.sends.data();
    if (t.peer == me || !sent_in_place(exchange, exchange::in_one_piece(parts)))
      copied.packing += seconds_of(parts, exchange::packed_traffic(exchange.bytes(t))) +
                        beyond(exchange, t, further);
    else if (typed)
      copied.packing += by_types(parts);
  }
  for (const exchange::Transfer& t : round.receives) {
    const auto parts = fragments_of(t, work.to.item_size);
    if (t.peer == me || !received_in_place(exchange, exchange::in_one_piece(parts)))
      copied.storing += seconds_of(parts, exchange::stored_traffic(exchange, exchange.bytes(t)));
    else if (typed)
      copied.storing += by_types(parts);
  }
  return copied;
}

// The time of a round beyond its messages. On a rank that neither sends nor receives, only a fence
// costs the protocol's time.
double Followed::round_seconds(const Exchange& exchange, const exchange::Round& round) const {
  const auto empty = [&](const exchange::Transfer& t) { return exchange.message_bytes(t) == 0; };
  const bool alone = exchange.protocol != exchange::Protocol::fence &&
                     std::ranges::all_of(round.sends, empty) &&
                     std::ranges::all_of(round.receives, empty);
  if (alone) return options_.rates.overheads.round;
  return options_.rates.round(exchange.protocol, one_way(round));
}

void Followed::add_round(const exchange::Work& work, const exchange::Round& round, double weight) {
  const Exchange& exchange = *work.exchange;
  const Copied seconds = copied(work, round);
  RoundWriter(*this, exchange, weight,
              {.packing = static_cast<float>(round_seconds(exchange, round) + seconds.packing),
               .storing = static_cast<float>(seconds.storing)})
      .write(round);
}

void Followed::add_library(const Exchange& exchange, double weight) {
  const std::int64_t all = exchange.total_bytes();
  if (all == 0) return;
  std::vector<std::int64_t> blocks;
  blocks.reserve(exchange.blocks.size());
  for (const exchange::Block& block : exchange.blocks) blocks.push_back(block.bytes());
  const int p = static_cast<int>(exchange.team->ranks.size()), me = exchange.team->me;
  const bool summed = exchange.form == exchange::LibraryForm::all_reduced;
  const bool gathered = exchange.form == exchange::LibraryForm::gathered && !exchange.adds;
  add_collective(exchange.phase, exchange.channel, exchange.team->ranks,
                 summed          ? library_sum(p, me, all)
                 : gathered      ? contention::gather_and_broadcast_rounds(blocks, me)
                 : exchange.adds ? contention::reduce_ring_rounds(blocks, me)
                                 : contention::gather_ring_rounds(blocks, me),
                 weight);
}

// What each message of a collective costs at either end. It is charged where exchanges were timed:
// in the twins of described machines a program's own messages alone cost something.
double Followed::call_in_library() const {
  const Rates& rates = options_.rates;
  const double call = rates.overheads.message[static_cast<int>(exchange::Overhead::two_sided)];
  return rates.rounds.empty() ? 0.0 : call;
}

// The rounds of the library's sum. Libraries sum short vectors by recursive doubling (Thakur,
// Rabenseifner, Gropp, Int. J. High Performance Computing Applications 19 (2005) 49), whereas the
// twins of described machines sum all vectors by one algorithm.
contention::CollectiveRounds Followed::library_sum(int p, int me, std::int64_t bytes) const {
  const bool short_one = !options_.rates.rounds.empty() && bytes <= longest_short_sum;
  return short_one ? contention::short_sum_rounds(p, me, bytes)
                   : contention::sum_rounds(p, me, bytes);
}

void Followed::add_collective(std::string_view name, Channel channel, const std::vector<int>& ranks,
                              const contention::CollectiveRounds& rounds, double weight,
                              bool blocking) {
  const Posting posting = blocking ? Posting::by_library : Posting::by_library_at_once;
  const double call = call_in_library();
  double entering = options_.rates.overheads.collective;
  for (const contention::CollectiveRound& from : rounds) {
    begin_round(name, channel, posting, weight);
    round_.before = static_cast<float>(std::exchange(entering, 0.0) +
                                       call * static_cast<double>(from.sends.size()));
    round_.after = static_cast<float>(call * static_cast<double>(from.receives.size()));
    if (crosses(from)) round_.company = contention::Company::crossing;
    for (const contention::CollectiveSend& part : from.sends) send(ranks[part.peer], part.bytes);
    for (const int member : from.receives) receive(ranks[member]);
    end_round();
  }
}

void Followed::begin(Channel channel) {
  under_way_[static_cast<int>(channel)] = static_cast<int>(program_.sequences.size());
  first_ = static_cast<int>(program_.rounds.size());
}
void Followed::end(Channel channel) {
  end_sequence();
  act(Action::start, channel);
}
int Followed::end_sequence(std::int32_t tag) {
  contention::RoundSequence sequence{.first = first_,
                                     .last = static_cast<int>(program_.rounds.size()),
                                     .weight = weight_,
                                     .tag = tag};
  const auto number = static_cast<int>(program_.sequences.size());
  const auto same = std::ranges::find_if(
      distinct_, [&](int other) { return program_.alike(program_.sequences[other], sequence); });
  if (same == distinct_.end()) {
    distinct_.push_back(number);
  } else if (first_ < sequence.last) {
    program_.sends.resize(program_.rounds[first_].first_send);
    program_.receives.resize(program_.rounds[first_].first_receive);
    program_.rounds.resize(first_);
    sequence.first = program_.sequences[*same].first;
    sequence.last = program_.sequences[*same].last;
  }
  program_.sequences.push_back(sequence);
  return number;
}
void Followed::act(Action action, Channel channel) {
  if (const int number = under_way_[static_cast<int>(channel)]; number >= 0)
    program_.instructions.push_back({action, static_cast<std::uint16_t>(channel), number});
}

}  // namespace phasewise::driver

#include "commtest/exchanges.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace phasewise::commtest {
namespace {

constexpr int peer = 0;  // the member of the team of a pair that is not this rank

// The pieces of all messages in one direction, as chunks: piece q of those sent is chunk q, of
// those that arrive chunk count + q. back: pieces are sent from where they arrived before, and
// arrive where they were sent from.
class Pieces {
 public:
  Pieces(const Description& d, const Memory& memory, std::int64_t packet, bool back) {
    const std::int64_t length = packet == 0 ? d.bytes : std::min(packet, d.bytes);
    for (const bool arriving : {back, !back})
      for (int message = 0; message < d.messages(); ++message)
        for (std::int64_t at = 0; at < d.bytes; at += length)
          add((arriving ? memory.arrived(message) : memory.made(message)) + at,
              std::min(length, d.bytes - at));
    count_ = static_cast<int>(regions_.size()) / 2;
    add(memory.answer_made(), answer_bytes);
    add(memory.answer_arrived(), answer_bytes);
  }
  int count() const { return count_; }
  int arriving(int piece) const { return count_ + piece; }
  int answer_made() const { return 2 * count_; }
  int answer_arrived() const { return 2 * count_ + 1; }
  std::vector<exchange::Region> take() { return std::move(regions_); }

 private:
  void add(std::int64_t offset, std::int64_t run) {
    regions_.push_back({.offset = offset, .run = run, .repeats = nullptr});
  }
  std::vector<exchange::Region> regions_;
  int count_ = 0;
};

// Appends rounds of `window` pieces each. out(round, piece) and in(round, piece) add what is sent
// and what is received; both count pieces from 0.
template <class Out, class In>
void add_rounds(exchange::Rounds& rounds, int pieces, int window, Out&& out, In&& in) {
  for (int first = 0; first < pieces; first += window) {
    exchange::Round& round = rounds.emplace_back();
    for (int piece = first; piece < std::min(first + window, pieces); ++piece) {
      out(round, piece);
      in(round, piece);
    }
  }
}

exchange::Rounds rounds_of(const Description& d, const Pieces& pieces, const Role& role) {
  const auto nothing = [](exchange::Round&, int) {};
  const auto send = [](exchange::Round& round, int chunk) {
    round.sends.push_back({peer, {chunk}});
  };
  const auto receive = [](exchange::Round& round, int chunk) {
    round.receives.push_back({peer, {chunk}});
  };
  const auto send_made = [&](exchange::Round& round, int piece) { send(round, piece); };
  const auto send_back = [&](exchange::Round& round, int piece) {
    send(round, pieces.arriving(piece));
  };
  const auto get = [&](exchange::Round& round, int piece) {
    receive(round, pieces.arriving(piece));
  };
  exchange::Rounds rounds;
  const auto add = [&](auto&& out, auto&& in) {
    add_rounds(rounds, pieces.count(), d.window, out, in);
  };
  if (role.idle()) {
    add(nothing, nothing);
    if (d.operation == Operator::echo) add(nothing, nothing);
    if (d.operation == Operator::stream) rounds.emplace_back();
  } else if (d.operation == Operator::swap) {
    add(send_made, get);
  } else if (role.leads) {
    add(send_made, nothing);
    if (d.operation == Operator::echo)
      add(nothing, get);
    else
      receive(rounds.emplace_back(), pieces.answer_arrived());
  } else {
    add(nothing, get);
    if (d.operation == Operator::echo)
      add(send_back, nothing);
    else
      send(rounds.emplace_back(), pieces.answer_made());
  }
  return rounds;
}

}  // namespace

std::string_view phase_of(Operator operation) {
  switch (operation) {
    case Operator::swap:
      return phases::swap;
    case Operator::echo:
      return phases::echo;
    case Operator::stream:
      break;
  }
  return phases::stream;
}

Memory::Memory(const Description& description)
    : stride(parallel::whole_lines(description.bytes)),
      messages(description.messages()),
      first_arrived(description.operation == Operator::echo && !description.verify ? 0 : messages) {
}

namespace {

// back: sends what arrived before, and overwrites what was sent.
exchange::ExchangePointer exchange_of(const Description& description, const Manner& manner,
                                      const Role& role, const std::vector<int>& nodes, int rank,
                                      bool back) {
  Pieces pieces(description, Memory(description), manner.packet, back);
  exchange::Exchange result;
  result.phase = phase_of(description.operation);
  const int other = role.idle() ? rank : role.peer;
  result.team = exchange::team_of_pair(other, rank, nodes);
  result.rounds = std::make_shared<exchange::Rounds>(rounds_of(description, pieces, role));
  result.protocol = manner.protocol;
  return of_one_item(std::move(result), pieces.take());
}

}  // namespace

exchange::Exchanges exchanges_of(const Description& description, const Manner& manner,
                                 const Role& role, const std::vector<int>& nodes, int rank) {
  exchange::Exchanges exchanges{exchange_of(description, manner, role, nodes, rank, false)};
  if (description.operation == Operator::swap && !description.verify)
    exchanges.push_back(exchange_of(description, manner, role, nodes, rank, true));
  return exchanges;
}

}  // namespace phasewise::commtest

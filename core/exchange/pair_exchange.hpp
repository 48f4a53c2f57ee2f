// An exchange of some messages each way between two ranks, by which the costs of calls are measured
// and predicted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exchange/exchange.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::exchange {

struct PairMessages {
  int number = 1;          // each way
  std::int64_t bytes = 8;  // of each message
  // Whether messages are sent from the odd chunks of a buffer and arrive in the even ones.
  bool turned = false;
  // The bytes between the 8 B words of a message, whose words interleave with those of the other
  // messages. With 0 each message is contiguous.
  std::int64_t stride = 0;

  // The bytes from chunk to chunk.
  std::int64_t apart() const { return stride == 0 ? parallel::whole_lines(bytes) : word; }
  std::int64_t words() const { return bytes / word; }
  Region region(int chunk) const {
    const std::int64_t offset = chunk * apart();
    if (stride == 0) return {.offset = offset, .run = bytes, .repeats = nullptr};
    const Repeat repeat{.count = words(), .stride = stride};
    return {.offset = offset,
            .run = word,
            .repeats = std::make_shared<const std::vector<Repeat>>(1, repeat)};
  }

  static constexpr std::int64_t word = 8;  // B
};

// What one member of a team of two sends and receives.
struct PairShare {
  bool sends = true, gets = true;
  bool turns_back = false;  // a second round returns what came
};

// The exchange of the two members of a team; its buffer has 2 number chunks.
inline ExchangePointer pair_exchange(TeamPointer team, Protocol protocol,
                                     const PairMessages& messages, PairShare share = {}) {
  Exchange exchange;
  exchange.phase = "probe";
  exchange.protocol = protocol;
  const int peer = 1 - team->me, odd = messages.turned ? 1 : 0;
  exchange.team = std::move(team);
  Round round;
  for (int message = 0; message < messages.number; ++message) {
    if (share.sends) round.sends.push_back({peer, {2 * message + odd}});
    if (share.gets) round.receives.push_back({peer, {2 * message + 1 - odd}});
  }
  std::vector<Region> regions;
  regions.reserve(static_cast<std::size_t>(2) * messages.number);
  for (int chunk = 0; chunk < 2 * messages.number; ++chunk)
    regions.push_back(messages.region(chunk));
  Rounds rounds{round};
  if (share.turns_back) rounds.push_back(opposite(round));
  exchange.rounds = std::make_shared<const Rounds>(std::move(rounds));
  return of_one_item(std::move(exchange), regions);
}

}  // namespace phasewise::exchange

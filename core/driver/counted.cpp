#include "driver/counted.hpp"

namespace phasewise::driver {

void Counted::summed(std::string_view phase, std::size_t values,
                     const exchange::TeamPointer& team) {
  const bool alone = team ? team->ranks.size() == 1 : alone_;
  if (!alone) asked(phase, static_cast<std::int64_t>(8 * values));
}

void Counted::start(exchange::Channel /*channel*/, const Exchanges& exchanges) {
  exchange::Works works;
  exchanges(works);
  for (const exchange::Work& work : works) {
    const exchange::Exchange& exchange = *work.exchange;
    if (exchange.by_library()) {
      if (exchange.total_bytes() > 0) asked(exchange.phase, exchange.asked_bytes());
      continue;
    }
    for (const exchange::Round& round : *exchange.rounds) {
      for (const exchange::Transfer& transfer : round.sends)
        if (const std::int64_t bytes = exchange.message_bytes(transfer); bytes > 0)
          sent(exchange.phase, exchange.team->ranks[transfer.peer], bytes);
      count_signals(exchange, round);
    }
  }
}

void Counted::start_collective(const exchange::Collective& collective, const std::byte* /*from*/,
                               std::byte* /*to*/) {
  const bool alone = collective.team ? collective.team->ranks.size() == 1 : alone_;
  const int me = collective.team ? collective.team->me : rank_;
  if (!alone) asked(collective.phase, collective.asked_bytes(me));
}

void Counted::post(const exchange::PostedMessage& message) {
  if (message.sends && message.peer != rank_) sent(message.phase, message.peer, message.bytes);
}

void Counted::count_signals(const exchange::Exchange& exchange, const exchange::Round& round) {
  const exchange::Signals signals = signals_of(exchange, round);
  for (const std::vector<int>* ranks : {&signals.before, &signals.after})
    for (const int rank : *ranks) sent(exchange.phase, rank, 0);
  if (signals.synchronisations > 0) synchronised(exchange.phase, signals.synchronisations);
}

void Counted::transpose(const exchange::TransposeExchange& exchange,
                        const exchange::ItemBuffer& /*from*/, const exchange::ItemBuffer& /*to*/) {
  if (exchange.by_library()) {
    for (int grid = 0; grid < exchange.grids; ++grid) asked(exchange.phase, exchange.asked_bytes());
    return;
  }
  for (const exchange::Round& round : *exchange.rounds)
    for (const exchange::Transfer& transfer : round.sends)
      sent(exchange.phase, exchange.team->ranks[transfer.peer], exchange.sent_bytes(transfer));
}

}  // namespace phasewise::driver

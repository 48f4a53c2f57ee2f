#include "driver/counted.hpp"

namespace phasewise::driver {

void Counted::summed(std::string_view phase, std::size_t values) {
  if (!alone_) asked(phase, static_cast<std::int64_t>(8 * values));
}
void Counted::sum(std::string_view phase, std::span<double> values) {
  summed(phase, values.size());
}
void Counted::sum(std::string_view phase, std::span<std::int64_t> values) {
  summed(phase, values.size());
}
void Counted::max(std::string_view phase, std::span<double> values) {
  summed(phase, values.size());
}

void Counted::start(comm::Channel /*channel*/, const Exchanges& exchanges) {
  for (const comm::Work& work : exchanges()) {
    const comm::Exchange& exchange = work.exchange;
    if (exchange.by_library()) {
      if (exchange.total_bytes() > 0) asked(exchange.phase, exchange.asked_bytes());
      continue;
    }
    for (const comm::Round& round : *exchange.rounds)
      for (const comm::Transfer& transfer : round.sends)
        if (const std::int64_t bytes = exchange.bytes(transfer);
            bytes > 0 && transfer.peer != exchange.team->me)
          sent(exchange.phase, exchange.team->ranks[transfer.peer], bytes);
  }
}

void Counted::transpose(const comm::TransposeExchange& exchange, std::int64_t asked_of_grid,
                        const RunTranspose& /*run*/) {
  if (exchange.by_library()) {
    for (int item = 0; item < exchange.items; ++item) asked(exchange.phase, asked_of_grid);
    return;
  }
  for (const comm::Round& round : *exchange.rounds)
    for (const comm::Transfer& transfer : round.sends)
      sent(exchange.phase, exchange.team->ranks[transfer.peer], exchange.bytes(transfer));
}

}  // namespace phasewise::driver

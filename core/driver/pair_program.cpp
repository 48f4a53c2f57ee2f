#include "driver/pair_program.hpp"

#include <memory>

#include "driver/followed.hpp"

namespace phasewise::driver {

contention::Program pair_program(exchange::Protocol protocol, PairOrder order, const Rates& rates) {
  const ProgramOptions options{.counts = {}, .rates = rates};
  contention::Program program;
  program.spread = 0.0;
  for (int rank = 0; rank < 2; ++rank) {
    Followed follower(2, rank, options, program.phases);
    const auto team = std::make_shared<exchange::Team>(
        exchange::Team{.ranks = {0, 1}, .me = rank, .nodes = {0, 0}});
    const bool back = order == PairOrder::there_and_back;
    const exchange::PairShare share{!back || rank == 0, !back || rank == 1, back};
    const exchange::ExchangePointer exchange = exchange::pair_exchange(team, protocol, {}, share);
    follower.start(exchange->channel, [&](exchange::Works& works) {
      works.push_back({exchange::lent(exchange), {}, {}});
    });
    follower.finish(exchange->channel);
    program.ranks.push_back(follower.take());
  }
  return program;
}

}  // namespace phasewise::driver

#include "contention/link_loads.hpp"

namespace phasewise::contention {

void add_link_bytes(const Program& program, const Network& network, double share,
                    std::vector<double>& bytes) {
  Route route;
  for (int rank = 0; rank < std::ssize(program.ranks); ++rank) {
    const RankProgram& own = program.ranks[rank];
    own.each_round([&](const ProgramRound& round, double weight) {
      const bool reads = round.sending == Sending::get;
      for (const Send& send : own.sends_of(round)) {
        network.find_route(reads ? send.peer : rank, reads ? rank : send.peer, route);
        for (const int link : route.links)
          bytes[link] += share * weight * static_cast<double>(send.bytes);
      }
    });
  }
}

}  // namespace phasewise::contention

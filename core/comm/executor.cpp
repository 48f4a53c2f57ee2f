#include "comm/executor.hpp"

#include <stdexcept>

namespace phasewise::comm {

Executor::Executor(const Communicator& world, Recorder& recorder,
                   const std::vector<TeamOfDivision>& teams, int threads)
    : world_(world), recorder_(recorder), threads_(threads) {
  for (const auto& [team, number] : teams)
    among_.insert_or_assign(team->ranks, world.split(number, team->me));
}

const Communicator& Executor::among(const Team& team) const {
  const auto found = among_.find(team.ranks);
  if (found == among_.end())
    throw std::logic_error("the executor does not know the team that makes this library call");
  return found->second;
}

}  // namespace phasewise::comm

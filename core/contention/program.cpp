#include "contention/program.hpp"

#include <algorithm>
#include <tuple>

namespace phasewise::contention {
namespace {

auto traits(const ProgramRound& round) {
  return std::tie(round.phase, round.weight, round.packing, round.storing, round.channel,
                  round.blocking, round.library, round.flushes, round.before, round.after,
                  round.sending, round.keeps_sends, round.keeps_receives, round.waits_for_all,
                  round.company);
}

}  // namespace

std::int64_t RankProgram::messages() const {
  std::int64_t count = 0;
  each_round([&](const ProgramRound& round, float /*weight*/) {
    count += round.last_send - round.first_send;
  });
  return count;
}

bool RankProgram::alike(const RoundSequence& a, const RoundSequence& b) const {
  return std::ranges::equal(
      rounds_of(a), rounds_of(b), [&](const ProgramRound& x, const ProgramRound& y) {
        return traits(x) == traits(y) && std::ranges::equal(sends_of(x), sends_of(y)) &&
               std::ranges::equal(receives_of(x), receives_of(y));
      });
}

}  // namespace phasewise::contention

#include "contention/program.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace phasewise::contention {
namespace {

// The sending ends, or the receiving ends, of all messages, by receiver.
template <class End>
struct Ends {
  struct Listed {
    int from;
    std::uint8_t channel;
    End* end;
  };
  std::vector<std::vector<Listed>> of_receiver;

  explicit Ends(std::size_t ranks) : of_receiver(ranks) {}
  void add(int to, int from, std::uint8_t channel, End* end) {
    of_receiver[to].push_back({from, channel, end});
  }
  void sort() {
    for (auto& listed : of_receiver)
      std::stable_sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) {
        return std::tie(a.from, a.channel) < std::tie(b.from, b.channel);
      });
  }
};

}  // namespace

void match(Program& program) {
  const std::size_t count = program.ranks.size();
  Ends<Send> sends(count);
  Ends<Receive> receives(count);
  for (int rank = 0; rank < static_cast<int>(count); ++rank)
    for (const ProgramRound& round : program.ranks[rank].rounds) {
      RankProgram& own = program.ranks[rank];
      for (int i = round.first_send; i < round.last_send; ++i)
        sends.add(own.sends[i].peer, rank, round.channel, &own.sends[i]);
      for (int i = round.first_receive; i < round.last_receive; ++i)
        receives.add(rank, own.receives[i].peer, round.channel, &own.receives[i]);
    }
  sends.sort();
  receives.sort();
  program.messages = 0;
  for (std::size_t to = 0; to < count; ++to) {
    const auto& sent = sends.of_receiver[to];
    const auto& received = receives.of_receiver[to];
    bool paired = sent.size() == received.size();
    for (std::size_t i = 0; paired && i < sent.size(); ++i) {
      paired = sent[i].from == received[i].from && sent[i].channel == received[i].channel;
      sent[i].end->id = received[i].end->id = program.messages++;
    }
    if (!paired)
      throw std::logic_error("the messages sent to rank " + std::to_string(to) +
                             " are not those that it receives");
  }
}

}  // namespace phasewise::contention

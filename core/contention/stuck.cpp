#include "contention/stuck.hpp"

#include <set>
#include <string>

#include "contention/walk.hpp"

namespace phasewise::contention {
namespace {

constexpr std::size_t most = 4;  // ranks in a sentence

}  // namespace

// Whether a rank that waits does so for this end of a message.
bool Walk::awaits(int rank, int number) const {
  if (number < 0) return false;
  if (number < std::ssize(flights_)) return ranks_[rank].waiting_for == number;
  const Request& request = requests_[number - std::ssize(flights_)];
  return request.rank == rank && request.awaited;
}

int Walk::awaited_phase(int rank) const {
  const RankState& state = ranks_[rank];
  if (state.waiting_for >= 0) return flights_[state.waiting_for].round->phase;
  return program_.ranks[rank].waits[state.next->number].phase;
}

// What `first` waits for, what the rank waits for that could end this, and so on.
std::string Walk::who_waits(int first) const {
  std::string text;
  std::set<int> told;
  bool sends = false;
  for (int rank = first; told.size() < most && told.insert(rank).second;) {
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
    if (ranks_[rank].next == ranks_[rank].end) {
      text += " has ended";
      break;
    }
    text += (told.size() == 1 ? " waits for ever in " : " waits in ") +
            program_.phases[awaited_phase(rank)];
    const Matching::Message* message = messages_.find_open([&](const Matching::Message& one) {
      return awaits(rank, one.receiver) || (!one.eager && awaits(rank, one.sender));
    });
    if (message == nullptr) break;
    const auto& [from, to, channel] = message->way;
    if (message->receiver >= 0) {
      text += " for a message from rank " + std::to_string(from);
    } else {
      text += " until rank " + std::to_string(to) + " receives " + std::to_string(message->bytes) +
              " bytes";
      sends = sends || message->bytes >= eager_;
    }
    rank = message->receiver >= 0 ? from : to;
  }
  if (sends)
    text += "; a send of " + std::to_string(eager_) + " bytes or more returns when it is received";
  return text;
}

}  // namespace phasewise::contention

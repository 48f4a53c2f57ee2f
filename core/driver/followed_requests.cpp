// What a rank posts by itself, and the collectives of the library, as a program of rounds.
#include <algorithm>
#include <array>
#include <utility>

#include "driver/collective_rounds.hpp"
#include "driver/followed.hpp"

namespace phasewise::driver {
namespace {

// Channels of messages that are posted one by one, and of collectives that have requests, whose
// tags are added: no other messages are on them.
constexpr std::int32_t first_of_posts = 1 << 10, first_of_requests = 1 << 24;
// The channels of sequences beyond those of exchanges and of their signals.
constexpr int further_channels = 2 * exchange::channels;

}  // namespace

using contention::Action;
using contention::Company;

void Followed::start_collective(const exchange::Collective& collective, const std::byte* /*from*/,
                                std::byte* /*to*/) {
  const std::vector<int>& ranks = collective.team ? collective.team->ranks : everyone_;
  if (ranks.size() == 1) return;
  const int me = collective.team ? collective.team->me : rank_;
  const int p = static_cast<int>(ranks.size());
  const bool at_once = !collective.blocking && options_.rates.started_at_once;
  const bool sums = collective.kind == exchange::CollectiveKind::sum && !at_once;
  const contention::CollectiveRounds rounds =
      sums ? library_sum(p, me, collective.sizes[0]) : rounds_of(collective, p, me, at_once);
  const bool by_request = collective.request >= 0;
  if (by_request)
    first_ = static_cast<int>(program_.rounds.size());
  else
    begin(collective.channel);
  add_collective(collective.phase, collective.channel, ranks, rounds, 1.0, collective.blocking);
  if (!by_request) return end(collective.channel);
  const int number = end_sequence(first_of_requests + collective.tag);
  const auto channel = static_cast<std::uint16_t>(free_channel(collective.request));
  program_.instructions.push_back({Action::start, channel, number});
  program_.instructions.push_back({Action::progress, channel, number});
}

void Followed::post(const exchange::PostedMessage& message) {
  const int round = written_round(message);
  program_.sequences.push_back({round, round + 1, weight_, message.tag});
  const auto number = static_cast<int>(program_.sequences.size()) - 1;
  // The requests of a rank are counted from 1 on; 0 is that of the call that is not left before the
  // message is done.
  const bool awaited = message.request != exchange::never_awaited;
  const int request = awaited ? message.request + 1 : contention::never_awaited;
  program_.instructions.push_back({Action::post, 0, number, request});
  const Post post{.receives = !message.sends, .peer = message.peer, .sequence = number};
  if (receives_from(post)) let_cross(post);
  if (!awaited) return;
  if (std::ssize(posts_) <= request) posts_.resize(request + 1);
  posts_[request] = post;
  if (post.receives) ++receiving_[post.peer];
  if (message.request == exchange::blocking_call)
    program_.instructions.push_back({Action::wait, 0, written_wait(message.phase, {0})});
}

void Followed::wait(std::string_view phase, std::span<const int> requests) {
  std::vector<int> messages;
  for (const int request : requests) {
    const auto collective = std::ranges::find(by_channel_, request);
    if (collective == by_channel_.end()) {
      messages.push_back(request + 1);
      continue;
    }
    const auto channel =
        static_cast<std::uint16_t>(further_channels + (collective - by_channel_.begin()));
    program_.instructions.push_back({Action::finish, channel, 0});
    *collective = -1;
  }
  if (messages.empty()) return;
  for (const int message : messages)
    if (const Post& post = posts_.at(message); receives_from(post)) let_cross(post);
  program_.instructions.push_back({Action::wait, 0, written_wait(phase, messages)});
}

// Whether a message is sent to another rank from which this one has posted a receive, and has not
// yet waited for it.
bool Followed::receives_from(const Post& post) const {
  return !post.receives && post.peer != rank_ && receiving_[post.peer] > 0;
}

void Followed::let_cross(const Post& post) {
  contention::RoundSequence& sequence = program_.sequences[post.sequence];
  const int round = sequence.first, next = static_cast<int>(program_.rounds.size());
  if (program_.rounds[round].company == Company::crossing) return;
  const auto [found, added] = crossing_rounds_.try_emplace(round, next);
  if (added) {
    program_.rounds.push_back(program_.rounds[round]);
    program_.rounds.back().company = Company::crossing;
  }
  sequence.first = found->second;
  sequence.last = found->second + 1;
}

// The number of the round that has this message alone.
int Followed::written_round(const exchange::PostedMessage& message) {
  const auto next = static_cast<int>(program_.rounds.size());
  const int direction = !message.sends ? 0 : message.synchronous ? 1 : 2;
  const std::array<std::int64_t, 4> key{phase(message.phase), direction, message.peer,
                                        message.bytes};
  const auto [found, added] = rounds_of_posts_.try_emplace(key, next);
  if (!added) return found->second;
  begin_round(message.phase, exchange::common_channel, Posting::at_once, 1.0);
  round_.channel = first_of_posts;
  if (message.synchronous) round_.sending = contention::Sending::synchronous;
  if (message.sends) {
    round_.before = static_cast<float>(
        options_.rates.overheads.message[static_cast<int>(exchange::Overhead::two_sided)]);
    send(message.peer, message.bytes);
  } else {
    receive(message.peer);
  }
  end_round(true);
  return next;
}

// The number of a wait for these requests, counted as in the program.
int Followed::written_wait(std::string_view name, const std::vector<int>& requests) {
  const auto received =
      std::ranges::count_if(requests, [&](int request) { return posts_.at(request).receives; });
  for (const int request : requests)
    if (const Post& post = posts_.at(request); post.receives) --receiving_[post.peer];
  std::vector<int> key{phase(name), static_cast<int>(received)};
  key.insert(key.end(), requests.begin(), requests.end());
  const auto [found, added] =
      known_waits_.try_emplace(std::move(key), static_cast<int>(program_.waits.size()));
  if (!added) return found->second;
  const double call =
      options_.rates.overheads.message[static_cast<int>(exchange::Overhead::two_sided)];
  const auto first = static_cast<int>(program_.awaited.size());
  program_.awaited.insert(program_.awaited.end(), requests.begin(), requests.end());
  program_.waits.push_back({.phase = static_cast<std::int16_t>(phase(name)),
                            .weight = static_cast<float>(weight_),
                            .after = static_cast<float>(call * static_cast<double>(received)),
                            .first = first,
                            .last = static_cast<int>(program_.awaited.size())});
  return found->second;
}

// The number of a channel on which no collective is under way, for that of this request.
int Followed::free_channel(int request) {
  auto place = std::ranges::find(by_channel_, -1);
  if (place == by_channel_.end()) place = by_channel_.insert(place, -1);
  *place = request;
  return further_channels + static_cast<int>(place - by_channel_.begin());
}

}  // namespace phasewise::driver

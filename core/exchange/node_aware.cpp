// Reduce-scatter in two levels: a node's members first add up among themselves what goes to each
// owner. Only one message for each owner then leaves a node, and these messages are spread over its
// members. The chunk of an owner with place m on its own node is collected on a node of q members
// by the member with place m mod q. If all nodes have q members, a member sends first q - 1 and
// then p/q - 1 messages. After Bienz, Olson, Gropp, arXiv 1910.09650, who do this for the whole
// sum.
#include <algorithm>

#include "exchange/node_members.hpp"
#include "exchange/partners.hpp"
#include "exchange/rounds.hpp"

namespace phasewise::exchange {
namespace {

// The chunks that each member of a node of q members collects there.
std::vector<std::vector<int>> collected(const NodeMembers& nodes, int q) {
  std::vector<std::vector<int>> chunks(q);
  for (int owner = 0; owner < std::ssize(nodes.place); ++owner)
    chunks[nodes.place[owner] % q].push_back(owner);
  return chunks;
}

// All nodes get the same number of these rounds, so that the rounds between nodes have the same
// numbers everywhere.
Rounds rounds_within(const NodeMembers& nodes, Schedule schedule, int me) {
  const std::vector<int>& team = nodes.members[nodes.node[me]];
  const int q = static_cast<int>(team.size()), place = nodes.place[me];
  int largest = 0;
  for (const auto& members : nodes.members)
    largest = std::max(largest, static_cast<int>(members.size()));
  const auto chunks = collected(nodes, q);
  Rounds rounds = meeting_rounds(
      schedule, place, q,
      [&](int to) {
        return Transfer{team[to], chunks[to]};
      },
      [&](int from) {
        return Transfer{team[from], chunks[place]};
      });
  rounds.resize(meetings(schedule, largest));
  return rounds;
}

// In round k a member sends to the node k ahead and receives from the node k behind, around the
// ring of nodes.
void add_rounds_between(Rounds& rounds, const NodeMembers& nodes, int me) {
  const int count = static_cast<int>(nodes.members.size()), own = nodes.node[me];
  const std::size_t place = nodes.place[me], q = nodes.members[own].size();
  for (int k = 1; k < count; ++k) {
    Round round;
    const std::vector<int>& owners = nodes.members[(own + k) % count];
    for (std::size_t m = place; m < owners.size(); m += q)
      round.sends.push_back({owners[m], {owners[m]}});
    const std::vector<int>& senders = nodes.members[(own - k + count) % count];
    round.receives.push_back({senders[place % senders.size()], {me}});
    rounds.push_back(std::move(round));
  }
}

}  // namespace

Rounds node_aware_rounds(Schedule schedule, int me, std::span<const int> nodes) {
  const NodeMembers numbered(nodes);
  Rounds rounds = rounds_within(numbered, schedule, me);
  add_rounds_between(rounds, numbered, me);
  return rounds;
}

}  // namespace phasewise::exchange

#include "recorded/turn.hpp"

#include <algorithm>

namespace phasewise::recorded {

std::vector<exchange::TeamPointer> teams_of(const ProgramFile& file, const std::vector<int>& nodes,
                                            int rank) {
  std::vector<exchange::TeamPointer> found;
  for (const std::vector<int>& members : file.teams()) {
    const auto me = std::ranges::find(members, rank);
    exchange::Team team{.ranks = {rank}, .me = 0, .nodes = {}};
    if (me != members.end())
      team = {.ranks = members, .me = static_cast<int>(me - members.begin()), .nodes = {}};
    for (const int member : team.ranks) team.nodes.push_back(nodes[member]);
    found.push_back(std::make_shared<const exchange::Team>(std::move(team)));
  }
  return found;
}

Turn::Turn(const ProgramFile& file, double compute, const std::vector<int>& nodes, int rank)
    : file_(file),
      compute_(compute),
      acts_(file.acts_of(rank)),
      teams_(teams_of(file, nodes, rank)) {
  prepare();
}

// Makes what rows and lists stand for.
void Turn::prepare() {
  for (const std::vector<std::int64_t>& list : acts_.lists)
    requests_.emplace_back(list.begin(), list.end());
  collectives_.resize(acts_.rows.size());
  for (std::size_t row = 0; row < acts_.rows.size(); ++row) {
    const Act& act = acts_.rows[row];
    if (act.kind < Act::first_collective) continue;
    collectives_[row] = {
        .phase = file_.phases()[act.phase],
        .team = teams_[act.team],
        .kind = static_cast<exchange::CollectiveKind>(act.kind - Act::first_collective),
        .blocking = act.request == exchange::blocking_call,
        .sizes = acts_.lists[act.list],
        .receives =
            act.second_list < 0 ? std::vector<std::int64_t>{} : acts_.lists[act.second_list],
        .root = static_cast<int>(act.peer),
        .request = static_cast<int>(act.request),
        .tag = static_cast<int>(act.tag)};
  }
}

void Turn::tell(const workload::Piece& /*piece*/, workload::Listener& listener) {
  constexpr double nanosecond = 1e-9;
  for (std::size_t i = 0; i < acts_.row_of.size(); ++i) {
    if (acts_.gaps[i] > 0)
      listener.compute(computing, compute_ * nanosecond * static_cast<double>(acts_.gaps[i]));
    const Act& act = acts_.rows[acts_.row_of[i]];
    if (act.kind == Act::wait) {
      listener.wait(file_.phases()[act.phase], requests_[act.list]);
    } else if (act.kind >= Act::first_collective) {
      const exchange::Collective& collective = collectives_[acts_.row_of[i]];
      listener.start_collective(collective, nullptr, nullptr);
      if (collective.blocking) listener.finish(collective.channel);
    } else if (act.kind != Act::end) {
      post(act, listener);
    }
  }
  told_ = true;
}

void Turn::post(const Act& act, workload::Listener& listener) const {
  listener.post({.phase = file_.phases()[act.phase],
                 .sends = act.kind != Act::receive,
                 .synchronous = act.kind == Act::synchronous_send,
                 .peer = static_cast<int>(act.peer),
                 .bytes = act.bytes,
                 .tag = static_cast<int>(act.tag),
                 .request = static_cast<int>(act.request)});
}

}  // namespace phasewise::recorded

#include "contention/network.hpp"

#include <algorithm>

#include "contention/description.hpp"

namespace phasewise::contention {

int Network::add_links(int count, double capacity) {
  const int first = static_cast<int>(capacities_.size());
  capacities_.insert(capacities_.end(), static_cast<std::size_t>(count), capacity);
  return first;
}

Network::Network(const std::string& text) {
  const Description given(text);
  const std::string& kind = given.word("kind");
  nodes_ = static_cast<int>(given.number("nodes"));
  node_ranks_ = static_cast<int>(given.number("node.ranks"));
  if (given.has("memory")) {
    const auto memory = given.numbers("memory", 3);
    memory_ = {memory[0], memory[1]};
    bus_ = add_links(nodes_, memory[2]);
    if (given.has("memory.shares")) {
      rank_out_ = add_links(nodes_ * node_ranks_, memory[1]);
      in_and_out_ = given.has("memory.in_and_out");
      rank_in_ = in_and_out_ ? rank_out_ : add_links(nodes_ * node_ranks_, memory[1]);
    }
  }
  if (given.has("flow")) {
    const auto flow = given.numbers("flow", 2);
    flow_ = {flow[0], flow[1]};
  }
  if (given.has("adapter")) {
    out_ = add_links(nodes_, given.number("adapter"));
    in_ = add_links(nodes_, given.number("adapter"));
  }
  if (given.has("places"))
    for (const double place : given.numbers("places", static_cast<std::size_t>(nodes_)))
      places_.push_back(static_cast<int>(place));
  if (given.has("taper")) {
    const auto taper = given.numbers("taper", 2);
    stage_nodes_ = static_cast<int>(taper[0]);
    int last = nodes_ - 1;
    for (const int place : places_) last = std::max(last, place);
    const int stages = last / stage_nodes_ + 1;
    up_ = add_links(stages, taper[1]);
    down_ = add_links(stages, taper[1]);
  }
  if (kind == "fat-tree" || kind == "none") return;
  kind_ = kind == "torus" ? Kind::torus : Kind::dragonfly;
  const auto dims = given.numbers("dims", 3), link = given.numbers("link", 2);
  hop_latency_ = link[0];
  if (kind_ == Kind::torus) {
    for (int axis = 0; axis < 3; ++axis) torus_.dims[axis] = static_cast<int>(dims[axis]);
    torus_.wraps = !given.has("wrap") || given.number("wrap") != 0.0;
    nodes_ = torus_.nodes();
    hop_ = add_links(nodes_ * Torus::ways, link[1]);
    return;
  }
  dragonfly_ = {static_cast<int>(dims[0]), static_cast<int>(dims[1]), static_cast<int>(dims[2])};
  nodes_ = dragonfly_.nodes();
  hop_ = add_links(dragonfly_.first_global(), link[1]);
  add_links(dragonfly_.links() - dragonfly_.first_global(), given.number("global"));
}

void Network::cross(int link, Route& route) const {
  route.links.push_back(link);
  route.latency += hop_latency_;
}

double Network::reference_capacity(int from_rank, int to_rank) const {
  const int link = node_of(from_rank) == node_of(to_rank) ? bus_ : out_ >= 0 ? out_ : hop_;
  return link >= 0 ? capacities_[link] : flow_.bandwidth;
}

void Network::find_route(int from_rank, int to_rank, Route& route) const {
  const int from = node_of(from_rank), to = node_of(to_rank);
  route.links.clear();
  route.by_ranks = in_and_out_ && from == to;
  if (from == to) {
    route.latency = memory_.latency;
    route.max_bandwidth = memory_.bandwidth;
    if (rank_out_ >= 0) route.links.push_back(rank_out_ + from_rank);
    if (bus_ >= 0) route.links.push_back(bus_ + from);
    if (rank_in_ >= 0) route.links.push_back(rank_in_ + to_rank);
    return;
  }
  route.latency = flow_.latency;
  route.max_bandwidth = flow_.bandwidth;
  if (out_ >= 0) route.links.push_back(out_ + from);
  const int start = place_of(from), end = place_of(to);
  if (up_ >= 0 && start / stage_nodes_ != end / stage_nodes_) {
    route.links.push_back(up_ + start / stage_nodes_);
    route.links.push_back(down_ + end / stage_nodes_);
  }
  const auto hop = [&](int link) { cross(hop_ + link, route); };
  if (kind_ == Kind::torus) torus_.follow(start, end, hop);
  if (kind_ == Kind::dragonfly) dragonfly_.follow(start, end, hop);
  if (in_ >= 0) route.links.push_back(in_ + to);
}

}  // namespace phasewise::contention

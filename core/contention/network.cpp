#include "contention/network.hpp"

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
  }
  if (given.has("flow")) {
    const auto flow = given.numbers("flow", 2);
    flow_ = {flow[0], flow[1]};
  }
  if (given.has("adapter")) {
    out_ = add_links(nodes_, given.number("adapter"));
    in_ = add_links(nodes_, given.number("adapter"));
  }
  if (given.has("taper")) {
    const auto taper = given.numbers("taper", 2);
    stage_nodes_ = static_cast<int>(taper[0]);
    const int stages = (nodes_ + stage_nodes_ - 1) / stage_nodes_;
    up_ = add_links(stages, taper[1]);
    down_ = add_links(stages, taper[1]);
  }
  if (kind == "fat-tree" || kind == "none") return;
  kind_ = kind == "torus" ? Kind::torus : Kind::dragonfly;
  const auto dims = given.numbers("dims", 3), link = given.numbers("link", 2);
  hop_latency_ = link[0];
  if (kind_ == Kind::torus) {
    for (int axis = 0; axis < 3; ++axis) torus_.dims[axis] = static_cast<int>(dims[axis]);
    nodes_ = torus_.nodes();
    hop_ = add_links(nodes_ * Torus::ways, link[1]);
    return;
  }
  groups_ = static_cast<int>(dims[0]);
  group_routers_ = static_cast<int>(dims[1]);
  router_nodes_ = static_cast<int>(dims[2]);
  nodes_ = groups_ * group_routers_ * router_nodes_;
  to_router_ = add_links(nodes_, link[1]);
  from_router_ = add_links(nodes_, link[1]);
  local_ = add_links(groups_ * group_routers_ * group_routers_, link[1]);
  global_ = add_links(groups_ * groups_, given.number("global"));
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
  if (from == to) {
    route.latency = memory_.latency;
    route.max_bandwidth = memory_.bandwidth;
    if (bus_ >= 0) route.links.push_back(bus_ + from);
    return;
  }
  route.latency = flow_.latency;
  route.max_bandwidth = flow_.bandwidth;
  if (out_ >= 0) route.links.push_back(out_ + from);
  if (up_ >= 0 && from / stage_nodes_ != to / stage_nodes_) {
    route.links.push_back(up_ + from / stage_nodes_);
    route.links.push_back(down_ + to / stage_nodes_);
  }
  if (kind_ == Kind::torus) torus_.follow(from, to, [&](int link) { cross(hop_ + link, route); });
  if (kind_ == Kind::dragonfly) add_dragonfly_way(from, to, route);
  if (in_ >= 0) route.links.push_back(in_ + to);
}

// A message goes from its node to the router; within a group, straight to any other router; between
// groups, over the one link that joins them, which leaves from the router that has the other
// group's number.
void Network::add_dragonfly_way(int from, int to, Route& route) const {
  const int each = router_nodes_, width = group_routers_;
  int router = from / each;
  const int last = to / each;
  const auto hop = [&](int next) {
    if (next == router) return;
    cross(local_ + router * width + next % width, route);
    router = next;
  };
  cross(to_router_ + from, route);
  const int group = router / width, target = last / width;
  if (group != target) {
    hop(group * width + target);
    cross(global_ + group * groups_ + target, route);
    router = target * width + group;
  }
  hop(last);
  cross(from_router_ + to, route);
}

}  // namespace phasewise::contention

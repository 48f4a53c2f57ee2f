#include "contention/network.hpp"

#include <algorithm>

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
  shape_ = {.ranks = static_cast<int>(given.number("node.ranks")),
            .sockets = given.whole("node.sockets", 1),
            .adapters = given.whole("node.adapters", 1)};
  add_node_links(given);
  add_places(given);
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
  dragonfly_ = {static_cast<int>(dims[0]), static_cast<int>(dims[1]), static_cast<int>(dims[2]),
                shape_.adapters};
  nodes_ = dragonfly_.nodes();
  hop_ = add_links(dragonfly_.first_global(), link[1]);
  add_links(dragonfly_.links() - dragonfly_.first_global(), given.number("global"));
}

// The links within the nodes, and those to the network.
void Network::add_node_links(const Description& given) {
  if (given.has("memory")) {
    const auto memory = given.numbers("memory", 3);
    memory_ = {memory[0], memory[1]};
    bus_ = add_links(nodes_ * shape_.sockets, memory[2]);
    if (given.has("memory.shares")) {
      rank_out_ = add_links(nodes_ * shape_.ranks, memory[1]);
      in_and_out_ = given.has("memory.in_and_out");
      rank_in_ = in_and_out_ ? rank_out_ : add_links(nodes_ * shape_.ranks, memory[1]);
    }
  }
  if (shape_.sockets > 1) {
    const auto sockets = given.numbers("sockets", 3);
    sockets_ = {sockets[0], sockets[1]};
    between_sockets_ = add_links(nodes_ * shape_.sockets * shape_.sockets, sockets[2]);
  }
  if (given.has("flow")) {
    const auto flow = given.numbers("flow", 2);
    flow_ = {flow[0], flow[1]};
  }
  if (given.has("adapter")) {
    out_ = add_links(nodes_ * shape_.adapters, given.number("adapter"));
    in_ = add_links(nodes_ * shape_.adapters, given.number("adapter"));
  }
}

// The places of the nodes in the network, and the stages of a fat-tree.
void Network::add_places(const Description& given) {
  if (given.has("places"))
    for (const double place : given.numbers("places", static_cast<std::size_t>(nodes_)))
      places_.push_back(static_cast<int>(place));
  if (!given.has("taper")) return;
  const auto taper = given.numbers("taper", 2);
  stage_nodes_ = static_cast<int>(taper[0]);
  int last = nodes_ - 1;
  for (const int place : places_) last = std::max(last, place);
  const int stages = last / stage_nodes_ + 1;
  up_ = add_links(stages, taper[1]);
  down_ = add_links(stages, taper[1]);
}

void Network::cross(int link, Route& route) const {
  route.links.push_back(link);
  route.latency += hop_latency_;
}

// The link from a rank's socket to another one of its node.
int Network::socket_link(int from_rank, int to_rank) const {
  return between_sockets_ + shape_.socket_of(from_rank) * shape_.sockets +
         shape_.socket_of(to_rank) % shape_.sockets;
}

double Network::reference_capacity(int from_rank, int to_rank) const {
  const Level level = level_of(from_rank, to_rank);
  int link = out_ >= 0 ? out_ : hop_;
  if (level == Level::within) link = bus_;
  if (level == Level::across) link = socket_link(from_rank, to_rank);
  return link >= 0 ? capacities_[link] : flow_.bandwidth;
}

void Network::find_route_within(int from_rank, int to_rank, Route& route) const {
  const bool across = level_of(from_rank, to_rank) == Level::across;
  const FlowLimit& limit = across ? sockets_ : memory_;
  route.latency = limit.latency;
  route.max_bandwidth = limit.bandwidth;
  if (rank_out_ >= 0) route.links.push_back(rank_out_ + from_rank);
  if (bus_ >= 0) route.links.push_back(bus_ + shape_.socket_of(from_rank));
  if (across) {
    route.links.push_back(socket_link(from_rank, to_rank));
    route.links.push_back(bus_ + shape_.socket_of(to_rank));
  }
  if (rank_in_ >= 0) route.links.push_back(rank_in_ + to_rank);
}

void Network::find_route(int from_rank, int to_rank, Route& route) const {
  const int from = node_of(from_rank), to = node_of(to_rank);
  route.links.clear();
  route.by_ranks = in_and_out_ && from == to;
  if (from == to) return find_route_within(from_rank, to_rank, route);
  route.latency = flow_.latency;
  route.max_bandwidth = flow_.bandwidth;
  const int out = shape_.adapter_of(from_rank), in = shape_.adapter_of(to_rank);
  if (out_ >= 0) route.links.push_back(out_ + out);
  const int start = place_of(from), end = place_of(to);
  if (up_ >= 0 && start / stage_nodes_ != end / stage_nodes_) {
    route.links.push_back(up_ + start / stage_nodes_);
    route.links.push_back(down_ + end / stage_nodes_);
  }
  const auto hop = [&](int link) { cross(hop_ + link, route); };
  if (kind_ == Kind::torus) torus_.follow(start, end, hop);
  if (kind_ == Kind::dragonfly)
    dragonfly_.follow(start, end, hop, out % shape_.adapters, in % shape_.adapters);
  if (in_ >= 0) route.links.push_back(in_ + in);
}

}  // namespace phasewise::contention

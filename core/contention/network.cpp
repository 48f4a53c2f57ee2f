#include "contention/network.hpp"

#include <map>
#include <sstream>
#include <stdexcept>

namespace phasewise::contention {
namespace {

class Description {
 public:
  explicit Description(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equals = line.find(" = ");
      if (equals != std::string::npos) values_[line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  bool has(const std::string& key) const { return values_.contains(key); }
  const std::string& word(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw std::invalid_argument("the network lacks " + key);
    return found->second;
  }
  std::vector<double> numbers(const std::string& key, std::size_t count) const {
    std::istringstream text(word(key));
    std::vector<double> values;
    for (double value = 0.0; text >> value;) values.push_back(value);
    if (values.size() != count)
      throw std::invalid_argument("the network's " + key + " needs " + std::to_string(count) +
                                  " numbers");
    return values;
  }
  double number(const std::string& key) const { return numbers(key, 1)[0]; }

 private:
  std::map<std::string, std::string> values_;
};

constexpr int ways = 6;  // of a torus: up and down in each direction

}  // namespace

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
  for (int axis = 0; axis < 3; ++axis) dims_[axis] = static_cast<int>(dims[axis]);
  hop_latency_ = link[0];
  nodes_ = dims_[0] * dims_[1] * dims_[2];
  if (kind_ == Kind::torus) {
    hop_ = add_links(nodes_ * ways, link[1]);
    return;
  }
  to_router_ = add_links(nodes_, link[1]);
  from_router_ = add_links(nodes_, link[1]);
  local_ = add_links(dims_[0] * dims_[1] * dims_[1], link[1]);
  global_ = add_links(dims_[0] * dims_[0], given.number("global"));
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
    route.most = memory_.bandwidth;
    if (bus_ >= 0) route.links.push_back(bus_ + from);
    return;
  }
  route.latency = flow_.latency;
  route.most = flow_.bandwidth;
  if (out_ >= 0) route.links.push_back(out_ + from);
  if (up_ >= 0 && from / stage_nodes_ != to / stage_nodes_) {
    route.links.push_back(up_ + from / stage_nodes_);
    route.links.push_back(down_ + to / stage_nodes_);
  }
  if (kind_ == Kind::torus) add_torus_way(from, to, route);
  if (kind_ == Kind::dragonfly) add_dragonfly_way(from, to, route);
  if (in_ >= 0) route.links.push_back(in_ + to);
}

// Along x, then y, then z, the shorter way round; of two equally long ones the even places take the
// one, the odd ones the other.
void Network::add_torus_way(int from, int to, Route& route) const {
  int at = from;
  for (int axis = 0, stride = 1; axis < 3; stride *= dims_[axis++]) {
    const int side = dims_[axis];
    int here = at / stride % side;
    const int there = to / stride % side, up = (there - here + side) % side, down = side - up;
    const bool goes_up = up < down || (up == down && here % 2 == 0);
    while (here != there) {
      cross(hop_ + at * ways + 2 * axis + (goes_up ? 0 : 1), route);
      const int next = (here + (goes_up ? 1 : side - 1)) % side;
      at += (next - here) * stride;
      here = next;
    }
  }
}

// To the router; within a group straight to any other router; between groups over the one link that
// joins them, which stands at the router with the other group's number.
void Network::add_dragonfly_way(int from, int to, Route& route) const {
  const int each = dims_[2], width = dims_[1];
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
    cross(global_ + group * dims_[0] + target, route);
    router = target * width + group;
  }
  hop(last);
  cross(from_router_ + to, route);
}

}  // namespace phasewise::contention

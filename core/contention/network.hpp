// A machine's network as links with capacities, and the way of a message over them: node adapters,
// memory buses, the tapered stages of a fat-tree, the links of a torus or a dragonfly. The same
// networks as machines/platform.cpp makes for the simulator.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace phasewise::contention {

struct Route {
  double latency = 0.0;    // [s]
  double most = 0.0;       // bandwidth of a message alone [B/s]
  std::vector<int> links;  // shared with other messages
};

class Network {
 public:
  // `description`: lines `key = value` as phasewise/machines/twin.py writes them. Throws
  // std::invalid_argument where a key is missing or of another kind.
  explicit Network(const std::string& description);

  const std::vector<double>& capacities() const { return capacities_; }
  int node_ranks() const { return node_ranks_; }
  // Of a message between nodes, or, on a single node, within it [s].
  double latency() const { return nodes_ > 1 ? flow_.latency : memory_.latency; }
  int node_of(int rank) const { return rank / node_ranks_; }
  // Of the place that messages between these two share first: the bus of a node, its adapter, or,
  // where it has none, a link of the torus [B/s].
  double reference_capacity(int from_rank, int to_rank) const;
  // `route` is overwritten.
  void find_route(int from_rank, int to_rank, Route& route) const;

 private:
  enum class Kind { fat_tree, torus, dragonfly };
  struct Line {
    double latency, bandwidth;
  };
  int add_links(int count, double capacity);
  void add_torus_way(int from, int to, Route& route) const;
  void add_dragonfly_way(int from, int to, Route& route) const;
  void cross(int link, Route& route) const;

  Kind kind_ = Kind::fat_tree;
  int nodes_ = 0, node_ranks_ = 1;
  Line memory_{}, flow_{};
  double hop_latency_ = 0.0;
  std::vector<double> capacities_;
  // First link of each sort; -1 where there is none.
  int bus_ = -1, out_ = -1, in_ = -1, up_ = -1, down_ = -1, hop_ = -1;
  int stage_nodes_ = 0;
  std::array<int, 3> dims_{};
  int to_router_ = -1, from_router_ = -1, local_ = -1, global_ = -1;
};

}  // namespace phasewise::contention

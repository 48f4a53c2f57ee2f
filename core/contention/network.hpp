// A machine's network as links with capacities, and the route of a message over them: adapters,
// memory buses, links between the sockets of a node, what a rank can copy within its node, the
// tapered stages of a fat-tree, the links of a torus or a dragonfly. machines/platform.cpp makes
// the same networks for the simulator.
#pragma once

#include <string>
#include <vector>

#include "contention/description.hpp"
#include "contention/dragonfly.hpp"
#include "contention/node_shape.hpp"
#include "contention/torus.hpp"

namespace phasewise::contention {

struct Route {
  double latency = 0.0;        // [s]
  double max_bandwidth = 0.0;  // of a message that is alone [B/s]
  std::vector<int> links;      // shared with other messages
  // Whether the first and the last link stand for what the two ranks can copy out and in.
  bool by_ranks = false;
};

// A link as machines/platform.cpp names it, and what it connects.
struct LinkEnds {
  std::string name, kind, from, to;
};

class Network {
 public:
  // Throws std::invalid_argument, as Description does.
  explicit Network(const std::string& description);

  const std::vector<double>& capacities() const { return capacities_; }
  int node_ranks() const { return shape_.ranks; }
  // The latency [s] of a message between nodes; with a single node, of a message within it.
  double latency() const { return nodes_ > 1 ? flow_.latency : memory_.latency; }
  int node_of(int rank) const { return shape_.node_of(rank); }
  Level level_of(int from_rank, int to_rank) const {
    return contention::level_of(shape_, from_rank, to_rank);
  }
  // The capacity [B/s] of the link that messages between these two ranks share first: the bus of a
  // socket, the link between two sockets, an adapter, or, without adapters, a link of the torus.
  double reference_capacity(int from_rank, int to_rank) const;
  // Overwrites `route`.
  void find_route(int from_rank, int to_rank, Route& route) const;
  LinkEnds ends_of(int link) const;

 private:
  enum class Kind { fat_tree, torus, dragonfly };
  struct FlowLimit {
    double latency, bandwidth;  // of one message, however many there are
  };
  int add_links(int count, double capacity);
  void add_node_links(const Description& given);
  void add_places(const Description& given);
  int socket_link(int from_rank, int to_rank) const;
  void find_route_within(int from_rank, int to_rank, Route& route) const;
  int place_of(int node) const { return places_.empty() ? node : places_[node]; }
  void cross(int link, Route& route) const;
  LinkEnds ends_in_node(int link) const;
  LinkEnds ends_of_hop(int link) const;

  Kind kind_ = Kind::fat_tree;
  int nodes_ = 0;
  NodeShape shape_;
  FlowLimit memory_{}, sockets_{}, flow_{};
  double hop_latency_ = 0.0;
  std::vector<double> capacities_;
  // The first link of each kind; -1 if there is none.
  int bus_ = -1, between_sockets_ = -1, rank_out_ = -1, rank_in_ = -1, out_ = -1, in_ = -1,
      up_ = -1, down_ = -1, hop_ = -1;
  bool in_and_out_ = false;  // a rank's sends and receives within a node share a link
  int stage_nodes_ = 0;
  std::vector<int> places_;  // of the nodes in the network; empty: in order
  Torus torus_;
  Dragonfly dragonfly_;
};

}  // namespace phasewise::contention

// The sockets and the adapters of a node, and those that a rank uses. It includes nothing of the
// project, since machines/platform.cpp, which is compiled against SimGrid alone, uses it too.
#pragma once

#include <cstdint>
#include <numeric>

namespace phasewise::contention {

// The ranks fill the sockets of a node one after another, and share its adapters likewise: of 8
// ranks, 0 to 3 are on the first of two sockets, and 0 and 1 use the first of four adapters.
// Sockets and adapters are numbered through all nodes.
struct NodeShape {
  int ranks = 1, sockets = 1, adapters = 1;

  int node_of(int rank) const { return rank / ranks; }
  int socket_of(int rank) const { return share_of(rank, sockets); }
  int adapter_of(int rank) const { return share_of(rank, adapters); }
  // The parts of a node whose ranks have both the socket and the adapter in common.
  int parts() const { return std::lcm(sockets, adapters); }
  // The socket and the adapter of a part, within its node.
  int socket_of_part(int part) const { return part * sockets / parts(); }
  int adapter_of_part(int part) const { return part * adapters / parts(); }

 private:
  int share_of(int rank, int shares) const {
    return node_of(rank) * shares + rank % ranks * shares / ranks;
  }
};

// Where a message goes: within a socket, to another socket of the node, or to another node.
enum class Level : std::uint8_t { within, across, between };

inline Level level_of(const NodeShape& node, int from_rank, int to_rank) {
  if (node.node_of(from_rank) != node.node_of(to_rank)) return Level::between;
  return node.socket_of(from_rank) == node.socket_of(to_rank) ? Level::within : Level::across;
}

}  // namespace phasewise::contention

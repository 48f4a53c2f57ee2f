// The members of a team by node.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

namespace phasewise::exchange {

// Nodes are numbered in the order of their first members.
struct NodeMembers {
  std::vector<std::vector<int>> members;
  std::vector<int> node, place;  // each member's node, and its place among the node's members

  // nodes[i] is the node of member i.
  explicit NodeMembers(std::span<const int> nodes) {
    std::unordered_map<int, int> number;
    for (int member = 0; member < std::ssize(nodes); ++member) {
      const int own =
          number.try_emplace(nodes[member], static_cast<int>(number.size())).first->second;
      if (own == std::ssize(members)) members.emplace_back();
      node.push_back(own);
      place.push_back(static_cast<int>(members[own].size()));
      members[own].push_back(member);
    }
  }
};

}  // namespace phasewise::exchange

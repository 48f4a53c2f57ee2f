// The route of a message over a dragonfly. It includes nothing of the project, since
// machines/platform.cpp, which is compiled against SimGrid alone, uses the same routes.
#pragma once

namespace phasewise::contention {

// Groups of routers, each with some nodes. Each adapter of a node has a link to the node's router.
// All routers of a group are connected with each other, and so is each pair of groups (Kim, Dally,
// Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008). If there are
// more groups than routers in one, a router has several such connections.
struct Dragonfly {
  int groups = 0, routers = 0, router_nodes = 0;  // routers per group, nodes per router
  int adapters = 1;                               // per node

  int nodes() const { return groups * routers * router_nodes; }
  // Links are numbered by what they connect: adapter to router, router to adapter, router to router
  // of one group, group to group.
  int first_local() const { return 2 * nodes() * adapters; }
  int first_global() const { return first_local() + groups * routers * routers; }
  int links() const { return first_global() + groups * groups; }

  // Calls cross(link) for each link on the way from an adapter of one node, `out`, to one of
  // another, `in`. A message goes to the node's router; within a group, directly to any other
  // router; between groups, over the one link that connects them, which starts at the router that
  // has the other group's number, modulo the routers.
  template <class Cross>
  void follow(int from, int to, Cross&& cross, int out, int in) const {
    int router = from / router_nodes;
    const int last = to / router_nodes;
    const auto hop = [&](int next) {
      if (next == router) return;
      cross(first_local() + router * routers + next % routers);
      router = next;
    };
    cross(from * adapters + out);
    const int group = router / routers, target = last / routers;
    if (group != target) {
      hop(group * routers + target % routers);
      cross(first_global() + group * groups + target);
      router = target * routers + group % routers;
    }
    hop(last);
    cross((nodes() + to) * adapters + in);
  }
};

}  // namespace phasewise::contention

#include <algorithm>
#include <string>

#include "contention/network.hpp"

namespace phasewise::contention {
namespace {

std::string numbered(const char* name, int number) { return name + std::to_string(number); }

// As platform.cpp names the links of a node's sockets or adapters.
std::string of_node(int node, const char* what, int number, int of) {
  const std::string name = numbered("node", node) + "." + what;
  return of > 1 ? name + std::to_string(number) : name;
}

// The link's number among those that begin with `first`; -1 if it is none of them.
int among(int link, int first, int count) {
  return first >= 0 && link >= first && link < first + count ? link - first : -1;
}

}  // namespace

LinkEnds Network::ends_of(int link) const {
  const int adapters = in_ - out_;  // of the nodes in use, one way
  const char* beyond = kind_ == Kind::fat_tree ? (up_ >= 0 ? "stage" : "network") : "router";
  const auto end = [&](int node) {
    if (kind_ == Kind::torus) return numbered("router", place_of(node));
    if (kind_ == Kind::dragonfly)
      return numbered("router", place_of(node) / dragonfly_.router_nodes);
    return up_ >= 0 ? numbered(beyond, place_of(node) / stage_nodes_) : std::string(beyond);
  };
  for (const bool out : {true, false})
    if (const int own = among(link, out ? out_ : in_, adapters); own >= 0) {
      const int node = own / shape_.adapters;
      const std::string name =
          of_node(node, out ? "out" : "in", own % shape_.adapters, shape_.adapters);
      const std::string here = numbered("node", node);
      return out ? LinkEnds{name, "adapter", here, end(node)}
                 : LinkEnds{name, "adapter", end(node), here};
    }
  if (up_ >= 0 && link >= up_) {
    const bool rises = link < down_;
    const std::string stage = numbered("stage", link - (rises ? up_ : down_));
    return rises ? LinkEnds{stage + ".up", "stage", stage, "network"}
                 : LinkEnds{stage + ".down", "stage", "network", stage};
  }
  return hop_ >= 0 && link >= hop_ ? ends_of_hop(link - hop_) : ends_in_node(link);
}

LinkEnds Network::ends_in_node(int link) const {
  const int sockets = shape_.sockets;
  if (const int own = among(link, bus_, nodes_ * sockets); own >= 0) {
    const std::string node = numbered("node", own / sockets);
    return {of_node(own / sockets, "bus", own % sockets, sockets), "bus", node, node};
  }
  if (const int own = among(link, between_sockets_, nodes_ * sockets * sockets); own >= 0) {
    const std::string node = numbered("node", own / (sockets * sockets));
    const int from = own / sockets % sockets, to = own % sockets;
    return {node + numbered(".from", from) + numbered("to", to), "sockets", node, node};
  }
  // What a rank can copy is no link of the machine, and has no name in platform.cpp.
  return {};
}

LinkEnds Network::ends_of_hop(int link) const {
  const std::string name = numbered("link", link);
  const auto router = [](int number) { return numbered("router", number); };
  if (kind_ == Kind::torus) {
    const int at = link / Torus::ways, axis = link % Torus::ways / 2;
    int stride = 1;
    for (int before = 0; before < axis; ++before) stride *= torus_.dims[before];
    const int side = torus_.dims[axis], here = at / stride % side;
    const int next = (here + (link % 2 == 0 ? 1 : side - 1)) % side;
    return {name, "link", router(at), router(at + (next - here) * stride)};
  }
  const Dragonfly& net = dragonfly_;
  const int ports = net.nodes() * net.adapters;
  if (link >= net.first_global()) {
    const int own = link - net.first_global(), from = own / net.groups, to = own % net.groups;
    return {name, "global", router(from * net.routers + to % net.routers),
            router(to * net.routers + from % net.routers)};
  }
  if (link >= net.first_local()) {
    const int own = link - net.first_local(), from = own / net.routers;
    return {name, "local", router(from),
            router(from / net.routers * net.routers + own % net.routers)};
  }
  const int place = link % ports / net.adapters;
  const auto own = std::ranges::find(places_, place);
  const int number = own == places_.end() ? place : static_cast<int>(own - places_.begin());
  const std::string node = numbered("node", number), at = router(place / net.router_nodes);
  return link < ports ? LinkEnds{name, "port", node, at} : LinkEnds{name, "port", at, node};
}

}  // namespace phasewise::contention

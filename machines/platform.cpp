// The simulated cluster as SimGrid's platform. smpirun loads this shared object instead of an XML
// file, which could describe neither a node's shared memory bus nor an adapter beside the limit of
// one flow. The variable PHASEWISE_PLATFORM names the file that describes what to build.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "contention/description.hpp"
#include "contention/dragonfly.hpp"
#include "contention/node_shape.hpp"
#include "contention/torus.hpp"

namespace sg4 = simgrid::s4u;
using phasewise::contention::Description;
using phasewise::contention::Dragonfly;
using phasewise::contention::NodeShape;
using phasewise::contention::Torus;
using simgrid::kernel::routing::NetPoint;

namespace {

Description read_description(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read the platform in ") + path);
  std::ostringstream text;
  text << file.rdbuf();
  return Description(text.str());
}

struct Rate {
  double latency, bandwidth;  // s, B/s
};

sg4::LinkInRoute shared_link(sg4::NetZone* zone, const std::string& name, Rate rate) {
  return sg4::LinkInRoute(
      zone->create_link(name, rate.bandwidth)->set_latency(rate.latency)->seal());
}

// Limits each flow to this rate, however many flows there are.
sg4::LinkInRoute flow_limit(sg4::NetZone* zone, const std::string& name, Rate rate) {
  return sg4::LinkInRoute(zone->create_link(name, rate.bandwidth)
                              ->set_latency(rate.latency)
                              ->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE)
                              ->seal());
}

using Links = std::vector<sg4::LinkInRoute>;

NodeShape shape_of(const Description& given) {
  return {.ranks = given.whole("node.ranks", 1),
          .sockets = given.whole("node.sockets", 1),
          .adapters = given.whole("node.adapters", 1)};
}

// A node, with the links among its ranks, and those to and from other nodes. It has a host for each
// of its parts, whose ranks share the memory bus of a socket and, in each direction, an adapter; a
// node of one rank may have neither.
struct Node {
  NodeShape shape;
  std::vector<sg4::Host*> hosts;
  // From one part to another, and out of a part to other nodes and into it.
  std::vector<std::vector<Links>> within;
  std::vector<Links> out, in;

  int parts() const { return static_cast<int>(hosts.size()); }
  NetPoint* point(int part) const { return hosts[part]->get_netpoint(); }
};

std::vector<sg4::Host*> make_hosts(sg4::NetZone* zone, const Description& given,
                                   const std::string& name, const NodeShape& shape) {
  std::vector<sg4::Host*> hosts;
  for (int part = 0; part < shape.parts(); ++part) {
    const std::string own = shape.parts() > 1 ? name + "." + std::to_string(part) : name;
    hosts.push_back(zone->create_host(own, given.number("processor.rate")));
    hosts.back()->set_core_count((shape.ranks + shape.parts() - 1) / shape.parts())->seal();
  }
  return hosts;
}

// The names of the links of a node's sockets or adapters have numbers if there are several.
std::string numbered(const std::string& name, const std::string& what, int number, int of) {
  return of > 1 ? name + "." + what + std::to_string(number) : name + "." + what;
}

// The links within a node between any two sockets; the diagonal is for messages within one.
std::vector<std::vector<Links>> socket_links(sg4::NetZone* zone, const Description& given,
                                             const std::string& name, int sockets) {
  const std::vector<double> memory = given.numbers("memory", 3);
  const sg4::LinkInRoute copy = flow_limit(zone, name + ".copy", {memory[0], memory[1]});
  Links buses;
  for (int i = 0; i < sockets; ++i)
    buses.push_back(shared_link(zone, numbered(name, "bus", i, sockets), {0.0, memory[2]}));
  std::vector<std::vector<Links>> links(sockets, std::vector<Links>(sockets));
  for (int i = 0; i < sockets; ++i) links[i][i] = {copy, buses[i]};
  if (sockets == 1) return links;
  const std::vector<double> across = given.numbers("sockets", 3);
  const sg4::LinkInRoute limit = flow_limit(zone, name + ".across", {across[0], across[1]});
  for (int from = 0; from < sockets; ++from)
    for (int to = 0; to < sockets; ++to) {
      if (from == to) continue;
      const std::string own = name + ".from" + std::to_string(from) + "to" + std::to_string(to);
      links[from][to] = {limit, buses[from], shared_link(zone, own, {0.0, across[2]}), buses[to]};
    }
  return links;
}

void add_within(Node& node, sg4::NetZone* zone, const Description& given, const std::string& name) {
  const auto links = socket_links(zone, given, name, node.shape.sockets);
  node.within.assign(node.parts(), std::vector<Links>(node.parts()));
  for (int from = 0; from < node.parts(); ++from)
    for (int to = 0; to < node.parts(); ++to)
      node.within[from][to] = links[node.shape.socket_of_part(from)][node.shape.socket_of_part(to)];
}

Node make_node(sg4::NetZone* zone, const Description& given, const std::string& name) {
  const NodeShape shape = shape_of(given);
  Node node;
  node.shape = shape;
  node.hosts = make_hosts(zone, given, name, shape);
  if (given.has("memory")) add_within(node, zone, given, name);
  const std::vector<double> flow = given.numbers("flow", 2);
  node.out.assign(node.parts(), {flow_limit(zone, name + ".flow", {flow[0], flow[1]})});
  node.in.resize(node.parts());
  if (!given.has("adapter")) return node;
  Links out, in;
  for (int i = 0; i < shape.adapters; ++i) {
    const Rate rate{0.0, given.number("adapter")};
    out.push_back(shared_link(zone, numbered(name, "out", i, shape.adapters), rate));
    in.push_back(shared_link(zone, numbered(name, "in", i, shape.adapters), rate));
  }
  for (int part = 0; part < node.parts(); ++part) {
    node.out[part].push_back(out[shape.adapter_of_part(part)]);
    node.in[part].push_back(in[shape.adapter_of_part(part)]);
  }
  return node;
}

// Adds the routes between the parts of a node.
void add_routes_within(sg4::NetZone* zone, const Node& node) {
  if (node.within.empty()) return;
  for (int from = 0; from < node.parts(); ++from)
    for (int to = 0; to < node.parts(); ++to)
      zone->add_route(node.point(from), node.point(to), nullptr, nullptr, node.within[from][to],
                      false);
}

void add_zone_to_star(sg4::NetZone* star, sg4::NetZone* zone, NetPoint* router) {
  star->add_route(zone->get_netpoint(), nullptr, router, nullptr, Links{}, false);
  star->add_route(nullptr, zone->get_netpoint(), nullptr, router, Links{}, false);
}

// A node of several parts is a zone of its own, since a star has no routes between two hosts that
// differ from those to all others.
void add_parts_to_star(sg4::NetZone* star, const Description& given, const std::string& name) {
  sg4::NetZone* zone = sg4::create_full_zone(name);
  zone->set_parent(star);
  const Node node = make_node(zone, given, name);
  NetPoint* router = zone->create_router(name + ".router");
  add_routes_within(zone, node);
  for (int part = 0; part < node.parts(); ++part) {
    if (node.in[part].empty()) continue;  // a single node without a network
    zone->add_route(node.point(part), router, nullptr, nullptr, node.out[part], false);
    zone->add_route(router, node.point(part), nullptr, nullptr, node.in[part], false);
  }
  zone->seal();
  add_zone_to_star(star, zone, router);
}

// In a star, a route consists of the links out of its first node and those into its last one.
void add_to_star(sg4::NetZone* star, const Description& given, const std::string& name) {
  if (shape_of(given).parts() > 1) return add_parts_to_star(star, given, name);
  const Node node = make_node(star, given, name);
  star->add_route(node.point(0), nullptr, nullptr, nullptr, node.out[0], false);
  star->add_route(nullptr, node.point(0), nullptr, nullptr, node.in[0], false);
  add_routes_within(star, node);
}

std::string node_name(unsigned long number) { return "node" + std::to_string(number); }

unsigned long count(const Description& given, const std::string& key) {
  return static_cast<unsigned long>(given.number(key));
}

// The place of each node in the network.
std::vector<unsigned long> places_of(const Description& given) {
  std::vector<unsigned long> places(count(given, "nodes"));
  std::iota(places.begin(), places.end(), 0);
  if (given.has("places")) {
    const std::vector<double> listed = given.numbers("places", places.size());
    std::copy(listed.begin(), listed.end(), places.begin());
  }
  return places;
}

void build_flat(const Description& given) {
  sg4::NetZone* star = sg4::create_star_zone("cluster");
  for (unsigned long i = 0; i < count(given, "nodes"); ++i) add_to_star(star, given, node_name(i));
  star->seal();
}

// Makes the router at which a star in a star is entered and left. SimGrid finds no route from a
// zone in a star to a router of the star, so that beside such zones the router has a zone of its
// own.
NetPoint* make_gateway(sg4::NetZone* star, const std::string& name, bool beside_zones) {
  if (!beside_zones) return star->create_router(name);
  sg4::NetZone* zone = sg4::create_full_zone(name + ".zone");
  zone->set_parent(star);
  NetPoint* router = zone->create_router(name);
  zone->seal();
  add_zone_to_star(star, zone, router);
  return router;
}

// Builds first stages of a few nodes, each connected to the others by one link in each direction.
void build_tapered(const Description& given) {
  const std::vector<double> taper = given.numbers("taper", 2);
  const auto together = static_cast<unsigned long>(taper[0]);
  std::map<unsigned long, std::vector<unsigned long>> stages;
  const std::vector<unsigned long> places = places_of(given);
  for (unsigned long node = 0; node < places.size(); ++node)
    stages[places[node] / together].push_back(node);
  sg4::NetZone* top = sg4::create_star_zone("cluster");
  for (const auto& [number, nodes] : stages) {
    const std::string name = "stage" + std::to_string(number);
    sg4::NetZone* stage = sg4::create_star_zone(name);
    stage->set_parent(top);
    NetPoint* gateway = make_gateway(stage, name + ".router", shape_of(given).parts() > 1);
    for (const unsigned long node : nodes) add_to_star(stage, given, node_name(node));
    stage->seal();
    NetPoint* here = stage->get_netpoint();
    top->add_route(here, nullptr, gateway, nullptr,
                   {shared_link(top, name + ".up", {0.0, taper[1]})}, false);
    top->add_route(nullptr, here, nullptr, gateway,
                   {shared_link(top, name + ".down", {0.0, taper[1]})}, false);
  }
  top->seal();
}

// Nodes whose messages follow a network's own routes. SimGrid's torus sends all messages the same
// way around if both ways are equally long, and its dragonfly has links of only one bandwidth.
template <class Network>
class RoutedZone {
 public:
  RoutedZone(const Description& given, const Network& network)
      : network_(network), places_(places_of(given)) {
    for (unsigned long i = 0; i < count(given, "nodes"); ++i)
      nodes_.push_back(make_node(zone_, given, node_name(i)));
  }

  void add_links(int number, Rate rate) {
    for (int i = 0; i < number; ++i)
      links_.push_back(shared_link(zone_, "link" + std::to_string(links_.size()), rate));
  }

  void add_routes() {
    const int nodes = static_cast<int>(nodes_.size());
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < nodes; ++b)
        if (a == b)
          add_routes_within(zone_, nodes_[a]);
        else
          add_routes_between(a, b);
    zone_->seal();
  }

 private:
  void add_routes_between(int a, int b) {
    for (int from = 0; from < nodes_[a].parts(); ++from)
      for (int to = 0; to < nodes_[b].parts(); ++to)
        zone_->add_route(nodes_[a].point(from), nodes_[b].point(to), nullptr, nullptr,
                         route({a, from}, {b, to}), false);
  }

  struct End {
    int node, part;
  };
  Links route(End from, End to) const {
    const Node &first = nodes_[from.node], &last = nodes_[to.node];
    Links links = first.out[from.part];
    const auto cross = [&](int link) { links.push_back(links_[link]); };
    const int start = static_cast<int>(places_[from.node]);
    const int end = static_cast<int>(places_[to.node]);
    network_.follow(start, end, cross, first.shape.adapter_of_part(from.part),
                    last.shape.adapter_of_part(to.part));
    const Links& in = last.in[to.part];
    links.insert(links.end(), in.begin(), in.end());
    return links;
  }

  sg4::NetZone* zone_ = sg4::create_full_zone("cluster");
  Network network_;
  std::vector<unsigned long> places_;  // of each node
  std::vector<Node> nodes_;
  Links links_;  // as the network numbers them
};

void build_torus(const Description& given) {
  const std::vector<double> dims = given.numbers("dims", 3), link = given.numbers("link", 2);
  Torus torus;
  std::copy(dims.begin(), dims.end(), torus.dims.begin());
  torus.wraps = !given.has("wrap") || given.number("wrap") != 0.0;
  RoutedZone zone(given, torus);
  zone.add_links(torus.nodes() * Torus::ways, {link[0], link[1]});
  zone.add_routes();
}

void build_dragonfly(const Description& given) {
  const std::vector<double> dims = given.numbers("dims", 3), link = given.numbers("link", 2);
  const Dragonfly dragonfly{static_cast<int>(dims[0]), static_cast<int>(dims[1]),
                            static_cast<int>(dims[2]), shape_of(given).adapters};
  RoutedZone zone(given, dragonfly);
  zone.add_links(dragonfly.first_global(), {link[0], link[1]});
  zone.add_links(dragonfly.links() - dragonfly.first_global(), {link[0], given.number("global")});
  zone.add_routes();
}

void build(const Description& given) {
  const std::string kind = given.word("kind");
  if (kind == "torus")
    build_torus(given);
  else if (kind == "dragonfly")
    build_dragonfly(given);
  else if (given.has("taper"))
    build_tapered(given);
  else
    build_flat(given);
}

}  // namespace

extern "C" void load_platform(const sg4::Engine& /*engine*/) {
  const char* path = std::getenv("PHASEWISE_PLATFORM");
  if (path == nullptr)
    throw std::runtime_error(
        "the variable PHASEWISE_PLATFORM is not set: it must name a platform's description");
  build(read_description(path));
}

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
#include "contention/torus.hpp"

namespace sg4 = simgrid::s4u;
using phasewise::contention::Description;
using phasewise::contention::Dragonfly;
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

// A node, with the links among its ranks, and those to and from other nodes. Its ranks share the
// memory bus and, in each direction, the adapter; a node of one rank may have neither.
struct Node {
  sg4::Host* host;
  std::vector<sg4::LinkInRoute> within, out, in;
  NetPoint* point() const { return host->get_netpoint(); }
};

Node make_node(sg4::NetZone* zone, const Description& given, const std::string& name) {
  Node node{zone->create_host(name, given.number("processor.rate")), {}, {}, {}};
  node.host->set_core_count(static_cast<int>(given.number("node.ranks")))->seal();
  if (given.has("memory")) {
    const std::vector<double> memory = given.numbers("memory", 3);
    node.within = {flow_limit(zone, name + ".copy", {memory[0], memory[1]}),
                   shared_link(zone, name + ".bus", {0.0, memory[2]})};
  }
  const std::vector<double> flow = given.numbers("flow", 2);
  node.out = {flow_limit(zone, name + ".flow", {flow[0], flow[1]})};
  if (given.has("adapter")) {
    const double adapter = given.number("adapter");
    node.out.push_back(shared_link(zone, name + ".out", {0.0, adapter}));
    node.in.push_back(shared_link(zone, name + ".in", {0.0, adapter}));
  }
  return node;
}

// In a star, a route consists of the links out of its first node and those into its last one.
void add_to_star(sg4::NetZone* star, const Description& given, const std::string& name) {
  const Node node = make_node(star, given, name);
  star->add_route(node.point(), nullptr, nullptr, nullptr, node.out, false);
  star->add_route(nullptr, node.point(), nullptr, nullptr, node.in, false);
  if (!node.within.empty())
    star->add_route(node.point(), node.point(), nullptr, nullptr, node.within, false);
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
    NetPoint* gateway = stage->create_router(name + ".router");
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
        if (a != b || !nodes_[a].within.empty())
          zone_->add_route(nodes_[a].point(), nodes_[b].point(), nullptr, nullptr,
                           a == b ? nodes_[a].within : route(a, b), false);
    zone_->seal();
  }

 private:
  std::vector<sg4::LinkInRoute> route(int from, int to) const {
    std::vector<sg4::LinkInRoute> links = nodes_[from].out;
    network_.follow(static_cast<int>(places_[from]), static_cast<int>(places_[to]),
                    [&](int link) { links.push_back(links_[link]); });
    links.insert(links.end(), nodes_[to].in.begin(), nodes_[to].in.end());
    return links;
  }

  sg4::NetZone* zone_ = sg4::create_full_zone("cluster");
  Network network_;
  std::vector<unsigned long> places_;  // of each node
  std::vector<Node> nodes_;
  std::vector<sg4::LinkInRoute> links_;  // as the network numbers them
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
                            static_cast<int>(dims[2])};
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

// The simulated cluster as SimGrid's platform: a shared object that smpirun loads in the place of
// an XML file, which could give neither a node's shared memory bus nor an adapter beside the limit
// of one flow. What it builds is described by the file that the variable PHASEWISE_PLATFORM names.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sg4 = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;

namespace {

// Lines `key = value`, as phasewise/machines/twin.py writes them.
class Description {
 public:
  explicit Description(const char* path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(std::string("cannot read the platform in ") + path);
    for (std::string line; std::getline(file, line);) {
      const std::size_t equals = line.find(" = ");
      if (equals != std::string::npos) lines_[line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  const std::string& word(const std::string& key) const {
    const auto found = lines_.find(key);
    if (found == lines_.end()) throw std::runtime_error("the platform lacks " + key);
    return found->second;
  }
  bool has(const std::string& key) const { return lines_.count(key) > 0; }
  std::vector<double> numbers(const std::string& key, std::size_t count) const {
    std::istringstream text(word(key));
    std::vector<double> values;
    for (double value = 0.0; text >> value;) values.push_back(value);
    if (values.size() != count)
      throw std::runtime_error("the platform's " + key + " is incomplete");
    return values;
  }
  double number(const std::string& key) const { return numbers(key, 1)[0]; }

 private:
  std::map<std::string, std::string> lines_;
};

struct Rate {
  double latency, bandwidth;  // s, B/s
};

sg4::LinkInRoute shared_link(sg4::NetZone* zone, const std::string& name, Rate rate) {
  return sg4::LinkInRoute(
      zone->create_link(name, rate.bandwidth)->set_latency(rate.latency)->seal());
}

// Every flow by itself gets this rate at most, however many there are.
sg4::LinkInRoute flow_limit(sg4::NetZone* zone, const std::string& name, Rate rate) {
  return sg4::LinkInRoute(zone->create_link(name, rate.bandwidth)
                              ->set_latency(rate.latency)
                              ->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE)
                              ->seal());
}

// Adds one node to a star. Its ranks share the memory bus among themselves and, each way, the
// adapter towards the others; one rank alone on its node may have neither.
sg4::Host* add_node(sg4::NetZone* star, const Description& given, const std::string& name) {
  sg4::Host* host = star->create_host(name, given.number("processor.rate"));
  host->set_core_count(static_cast<int>(given.number("node.ranks")))->seal();
  NetPoint* here = host->get_netpoint();
  if (given.has("memory")) {
    const std::vector<double> memory = given.numbers("memory", 3);
    star->add_route(here, here, nullptr, nullptr,
                    {flow_limit(star, name + ".copy", {memory[0], memory[1]}),
                     shared_link(star, name + ".bus", {0.0, memory[2]})},
                    false);
  }
  const std::vector<double> flow = given.numbers("flow", 2);
  std::vector<sg4::LinkInRoute> out{flow_limit(star, name + ".flow", {flow[0], flow[1]})}, in;
  if (given.has("adapter")) {
    const double adapter = given.number("adapter");
    out.push_back(shared_link(star, name + ".out", {0.0, adapter}));
    in.push_back(shared_link(star, name + ".in", {0.0, adapter}));
  }
  star->add_route(here, nullptr, nullptr, nullptr, out, false);
  star->add_route(nullptr, here, nullptr, nullptr, in, false);
  return host;
}

std::string node_name(unsigned long number) { return "node" + std::to_string(number); }

unsigned long count(const Description& given, const std::string& key) {
  return static_cast<unsigned long>(given.number(key));
}

void build_flat(const Description& given) {
  sg4::NetZone* star = sg4::create_star_zone("cluster");
  for (unsigned long i = 0; i < count(given, "nodes"); ++i) add_node(star, given, node_name(i));
  star->seal();
}

// First stages of so many nodes, each joined to all others by one link each way.
void build_tapered(const Description& given) {
  const std::vector<double> taper = given.numbers("taper", 2);
  const auto together = static_cast<unsigned long>(taper[0]), nodes = count(given, "nodes");
  sg4::NetZone* top = sg4::create_star_zone("cluster");
  for (unsigned long first = 0; first < nodes; first += together) {
    const std::string name = "stage" + std::to_string(first / together);
    sg4::NetZone* stage = sg4::create_star_zone(name);
    stage->set_parent(top);
    NetPoint* gateway = stage->create_router(name + ".router");
    for (unsigned long i = first; i < std::min(first + together, nodes); ++i)
      add_node(stage, given, node_name(i));
    stage->seal();
    NetPoint* here = stage->get_netpoint();
    top->add_route(here, nullptr, gateway, nullptr,
                   {shared_link(top, name + ".up", {0.0, taper[1]})}, false);
    top->add_route(nullptr, here, nullptr, gateway,
                   {shared_link(top, name + ".down", {0.0, taper[1]})}, false);
  }
  top->seal();
}

// Each place of a torus or dragonfly is a star of one node, whose own links come before and after
// those of the network.
sg4::ClusterCallbacks one_node_each(const Description& given) {
  return sg4::ClusterCallbacks(
      [&given](sg4::NetZone* zone, const std::vector<unsigned long>& /*at*/, unsigned long id) {
        sg4::NetZone* star = sg4::create_star_zone("place" + std::to_string(id));
        star->set_parent(zone);
        NetPoint* gateway = star->create_router("place" + std::to_string(id) + ".router");
        add_node(star, given, node_name(id));
        star->seal();
        return std::pair(star->get_netpoint(), gateway);
      });
}

void build_torus(const Description& given) {
  const std::vector<double> dims = given.numbers("dims", 3), link = given.numbers("link", 2);
  sg4::create_torus_zone("cluster", nullptr, {dims.begin(), dims.end()}, one_node_each(given),
                         link[1], link[0], sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
}

// All routers of a group are joined, and each group with each other one. SimGrid has one bandwidth
// for all links, in multiples of which the wider ones are given.
void build_dragonfly(const Description& given) {
  const std::vector<double> dims = given.numbers("dims", 3), link = given.numbers("link", 2);
  const auto wide = [&](double bandwidth) {
    return static_cast<unsigned int>(std::max(1.0, std::round(bandwidth / link[1])));
  };
  const auto groups = static_cast<unsigned int>(dims[0]),
             routers = static_cast<unsigned int>(dims[1]),
             nodes = static_cast<unsigned int>(dims[2]);
  const sg4::DragonflyParams shape{
      {groups, wide(given.number("global"))}, {1, 1}, {routers, 1}, nodes};
  sg4::create_dragonfly_zone("cluster", nullptr, shape, one_node_each(given), link[1], link[0],
                             sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
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
  if (path == nullptr) throw std::runtime_error("PHASEWISE_PLATFORM names no platform");
  const Description given(path);
  build(given);
}

// The simulated cluster as SimGrid's platform: a shared object that smpirun loads in the place of
// an XML file, which could give neither a node's shared memory bus nor an adapter beside the limit
// of one flow. What it builds is described by the file that the variable PHASEWISE_PLATFORM names.
#include <cstdlib>
#include <fstream>
#include <map>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

// Lines `key = numbers`, as phasewise/machines/platform.py writes them.
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
  std::vector<double> numbers(const std::string& key) const {
    std::istringstream text(word(key));
    std::vector<double> values;
    for (double value = 0.0; text >> value;) values.push_back(value);
    return values;
  }
  double number(const std::string& key) const { return numbers(key).at(0); }

 private:
  std::map<std::string, std::string> lines_;
};

constexpr double unlimited = 1e15;  // B/s: a link that only has a latency

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

// Adds one node to a star: its ranks share the memory bus among themselves, and the adapter, each
// way, towards the others.
sg4::Host* add_node(sg4::NetZone* star, const Description& given, const std::string& name) {
  sg4::Host* host = star->create_host(name, given.number("processor.rate"));
  host->set_core_count(static_cast<int>(given.number("node.ranks")))->seal();
  const sg4::LinkInRoute bus =
      shared_link(star, name + ".bus", {0.0, given.number("memory.bandwidth")});
  const sg4::LinkInRoute copy =
      flow_limit(star, name + ".copy",
                 {given.number("memory.latency"), given.number("memory.rank_bandwidth")});
  const sg4::LinkInRoute out =
      shared_link(star, name + ".out", {0.0, given.number("adapter.bandwidth")});
  const sg4::LinkInRoute in =
      shared_link(star, name + ".in", {0.0, given.number("adapter.bandwidth")});
  const sg4::LinkInRoute flow = flow_limit(
      star, name + ".flow", {given.number("network.latency"), given.number("network.bandwidth")});
  simgrid::kernel::routing::NetPoint* here = host->get_netpoint();
  star->add_route(here, here, nullptr, nullptr, {bus, copy}, false);
  star->add_route(here, nullptr, nullptr, nullptr, {out, flow}, false);
  star->add_route(nullptr, here, nullptr, nullptr, {in}, false);
  return host;
}

std::string node_name(unsigned long number) { return "node" + std::to_string(number); }

void build_fat_tree(const Description& given) {
  sg4::NetZone* star = sg4::create_star_zone("cluster");
  const auto nodes = static_cast<unsigned long>(given.number("nodes"));
  for (unsigned long i = 0; i < nodes; ++i) add_node(star, given, node_name(i));
  star->seal();
}

}  // namespace

extern "C" void load_platform(const sg4::Engine& /*engine*/) {
  const char* path = std::getenv("PHASEWISE_PLATFORM");
  if (path == nullptr) throw std::runtime_error("PHASEWISE_PLATFORM names no platform");
  const Description given(path);
  build_fat_tree(given);
}

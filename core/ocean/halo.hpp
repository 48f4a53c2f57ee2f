// The exchange of the ghost rows of planes with other ranks: first along x, with the rows of a
// block alone, and then along y over the whole width, which carries the corners. Both are one
// phase. Ghosts beyond walls, and of blocks that were dropped, keep what they have.
#pragma once

#include <string_view>
#include <vector>

#include "exchange/exchange.hpp"
#include "ocean/planes.hpp"
#include "workload/listener.hpp"

namespace phasewise::ocean {

struct HaloSetting {
  std::string_view phase;
  exchange::Channel channel = exchange::common_channel;
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;
  int items = 1;          // adjacent planes that are exchanged
  bool aggregate = true;  // one message for all planes, or one each
};

class Halo {
 public:
  // nodes: the node of each rank.
  Halo(const Layout& layout, const Planes& planes, const std::vector<int>& nodes, int rank,
       const HaloSetting& setting);

  // `data` are the planes, or null without contents.
  void run(workload::Listener& listener, double* data) const;
  void start(workload::Listener& listener, double* data) const;
  void progress(workload::Listener& listener) const { listener.progress(setting_.channel); }
  void finish(workload::Listener& listener) const { listener.finish(setting_.channel); }
  // What all ranks prepare together.
  const exchange::Exchanges& exchanges() const { return stages_; }

 private:
  HaloSetting setting_;
  std::int64_t plane_;          // doubles
  exchange::Exchanges stages_;  // along x, along y
};

}  // namespace phasewise::ocean

// One process alone: a box whose axes are not split, and a listener that does what it is told.
#pragma once

#include "lattice/neighbours.hpp"
#include "workload/listener.hpp"

namespace phasewise::lattice {

class OneProcess final : public workload::Listener {
 public:
  void kernel(const parallel::KernelCard& /*card*/, double /*items*/,
              const std::function<void()>& work) override {
    work();
  }
  void sum(std::string_view /*phase*/, std::span<double> /*values*/,
           const comm::TeamPointer& /*team*/) override {}
  void sum(std::string_view /*phase*/, std::span<std::int64_t> /*values*/,
           const comm::TeamPointer& /*team*/) override {}
  void max(std::string_view /*phase*/, std::span<double> /*values*/,
           const comm::TeamPointer& /*team*/) override {}
  void start(comm::Channel /*channel*/, const Exchanges& /*exchanges*/) override {}
  void start_collective(const comm::Collective& /*collective*/, const std::byte* /*from*/,
                        std::byte* /*to*/) override {}
  void progress(comm::Channel /*channel*/) override {}
  void finish(comm::Channel /*channel*/) override {}
  void transpose(const comm::TransposeExchange& /*exchange*/, const comm::ItemBuffer& /*from*/,
                 const comm::ItemBuffer& /*to*/) override {}
};

// The box of one rank.
struct OneBox {
  explicit OneBox(const Extents& box) : size(box) {}
  OneBox(const OneBox&) = delete;
  OneBox& operator=(const OneBox&) = delete;

  Extents size, grid{1, 1, 1, 1};
  std::vector<Extents> places{Extents{}};
  std::vector<int> ranks{0}, nodes{0};
  Position position{size, grid, places, ranks, nodes, 0};
};

}  // namespace phasewise::lattice

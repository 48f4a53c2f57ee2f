// One process alone: a box whose axes are not split, and a listener that runs the kernels.
#pragma once

#include "qcd/exchange/neighbours.hpp"
#include "workload/offline_listener.hpp"

namespace phasewise::qcd {

class OneProcess final : public workload::OfflineListener {
 public:
  void kernel(const parallel::KernelCard& /*card*/, double /*items*/,
              const std::function<void()>& work) override {
    work();
  }
};

// The box of a single rank.
struct OneBox {
  explicit OneBox(const Extents& box) : size(box) {}
  OneBox(const OneBox&) = delete;
  OneBox& operator=(const OneBox&) = delete;

  Extents size, grid{1, 1, 1, 1};
  std::vector<Extents> places{Extents{}};
  std::vector<int> ranks{0}, nodes{0};
  Position position{size, grid, places, ranks, nodes, 0};
};

}  // namespace phasewise::qcd

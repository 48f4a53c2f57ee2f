// The workload `kernels`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include "kernels/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::kernels {
namespace {

class KernelsWorkload : public workload::Workload {
 public:
  KernelsWorkload(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)), description_(parameters) {}

  std::vector<workload::Phase> phases() const override {
    return {{std::string(phases::checks), "sum", "all"}};
  }
  std::vector<workload::Piece> pieces() const override { return {the_piece}; }
  std::unique_ptr<workload::RankTurn> turn_of(int /*rank*/) const override {
    return std::make_unique<Turn>(description_, false);
  }
  std::vector<std::vector<int>> process_grid() const override { return {{ranks(), 1}}; }
  std::vector<workload::Load> loads() const override { return {}; }
  // All ranks do the same.
  std::vector<int> typical_ranks() const override { return {0}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<KernelsWorkload, Run>(); }

}  // namespace phasewise::kernels

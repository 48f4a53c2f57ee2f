// The workload `kernels`: its phases, and the turn of a rank.
#include "kernels/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::kernels {
namespace {

class Kernels : public workload::Planned<Turn> {
 public:
  Kernels(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)), description_(parameters) {}

  std::vector<workload::Phase> phases() const override {
    return {workload::main_phase(workload::checks, "sum", "all")};
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "kernel"}}; }
  std::unique_ptr<Turn> make_turn(int /*rank*/, workload::Contents contents) const override {
    return std::make_unique<Turn>(description_, contents);
  }
  std::vector<int> place(int rank) const override { return {rank}; }
  // All ranks do the same work.
  std::vector<int> typical_ranks() const override { return {0}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<Kernels, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::kernels

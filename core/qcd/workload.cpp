// The workload `qcd`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include "qcd/phases.hpp"
#include "qcd/run.hpp"
#include "qcd/turn_pieces.hpp"
#include "workload/entry.hpp"

namespace phasewise::qcd {
namespace {

constexpr std::array<const char*, axes> axis_names{"x", "y", "z", "t"};

class QcdWorkload : public workload::Workload {
 public:
  QcdWorkload(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)),
        description_(parameters),
        ranks_(description_, Workload::nodes()) {}

  std::vector<workload::Phase> phases() const override {
    std::vector<workload::Phase> found;
    found.reserve(4 * axes + 8);
    for (int axis = 0; axis < axes; ++axis)
      found.push_back({std::string(phases::halo[axis]), "halo", axis_names[axis]});
    for (const auto sum : {phases::sum_curvature, phases::sum_direction, phases::sum_step,
                           phases::sum_residual, phases::sum_solution, phases::sum_pion})
      found.push_back({std::string(sum), "sum", "all"});
    for (int axis = 0; axis < axes; ++axis)
      found.push_back({std::string(phases::links[axis]), "halo", axis_names[axis], {}, 4.0});
    for (int axis = 0; axis < 3; ++axis)
      found.push_back({std::string(phases::smear[axis]), "halo", axis_names[axis], {}, 4.0});
    for (int axis = 0; axis < axes; ++axis)
      found.push_back({std::string(phases::polyakov[axis]), "chain", axis_names[axis]});
    for (const auto sum : {phases::bound_clover, phases::sum_gauge, phases::sum_source})
      found.push_back({std::string(sum), "sum", "all"});
    return found;
  }
  std::vector<workload::Piece> pieces() const override { return pieces_of(description_); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, ranks_, nodes(), rank, 1, false);
  }
  std::vector<std::vector<int>> process_grid() const override {
    return {{ranks_.grid.begin(), ranks_.grid.end()}};
  }
  std::vector<workload::Load> loads() const override { return {}; }
  // All ranks send the same, except for the Polyakov loops' products, which the last rank along an
  // axis keeps.
  std::vector<int> typical_ranks() const override { return {ranks_.at.front()}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
  Ranks ranks_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<QcdWorkload, Run>(); }

}  // namespace phasewise::qcd

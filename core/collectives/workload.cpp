// The workload `collectives`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include <algorithm>

#include "collectives/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::collectives {
namespace {

class CollectivesWorkload : public workload::Workload {
 public:
  CollectivesWorkload(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)), description_(parameters) {}

  std::vector<workload::Phase> phases() const override {
    return {{std::string(phase_of(description_.operation)), "collective", "all"},
            {std::string(phases::checks), "sum", "all"}};
  }
  std::vector<workload::Piece> pieces() const override { return {the_piece}; }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, nodes(), rank, false);
  }
  std::vector<std::vector<int>> process_grid() const override { return {{ranks(), 1}}; }
  std::vector<workload::Load> loads() const override { return {}; }
  // Some ranks of trees send more than others; of many ranks, the first ones are among them.
  std::vector<int> typical_ranks() const override {
    std::vector<int> result;
    for (int rank = 0; rank < std::min(ranks(), most_typical); ++rank) result.push_back(rank);
    return result;
  }

 private:
  static constexpr int most_typical = 16;
  Description description_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<CollectivesWorkload, Run>(); }

}  // namespace phasewise::collectives

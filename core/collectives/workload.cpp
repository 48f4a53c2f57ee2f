// The workload `collectives`: its phases, and the turn of a rank.
#include <algorithm>

#include "collectives/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::collectives {
namespace {

class Collectives : public workload::Planned<Turn> {
 public:
  Collectives(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)), description_(parameters) {}

  std::vector<workload::Phase> phases() const override {
    return {workload::main_phase(phase_of(description_.operation), "collective", "all"),
            workload::Checks::phase()};
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "exchange"}}; }
  std::unique_ptr<Turn> make_turn(int rank, workload::Contents contents) const override {
    return std::make_unique<Turn>(description_, nodes(), rank, contents);
  }
  std::vector<std::string> exchange_keys() const override { return {"algorithm", "protocol"}; }
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override {
    return {{all, 0}};
  }
  // In trees some ranks send more than others; the first ranks include those that send the most.
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

workload::Entry entry() { return workload::entry_for<Collectives, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::collectives

// The workload `commtest`: its phases, and the turn of a rank.
#include <map>

#include "commtest/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::commtest {
namespace {

class Commtest : public workload::Planned<Turn> {
 public:
  Commtest(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)),
        description_(parameters),
        roles_(roles_of(description_.pairs, ranks())) {}

  std::vector<workload::Phase> phases() const override {
    return {workload::main_phase(phase_of(description_.operation), "pairs", "pair"),
            workload::Checks::phase()};
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "exchange"}}; }
  std::unique_ptr<Turn> make_turn(int rank, workload::Contents contents) const override {
    return std::make_unique<Turn>(description_, roles_[rank], nodes(), rank, contents);
  }
  std::vector<std::string> exchange_keys() const override { return {"protocol", "packet"}; }
  // The ranks that lead send the most.
  std::vector<int> typical_ranks() const override {
    int rank = 0;
    while (rank < ranks() && !roles_[rank].leads) ++rank;
    return {rank};
  }
  std::vector<int> alike() const override {
    std::map<std::pair<bool, bool>, int> first;
    std::vector<int> result;
    result.reserve(roles_.size());
    for (int rank = 0; rank < ranks(); ++rank) {
      const Role& role = roles_[rank];
      result.push_back(first.try_emplace({role.idle(), role.leads}, rank).first->second);
    }
    return result;
  }

 private:
  Description description_;
  std::vector<Role> roles_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<Commtest, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::commtest

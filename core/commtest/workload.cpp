// The workload `commtest`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include <map>

#include "commtest/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::commtest {
namespace {

class CommtestWorkload : public workload::Workload {
 public:
  CommtestWorkload(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)),
        description_(parameters),
        roles_(roles_of(description_.pairs, ranks())) {}

  // Messages lie in one piece, and are not copied.
  std::vector<workload::Phase> phases() const override {
    return {{std::string(phase_of(description_.operation)), "pairs", "pair"},
            {std::string(phases::checks), "sum", "all"}};
  }
  std::vector<workload::Piece> pieces() const override { return {the_piece}; }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, roles_[rank], nodes(), rank, false);
  }
  std::vector<std::vector<int>> process_grid() const override { return {{ranks(), 1}}; }
  std::vector<workload::Load> loads() const override { return {}; }
  // A rank that leads sends most.
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

workload::Entry entry() { return workload::entry_for<CommtestWorkload, Run>(); }

}  // namespace phasewise::commtest

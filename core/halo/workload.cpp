// The workload `halo`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include "halo/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::halo {
namespace {

class HaloWorkload : public workload::Workload {
 public:
  HaloWorkload(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)),
        description_(parameters),
        grid_(fitting_grid(description_, ranks())) {}

  std::vector<workload::Phase> phases() const override {
    // Both ends copy, each reading and writing; a single row lies in one piece and is not copied.
    constexpr double copied = 4.0;
    if (description_.at_once)
      return {{std::string(phases::at_once), "halo", "all", {}, copied},
              {std::string(phases::checks), "sum", "all"}};
    return {{std::string(phases::along_x), "halo", "x", {}, copied},
            {std::string(phases::along_y), "halo", "y", {}, description_.rows == 1 ? 0.0 : copied},
            {std::string(phases::checks), "sum", "all"}};
  }
  std::vector<workload::Piece> pieces() const override { return {the_piece}; }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, grid_, nodes(), rank, false);
  }
  std::vector<std::vector<int>> process_grid() const override { return {{grid_[0], grid_[1]}}; }
  std::vector<workload::Load> loads() const override { return {}; }
  // All ranks send the same number of bytes.
  std::vector<int> typical_ranks() const override { return {0}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
  std::array<int, 2> grid_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<HaloWorkload, Run>(); }

}  // namespace phasewise::halo

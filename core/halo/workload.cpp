// The workload `halo`: its phases and places, and the turn of a rank.
#include "halo/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::halo {
namespace {

using workload::main_phase;

class Halo : public workload::Planned<Turn> {
 public:
  Halo(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)),
        description_(parameters),
        grid_(fitting_grid(description_, ranks())) {}

  std::vector<workload::Phase> phases() const override {
    if (description_.at_once)
      return {main_phase(phases::at_once, "halo", "all"), workload::Checks::phase()};
    return {main_phase(phases::along_x, "halo", "x"), main_phase(phases::along_y, "halo", "y"),
            workload::Checks::phase()};
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "exchange"}}; }
  std::unique_ptr<Turn> make_turn(int rank, workload::Contents contents) const override {
    return std::make_unique<Turn>(description_, grid_, nodes(), rank, contents);
  }
  std::vector<std::vector<int>> process_grid() const override { return {{grid_[0], grid_[1]}}; }
  std::vector<int> place(int rank) const override {
    const auto [x, y] = place_of(grid_, rank);
    return {x, y};
  }
  std::vector<std::string> exchange_keys() const override { return {"protocol"}; }
  // All ranks send the same number of bytes.
  std::vector<int> typical_ranks() const override { return {0}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
  std::array<int, 2> grid_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<Halo, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::halo

// The workload `qcd` without MPI: its phases and the ranks' places in the lattice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "qcd/turn.hpp"
#include "qcd/turn_pieces.hpp"
#include "workload/workload.hpp"

namespace phasewise::qcd {

class Qcd : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the parameters cannot be used, or do not fit
  // the ranks.
  Qcd(const workload::Parameters& parameters, workload::Nodes nodes);

  const Description& description() const { return description_; }
  const Ranks& places() const { return ranks_; }

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override { return pieces_of(description_); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, ranks_, nodes(), rank, 1, false);
  }
  std::vector<std::vector<int>> process_grid() const override {
    return {{ranks_.grid.begin(), ranks_.grid.end()}};
  }
  std::vector<int> place(int rank) const override {
    return {ranks_.places[rank].begin(), ranks_.places[rank].end()};
  }
  std::string layout() const override;
  std::vector<std::string> exchange_keys() const override {
    return {"halo", "blocks", "spinors", "overlap", "sums", "kernel", "link_reals"};
  }
  // All ranks send the same, except for the Polyakov loops' products, which the last rank along an
  // axis keeps.
  std::vector<int> typical_ranks() const override { return {ranks_.at.front()}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
  Ranks ranks_;
};

}  // namespace phasewise::qcd

// The workload `sphere`: its phases, and the turn of a rank.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sphere/turn.hpp"

namespace phasewise::sphere {

class Sphere : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the ranks are too many.
  Sphere(const workload::Parameters& parameters, workload::Nodes nodes);

  const Description& description() const { return description_; }

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override { return pieces_of(); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override;
  std::vector<std::vector<int>> process_grid() const override { return {{ranks()}}; }
  std::vector<int> place(int rank) const override { return {rank}; }
  std::vector<std::string> exchange_keys() const override;
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override {
    return {{all, 0}};
  }
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;

 private:
  Division division() const;

  Description description_;
};

// Throws std::invalid_argument if the ranks are more than latitudes or wavenumbers can be divided
// among, or if the study's number of levels is to be fixed and is not compiled in.
void check_manner(const Description& description, int ranks);

}  // namespace phasewise::sphere

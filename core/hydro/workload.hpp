// The workload `hydro`: its phases, and the turn of a rank.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hydro/turn.hpp"

namespace phasewise::hydro {

class Hydro : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the parameters or the ranks cannot be used.
  Hydro(const workload::Parameters& parameters, workload::Nodes nodes);

  const Description& description() const { return description_; }

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override { return pieces_of(description_); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override;
  std::vector<std::vector<int>> process_grid() const override { return {division_.shape()}; }
  std::vector<int> place(int rank) const override { return division_.coordinates(rank); }
  std::vector<std::string> exchange_keys() const override;
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override;
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<int> alike() const override;

 private:
  Description description_;
  Division division_;
};

}  // namespace phasewise::hydro

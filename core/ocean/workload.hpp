// The workload `ocean`: its phases, and the turn of a rank.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ocean/turn.hpp"

namespace phasewise::ocean {

class Ocean : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the parameters or the ranks cannot be used.
  Ocean(const workload::Parameters& parameters, workload::Nodes nodes);

  const Description& description() const { return description_; }
  const Grid& grid() const { return grid_; }
  const SeaFloor& floor() const { return *floor_; }
  const Layout& sea_layout() const { return *layout_; }
  Sea sea() const { return {description_, grid_, *floor_, *layout_, nodes()}; }

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override { return pieces_of(description_); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override;
  std::vector<std::vector<int>> process_grid() const override;
  std::vector<int> place(int rank) const override;
  std::string layout() const override;
  std::vector<std::string> exchange_keys() const override;
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override;
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;

 private:
  bool cartesian() const;

  Description description_;
  Grid grid_;
  std::shared_ptr<const SeaFloor> floor_;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace phasewise::ocean

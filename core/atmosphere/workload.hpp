// The workload `atmosphere`: its phases, and the turn of a rank.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atmosphere/turn.hpp"
#include "workload/workload.hpp"

namespace phasewise::atmosphere {

class Atmosphere : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the parameters or the ranks cannot be used.
  Atmosphere(const workload::Parameters& parameters, workload::Nodes nodes);

  const Planet& planet() const { return planet_; }

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override;
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override;
  std::vector<std::vector<int>> process_grid() const override { return {planet_.layout().shape()}; }
  std::vector<int> place(int rank) const override { return planet_.layout().place(rank); }
  std::vector<std::string> exchange_keys() const override;
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override;
  // Before and after columns move, over the timesteps of the plan; means of stretches if they are
  // many.
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<int> alike() const override;

 private:
  SchedulePointer planned(std::int64_t piece) const;

  Planet planet_;
  std::string per_;  // the unit of the pieces
  std::unique_ptr<Schedules> schedules_;
};

}  // namespace phasewise::atmosphere

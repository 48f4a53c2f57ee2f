// The workload `collision` without MPI: its phases, the ranks' places, and who holds which beam.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collision/exchange/build_settings.hpp"
#include "collision/turn.hpp"
#include "workload/workload.hpp"

namespace phasewise::collision {

class Collision : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the parameters cannot be used, or do not fit
  // the ranks.
  Collision(const workload::Parameters& parameters, workload::Nodes nodes);

  const Description& description() const { return description_; }
  // The process grid of each interaction point.
  const std::vector<ProcessGrid>& grids() const { return grids_; }

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override {
    return pieces_of(description_, greens_for(description_, meshes(), grids_));
  }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, grids_, rank, Contents::none, 1, nullptr,
                                  &meshes());
  }
  std::vector<std::vector<int>> process_grid() const override;
  // The rank's beam, column and row.
  std::vector<int> place(int rank) const override;
  std::string layout() const override { return layout_name(description_.settings.layout); }
  std::vector<std::string> exchange_keys() const override {
    return {"reduce", "broadcast", "schedule", "transpose", "aggregate", "crossing", "overlap"};
  }
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override;
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<int> alike() const override;
  std::vector<workload::SharedBunch> bunches() const override;

 private:
  const ProcessGrid& grid() const { return grids_.front(); }
  // The process grid of the first interaction point that has a mesh; null if none has.
  const ProcessGrid* mesh_grid() const;
  // The meshes of the design beams.
  const std::vector<CollisionMesh>& meshes() const;

  Description description_;
  std::vector<ProcessGrid> grids_;
  mutable std::vector<CollisionMesh> meshes_;  // empty until they are asked for
};

}  // namespace phasewise::collision

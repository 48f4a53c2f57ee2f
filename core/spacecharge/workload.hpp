// The workload `spacecharge` without MPI: its phases, the ranks' places, and who holds its bunch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spacecharge/turn.hpp"
#include "workload/workload.hpp"

namespace phasewise::spacecharge {

class SpaceCharge : public workload::Workload {
 public:
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  SpaceCharge(const workload::Parameters& parameters, workload::Nodes nodes);
  // Plans it as a guest in a composite.
  SpaceCharge(const workload::Parameters& parameters, workload::Nodes nodes,
              const workload::Host& host);

  const Description& description() const { return description_; }
  // Which kicks of the first turn have a new mesh.
  const std::vector<bool>& first_meshes() const;

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override {
    return pieces_of(description_, first_meshes());
  }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override;
  std::vector<std::vector<int>> process_grid() const override { return {division().shape()}; }
  std::vector<int> place(int rank) const override;
  std::vector<std::string> exchange_keys() const override {
    return {"charge", "field", "schedule", "transpose"};
  }
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override;
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<workload::SharedBunch> bunches() const override {
    return {{description_.bunch.number, ranks_}};
  }
  std::vector<workload::Value> blank_record() const override;

 private:
  Division division() const { return {description_.settings.decomposition, ranks()}; }

  Description description_;
  std::vector<int> ranks_;                                 // among all
  mutable std::optional<std::vector<bool>> first_meshes_;  // once they are asked for
};

}  // namespace phasewise::spacecharge

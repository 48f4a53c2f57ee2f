// One rank's part in the exchanges of a kick: the mesh's charge is summed on the ranks that solve
// for slabs of it, planes of constant z; the transforms are transposed between slabs and columns
// along z; and the potential's slabs are shared with all ranks.
#pragma once

#include <utility>

#include "comm/transpose_parts.hpp"
#include "field/doubled_box.hpp"
#include "spacecharge/settings.hpp"
#include "workload/workload.hpp"

namespace phasewise::spacecharge {

class Exchanges {
 public:
  // nodes: of the ranks of the team.
  Exchanges(const field::DoubledBox& grid, const Settings& settings, const workload::Nodes& nodes,
            comm::TeamPointer team);

  bool alone() const { return team_->ranks.size() == 1; }
  const comm::TeamPointer& team() const { return team_; }
  // [begin, end) of the planes that this rank solves for, and of the columns of their transform.
  std::pair<int, int> planes() const { return planes_; }
  std::pair<int, int> columns() const { return columns_; }
  std::pair<int, int> green_planes() const { return green_planes_; }

  // Of the whole mesh [nz][nx][ny] as the only item, in place.
  const comm::ExchangePointer& charge() const { return charge_; }
  const comm::ExchangePointer& field() const { return field_; }
  // Of the transforms of this rank's planes to those of its columns, and back.
  comm::TransposeExchange to_columns() const;
  comm::TransposeExchange to_planes() const;
  // Likewise of the Green function's.
  comm::TransposeExchange green() const;

 private:
  comm::TransposeExchange transpose(std::string_view phase, const comm::TransposeParts& parts,
                                    bool forwards) const;

  comm::TeamPointer team_;
  std::pair<int, int> planes_, columns_, green_planes_;
  comm::ExchangePointer charge_, field_;
  comm::Transpose algorithm_;
  comm::RoundsPointer rounds_;
  comm::TransposeParts solve_, green_;
};

}  // namespace phasewise::spacecharge

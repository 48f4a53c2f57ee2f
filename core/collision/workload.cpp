// The workload `collision`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "collision/simulation.hpp"
#include "collision/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::collision {
namespace {

using workload::Phase;

class CollisionWorkload : public workload::Workload {
 public:
  CollisionWorkload(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)),
        description_(parameters),
        grids_(description_.process_grids(ranks(), this->nodes())) {}

  std::vector<Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override { return pieces_of(description_); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, grids_, rank, Contents::none, 1);
  }
  std::vector<std::vector<int>> process_grid() const override {
    return {{grid().shape(0).prow, grid().shape(0).pcol},
            {grid().shape(1).prow, grid().shape(1).pcol}};
  }
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<int> alike() const override;
  std::vector<workload::SharedBunch> bunches() const override;

 private:
  const ProcessGrid& grid() const { return grids_.front(); }
  Description description_;
  std::vector<ProcessGrid> grids_;  // of each interaction point
};

Phase between(const char* name, const char* pattern, const char* direction, const char* beam) {
  // Received data are read, and either added to a value or stored.
  const double moved = std::string_view(pattern) == "reduce" ? 3.0 : 2.0;
  return {name, pattern, direction, {{"beam", beam}}, moved};
}

// The phases of table 1 of the source paper, followed by those of other physics.
std::vector<Phase> CollisionWorkload::phases() const {
  const bool in_row = description_.settings.crossing_in_row;
  std::vector<Phase> result = {
      between("green", "transpose", "column", "same"),
      between("reduce_column", "reduce", "column", "same"),
      between("reduce_row", "reduce", "row", "same"),
      between("reduce", "reduce", "beam", "same"),
      between("solve", "transpose", "column", "same"),
      between("broadcast_row", "broadcast", "row", in_row ? "other" : "same"),
      between("broadcast", "broadcast", "beam", "other"),
      between("broadcast_column", "broadcast", "column", in_row ? "same" : "other"),
      between("luminosity", "cross", "all", "both")};
  for (const char* sum :
       {"luminosity_sum", "losses", "moments", "slices", "slice_moments", "tracked"})
    result.push_back(between(sum, "sum", "all", "both"));
  return result;
}

// The loads of particles and of mesh rows to solve for.
std::vector<workload::Load> CollisionWorkload::loads() const {
  const InteractionPoint& point = description_.points.front();
  workload::Load particles{"particles", {}}, rows{"grid", {}};
  for (int b = 0; b < 2; ++b) {
    const Shape shape = grid().shape(b);
    const double n = static_cast<double>(description_.bunches[b].macroparticles);
    const double share = shape.ranks();
    particles.values.push_back(std::ceil(n / share) * share / n);
    // The slices of the fullest column, and the rows of the fullest process.
    const int slices = (point.slices[b] + shape.prow - 1) / shape.prow;
    const int max_rows = (point.nx + shape.pcol - 1) / shape.pcol;
    rows.values.push_back(static_cast<double>(slices) * max_rows * shape.ranks() /
                          (static_cast<double>(point.slices[b]) * point.nx));
  }
  return {particles, rows};
}

// The ranks in the first and the last row of each column: the first rows have the largest shares of
// rows and slices. With very many ranks, only those of some columns: the first columns have the
// most slices, and shares change after the column where the slices end.
std::vector<int> CollisionWorkload::typical_ranks() const {
  constexpr int few = 64, very_many = 4096;
  std::vector<int> result;
  for (int rank = 0; rank < ranks(); ++rank) {
    const Place& place = grid().place(rank);
    const Shape& shape = grid().shape(place.beam);
    const int ends = description_.points.front().slices[place.beam] % shape.prow;
    const bool column = ranks() <= very_many || place.column == 0 || place.column == ends ||
                        place.column == shape.prow - 1;
    const bool row = place.row == 0 || place.row == shape.pcol - 1;
    if (ranks() <= few || (column && row)) result.push_back(rank);
  }
  return result;
}

// How much a rank computes depends on its beam, on its column, which solves for some slices, and on
// its shares of the rows and columns of each mesh.
std::vector<int> CollisionWorkload::alike() const {
  std::vector<CollisionShape> meshes;
  meshes.reserve(description_.points.size());
  for (const InteractionPoint& point : description_.points)
    meshes.push_back(collision_shape(point));
  const auto key_of = [&](int rank) {
    std::vector<int> key;
    for (std::size_t ip = 0; ip < grids_.size(); ++ip) {
      const Division division{grids_[ip], rank, meshes[ip].nx, meshes[ip].ky};
      const int beam = grids_[ip].place(rank).beam, row = division.row();
      const auto rows = division.rows(beam, row);
      const auto columns = division.transform_columns(beam, row);
      // Columns beyond the number of slices solve for none.
      key.insert(key.end(), {beam, std::min(division.column(), most_slices(meshes[ip].slices)),
                             rows.second - rows.first, columns.second - columns.first});
    }
    return key;
  };
  std::map<std::vector<int>, int> first;
  std::vector<int> result;
  result.reserve(ranks());
  for (int rank = 0; rank < ranks(); ++rank)
    result.push_back(first.try_emplace(key_of(rank), rank).first->second);
  return result;
}

// The beams that are tracked.
std::vector<workload::SharedBunch> CollisionWorkload::bunches() const {
  const std::array<bool, 2> tracked{description_.is_tracked(0), description_.is_tracked(1)};
  std::vector<workload::SharedBunch> result;
  for (int b = 0; b < 2; ++b) {
    if (!tracked[b]) continue;
    workload::SharedBunch& bunch = result.emplace_back();
    bunch.number = b + 1;
    for (int rank = 0; rank < ranks(); ++rank)
      if (BeamGroups::holds(grid(), tracked, rank, b)) bunch.ranks.push_back(rank);
  }
  return result;
}

}  // namespace

workload::Entry entry() {
  workload::Entry entry = workload::entry_for<CollisionWorkload, Simulation>();
  entry.on_device = true;
  return entry;
}

}  // namespace phasewise::collision

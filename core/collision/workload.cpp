#include "collision/workload.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "collision/exchange/teams.hpp"
#include "collision/simulation.hpp"
#include "workload/entry.hpp"

namespace phasewise::collision {
namespace {

using workload::Phase;

Phase between(const char* name, const char* pattern, const char* direction, const char* beam) {
  return {name, pattern, direction, {{"beam", beam}}};
}

Phase main_one(const char* name, const char* pattern, const char* direction, const char* beam,
               const char* colour) {
  Phase phase = between(name, pattern, direction, beam);
  phase.main = true;
  phase.colour = colour;
  return phase;
}

}  // namespace

Collision::Collision(const workload::Parameters& parameters, workload::Nodes nodes)
    : Workload(std::move(nodes)),
      description_(parameters),
      grids_(description_.process_grids(ranks(), this->nodes())) {}

// The phases of table 1 of the source paper, followed by those of other physics. A phase that
// reduces or broadcasts over the whole beam at once has the colour of the phase over the row.
std::vector<Phase> Collision::phases() const {
  const bool in_row = description_.settings.crossing_in_row;
  constexpr const char *reduce_row = "#f08a24", *broadcast_row = "#d6336c";
  std::vector<Phase> result = {
      main_one("green", "transpose", "column", "same", "#8a5a2b"),
      main_one("reduce_column", "reduce", "column", "same", "#f2c14e"),
      main_one("reduce_row", "reduce", "row", "same", reduce_row),
      main_one("reduce", "reduce", "beam", "same", reduce_row),
      main_one("solve", "transpose", "column", "same", "#9b59b6"),
      main_one("broadcast_row", "broadcast", "row", in_row ? "other" : "same", broadcast_row),
      main_one("broadcast", "broadcast", "beam", "other", broadcast_row),
      main_one("broadcast_column", "broadcast", "column", in_row ? "same" : "other", "#f48fb1"),
      between("luminosity", "cross", "all", "both")};
  for (const char* sum :
       {"luminosity_sum", "losses", "moments", "slices", "slice_moments", "tracked"})
    result.push_back(between(sum, "sum", "all", "both"));
  return result;
}

const ProcessGrid* Collision::mesh_grid() const {
  const auto found =
      std::ranges::find(description_.points, Model::strong_strong, &InteractionPoint::model);
  return found == description_.points.end() ? nullptr
                                            : &grids_[found - description_.points.begin()];
}

const std::vector<CollisionMesh>& Collision::meshes() const {
  if (meshes_.empty()) meshes_ = design_meshes(description_);
  return meshes_;
}

// Without a mesh this is the grid that a mesh would have.
std::vector<std::vector<int>> Collision::process_grid() const {
  const ProcessGrid* const mesh = mesh_grid();
  const ProcessGrid& shown = mesh == nullptr ? grid() : *mesh;
  return {{shown.shape(0).prow, shown.shape(0).pcol}, {shown.shape(1).prow, shown.shape(1).pcol}};
}

// Without a mesh the ranks have no places.
std::vector<int> Collision::place(int rank) const {
  const ProcessGrid* const mesh = mesh_grid();
  const Place place = mesh != nullptr && mesh->divided() ? mesh->place(rank) : Place{};
  return {place.beam + 1, place.column, place.row};
}

// The teams of all grids, in the order of the interaction points.
std::vector<exchange::TeamOfDivision> Collision::teams(const exchange::TeamPointer& all) const {
  std::vector<exchange::TeamOfDivision> teams;
  for (const ProcessGrid& grid : grids_)
    for (const exchange::TeamOfDivision& team : teams_of(grid, all->me)) teams.push_back(team);
  return teams;
}

// The loads of particles and of mesh rows to solve for.
std::vector<workload::Load> Collision::loads() const {
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
std::vector<int> Collision::typical_ranks() const {
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
std::vector<int> Collision::alike() const {
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
std::vector<workload::SharedBunch> Collision::bunches() const {
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

workload::Entry entry() {
  workload::Entry entry = workload::entry_for<Collision, Simulation>();
  entry.on_device = true;
  return entry;
}

}  // namespace phasewise::collision

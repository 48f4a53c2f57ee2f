// Who sends what to whom in a collision, for one rank: pure geometry, which the collision executes
// and `phasewise plan` counts. The particle-field decomposition: Qiang, Furman, Ryne, J. Comput.
// Phys. 198 (2004) 278.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "collision/division.hpp"
#include "collision/schedule.hpp"
#include "collision/settings.hpp"
#include "comm/exchange.hpp"

namespace phasewise::collision {

struct CollisionShape {
  int nx, ny;  // mesh
  int mx, ky;  // doubled grid: rows, and columns of its transform
  int slices;
  int planes;  // of the field for each pair of slices
  bool luminosity;
  bool green_every_step;
};

class CollisionPlan {
 public:
  CollisionPlan(const CollisionShape& shape, const Settings& settings, const ProcessGrid& grid,
                int rank);

  const Division& division() const { return division_; }
  // The pairs of a step in groups that are solved one after another: all at once, or, with overlap,
  // one of each column at a time.
  std::vector<std::vector<int>> batches(const Step& step) const;
  // Of these pairs, those that this rank's column solves for.
  std::vector<int> own_pairs(const Step& step, int beam, const std::vector<int>& pairs) const;

  // How many meshes, planes counted, go through this rank's column for these pairs: where the
  // phases are padded, as many as through the fullest column.
  int grids_to_solve(const Step& step, const std::vector<int>& pairs) const;
  // Pairs that the buffers must have room for: a step's, and what pads it.
  int room() const { return shape_.slices + (padded() ? division_.shape(own_).prow : 0); }

  // One after the other. Items of the buffers: pair·planes + plane, of nx·ny values.
  std::vector<comm::Exchange> reduce(const Step& step, const std::vector<int>& pairs) const;
  // Potentials from those who solved for them to all ranks of the other beam: first `own`, among
  // the beam that solved; then `crossing`, which sends these and stores what comes from the other
  // beam; then `other`, among the beam that received.
  struct Broadcast {
    std::vector<comm::Exchange> own, crossing, other;
  };
  Broadcast broadcast(const Step& step, const std::vector<int>& pairs) const;
  // There, or back: of so many grids of own pairs, in one message or in several.
  comm::TransposeExchange solve(int grids) const;
  comm::TransposeExchange green() const;
  // What the library is asked to send to the others [B] in the transpose of one grid of so many
  // rows in all.
  std::int64_t asked_of_transpose(int rows_in_all, bool to_columns) const;
  // Charges of beam 2 (items: pairs, one plane) to those who solve for beam 1; shift[pair]: rows by
  // which the window of beam 1 lies beyond that of beam 2.
  comm::Exchange luminosity(const Step& step, const std::vector<int>& shift) const;

  // Transposed blocks are padded to whole shares of rows and of transform columns.
  int padded_rows(int rows) const;
  int padded_columns() const;
  // The beam that this rank holds; the first where it holds both.
  int own_beam() const { return own_; }
  int mesh_ny() const { return shape_.ny; }

 private:
  using Items = comm::Items;
  using TeamPointer = std::shared_ptr<const comm::Team>;
  using RoundsPointer = std::shared_ptr<const comm::Rounds>;
  struct Member {
    TeamPointer team;
    RoundsPointer reduce, broadcast;  // null by the library
  };

  Member member(const std::vector<int>& ranks, const comm::PhaseSetting& reduce,
                const comm::PhaseSetting& broadcast) const;
  Items items(const std::vector<int>& pairs) const;
  // Blocks of an exchange, and the items that they name.
  struct Blocks {
    std::vector<Items> items;
    std::vector<comm::Block> blocks;
  };
  comm::Block block(const Items& items, std::pair<int, int> rows) const;
  Blocks column_blocks(int beam, const std::vector<int>& pairs) const;
  Blocks row_blocks(int beam, const std::vector<std::vector<int>>& dealt) const;
  Blocks beam_blocks(int beam, const std::vector<std::vector<int>>& dealt) const;
  // Pairs by the column that a slice of `slices_of` stands for, in a grid of prow columns.
  std::vector<std::vector<int>> by_column(const Step& step, const std::vector<int>& pairs,
                                          int slices_of, int prow) const;
  // The same, padded where the study asks for it: to equal numbers by pairs that are none,
  // numbered after the step's.
  std::vector<std::vector<int>> dealt(const Step& step, const std::vector<int>& pairs,
                                      int slices_of, int prow) const;
  comm::Exchange exchange(const char* phase, comm::Channel channel, bool adds, const Member& member,
                          const comm::PhaseSetting& setting, Blocks blocks) const;
  // What goes into one message: all pairs, or one by one.
  std::vector<std::vector<int>> messages(const std::vector<int>& pairs, bool aggregate) const;
  void add_column_phase(std::vector<comm::Exchange>& to, const std::vector<int>& pairs,
                        bool adds) const;
  void add_row_phase(std::vector<comm::Exchange>& to, const Step& step,
                     const std::vector<int>& pairs, int slices_of, bool adds) const;
  void add_beam_phase(std::vector<comm::Exchange>& to, const Step& step,
                      const std::vector<int>& pairs, int slices_of, bool adds) const;
  std::vector<comm::Exchange> crossing_to_all(const Step& step,
                                              const std::vector<int>& pairs) const;
  std::vector<comm::Exchange> crossing_along_row(const Step& step,
                                                 const std::vector<int>& pairs) const;
  std::vector<comm::Exchange> crossing_along_column(const std::vector<int>& pairs) const;
  comm::Exchange spread(const char* phase, const std::vector<int>& ranks, int me, int peers,
                        comm::Schedule schedule, Blocks blocks, const Items& mine,
                        std::pair<int, int> rows) const;
  // From the processes that solved, or hold, each to the one that stands for it in the other beam.
  comm::Exchange mirror_in_row(const Step& step, const std::vector<int>& pairs,
                               const char* phase) const;
  comm::Exchange mirror_in_column(const std::vector<int>& pairs) const;
  void add_mirror(comm::Exchange& crossing, int column, const Items& out, const Items& in) const;
  comm::Exchange empty_crossing(const char* phase) const;
  bool padded() const { return settings_.padded && same_shapes(); }
  bool same_shapes() const { return division_.shape(0) == division_.shape(1); }

  CollisionShape shape_;
  const Settings& settings_;
  Division division_;
  int own_, other_;  // beams
  Member column_, row_, beam_;
  RoundsPointer green_rounds_, solve_rounds_;
};

}  // namespace phasewise::collision

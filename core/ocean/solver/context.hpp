// What all parts of a solver share: the blocks of a rank, the ranks, and fields on planes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exchange/team.hpp"
#include "ocean/halo.hpp"
#include "ocean/planes.hpp"
#include "ocean/solver/setting.hpp"
#include "parallel/buffer.hpp"
#include "workload/planned_run.hpp"
#include "workload/team_sum.hpp"

namespace phasewise::ocean {

using Field = parallel::Buffer<double>;

// Some rows of a block, which one thread works on.
struct Band {
  int part, first, last;
};

// Cells of a row, from a place in the plane on.
struct SeaSpan {
  std::int64_t at;
  int cells;
};

// Appends where the `n` cells from `at` on are not zero, with short land between.
void append_spans(const double* positive, std::int64_t at, int n, std::vector<SeaSpan>& spans);

struct Context {
  SolverSetting setting;
  const Layout& layout;
  const Planes& planes;
  const std::vector<int>& nodes;
  exchange::TeamPointer team;
  int threads;
  bool real;
  std::vector<Band> bands;
  // Where there is sea in the rows of each band, and in rows that are wider by one cell on all
  // sides. Long land is left out: all fields are zero there.
  std::array<std::vector<std::vector<SeaSpan>>, ghosts> sea;

  Context(const SolverSetting& given, const Layout& grid, const Planes& stored,
          const std::vector<int>& node_of_rank, exchange::TeamPointer all, int threads_of_rank,
          workload::Contents contents);

  // Own cells, and those of the sea.
  double cells() const { return static_cast<double>(planes.cells()); }
  double sea_cells() const { return static_cast<double>(layout.sea_of(team->me)); }
  // Finds the sea; `positive` is a plane with ghosts that is zero on land.
  void find_sea(const double* positive);
  // Of all ranks.
  std::int64_t all_cells() const { return std::int64_t{layout.nx()} * layout.ny(); }
  // So many planes of zeros; empty without contents.
  Field field(int items = 1) const;
  Halo halo(int items = 1) const;
  workload::SumSetting sum() const;
};

// Null without contents.
inline double* data_of(Field& field) { return field.size() > 0 ? field.data() : nullptr; }

}  // namespace phasewise::ocean

// One rank's part in a timestep, written once for all listeners: the flow without the change of the
// surface, the solve for its height, and the tracers. Without contents it only reports its actions.
#pragma once

#include <memory>
#include <vector>

#include "ocean/barotropic.hpp"
#include "ocean/description.hpp"
#include "ocean/domain.hpp"
#include "ocean/fields.hpp"
#include "ocean/halo.hpp"
#include "ocean/kernels.hpp"
#include "ocean/measures.hpp"
#include "ocean/momentum.hpp"
#include "ocean/solver/solver.hpp"
#include "ocean/tracers.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::ocean {

// What all ranks of a study have in common.
struct Sea {
  const Description& description;
  const Grid& grid;
  const SeaFloor& floor;
  const Layout& layout;
  const workload::Nodes& nodes;
};

// How often a plan has the pieces `iteration` and `check` in a solve. Iterations that share an
// exchange are one piece.
struct SolveCounts {
  double pieces, checks;
};
SolveCounts counts_of(const Description& description, const Manner& manner);

std::vector<workload::Piece> pieces_of(const Description& description);

class Turn : public workload::RankTurn {
 public:
  // What the sea refers to must outlive the turn.
  Turn(const Sea& sea, const exchange::TeamPointer& team, workload::Contents contents, int threads);

  // Number of the timestep that begins, from 0.
  void begin(std::int64_t number) { first_ = number == 0; }
  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Exchanges in another way from the next timestep on.
  void exchange_as(const Manner& manner);
  // Counts of a solve with the present manner.
  SolveCounts counts() const { return counts_of(sea_.description, manner_); }
  // The exchanges that all ranks prepare together.
  exchange::Exchanges exchanges() const;

  const Domain& domain() const { return domain_; }
  Fields& fields() { return fields_; }
  const Fields& fields() const { return fields_; }
  const Solver& solver() const { return solver_; }
  const Measures& measures() const { return measures_; }

 private:
  using Listener = workload::Listener;
  // Fields of this many planes.
  std::unique_ptr<Halo> halo_of(std::string_view phase, int planes) const;
  void make_halos();
  CardShape shape() const { return {manner_.kernel, domain_.row_length()}; }
  // Reports a kernel whose work is f(row, thread) for each of these rows.
  template <class F>
  void on_rows(Listener& listener, const parallel::KernelCard& card, double items,
               const std::vector<RowPlace>& rows, F&& f);

  void set_up(Listener& listener);
  void predict(Listener& listener);
  void begin_solve(Listener& listener);
  void finish(Listener& listener);
  void carry_tracers(Listener& listener);

  const Sea sea_;
  exchange::TeamPointer team_;
  int threads_;
  Manner manner_;
  Planes planes_;
  Domain domain_;
  Fields fields_;
  Momentum momentum_;
  Barotropic barotropic_;
  Tracers tracers_;
  Solver solver_;
  Measures measures_;
  std::vector<RowPlace> rows_from_south_, rows_with_ghosts_;
  std::vector<Scratch> scratch_;  // of each thread
  std::unique_ptr<Halo> of_flow_, of_tracers_, of_solution_, of_surface_;
  bool first_ = true;
};

}  // namespace phasewise::ocean

// One rank's part in a timestep, written once for all listeners: sweeps along the axes, with
// redistributions of the zones between them, and what is measured after them. Without contents it
// only reports its actions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "hydro/batches.hpp"
#include "hydro/exchanges.hpp"
#include "hydro/kernels.hpp"
#include "hydro/measures.hpp"
#include "parallel/buffer.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::hydro {

namespace pieces {
// The first timestep, and the first one of a run that continues, needs the fastest zone of the
// state before it. Timesteps that take the directions backwards come alternately with those that
// take them forwards; where all take them forwards, the piece is called `sweeps`. A run that
// continues may have to divide the zones as a timestep backwards begins.
inline constexpr std::string_view start = "start", resumed = "resumed", sweeps = "sweeps",
                                  forwards = "forwards", backwards = "backwards",
                                  measure = "measure", norms = "norms";
}  // namespace pieces

std::vector<workload::Piece> pieces_of(const Description& description);

class Turn : public workload::RankTurn {
 public:
  // The description and the nodes must outlive the turn. Throws std::invalid_argument if the ranks
  // do not suit the grid, std::bad_alloc.
  Turn(const Description& description, const workload::Nodes& nodes,
       const exchange::TeamPointer& team, workload::Contents contents, int threads);

  // Throws std::runtime_error, the same on all ranks, if the gas cannot be advanced.
  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Exchanges in another way from the next timestep on.
  void exchange_as(const Manner& manner);
  // The exchanges that all ranks prepare together.
  exchange::Exchanges exchanges() const;

  const Measures& measures() const { return *measures_; }
  Measures& measures() { return *measures_; }
  // This rank's zones as they are divided now.
  Zones zones() { return {exchanges_->box(whole_), state_.data()}; }
  Zones zones() const { return const_cast<Turn*>(this)->zones(); }
  double time() const { return time_; }
  double timestep() const { return timestep_; }
  bool finished() const { return description_.until > 0.0 && time_ >= description_.until; }
  // The axis that is whole where a timestep of this number begins, counted from 0.
  int whole_at(std::int64_t timestep) const;
  int whole_axis() const { return whole_; }

  // The zones were replaced by those at this time.
  void resume_at(double time);
  bool fastest_is_missing() const { return fastest_is_missing_; }

 private:
  using Listener = workload::Listener;
  // A step between axes, with the exchanges of batches if messages overlap with sweeps.
  struct Way {
    Step step;
    exchange::TransposeExchange at_once;
    exchange::Exchanges batched;
  };

  void make_sweeps();
  void make_ways();
  void fill();
  void choose_timestep(Listener& listener);
  void sweep_along_all(Listener& listener, bool backwards);
  void sweep(Listener& listener, int direction);
  void sweep_and_send(Listener& listener, int direction, const Way& way);
  void sweep_batches(Listener& listener, int direction, const Batches& batches, int first,
                     int last);
  void move(Listener& listener, int to);
  exchange::ItemBuffer buffer(parallel::Buffer<double>& values, int whole_axis, int arrays) const;

  Description description_;
  const workload::Nodes& nodes_;
  exchange::TeamPointer team_;
  bool real_;
  int threads_;
  std::unique_ptr<Exchanges> exchanges_;
  std::unique_ptr<Measures> measures_;
  std::map<std::pair<int, int>, Way> ways_;  // by the axes of the step
  std::vector<SweepShape> shapes_;           // of each direction
  std::vector<std::vector<Sweep>> sweeps_;   // [direction][thread]
  std::vector<Tally> tallies_;               // of each thread, in this timestep
  std::vector<Pencils> pencils_;             // of the batches that are swept
  parallel::Buffer<double> state_, next_;    // six arrays of the box, after a move in `next_`
  int whole_ = 0;                            // the axis that is whole now
  double time_ = 0.0, timestep_ = 0.0;
  bool fastest_is_missing_ = true;
};

}  // namespace phasewise::hydro

// One rank's part in a timestep, written once for all listeners: columns go out, are computed where
// they are, and come back. Without contents it only reports its actions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atmosphere/measures.hpp"
#include "atmosphere/moves.hpp"
#include "atmosphere/physics.hpp"
#include "atmosphere/planet.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::atmosphere {

namespace pieces {
// The sun moves, so that every timestep has exchanges of its own. A plan has this many of them at
// most, which stand for equal stretches of the run.
inline constexpr std::string_view sun = "sun";
inline constexpr std::int64_t most = 72;
}  // namespace pieces

// How many timesteps a plan has, and which ones. Where a stretch has several timesteps, the plan
// takes the one at the place (index · 0.618…) mod 1, so that hours and seasons are covered evenly.
std::int64_t planned_timesteps(const Description& description);
std::int64_t timestep_of_piece(const Description& description, int index);

class Turn : public workload::RankTurn {
 public:
  // The schedules must outlive the turn.
  Turn(Schedules& schedules, const exchange::TeamPointer& team, workload::Contents contents,
       int threads);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Finds who computes what at this timestep. Returns whether the ranks have to prepare exchanges.
  bool prepare(std::int64_t timestep);
  // Throws std::runtime_error, the same on all ranks, if a column cannot go on.
  void step(std::int64_t timestep, workload::Listener& listener);
  exchange::Exchanges exchanges() const { return moves_ ? moves_->exchanges() : no_exchanges(); }
  // Moves and computes in another way from the next timestep on. Throws std::invalid_argument and
  // changes nothing if the scheme does not suit the columns.
  void exchange_as(const Manner& manner);

  const Schedule& schedule() const { return *schedule_; }
  const Measures& measures() const { return measures_; }
  // This rank's own column of this place; null without contents.
  double* column(std::int64_t place) {
    return real_ ? memory_.data() + place * planet_.bytes().pitch : nullptr;
  }
  const double* column(std::int64_t place) const {
    return real_ ? memory_.data() + place * planet_.bytes().pitch : nullptr;
  }
  // The seconds that an own column took last.
  double seconds(std::int64_t place) const;

 private:
  using Listener = workload::Listener;
  static exchange::Exchanges no_exchanges() { return {}; }
  // Whether the run itself measures what columns cost.
  bool measures_costs() const;
  SchedulePointer schedule_at(std::int64_t timestep);
  void fill();
  void make_room();
  void find_columns();
  void compute(Listener& listener);
  void compute_given(Listener& listener);
  template <class F>
  void timed(F&& move);
  void keep_seconds();
  void share_costs(Listener& listener);
  void take_costs(const std::vector<double>& all);
  double* memory() { return real_ ? memory_.data() : nullptr; }
  std::int64_t own() const { return std::ssize(planet_.layout().columns(team_->me)); }

  Schedules& schedules_;
  const Planet& planet_;
  exchange::TeamPointer team_;
  bool real_;
  int threads_;
  Manner manner_;
  std::unique_ptr<Physics> physics_;  // null with given costs
  Measures measures_;
  std::int64_t timestep_ = 0;  // the last one
  SchedulePointer schedule_;
  std::unique_ptr<Moves> moves_;
  std::int64_t room_ = 0;            // columns that fit into the memory
  parallel::Buffer<double> memory_;  // own columns, and those of others
  // The columns that this rank computes, the lit ones first, and where they are.
  std::vector<std::int64_t> here_;
  std::vector<double*> data_;
  std::vector<Place> places_;
  std::vector<double> spent_;  // seconds of each of these
  std::optional<FailedColumn> failed_;
  struct Least {
    double seconds;
    bool lit;
  };
  std::vector<Least> least_;  // of own columns, since the last look
  double quickest_ = 0.0;     // measured seconds of a moved byte on this rank; 0: none yet
  // What the run has found, once it has: the seconds of all columns, at which timestep, and those
  // of a moved byte.
  std::vector<double> seconds_;
  std::int64_t looked_ = 0;
  double of_byte_ = 0.0;
};

}  // namespace phasewise::atmosphere

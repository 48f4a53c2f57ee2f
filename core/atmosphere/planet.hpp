// What all ranks of a study know: where the columns are, who owns them, what they cost, and the
// schedule of each timestep.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "atmosphere/balance.hpp"
#include "atmosphere/column_bytes.hpp"
#include "atmosphere/description.hpp"
#include "atmosphere/geometry.hpp"
#include "atmosphere/physics.hpp"

namespace phasewise::atmosphere {

using SchedulePointer = std::shared_ptr<const Schedule>;

// As `measured` takes it where a run has not measured it, 1 GB/s.
inline constexpr double assumed_seconds_per_byte = 1e-9;
// As `measured` takes it for the flops of the cards in a plan, 1 GF/s.
inline constexpr double assumed_seconds_per_flop = 1e-9;

PhysicsSetting physics_setting(const Description& description, const Manner& manner, int threads);

class Planet {
 public:
  // Throws std::invalid_argument with one sentence if the ranks or the scheme do not suit the
  // columns.
  Planet(const Description& description, std::vector<int> nodes);

  const Description& description() const { return description_; }
  const Geometry& geometry() const { return geometry_; }
  const Layout& layout() const { return layout_; }
  const std::vector<int>& nodes() const { return nodes_; }
  int ranks() const { return layout_.ranks(); }
  const ColumnBytes& bytes() const { return bytes_; }
  bool by_sun() const { return description_.costs == nullptr; }

  // Throws std::invalid_argument with one sentence if this scheme does not suit the columns.
  void check(Balance balance) const;
  // What the columns cost at this timestep as the cards or the table say, in flops or seconds.
  Costs costs_at(std::int64_t timestep) const;
  // Of costs_at.
  double seconds_per_cost() const { return by_sun() ? assumed_seconds_per_flop : 1.0; }

  // Who computes what by this scheme at this timestep. `measured` goes by the costs that the last
  // look at them found, or moves nothing if there was none.
  Holders holders_at(const Manner& manner, std::int64_t timestep) const;
  // The seconds of all columns at a timestep, from those that they took at an earlier one: where
  // the sun has risen or set since, they change by the difference of the means by day and by night.
  std::vector<double> seconds_since(std::vector<double> seconds, std::int64_t earlier,
                                    std::int64_t timestep) const;
  // By these seconds of all columns.
  Holders holders_by(const std::vector<double>& seconds, double seconds_per_byte) const;

 private:
  Holders by_scheme(Balance balance, const Costs& costs) const;

  const Description description_;
  std::vector<int> nodes_;
  Geometry geometry_;
  Layout layout_;
  ColumnBytes bytes_;
  double night_ = 0.0, day_ = 0.0;  // flops of a column
};

// The schedules of a plan or a run, of which the last used ones are kept.
class Schedules {
 public:
  // The planet must outlive the schedules.
  Schedules(const Planet& planet, std::size_t capacity) : planet_(planet), capacity_(capacity) {}

  // Safe for several threads.
  SchedulePointer at(const Manner& manner, std::int64_t timestep);
  const Planet& planet() const { return planet_; }

 private:
  struct Kept {
    Balance balance;
    int costs_every;
    double move_seconds_per_byte;
    std::int64_t timestep;
    SchedulePointer schedule;
  };

  const Planet& planet_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the last used first
};

}  // namespace phasewise::atmosphere

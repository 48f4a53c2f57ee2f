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

// The seconds that `measured` takes a moved byte to need where the run has not measured it: 1 GB/s.
inline constexpr double assumed_seconds_per_byte = 1e-9;
// The seconds that it takes a flop of the kernels' cards to need in a plan: 1 GF/s.
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
  int ranks() const { return layout_.ranks(); }
  const ColumnBytes& bytes() const { return bytes_; }
  bool by_sun() const { return description_.costs == nullptr; }

  // Throws std::invalid_argument with one sentence if this scheme does not suit the columns.
  void check(Balance balance) const;
  // What the columns cost at this timestep as the cards or the table say, in flops or seconds.
  Costs costs_at(std::int64_t timestep) const;

  // Who computes what by this scheme at this timestep, with its costs_at. `measured` goes by the
  // costs that the last look at them found, or moves nothing if there was none.
  Holders holders_at(const Manner& manner, std::int64_t timestep, const Costs& costs) const;
  // The seconds of all columns at a timestep, from those that they took at an earlier one. Where
  // the sun has risen or set since, a column gets the difference of the mean times by day and by
  // night of all columns, whatever the ranks on which they were measured.
  std::vector<double> seconds_since(std::vector<double> seconds, std::int64_t earlier,
                                    std::int64_t timestep) const;
  // Who computes what if the columns take these seconds.
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
  // Keeps so many schedules at most, and fewer of many columns. The planet must outlive them.
  Schedules(const Planet& planet, std::size_t most);

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
  std::size_t capacity_ = 1;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the last used first
};

}  // namespace phasewise::atmosphere

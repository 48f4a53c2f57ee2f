// The physics of columns in a timestep: long wave radiation in all of them, short wave radiation in
// the lit ones, adjustment, and the surface with the large-scale forcing.
//
// A column's results do not depend on the columns that are computed with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "atmosphere/column.hpp"
#include "parallel/kernel.hpp"
#include "workload/listener.hpp"

namespace phasewise::atmosphere {

inline constexpr int most_levels = 200;
inline constexpr int most_bands = 64;
inline constexpr int most_chunk = 64;

struct PhysicsSetting {
  int levels = 26;
  double timestep = 1200.0;  // s
  int long_wave_bands = 8;
  int short_wave_bands = 8;
  bool adjustment = true;
  int most_sweeps = 200;           // of the adjustment of a column
  double solar_constant = 1361.0;  // W/m²
  double albedo = 0.2;             // of the surface
  // Columns of a chunk: one thread computes them, in vectors (fast) or one after the other.
  int chunk = 16;
  bool fast = true;
  int threads = 1;
};

// Where a column is.
struct Place {
  std::int64_t number;  // of the column; no other has it
  double sine;          // of the latitude
  double cosine;        // of the sun's zenith angle; the sun is up where it is positive
};

// A column that cannot go on.
struct Failure {
  std::int64_t column;  // its number
  std::string what;     // as "has 412.3 K at level 7 (0 is the top)"
};

// One item is a column; for the adjustment, a sweep of a column.
parallel::KernelCard long_wave_card(const PhysicsSetting& setting);
parallel::KernelCard short_wave_card(const PhysicsSetting& setting);
parallel::KernelCard adjustment_card(const PhysicsSetting& setting);
parallel::KernelCard surface_card(const PhysicsSetting& setting);

// Mean sweeps of a column, without data.
inline constexpr double expected_sweeps = 3.0;

class Physics {
 public:
  explicit Physics(const PhysicsSetting& setting);
  ~Physics();

  const PhysicsSetting& setting() const;
  ColumnLayout layout() const { return {setting().levels}; }
  static int results() { return result::count; }

  // Tells the kernels of these columns, the first `lit` of which are lit. `data` points to each
  // column's values and results; without data both pointers are null, and the adjustment has the
  // expected sweeps. `seconds` gets the time of each column, unless it is null.
  void tell(workload::Listener& listener, std::int64_t columns, std::int64_t lit,
            double* const* data, const Place* places, double* seconds);
  // The column with the lowest number among those that failed in the last call.
  const std::optional<Failure>& failure() const;

  // The first state of a column: the reference climate of the sine of its latitude, with a
  // disturbance of the temperatures that follows from seed and number.
  void initial(double sine, std::int64_t number, std::uint64_t seed, double* values) const;

  // Flops of a column by day or by night, with the expected sweeps.
  double cost(bool lit) const;

 private:
  struct Told;
  void tell_adjustment(workload::Listener& listener, std::int64_t columns, const Told& told) const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phasewise::atmosphere

#include "workload/turn_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "comm/agreed_start.hpp"
#include "parallel/clock.hpp"

namespace phasewise::workload {
namespace {

constexpr std::string_view phase = "timing";
// A repetition takes at least this long, so that neither reading the clock (some 25 ns) nor an
// uneven start matters.
constexpr double shortest = 1e-4;  // s
constexpr int most_turns = 100;    // per repetition

// On a simulated machine only the first turn differs from the others.
int warm_ups() { return comm::simulated() ? 1 : 4; }

double now() { return parallel::clock().now(); }

double latest(const comm::Communicator& world, double value) {
  double values[1] = {value};
  world.max(phase, values);
  return values[0];
}

// The seconds of the fastest of some repetitions, on the rank where this is longest.
double quickest(Run& run, int turns) {
  double found = INFINITY;
  run.session().world.barrier();
  for (int i = 0; i < warm_ups(); ++i) {
    const double start = now();
    run.step(turns);
    found = std::min(found, now() - start);
  }
  return latest(run.session().world, found);
}

int turns_of(double seconds) {
  if (comm::simulated()) return 1;  // reading its clock takes no time
  return static_cast<int>(std::clamp(std::ceil(shortest / seconds), 1.0, double{most_turns}));
}

}  // namespace

// The time from one start to the next is four times that of the fastest repetition. A rank that is
// delayed longer misses a start.
TurnTimes time_turns(Run& run, const Repetitions& repetitions) {
  const comm::Communicator& world = run.session().world;
  TurnTimes result;
  run.step();
  const double one = quickest(run, 1);
  result.turns = turns_of(one);
  const double window = 4.0 * (result.turns > 1 ? quickest(run, result.turns) : one) + comm::spin;
  const double fitting =
      std::min(repetitions.seconds / window, static_cast<double>(repetitions.most));
  const auto count =
      static_cast<std::size_t>(std::max(fitting, static_cast<double>(repetitions.least)));
  double start = latest(world, now() + world.clock_offset()) + comm::agreement + window;
  std::vector<double> values(2 * count);
  for (std::size_t k = 0; k < count; ++k, start += window) {
    const bool in_time = comm::wait_until(start - world.clock_offset());
    const double begun = now();
    run.step(result.turns);
    values[k] = (now() - begun) / result.turns;
    values[count + k] = in_time ? 0.0 : 1.0;
  }
  if (run.finished())
    throw std::runtime_error("the run ended while its turns were timed; let it run for longer");
  world.max(phase, values);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(count);
  result.seconds.assign(values.begin(), middle);
  result.missed.assign(middle, values.end());
  return result;
}

}  // namespace phasewise::workload

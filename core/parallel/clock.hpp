// Where time comes from, and where known work is charged. On a simulated machine both belong to the
// simulated processor: core/comm sets them when it starts MPI.
#pragma once

#include <chrono>

namespace phasewise::parallel {

struct Clock {
  // Seconds since some fixed moment.
  double (*now)() = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  // Lets simulated time pass for work of so many flops and bytes moved; does nothing on a real
  // machine, where the work itself takes its time.
  void (*charge)(double flops, double bytes) = [](double, double) {};
};

// Hidden: a shared inline variable would be one for all simulated ranks, which are copies of one
// library in one process.
[[gnu::visibility("hidden")]] inline Clock& clock() {
  static Clock the_clock;
  return the_clock;
}

}  // namespace phasewise::parallel

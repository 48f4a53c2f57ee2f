// The clock, and how work is charged to it. On a simulated machine both are those of the simulated
// processor; core/comm sets them when it starts MPI.
#pragma once

#include <chrono>

namespace phasewise::parallel {

struct Clock {
  // Seconds since some fixed moment.
  double (*now)() = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  // Advances simulated time by the time of work with these flops and bytes moved. On a real machine
  // this does nothing, since the work itself takes its time.
  void (*charge)(double flops, double bytes) = [](double, double) {};
};

// Hidden, because all simulated ranks are copies of one library in one process, and would share a
// visible inline variable.
[[gnu::visibility("hidden")]] inline Clock& clock() {
  static Clock the_clock;
  return the_clock;
}

}  // namespace phasewise::parallel

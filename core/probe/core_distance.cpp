#include "probe/core_distance.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <system_error>
#include <thread>

#include "parallel/cache_line.hpp"
#include "parallel/clock.hpp"

namespace phasewise::probe {
namespace {

// A mean is short, so that on a busy machine some of them find both threads on their cores.
constexpr int trips = 100;               // of a mean
constexpr int means = 150;               // at most
constexpr double enough_seconds = 0.25;  // after which no further mean is begun
constexpr int stop = -1;                 // a trip that ends the answers

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

enum class Bound { pending, yes, no };

bool bind_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (core < 0 || core >= CPU_SETSIZE) return false;
  CPU_SET(core, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

// The number of the last trip that one thread has begun, and of the last one that the other has
// answered; both lie in one cache line, which therefore moves twice in a trip.
struct alignas(parallel::cache_line) Line {
  std::atomic<int> begun{0}, answered{0};
};

// Answers trips until it is told to stop.
void answer(Line& line, int core, std::atomic<Bound>& bound) {
  const bool there = bind_to(core);
  bound = there ? Bound::yes : Bound::no;
  for (int last = 0; there;) {
    const int trip = line.begun.load(std::memory_order_acquire);
    if (trip == stop) return;
    if (trip != last) line.answered.store(last = trip, std::memory_order_release);
  }
}

// The seconds of one way, as the mean of some trips that follow the trip `from`.
double mean_seconds(Line& line, int from) {
  const double start = parallel::clock().now();
  for (int trip = from + 1; trip <= from + trips; ++trip) {
    line.begun.store(trip, std::memory_order_release);
    while (line.answered.load(std::memory_order_acquire) != trip) {
    }
  }
  return (parallel::clock().now() - start) / (2 * trips);
}

// The least mean between the core to which the calling thread is bound, and another one.
double seconds_to(int first, int second) try {
  Line line;
  std::atomic<Bound> bound{Bound::pending};
  if (first == second || !bind_to(first)) return unknown;
  std::thread answering(answer, std::ref(line), second, std::ref(bound));
  while (bound == Bound::pending) std::this_thread::yield();
  double least = unknown;
  const double start = parallel::clock().now();
  for (int k = 0; k < means && bound == Bound::yes; ++k) {
    least = std::fmin(least, mean_seconds(line, k * trips));
    if (parallel::clock().now() - start > enough_seconds) break;
  }
  line.begun = stop;
  answering.join();
  return least;
} catch (const std::system_error&) {
  return unknown;
}

}  // namespace

double seconds_between_cores(int first, int second) {
  double least = unknown;
  // Threads of their own are bound, so that the calling one keeps its cores.
  try {
    std::thread([&] { least = seconds_to(first, second); }).join();
  } catch (const std::system_error&) {
    // The system lets this process have no more threads.
  }
  return least;
}

}  // namespace phasewise::probe

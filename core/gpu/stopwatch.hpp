// The times at which a device's queue reaches its marks.
#pragma once

#include <utility>
#include <vector>

#include "gpu/memory.hpp"
#include "parallel/stopwatch.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

#if defined(__CUDACC__)

class QueueStopwatch {
 public:
  explicit QueueStopwatch(double (*now)()) : now_(now) {}
  QueueStopwatch(const QueueStopwatch&) = delete;
  QueueStopwatch& operator=(const QueueStopwatch&) = delete;
  ~QueueStopwatch() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }

  int mark() {
    if (marks_ == 0) {
      // The device counts time from an event.
      direct::wait();
      record(0);
      check(cudaEventSynchronize(events_[0]));
      origin_ = now_();
    }
    record(++marks_);
    return marks_ - 1;
  }
  void forget() { marks_ = 0; }
  std::vector<double> read() {
    std::vector<double> times;
    direct::wait();
    const int marks = std::exchange(marks_, 0);
    for (int i = 1; i <= marks; ++i) {
      float milliseconds = 0.0F;
      check(cudaEventElapsedTime(&milliseconds, events_[0], events_[i]));
      times.push_back(origin_ + 1e-3 * static_cast<double>(milliseconds));
    }
    return times;
  }

 private:
  void record(std::size_t i) {
    if (i == events_.size()) check(cudaEventCreate(&events_.emplace_back()));
    check(cudaEventRecord(events_[i]));
  }

  double (*now_)();
  std::vector<cudaEvent_t> events_;
  int marks_ = 0;
  double origin_ = 0.0;
};

#else

class QueueStopwatch {
 public:
  explicit QueueStopwatch(double (*now)()) : now_(now) {}
  int mark() {
    times_.push_back(now_());
    return static_cast<int>(times_.size()) - 1;
  }
  void forget() { times_.clear(); }
  std::vector<double> read() { return std::exchange(times_, {}); }

 private:
  double (*now_)();
  std::vector<double> times_;
};

#endif

// While works are done together, a mark is the time that its member's work would have reached if
// the time of a launch were divided among its members, and the host had computed for that member
// alone.
class Stopwatch final : public parallel::Stopwatch {
 public:
  explicit Stopwatch(double (*now)()) : queue_(now) {}
  int mark() override {
    Member* asks = member();
    if (asks == nullptr) return queue_.mark();
    asks->mark(times_);
    return asked_++;
  }
  std::vector<double> read() override {
    if (member() == nullptr) return queue_.read();
    wait();
    asked_ = 0;
    return std::exchange(times_, {});
  }

 private:
  QueueStopwatch queue_;
  std::vector<double> times_;  // times of the marks that a member's work has reached
  int asked_ = 0;
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM

// The time and the number of items of each kernel, with the flops and bytes that its card states.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parallel/clock.hpp"
#include "parallel/kernel.hpp"
#include "parallel/stopwatch.hpp"
#include "parallel/vector_unit.hpp"

namespace phasewise::parallel {

struct KernelRecord {
  double items = 0.0;
  double seconds = 0.0;  // wall time of this rank, all its threads at work
  double flops = 0.0;
  double bytes = 0.0;         // moved to and from memory, as the card counts them
  double additions = 0.0;     // to values that threads share
  double calls = 0.0;         // those with items
  double working_sets = 0.0;  // bytes, summed over these calls
  bool single = false;        // flops of single precision
};

class KernelTimes {
 public:
  // Called for each kernel that ran, with its card's name, start and end [s, by clock()].
  using Observer = std::function<void(std::string_view name, double start, double end)>;

  void observe(Observer observer) { observer_ = std::move(observer); }
  // Sets the vector unit of the simulated processor.
  void set_vector_unit(const VectorUnit& unit) { unit_ = unit; }
  // On a simulated machine, from now on kernels are charged this many times.
  void set_slowness(double times) { slowness_ = times; }
  double slowness() const { return slowness_; }
  // Names in the records get this prefix from now on.
  void set_prefix(const std::string& prefix) { prefix_ = prefix; }
  // From now on kernels are queued, and their times are read from the stopwatch.
  void time_by(std::shared_ptr<Stopwatch> stopwatch) { stopwatch_ = std::move(stopwatch); }

  // Runs f and adds its time to that of the card's name, at once or when `settle` is called. On a
  // simulated machine the card's work is charged.
  template <class F>
  void run(const KernelCard& card, double items, F&& f) {
    if (stopwatch_) {
      const int start = stopwatch_->mark();
      f();
      queued_.push_back({prefix_, card, items, start, stopwatch_->mark()});
      return;
    }
    const double start = clock().now();
    f();
    clock().charge(slowness_ * charged_flops(card, items, unit_), slowness_ * items * card.bytes);
    book(prefix_, card, items, start, clock().now());
  }
  // Waits for the queued kernels, and adds their times.
  void settle() {
    if (!stopwatch_) return;
    const std::vector<double> times = stopwatch_->read();
    for (const Queued& one : queued_)
      book(one.prefix, one.card, one.items, times[one.start], times[one.end]);
    queued_.clear();
  }
  const std::map<std::string, KernelRecord>& records() const { return records_; }

 private:
  struct Queued {
    std::string prefix;
    KernelCard card;
    double items;
    int start, end;  // marks of the stopwatch
  };

  void book(const std::string& prefix, const KernelCard& card, double items, double start,
            double end) {
    KernelRecord& record = records_[prefix + std::string(card.name)];
    record.items += items;
    record.seconds += end - start;
    record.flops += items * card.flops;
    record.bytes += items * card.bytes;
    record.additions += items * card.additions;
    record.single = card.single;
    if (items > 0.0) {
      record.calls += 1.0;
      record.working_sets += working_set(card, items);
    }
    if (observer_) observer_(card.name, start, end);
  }

  std::map<std::string, KernelRecord> records_;
  std::string prefix_;
  VectorUnit unit_;
  double slowness_ = 1.0;
  Observer observer_;
  std::shared_ptr<Stopwatch> stopwatch_;  // null: a kernel is done when it returns
  std::vector<Queued> queued_;
};

}  // namespace phasewise::parallel

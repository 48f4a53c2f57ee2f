// Time and number of items of each kernel, with the flops and bytes that its card states.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "parallel/clock.hpp"
#include "parallel/kernel.hpp"
#include "parallel/vector_unit.hpp"

namespace phasewise::parallel {

struct KernelRecord {
  double items = 0.0;
  double seconds = 0.0;  // wall time of this rank, all its threads at work
  double flops = 0.0;
  double bytes = 0.0;         // moved to and from memory, as the card counts them
  double calls = 0.0;         // with items
  double working_sets = 0.0;  // bytes, summed over these calls
  bool single = false;        // flops of single precision
};

class KernelTimes {
 public:
  // Called for each kernel that ran, with its card's name, start and end [s, by clock()].
  using Observer = std::function<void(std::string_view name, double start, double end)>;

  void observe(Observer observer) { observer_ = std::move(observer); }
  // That of the simulated processor.
  void set_vector_unit(const VectorUnit& unit) { unit_ = unit; }
  // What names in the records begin with from now on.
  void set_prefix(const std::string& prefix) { prefix_ = prefix; }

  // Runs f and books its time under the card's name; on a simulated machine the card's work is
  // charged.
  template <class F>
  void run(const KernelCard& card, double items, F&& f) {
    const double start = clock().now();
    f();
    book(card, start, items);
  }
  const std::map<std::string, KernelRecord>& records() const { return records_; }

 private:
  void book(const KernelCard& card, double start, double items) {
    const double flops = items * card.flops, bytes = items * card.bytes;
    clock().charge(charged_flops(card, items, unit_), bytes);
    const double end = clock().now();
    KernelRecord& record = records_[prefix_ + std::string(card.name)];
    record.items += items;
    record.seconds += end - start;
    record.flops += flops;
    record.bytes += bytes;
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
  Observer observer_;
};

}  // namespace phasewise::parallel

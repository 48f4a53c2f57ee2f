// How long each kernel ran, on how many items, with the flops and bytes that its card states.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "parallel/clock.hpp"

namespace phasewise::parallel {

struct KernelRecord {
  double items = 0.0;
  double seconds = 0.0;  // wall time of this rank, all its threads at work
  double flops = 0.0;
  double bytes = 0.0;  // moved to and from memory, as the card counts them
};

class KernelTimes {
 public:
  // Told of each kernel that ran: its name, start and end [s, by clock()].
  using Observer = std::function<void(const std::string& name, double start, double end)>;

  void observe(Observer observer) { observer_ = std::move(observer); }

  // Runs f and books its time under `name`; on a simulated machine its card's work is charged.
  template <class F>
  void run(const std::string& name, double items, double flops_per_item, double bytes_per_item,
           F&& f) {
    const double start = clock().now();
    if (!only_charge_) f();
    book(name, start, items, flops_per_item, bytes_per_item);
  }
  // From now on the work is not done, but booked and charged: a run without particles.
  void only_charge(bool only) { only_charge_ = only; }
  const std::map<std::string, KernelRecord>& records() const { return records_; }

 private:
  void book(const std::string& name, double start, double items, double flops_per_item,
            double bytes_per_item) {
    const double flops = items * flops_per_item, bytes = items * bytes_per_item;
    clock().charge(flops, bytes);
    const double end = clock().now();
    KernelRecord& record = records_[name];
    record.items += items;
    record.seconds += end - start;
    record.flops += flops;
    record.bytes += bytes;
    if (observer_) observer_(name, start, end);
  }

  std::map<std::string, KernelRecord> records_;
  Observer observer_;
  bool only_charge_ = false;
};

}  // namespace phasewise::parallel

// How long each kernel ran, on how many items, with the flops and bytes that its card states.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace phasewise::parallel {

struct KernelRecord {
  double items = 0.0;
  double seconds = 0.0;  // wall time of this rank, all its threads at work
  double flops = 0.0;
  double bytes = 0.0;  // moved to and from memory, as the card counts them
};

class KernelTimes {
 public:
  // Runs f and books its time under `name`.
  template <class F>
  void run(const std::string& name, double items, double flops_per_item, double bytes_per_item,
           F&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    KernelRecord& record = records_[name];
    record.items += items;
    record.seconds += elapsed.count();
    record.flops += items * flops_per_item;
    record.bytes += items * bytes_per_item;
  }
  const std::map<std::string, KernelRecord>& records() const { return records_; }

 private:
  std::map<std::string, KernelRecord> records_;
};

}  // namespace phasewise::parallel

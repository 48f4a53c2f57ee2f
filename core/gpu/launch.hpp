// Loops on a device, whose iterations are threads. All calls return before the work is done; the
// work is done in the order of one queue, or left to the member that asks (gpu/together.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/kernels.hpp"
#include "gpu/memory.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

// Loops that members ask for; those of the same type become one launch.
template <class Part>
class Loops final : public Request {
 public:
  Loops(const char* name, std::vector<Part> parts) : name_(name), parts_(std::move(parts)) {}

  const void* kind() const override { return &tag_of<Part>; }
  void join(Request& other) override {
    // Bodies cannot be assigned, so that `insert` does not compile.
    for (const Part& part : static_cast<Loops&>(other).parts_) parts_.push_back(part);
  }
  double size() const override {
    double sum = 0.0;
    for (const Part& part : parts_) sum += static_cast<double>(count_of(part.n));
    return std::max(sum, 1.0);
  }
  std::size_t bytes() const override { return parts_.size() * sizeof(Part); }
  void write(std::byte* host, const std::byte* /*device*/) const override {
    std::memcpy(host, static_cast<const void*>(parts_.data()), bytes());
  }
  void run(const std::byte* given) override {
    Extent extent;
    for (const Part& part : parts_) extent.include(extent_of(part));
    launch_parts(name_, reinterpret_cast<const Part*>(given), std::ssize(parts_), extent);
  }

 private:
  const char* name_;
  std::vector<Part> parts_;
};

template <class Part>
void run_loop(const char* name, const Part& part) {
  if (Member* asks = member())
    return asks->add(std::make_unique<Loops<Part>>(name, std::vector<Part>{part}));
  launch(name, part);
}
// Runs the part for each task in [0, tasks).
template <class Part>
void run_tasks(const char* name, int tasks, Part part) {
  if (tasks <= 0 || part.n <= 0) return;
  Member* asks = member();
  if (asks == nullptr) return launch_tasks(name, tasks, part);
  std::vector<Part> parts;
  for (part.task = 0; part.task < tasks; ++part.task) parts.push_back(part);
  asks->add(std::make_unique<Loops<Part>>(name, std::move(parts)));
}

// Calls f(i) for each i in [0, n); f holds device pointers by value.
template <class F>
void for_each(const char* name, std::int64_t n, F f) {
  if (n > 0) run_loop(name, EachPart<F>{n, f});
}

// Calls f(task, i) for each task and each i in [0, most); f skips the i that its task does not
// have.
template <class F>
void for_each_of_tasks(const char* name, int tasks, std::int64_t most, F f) {
  run_tasks(name, tasks, TaskPart<F>{most, f, 0});
}

// For each task, this starts tiles of f.words 32-bit words with zeros, and calls f.add(task, i,
// tile) for each i in [0, f.size(task)), f.chunk(task) of them with one tile, which its threads
// share. At the end it calls f.take(task, k, tile) for each k in [0, f.takes). `most` is the
// largest number of tiles of a task. If many threads add to few values, a tile is much faster than
// the device's memory; a GPU adds 32-bit words there in hardware, and longer ones only by trying
// again.
template <class F>
void for_each_by_tiles(const char* name, int tasks, std::int64_t most, const F& f) {
  run_tasks(name, tasks, TilePart<F>{most, f, 0});
}

// Calls f(i) for each i in [0, *n); n is in the device's memory.
template <class F>
void for_each_counted(const char* name, const std::int64_t* n, F f) {
  run_loop(name, CountedPart<F>{n, f});
}

// Adds to result[count] what f(i, values) adds to each thread's own values, whose sums must be
// exact in any order; or, with `largest`, takes the largest of them, which must not be negative.
// `result` is in the device's memory.
template <int count, bool largest, class F>
void reduce(const char* name, std::int64_t n, double* result, F f) {
  if (n > 0) run_loop(name, ReductionPart<count, largest, F>{n, result, f});
}

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM

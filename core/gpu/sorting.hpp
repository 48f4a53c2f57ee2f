// Sorting by small keys, by CUB on a GPU and by counting in an emulated device.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/launch.hpp"
#include "gpu/memory.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace phasewise::gpu::PHASEWISE_PLATFORM {

// A key and a number for each item. An emulated device does not count CUB's own memory.
class Sorter {
 public:
  // Reserves room for n keys.
  void reserve(std::int64_t n) {
    keys_.reserve(n);
    sorted_.reserve(n);
    from_.reserve(n);
    order_.reserve(n);
  }
  std::uint8_t* keys() { return keys_.data(); }
  // After `sort`, the number of the item in each place.
  const std::uint32_t* order() const { return order_.data(); }

  // Sorts the first n keys, in [0, bins), and keeps the order of equal ones. Returns where each bin
  // begins, and the end (bins + 1 numbers). Waits for the result.
  std::vector<std::int64_t> sort(std::int64_t n, int bins) {
    begins_.reserve(bins + 1);
    begins_.clear(bins + 1);
    if (Member* asks = member())
      asks->add_alone([this, n] { find_order(n); });
    else
      find_order(n);
    std::int64_t* begins = begins_.data();
    const std::uint8_t* sorted = sorted_.data();
    for_each("bins", n + 1, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const int before = i > 0 ? sorted[i - 1] : -1;
      const int here = i < n ? sorted[i] : bins;
      for (int bin = before + 1; bin <= here; ++bin) begins[bin] = i;
    });
    std::vector<std::int64_t> result(bins + 1);
    begins_.copy_to(result.data(), bins + 1);
    return result;
  }

  // Public, since nvcc accepts no kernels from private functions.
#if defined(__CUDACC__)
  void find_order(std::int64_t n) {
    std::uint32_t* from = from_.data();
    for_each("count", n,
             [=] __device__(std::int64_t i) { from[i] = static_cast<std::uint32_t>(i); });
    std::size_t bytes = 0;
    const auto run = [&](void* room) {
      check(cub::DeviceRadixSort::SortPairs(room, bytes, keys_.data(), sorted_.data(), from,
                                            order_.data(), n));
    };
    run(nullptr);
    room_.reserve(static_cast<std::int64_t>(bytes));
    run(room_.data());
    last_kernel() = "sort";
  }
#else
  void find_order(std::int64_t n) {
    std::int64_t next[257] = {};
    for (std::int64_t i = 0; i < n; ++i) ++next[keys_.data()[i] + 1];
    for (int key = 0; key < 256; ++key) next[key + 1] += next[key];
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t place = next[keys_.data()[i]]++;
      order_.data()[place] = static_cast<std::uint32_t>(i);
      sorted_.data()[place] = keys_.data()[i];
    }
  }
#endif

 private:
  Array<std::uint8_t> keys_, sorted_, room_;
  Array<std::uint32_t> from_, order_;
  Array<std::int64_t> begins_;
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM

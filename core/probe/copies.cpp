#include "probe/copies.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>

#include "comm/packing.hpp"

namespace phasewise::probe {
namespace {

constexpr std::int64_t double_bytes = 8;
constexpr std::array<std::int64_t, 8> extents{4, 16, 64, 256, 1024, 2048, 4096, 16384};
constexpr int copy_passes = 15;
constexpr std::int64_t words_of_pass = 1 << 15;  // at least, so that a pass is longer than a clock

// The columns of a square array with one more column on either side: those at its edges are read,
// and the columns beyond are written.
class Square {
 public:
  explicit Square(std::int64_t extent)
      : extent_(extent),
        array_(static_cast<std::byte*>(
                   std::calloc(static_cast<std::size_t>(extent * (extent + 2)), double_bytes)),
               &std::free),
        messages_(static_cast<std::size_t>(2 * extent * double_bytes)) {
    if (!array_) throw std::bad_alloc();
    comm::Fragments inner{column(1, 0), column(extent, extent)};
    comm::Fragments outer{column(0, 0), column(extent + 1, extent)};
    append_packing(copies_, inner, array_.get(), messages_.data());
    append_unpacking(back_, outer, array_.get(), messages_.data());
  }

  void copy() {
    comm::run(copies_, 1);
    comm::run(back_, 1);
  }
  std::int64_t words() const { return 4 * extent_; }

 private:
  comm::Fragment column(std::int64_t number, std::int64_t before) const {
    return {.at = number * double_bytes,
            .message_at = before * double_bytes,
            .run = double_bytes,
            .count = extent_,
            .stride = (extent_ + 2) * double_bytes,
            .outer_count = 1,
            .outer_stride = 0};
  }

  std::int64_t extent_;
  std::unique_ptr<std::byte, void (*)(void*)> array_;
  std::vector<std::byte> messages_;
  comm::Copies copies_, back_;
};

double seconds_of_word(std::int64_t extent) {
  Square square(extent);
  const std::int64_t repeats = std::max<std::int64_t>(words_of_pass / square.words(), 1);
  std::array<double, copy_passes> seconds;
  square.copy();
  for (double& one : seconds) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < repeats; ++i) square.copy();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    one = took.count() / static_cast<double>(repeats * square.words());
  }
  std::ranges::nth_element(seconds, seconds.begin() + copy_passes / 2);
  return seconds[copy_passes / 2];
}

}  // namespace

StridedCopies measure_strided_copies() {
  StridedCopies found;
  for (const std::int64_t extent : extents) {
    found.spans.push_back(extent * extent * double_bytes);
    found.seconds.push_back(seconds_of_word(extent));
  }
  return found;
}

}  // namespace phasewise::probe

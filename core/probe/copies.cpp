#include "probe/copies.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "exchange/packing.hpp"

namespace phasewise::probe {
namespace {

constexpr std::int64_t double_bytes = 8;
constexpr std::array<std::int64_t, 8> extents{4, 16, 64, 256, 1024, 2048, 4096, 16384};
constexpr int copy_passes = 15;
constexpr std::int64_t words_of_pass = 1 << 15;  // at least; a pass outlasts a clock's tick
constexpr std::int64_t smallest_block = 256, largest_block = 1 << 24;  // B

// The columns of a square: those at its edges are read, and those just outside are written.
class Edges {
 public:
  explicit Edges(const Square& square)
      : square_(square),
        array_(lazy_bytes(square.extent * square.stride())),
        messages_(static_cast<std::size_t>(2 * square.extent * double_bytes)) {
    const std::int64_t extent = square.extent;
    exchange::Fragments inner{column(1, 0), column(extent, extent)};
    exchange::Fragments outer{column(0, 0), column(extent + 1, extent)};
    append_packing(copies_, inner, array_.get(), messages_.data());
    append_unpacking(back_, outer, array_.get(), messages_.data());
  }

  void copy() {
    exchange::run(copies_, 1);
    exchange::run(back_, 1);
  }
  std::int64_t words() const { return 4 * square_.extent; }

 private:
  exchange::Fragment column(std::int64_t number, std::int64_t before) const {
    return {.at = number * double_bytes,
            .message_at = before * double_bytes,
            .run = double_bytes,
            .count = square_.extent,
            .stride = square_.stride(),
            .outer_count = 1,
            .outer_stride = 0};
  }

  Square square_;
  LazyBytes array_;
  std::vector<std::byte> messages_;
  exchange::Copies copies_, back_;
};

// The median over the passes of the time of one of `repeats` copies in a row.
template <class F>
double median_seconds(std::int64_t repeats, F&& copy) {
  std::array<double, copy_passes> seconds;
  copy();
  for (double& one : seconds) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < repeats; ++i) copy();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    one = took.count() / static_cast<double>(repeats);
  }
  std::ranges::nth_element(seconds, seconds.begin() + copy_passes / 2);
  return seconds[copy_passes / 2];
}

double seconds_of_word(const Square& square) {
  Edges edges(square);
  const std::int64_t repeats = std::max<std::int64_t>(words_of_pass / edges.words(), 1);
  return median_seconds(repeats, [&] { edges.copy(); }) / static_cast<double>(edges.words());
}

// Copies there and back, so that what is read has just been written, like the data of a message.
double seconds_of_block(std::int64_t bytes) {
  std::vector<std::byte> here(static_cast<std::size_t>(bytes), std::byte{1}), there = here;
  const std::int64_t repeats = std::max<std::int64_t>(double_bytes * words_of_pass / bytes, 1);
  return 0.5 * median_seconds(repeats, [&] {
           std::memcpy(there.data(), here.data(), here.size());
           std::atomic_signal_fence(std::memory_order_seq_cst);
           std::memcpy(here.data(), there.data(), here.size());
           std::atomic_signal_fence(std::memory_order_seq_cst);
         });
}

}  // namespace

LazyBytes lazy_bytes(std::int64_t count) {
  LazyBytes bytes(static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(count), 1)),
                  &std::free);
  if (!bytes) throw std::bad_alloc();
  return bytes;
}

std::vector<Square> squares() {
  std::vector<Square> all;
  all.reserve(extents.size());
  for (const std::int64_t extent : extents) all.push_back({extent});
  return all;
}

StridedCopies measure_strided_copies() {
  StridedCopies found;
  for (const Square& square : squares()) {
    found.spans.push_back(square.span());
    found.seconds.push_back(seconds_of_word(square));
  }
  return found;
}

std::vector<std::int64_t> block_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = smallest_block; size <= largest_block; size *= 4) sizes.push_back(size);
  return sizes;
}

std::vector<double> measure_block_copies() {
  std::vector<double> seconds;
  for (const std::int64_t size : block_sizes()) seconds.push_back(seconds_of_block(size));
  return seconds;
}

}  // namespace phasewise::probe

// The particles of a beam in a device's memory, with room to sort one column at a time.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "beam/coordinates.hpp"
#include "beam/slices.hpp"
#include "gpu/launch.hpp"
#include "gpu/sorting.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;

// Puts values into the given order.
template <class T>
void reorder(platform::Array<T>& values, platform::Array<T>& spare, const std::uint32_t* order,
             std::int64_t size) {
  const T* from = values.data();
  T* to = spare.data();
  platform::for_each("sort", size,
                     [=] PHASEWISE_DEVICE(std::int64_t i) { to[i] = from[order[i]]; });
  std::swap(values, spare);
}

class DeviceParticles {
 public:
  void take(const beam::ParticleView& from) {
    check_room(from.size - id_.size());
    for (platform::Array<double>& column : columns_) column.reserve(from.size);
    id_.reserve(from.size);
    spare_.reserve(from.size);
    spare_id_.reserve(from.size);
    sorter_.reserve(from.size);
    size_ = from.size;
    each_column(from, view(), [&](auto* host, auto* device) {
      platform::copy_in(device, host, static_cast<std::size_t>(size_) * sizeof *host);
    });
    platform::wait();
  }
  void give(const beam::ParticleView& to) {
    each_column(to, view(), [&](auto* host, auto* device) {
      platform::copy_out(host, device, static_cast<std::size_t>(size_) * sizeof *host);
    });
    platform::wait();
  }

  beam::ParticleView view() {
    return {columns_[0].data(), columns_[1].data(), columns_[2].data(), columns_[3].data(),
            columns_[4].data(), columns_[5].data(), id_.data(),         size_};
  }
  std::int64_t size() const { return size_; }

  // Sorts by key(coordinates), in [0, bins), and keeps the order of particles with the same key.
  // Returns where each bin begins, and the end.
  template <class Key>
  std::vector<std::int64_t> sort(int bins, Key key) {
    const beam::ParticleView from = view();
    std::uint8_t* keys = sorter_.keys();
    platform::for_each("keys", size_, [=] PHASEWISE_DEVICE(std::int64_t i) {
      keys[i] = static_cast<std::uint8_t>(key(from, i));
    });
    std::vector<std::int64_t> begins = sorter_.sort(size_, bins);
    for (platform::Array<double>& column : columns_)
      reorder(column, spare_, sorter_.order(), size_);
    reorder(id_, spare_id_, sorter_.order(), size_);
    return begins;
  }

  // Drops the particles with x = NaN.
  void remove_lost() {
    size_ = sort(2, [] PHASEWISE_DEVICE(const beam::ParticleView& p, std::int64_t i) {
      return p.x[i] == p.x[i] ? 0 : 1;  // NOLINT(misc-redundant-expression)
    })[1];
  }

 private:
  // Throws std::runtime_error with one sentence if the device has too little memory for `more`
  // further particles.
  static void check_room(std::int64_t more) {
    // Coordinates and id; a spare column of each; keys and order, before and after sorting, with
    // CUB's copy of them; a place in the list of strays.
    constexpr std::int64_t each = 52 + 12 + 10 + 5 + 8;  // B
    const platform::Memory now = platform::memory();
    if (more * each <= static_cast<std::int64_t>(now.free)) return;
    const std::int64_t fit = static_cast<std::int64_t>(now.free) / each;
    platform::fail_for_memory(now, "a beam here has " + std::to_string(more) +
                                       " macroparticles, of which " + std::to_string(fit) + " fit");
  }

  template <class F>
  static void each_column(const beam::ParticleView& a, const beam::ParticleView& b, const F& f) {
    f(a.x, b.x);
    f(a.px, b.px);
    f(a.y, b.y);
    f(a.py, b.py);
    f(a.z, b.z);
    f(a.delta, b.delta);
    f(a.id, b.id);
  }

  std::array<platform::Array<double>, 6> columns_;  // x, px, y, py, z, delta
  platform::Array<std::uint32_t> id_;
  platform::Array<double> spare_;
  platform::Array<std::uint32_t> spare_id_;
  platform::Sorter sorter_;
  std::int64_t size_ = 0;
};

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

// The particles of a beam in a device's memory, with a spare copy to sort into.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "beam/coordinates.hpp"
#include "beam/slices.hpp"
#include "gpu/launch.hpp"
#include "gpu/sorting.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;

class DeviceParticles {
 public:
  void take(const beam::ParticleView& from) {
    now_.reserve(from.size);
    spare_.reserve(from.size);
    sorter_.reserve(from.size);
    size_ = from.size;
    each_column(from, now_.view(size_), [&](auto* host, auto* device) {
      platform::copy_in(device, host, static_cast<std::size_t>(size_) * sizeof *host);
    });
    platform::wait();
  }
  void give(const beam::ParticleView& to) {
    each_column(to, now_.view(size_), [&](auto* host, auto* device) {
      platform::copy_out(host, device, static_cast<std::size_t>(size_) * sizeof *host);
    });
    platform::wait();
  }

  beam::ParticleView view() { return now_.view(size_); }
  std::int64_t size() const { return size_; }

  // Sorts by key(coordinates), of [0, bins), and keeps the order of those with the same; returns
  // where each bin begins, and the end.
  template <class Key>
  std::vector<std::int64_t> sort(int bins, Key key) {
    const beam::ParticleView from = view(), to = spare_.view(size_);
    std::uint8_t* keys = sorter_.keys();
    platform::for_each("keys", size_, [=] PHASEWISE_DEVICE(std::int64_t i) {
      keys[i] = static_cast<std::uint8_t>(key(from, i));
    });
    std::vector<std::int64_t> begins = sorter_.sort(size_, bins);
    const std::uint32_t* order = sorter_.order();
    platform::for_each("sort", size_, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t k = order[i];
      beam::store(to, i, beam::load(from, k));
      to.id[i] = from.id[k];
    });
    std::swap(now_, spare_);
    return begins;
  }

  // Drops those with x = NaN.
  void remove_lost() {
    size_ = sort(2, [] PHASEWISE_DEVICE(const beam::ParticleView& p, std::int64_t i) {
      return p.x[i] == p.x[i] ? 0 : 1;  // NOLINT(misc-redundant-expression)
    })[1];
  }

 private:
  struct Columns {
    platform::Array<double> x, px, y, py, z, delta;
    platform::Array<std::uint32_t> id;
    void reserve(std::int64_t n) {
      for (platform::Array<double>* column : {&x, &px, &y, &py, &z, &delta}) column->reserve(n);
      id.reserve(n);
    }
    beam::ParticleView view(std::int64_t size) {
      return {x.data(), px.data(), y.data(), py.data(), z.data(), delta.data(), id.data(), size};
    }
  };
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

  Columns now_, spare_;
  platform::Sorter sorter_;
  std::int64_t size_ = 0;
};

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

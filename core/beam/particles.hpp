// The macroparticles of one beam that live on this rank, as a structure of arrays with a spare copy
// to sort into.
#pragma once

#include <cstdint>
#include <utility>

#include "beam/coordinates.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::beam {

class Particles {
 public:
  explicit Particles(std::int64_t capacity)
      : now_(capacity), spare_(capacity), capacity_(capacity), size_(capacity) {}

  std::int64_t size() const { return size_; }
  std::int64_t capacity() const { return capacity_; }
  void resize(std::int64_t size) { size_ = size; }
  ParticleView view() { return now_.view(size_); }

  // Sorting writes into the spare arrays, which then become the current ones.
  ParticleView spare() { return spare_.view(size_); }
  void swap() { std::swap(now_, spare_); }

  // Drops lost particles (x is NaN) without keeping the order; returns their number.
  std::int64_t remove_lost();

 private:
  struct Arrays {
    parallel::Buffer<double> x, px, y, py, z, delta;
    parallel::Buffer<std::uint32_t> id;
    explicit Arrays(std::int64_t n) : x(n), px(n), y(n), py(n), z(n), delta(n), id(n) {}
    ParticleView view(std::int64_t size) {
      return {x.data(), px.data(), y.data(), py.data(), z.data(), delta.data(), id.data(), size};
    }
  };
  Arrays now_, spare_;
  std::int64_t capacity_, size_;
};

inline std::int64_t Particles::remove_lost() {
  const ParticleView p = view();
  std::int64_t kept = size_;
  for (std::int64_t i = 0; i < kept;) {
    if (p.x[i] == p.x[i]) {  // false of a NaN. NOLINT(misc-redundant-expression)
      ++i;
      continue;
    }
    --kept;
    store(p, i, load(p, kept));
    p.id[i] = p.id[kept];
  }
  return size_ - std::exchange(size_, kept);
}

}  // namespace phasewise::beam

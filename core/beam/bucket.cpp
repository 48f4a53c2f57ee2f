#include "beam/bucket.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "parallel/loops.hpp"

namespace phasewise::beam {
namespace {

std::vector<RadioFrequency> cavities(const std::vector<Line>& segments) {
  std::vector<RadioFrequency> found;
  for (const Line& line : segments)
    for (const Element& element : line.elements())
      if (const auto* rf = std::get_if<RadioFrequency>(&element)) found.push_back(*rf);
  return found;
}

}  // namespace

std::optional<Bucket> find_bucket(const std::vector<Line>& segments) {
  const std::vector<RadioFrequency> all = cavities(segments);
  if (all.size() != 1) return std::nullopt;
  const RadioFrequency& rf = all.front();
  Bucket bucket{.kick = std::copysign(1.0, rf.slip_length) * rf.kick,
                .phase = rf.phase,
                .wave_number = rf.wave_number,
                .inertia = 0.5 * std::fabs(rf.slip_length)};
  numerics::sincos_turns(rf.phase, bucket.sine, bucket.cosine);
  if (!(bucket.kick * bucket.cosine > 0.0 && bucket.inertia > 0.0)) return std::nullopt;
  const double barrier = 0.5 - 2.0 * rf.phase, ahead = barrier - std::floor(barrier);
  bucket.front = (ahead > 0.0 ? ahead : 1.0) / rf.wave_number;
  bucket.back = bucket.front - 1.0 / rf.wave_number;
  bucket.separatrix = std::min(bucket.potential(bucket.front), bucket.potential(bucket.back));
  return bucket;
}

std::int64_t count_debunched(const ParticleView& block, const Bucket& bucket) {
  // The bucket is copied and the arrays are restrict, so that the compiler knows that no store
  // changes them.
  const Bucket held_by = bucket;
  const double* __restrict z = block.z;
  const double* __restrict delta = block.delta;
  const std::int64_t size = block.size;
  std::int64_t outside = 0;
#pragma omp simd reduction(+ : outside)
  for (std::int64_t i = 0; i < size; ++i) outside += held_by.holds(z[i], delta[i]) ? 0 : 1;
  return outside;
}

parallel::KernelCard debunched_card() {
  return {.name = "debunched",
          .flops = 50.0,  // 35 of them in sine and cosine
          .bytes = 16.0,
          .vectorised = true,
          .trip = parallel::block_size};
}

}  // namespace phasewise::beam

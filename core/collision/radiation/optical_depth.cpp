#include "collision/radiation/optical_depth.hpp"

#include "numerics/normal.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

void draw_depths(const beam::ParticleView& particles, std::uint64_t seed, std::uint64_t turn,
                 std::uint32_t stream, std::uint32_t index, int threads, double* depth,
                 std::uint16_t* drawn) {
  parallel::for_blocks(particles.size, threads, [&](std::int64_t begin, int count, int) {
    const std::uint32_t* id = particles.id + begin;
    double* of_block = depth + begin;
    const std::uint64_t by_seed = seed, in_turn = turn;
    const std::uint32_t in_stream = stream, at = index;
#pragma omp simd
    for (int i = 0; i < count; ++i) {
      double deviate, unused;
      numerics::uniform_pair(by_seed, id[i], in_turn, in_stream, at, deviate, unused);
      of_block[i] = -numerics::log_positive(deviate);
    }
    for (int i = 0; i < count; ++i) drawn[begin + i] = 0;
  });
}

parallel::KernelCard optical_depths_card() {
  return {.name = "optical_depths",
          .flops = 40.0,  // of the logarithm; the integers of the random words come on top
          .bytes = 14.0,  // the id read, depth and count written
          .vectorised = true,
          .trip = parallel::block_size};
}

}  // namespace phasewise::collision

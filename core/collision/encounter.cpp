#include "collision/encounter.hpp"

#include <algorithm>
#include <optional>

#include "collision/encounter_steps.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

using namespace encounter_steps;

constexpr int block = parallel::block_size;

// The field beyond the mesh, computed when it is first asked for.
class LazyFar {
 public:
  const FarField& operator()(const KickSource& kick) {
    if (!field_) {
      EdgeMoments moments[2];
      for (int plane = 0; plane < kick.planes && kick.far.enclosed; ++plane)
        moments[plane] = edge_moments(kick.frame[plane], kick.far.potential[plane]);
      field_ = far_field(kick.frame, kick.planes, kick.far, moments);
    }
    return *field_;
  }

 private:
  std::optional<FarField> field_;
};

// Adds two neighbours of a mesh row at a time.
template <int width>
void add_weights(double* node, const double* weight, int stride, int ny) {
  for (int a = 0; a < width; ++a, node += ny, weight += width * stride) {
    store_pair(node, load_pair(node) + Pair{weight[0], weight[stride]});
    if constexpr (width == 3) node[2] += weight[2 * stride];
  }
}

template <class W, int planes>
std::int64_t encounter_of(const beam::ParticleView& particles, const KickSource* kick,
                          const ChargeTarget* deposit, const AfterKick& after_kick) {
  Workspace<block> w;
  LazyFar far;
  const auto add = [](double* node, const double* weight, int stride, int ny) {
    add_weights<W::width>(node, weight, stride, ny);
  };
  std::int64_t outside = 0;
  for (std::int64_t begin = 0; begin < particles.size; begin += block) {
    const int n = static_cast<int>(std::min<std::int64_t>(block, particles.size - begin));
    const beam::ParticleView p = particles.part(begin, n);
    if (kick != nullptr) kick_block<W, planes>(p, n, *kick, far, w);
    if (kick != nullptr && after_kick) after_kick(p, begin, w.kick);
    if (deposit != nullptr) outside += deposit_block<W>(p, n, *deposit, w, add);
  }
  return outside;
}

template <class W>
std::int64_t encounter_of(const beam::ParticleView& particles, const KickSource* kick,
                          const ChargeTarget* deposit, const AfterKick& after_kick) {
  const int planes = kick != nullptr ? kick->planes : deposit->planes;
  return planes == 1 ? encounter_of<W, 1>(particles, kick, deposit, after_kick)
                     : encounter_of<W, 2>(particles, kick, deposit, after_kick);
}

}  // namespace

std::int64_t encounter(Weighting weighting, Arithmetic arithmetic,
                       const beam::ParticleView& particles, const KickSource* kick,
                       const ChargeTarget* deposit, const AfterKick& after_kick) {
  if (weighting == Weighting::tsc) return encounter_of<Tsc>(particles, kick, deposit, after_kick);
  return arithmetic == Arithmetic::fused
             ? encounter_of<FusedCic>(particles, kick, deposit, after_kick)
             : encounter_of<Cic>(particles, kick, deposit, after_kick);
}

parallel::KernelCard encounter_card(Weighting weighting, Arithmetic arithmetic, int planes,
                                    int deposits, double apart, double passes) {
  // What differences of the potential at every node add to reading the field there.
  const bool differences = weighting == Weighting::cic && arithmetic == Arithmetic::fused;
  const double flops_differences = differences ? 28.0 : 0.0;
  // What planes apart add: a second place on a mesh, two potentials, and the mean of two kicks.
  constexpr double flops_apart = 45.0;
  constexpr double flops_deposit = 28.0;  // of the 60 of a plane
  return {
      .name = "encounter",
      .flops = 60.0 * planes + flops_differences - flops_deposit * (planes - deposits) +
               flops_apart * apart,
      // 48 read, 40 written, and five coordinates for each deposit; the mesh stays in the cache.
      .bytes = 88.0 + 40.0 * passes,
      // Reading and writing the mesh particle by particle takes most of the time, except with
      // the smallest stencil.
      .vectorised = weighting == Weighting::cic && planes == 1,
      .touched = 48.0,
      .trip = block,
      .additions = (weighting == Weighting::cic ? 4.0 : 9.0) * deposits};
}

parallel::KernelCard clear_card() {
  return {.name = "clear", .flops = 0.0, .bytes = 8.0, .vectorised = true};
}

}  // namespace phasewise::collision

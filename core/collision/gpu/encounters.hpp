// Encounters on a device: a thread kicks one particle, and deposits it unless tiles deposit it
// (charge_tiles.hpp).
#pragma once

#include <cstdint>

#include "collision/encounter_steps.hpp"
#include "collision/mesh/charge_tile.hpp"
#include "gpu/launch.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;
using beam::ParticleView;

// An encounter's task as a thread reads it.
struct EncounterOnDevice {
  ParticleView particles;  // those of this task
  KickSource kick;
  ChargeTarget target;
  std::int64_t* outside;
  bool kicks, deposits;         // done by the thread that has the particle
  std::int64_t tile_particles;  // particles per tile if tiles deposit; else 0
  ChargeWords charge_words;     // those of a tile
};

// The field beyond the mesh, computed before the particles need it.
struct KnownFar {
  const FarField* field;
  PHASEWISE_HD const FarField& operator()(const KickSource&) const { return *field; }
};

template <class W>
struct AddWeights {
  PHASEWISE_DEVICE void operator()(double* node, const double* weight, int stride, int ny) const {
    for (int a = 0; a < W::width; ++a)
      for (int b = 0; b < W::width; ++b)
        platform::atomic_add(node + a * ny + b, weight[(W::width * a + b) * stride]);
  }
};

// Returns false and does nothing if the particle's kick is left for later.
template <class W, int planes, class Far>
PHASEWISE_DEVICE inline bool encounter_one(const EncounterOnDevice& task, Far far, std::int64_t i) {
  encounter_steps::Workspace<1> w;
  const ParticleView p = task.particles.part(i, 1);
  if (task.kicks && !encounter_steps::kick_block<W, planes>(p, 1, task.kick, far, w)) return false;
  if (!task.deposits) return true;
  const int outside = encounter_steps::deposit_block<W>(p, 1, task.target, w, AddWeights<W>{});
  if (outside > 0) platform::atomic_add(task.outside, std::int64_t{outside});
  return true;
}

// Computes the fields beyond the mesh from the moments of each edge.
template <int planes>
void find_far_fields(const EncounterOnDevice* tasks, int count, EdgeMoments* edges, FarField* far) {
  constexpr int each = planes * window_edges;
  platform::for_each("edges", std::int64_t{count} * each, [=] PHASEWISE_DEVICE(std::int64_t i) {
    const EncounterOnDevice& task = tasks[i / each];
    const int plane = static_cast<int>(i % each) / window_edges;
    if (task.kicks && task.kick.far.enclosed)
      edges[i] = edge_moments(task.kick.frame[plane], task.kick.far.potential[plane],
                              static_cast<int>(i % window_edges));
  });
  platform::for_each("far", count, [=] PHASEWISE_DEVICE(std::int64_t i) {
    if (!tasks[i].kicks) return;
    const KickSource& kick = tasks[i].kick;
    EdgeMoments moments[planes];
    for (int plane = 0; plane < planes; ++plane)
      moments[plane] = sum_of_edges(edges + i * each + plane * window_edges);
    far[i] = far_field(kick.frame, planes, kick.far, moments);
  });
}

// The few particles for which the mesh's own field is not enough.
struct Strays {
  struct Place {
    std::int32_t task;
    std::uint32_t particle;
  };
  Place* places;
  std::int64_t* count;
};

// `kicks` says whether any task kicks.
template <class W, int planes>
void launch_encounters(const EncounterOnDevice* tasks, int count, std::int64_t most, bool kicks,
                       EdgeMoments* edges, FarField* far, const Strays& strays) {
  if (kicks) find_far_fields<planes>(tasks, count, edges, far);
  platform::for_each_of_tasks(
      "encounter", count, most, [=] PHASEWISE_DEVICE(int task, std::int64_t i) {
        if (i >= tasks[task].particles.size) return;
        if (encounter_one<W, planes>(tasks[task], encounter_steps::Later{}, i)) return;
        strays.places[platform::next_place(strays.count)] = {task, static_cast<std::uint32_t>(i)};
      });
  if (!kicks) return;
  platform::for_each_counted("strays", strays.count, [=] PHASEWISE_DEVICE(std::int64_t i) {
    const Strays::Place at = strays.places[i];
    encounter_one<W, planes>(tasks[at.task], KnownFar{far + at.task}, at.particle);
  });
}

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

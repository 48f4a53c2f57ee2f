// The encounters of a step on a device, and what they need there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collision/gpu/charge_tiles.hpp"
#include "collision/gpu/encounters.hpp"
#include "gpu/memory.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

using platform::Array;

class Encounters {
 public:
  // particles: of both beams.
  void run(Weighting weighting, int planes, std::span<const EncounterTask> tasks,
           const std::array<ParticleView, 2>& particles) {
    if (outside_.size() == 0) outside_.reserve(2);
    const TileShape tiles = tile_shape(tasks, weighting);
    const bool by_tiles = tiles.particles > 0;
    std::vector<EncounterOnDevice> given;
    std::int64_t most = 0;
    bool kicks = false;
    for (const EncounterTask& task : tasks) {
      given.push_back(on_device(task, particles[task.beam], by_tiles));
      most = std::max(most, task.count);
      kicks = kicks || task.kick.has_value();
    }
    tasks_.copy_from(given.data(), std::ssize(given));
    const auto run_for = [&](auto weights) {
      using W = decltype(weights);
      if (kicks || !by_tiles) {
        if (planes == 1)
          kick<W, 1>(tasks, most, kicks);
        else
          kick<W, 2>(tasks, most, kicks);
      }
      if (by_tiles) launch_deposits<W>(tasks_.data(), count_of(tasks), planes, most, tiles);
    };
    if (weighting == Weighting::cic)
      run_for(field::Cic{});
    else
      run_for(field::Tsc{});
  }

  // Deposits outside the mesh since the last call, of each beam.
  std::array<std::int64_t, 2> take_outside() {
    std::array<std::int64_t, 2> result{};
    if (outside_.size() == 0) return result;
    outside_.copy_to(result.data(), 2);
    outside_.clear(2);
    return result;
  }

 private:
  static int count_of(std::span<const EncounterTask> tasks) {
    return static_cast<int>(tasks.size());
  }
  EncounterOnDevice on_device(const EncounterTask& task, const ParticleView& particles,
                              bool by_tiles) {
    EncounterOnDevice one{};
    one.particles = particles.part(task.begin, task.count);
    if (task.kick) one.kick = *task.kick;
    if (task.target) one.target = *task.target;
    one.kicks = task.kick.has_value();
    one.deposits = task.target.has_value() && !by_tiles;
    one.by_tiles = task.target.has_value() && by_tiles;
    one.outside = outside_.data() + task.beam;
    return one;
  }

  // most: particles of the largest task; kicks: whether any task does.
  template <class W, int planes>
  void kick(std::span<const EncounterTask> tasks, std::int64_t most, bool kicks) {
    const int count = count_of(tasks);
    std::int64_t particles = 0;
    for (const EncounterTask& task : tasks) particles += task.count;
    far_.reserve(count);
    edges_.reserve(std::int64_t{planes} * window_edges * count);
    strays_.reserve(particles);
    stray_count_.reserve(1);
    stray_count_.clear(1);
    launch_kicks<W, planes>(tasks_.data(), count, most, kicks, edges_.data(), far_.data(),
                            {strays_.data(), stray_count_.data()});
  }

  Array<EncounterOnDevice> tasks_;
  Array<std::int64_t> outside_, stray_count_;
  Array<EdgeMoments> edges_;
  Array<FarField> far_;
  Array<Strays::Place> strays_;
};

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

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
  // `particles` are those of both beams.
  void run(Weighting weighting, Arithmetic arithmetic, int planes,
           std::span<const EncounterTask> tasks, const std::array<ParticleView, 2>& particles) {
    if (outside_.size() == 0) outside_.reserve(2);
    const TileChoice choice(tasks, weighting);
    std::vector<EncounterOnDevice> given;
    Step step{.planes = planes, .tasks = static_cast<int>(tasks.size()), .nodes = choice.nodes()};
    for (const EncounterTask& task : tasks) {
      const TaskTiles tiles = choice.of(task);
      given.push_back(on_device(task, particles[task.beam], tiles));
      step.particles += task.count;
      step.largest = std::max(step.largest, task.count);
      step.tiles = std::max(step.tiles, tiles.count(task.count));
      step.kicks = step.kicks || given.back().kicks;
      step.deposits = step.deposits || given.back().deposits;
    }
    tasks_.copy_from(given.data(), std::ssize(given));
    if (weighting == Weighting::tsc)
      launch<field::Tsc>(step);
    else if (arithmetic == Arithmetic::fused)
      launch<field::FusedCic>(step);
    else
      launch<field::Cic>(step);
  }

  // The number of deposits outside the mesh since the last call, for each beam.
  std::array<std::int64_t, 2> take_outside() {
    std::array<std::int64_t, 2> result{};
    if (outside_.size() == 0) return result;
    outside_.copy_to(result.data(), 2);
    outside_.clear(2);
    return result;
  }

 private:
  struct Step {
    int planes, tasks;
    TileNodes nodes;                       // of a tile
    std::int64_t particles = 0;            // of all tasks
    std::int64_t largest = 0;              // particles of the largest task
    std::int64_t tiles = 0;                // of the task with the most tiles
    bool kicks = false, deposits = false;  // whether the particle's thread does so in any task
  };

  EncounterOnDevice on_device(const EncounterTask& task, const ParticleView& particles,
                              const TaskTiles& tiles) {
    EncounterOnDevice one{};
    one.particles = particles.part(task.begin, task.count);
    if (task.kick) one.kick = *task.kick;
    if (task.target) one.target = *task.target;
    one.kicks = task.kick.has_value();
    one.deposits = task.target.has_value() && tiles.particles == 0;
    one.tile_particles = tiles.particles;
    one.charge_words = tiles.words;
    one.outside = outside_.data() + task.beam;
    return one;
  }

  template <class W>
  void launch(const Step& step) {
    if (step.kicks || step.deposits) {
      if (step.planes == 1)
        by_particles<W, 1>(step);
      else
        by_particles<W, 2>(step);
    }
    if (step.tiles > 0)
      launch_deposits<W>(tasks_.data(), step.tasks, step.planes, step.tiles, step.nodes);
  }

  template <class W, int planes>
  void by_particles(const Step& step) {
    if (step.kicks) {
      far_.reserve(step.tasks);
      edges_.reserve(std::int64_t{planes} * window_edges * step.tasks);
      strays_.reserve(step.particles);
      stray_count_.reserve(1);
      stray_count_.clear(1);
    }
    launch_encounters<W, planes>(tasks_.data(), step.tasks, step.largest, step.kicks, edges_.data(),
                                 far_.data(), {strays_.data(), stray_count_.data()});
  }

  Array<EncounterOnDevice> tasks_;
  Array<std::int64_t> outside_, stray_count_;
  Array<EdgeMoments> edges_;
  Array<FarField> far_;
  Array<Strays::Place> strays_;
};

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

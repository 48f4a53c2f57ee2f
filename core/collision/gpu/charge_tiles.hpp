// Deposits on a device: blocks of threads add the charges of some particles of a slice to a tile of
// their own, and each tile is then added to the charge plane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "collision/device_work.hpp"
#include "collision/gpu/encounters.hpp"
#include "collision/mesh/charge_tile.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

// How the particles of a task are divided among tiles.
struct TaskTiles {
  std::int64_t particles = 0;  // per tile; 0: tiles do not pay
  ChargeWords words;

  std::int64_t count(std::int64_t in_all) const {
    return particles == 0 ? 0 : (in_all + particles - 1) / particles;
  }
};

// The tiles of a step's tasks. A tile pays if its particles make at least twice as many additions
// as it has nodes. Beyond that size, there are a few tiles for each multiprocessor, which keep all
// of them busy.
class TileChoice {
 public:
  TileChoice(std::span<const EncounterTask> tasks, Weighting weighting)
      : additions_(weighting == Weighting::cic ? 4 : 9) {
    const platform::Blocks blocks = platform::blocks();
    for (const EncounterTask& task : tasks) {
      if (!task.target) continue;
      constexpr std::size_t node_bytes = 2 * sizeof(std::uint32_t);
      const field::WindowFrame& frame = task.target->frame[0];  // all tasks have its shape
      nodes_ =
          middle_nodes(frame.nx, frame.ny, static_cast<std::int64_t>(blocks.shared / node_bytes));
      if (gains(task)) deposits_ += task.count * task.target->planes;
    }
    constexpr std::int64_t tiles_each = 2;
    const std::int64_t wanted = tiles_each * blocks.processors;
    wished_ = (deposits_ + wanted - 1) / wanted;
  }

  const TileNodes& nodes() const { return nodes_; }
  TaskTiles of(const EncounterTask& task) const {
    if (!task.target || !gains(task)) return {};
    const ChargeWords words = charge_words(bits_of(task));
    return {std::clamp(wished_, least(), words.most_charges()), words};
  }
  // The number of deposits of a particle on a plane that go through tiles.
  std::int64_t deposits() const { return deposits_; }

 private:
  static int bits_of(const EncounterTask& task) {
    return bits_of_macroparticle(task.target->rounding_offset);
  }
  std::int64_t least() const { return (2 * nodes_.count() + additions_ - 1) / additions_; }
  bool gains(const EncounterTask& task) const {
    constexpr int most_bits = 51, stencil = 3;
    const int bits = bits_of(task);
    return bits <= most_bits && std::min(nodes_.nx, nodes_.ny) >= stencil &&
           std::min(task.count, charge_words(bits).most_charges()) >= least();
  }

  std::int64_t additions_;  // per particle
  TileNodes nodes_;
  std::int64_t deposits_ = 0;
  std::int64_t wished_ = 0;  // particles per tile
};

// The kernel that for_each_by_tiles runs; its tasks are single planes of the tasks here, of which
// some lay fewer than others. The low words of a tile come before the high ones.
template <class W>
struct DepositByTiles {
  const EncounterOnDevice* tasks;
  int planes;
  TileNodes nodes;
  int words, takes;

  DepositByTiles(const EncounterOnDevice* given, int count, const TileNodes& of)
      : tasks(given), planes(count), nodes(of), words(2 * of.count()), takes(of.count()) {}

  PHASEWISE_DEVICE std::int64_t size(int task) const {
    const EncounterOnDevice& one = tasks[task / planes];
    const bool deposits = one.tile_particles > 0 && task % planes < one.target.planes;
    return deposits ? one.particles.size : 0;
  }
  PHASEWISE_DEVICE std::int64_t chunk(int task) const {
    return tasks[task / planes].tile_particles;
  }
  PHASEWISE_DEVICE void add(int task, std::int64_t i, std::uint32_t* tile) const {
    const EncounterOnDevice& one = tasks[task / planes];
    const ChargeTarget& target = one.target;
    const int plane = task % planes, ny = target.frame[plane].ny;
    encounter_steps::Workspace<1> w;
    encounter_steps::find_places<W>(one.particles.part(i, 1), 1, target.z[plane],
                                    target.frame[plane], w);
    if (w.inside[0] == 0.0) return platform::atomic_add(one.outside, std::int64_t{1});
    encounter_steps::find_weights<1>(W{}, 1, target.rounding_offset, w);
    const int node = nodes.find(w.node[0] / ny, w.node[0] % ny, W::width);
    if (node < 0) return AddWeights<W>{}(target.charge[plane] + w.node[0], &w.weight[0][0], 1, ny);
    for (int a = 0; a < W::width; ++a)
      for (int b = 0; b < W::width; ++b)
        add_multiple(tile + node + a * nodes.ny + b, one.charge_words,
                     multiple_of(w.weight[W::width * a + b][0], target.rounding_offset));
  }
  PHASEWISE_DEVICE void take(int task, int k, const std::uint32_t* tile) const {
    if ((tile[k] | tile[takes + k]) == 0U) return;
    const EncounterOnDevice& one = tasks[task / planes];
    const ChargeTarget& target = one.target;
    const int plane = task % planes;
    const std::int64_t x = nodes.first_x + k / nodes.ny, y = nodes.first_y + k % nodes.ny;
    platform::atomic_add(target.charge[plane] + x * target.frame[plane].ny + y,
                         static_cast<double>(one.charge_words.multiple(tile[k], tile[takes + k])) *
                             quantum_of(target.rounding_offset));
  }

 private:
  PHASEWISE_DEVICE void add_multiple(std::uint32_t* word, const ChargeWords& charge,
                                     std::int64_t multiple) const {
    platform::atomic_add(word, charge.low(multiple));
    platform::atomic_add(word + takes, charge.high(multiple));
  }
};

// `count` is the number of tasks, `most` the largest number of tiles of a task.
template <class W>
void launch_deposits(const EncounterOnDevice* tasks, int count, int planes, std::int64_t most,
                     const TileNodes& nodes) {
  platform::for_each_by_tiles("deposit", count * planes, most,
                              DepositByTiles<W>(tasks, planes, nodes));
}

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

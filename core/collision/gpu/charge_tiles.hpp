// Deposits on a device: blocks of threads add the charges of some particles of a slice to a tile of
// their own, and each tile is then added to the charge plane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "collision/charge_tile.hpp"
#include "collision/device_work.hpp"
#include "collision/gpu/encounters.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

// How the particles of some tasks are divided among tiles.
struct TileShape {
  TileNodes nodes;
  ChargeWords words;
  std::int64_t particles = 0;  // of a tile; 0: tiles gain nothing
};

// A tile gains where its particles make at least twice as many additions as it has nodes. Beyond
// that, a few tiles for each multiprocessor keep all of them busy.
inline TileShape tile_shape(std::span<const EncounterTask> tasks, Weighting weighting) {
  constexpr std::int64_t tiles_each = 2;
  const std::int64_t additions = weighting == Weighting::cic ? 4 : 9;  // of a particle
  std::int64_t largest = 0, all = 0;
  int bits = 0;
  const ChargeTarget* target = nullptr;
  for (const EncounterTask& task : tasks) {
    if (!task.target) continue;
    target = &*task.target;
    largest = std::max(largest, task.count);
    all += task.count * target->planes;
    bits = std::max(bits, bits_of_macroparticle(target->rounding_offset));
  }
  TileShape shape;
  if (target == nullptr) return shape;
  const platform::Blocks blocks = platform::blocks();
  constexpr std::size_t node_bytes = 2 * sizeof(std::uint32_t);
  shape.nodes = middle_nodes(target->frame[0].nx, target->frame[0].ny,
                             static_cast<std::int64_t>(blocks.shared / node_bytes));
  shape.words = charge_words(bits);
  const std::int64_t least = (2 * shape.nodes.count() + additions - 1) / additions;
  if (largest < least || shape.words.most_charges() < least) return shape;
  const std::int64_t wanted = tiles_each * blocks.processors;
  shape.particles = std::clamp((all + wanted - 1) / wanted, least, shape.words.most_charges());
  return shape;
}

inline std::int64_t count_by_tiles(std::span<const EncounterTask> tasks, Weighting weighting) {
  if (tile_shape(tasks, weighting).particles == 0) return 0;
  std::int64_t count = 0;
  for (const EncounterTask& task : tasks) count += task.target ? task.count : 0;
  return count;
}

// As for_each_by_tiles wants it; a task here is one plane of a task. The low words of a tile come
// before the high ones.
template <class W>
struct DepositByTiles {
  const EncounterOnDevice* tasks;
  int planes;
  TileNodes nodes;
  ChargeWords charge;
  std::int64_t chunk;
  int words, takes;

  DepositByTiles(const EncounterOnDevice* given, int count, const TileShape& shape)
      : tasks(given),
        planes(count),
        nodes(shape.nodes),
        charge(shape.words),
        chunk(shape.particles),
        words(2 * shape.nodes.count()),
        takes(shape.nodes.count()) {}

  PHASEWISE_DEVICE std::int64_t size(int task) const {
    const EncounterOnDevice& one = tasks[task / planes];
    return one.by_tiles ? one.particles.size : 0;
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
        add_multiple(tile + node + a * nodes.ny + b,
                     multiple_of(w.weight[W::width * a + b][0], target.rounding_offset));
  }
  PHASEWISE_DEVICE void take(int task, int k, const std::uint32_t* tile) const {
    if ((tile[k] | tile[takes + k]) == 0U) return;
    const ChargeTarget& target = tasks[task / planes].target;
    const int plane = task % planes;
    const std::int64_t x = nodes.first_x + k / nodes.ny, y = nodes.first_y + k % nodes.ny;
    platform::atomic_add(target.charge[plane] + x * target.frame[plane].ny + y,
                         static_cast<double>(charge.multiple(tile[k], tile[takes + k])) *
                             quantum_of(target.rounding_offset));
  }

 private:
  PHASEWISE_DEVICE void add_multiple(std::uint32_t* word, std::int64_t multiple) const {
    platform::atomic_add(word, charge.low(multiple));
    platform::atomic_add(word + takes, charge.high(multiple));
  }
};

// count: of tasks; most: particles of the largest.
template <class W>
void launch_deposits(const EncounterOnDevice* tasks, int count, int planes, std::int64_t most,
                     const TileShape& shape) {
  platform::for_each_by_tiles("deposit", count * planes, most,
                              DepositByTiles<W>(tasks, planes, shape));
}

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

#include "atmosphere/radiation.hpp"

#include <algorithm>
#include <vector>

#include "atmosphere/adjustment.hpp"
#include "atmosphere/long_wave.hpp"
#include "atmosphere/rows.hpp"
#include "atmosphere/short_wave.hpp"
#include "parallel/buffer.hpp"
#include "parallel/loops.hpp"

namespace phasewise::atmosphere {
namespace {

constexpr int columns_at_once = 128;  // of a task

// Neighbouring columns, as many as there are lanes, and rows for their values.
template <class V>
class ArrayGroup {
 public:
  ArrayGroup(int levels, int rows) : levels_(levels), rows_(rows * (levels + 1)) {
    std::fill(rows_.data(), rows_.data() + rows_.size(), V{});
  }

  void take(std::int64_t first, int used) {
    first_ = first;
    used_ = used;
  }
  V* row(int which) { return rows_.data() + which * (levels_ + 1); }

  // `size`: values of a column in the array.
  // Without an array all values are 0.
  V* load(int which, const double* array, int size) {
    if (array == nullptr) return row(which);
    load_rows(
        used_, [&](int i) { return array + (first_ + i) * size; }, size, row(which));
    return row(which);
  }
  void store(int which, double* array, int size) {
    store_rows(
        used_, [&](int i) { return array + (first_ + i) * size; }, size, row(which));
  }
  // Heating by the net gain of each level.
  template <class Gain>
  void store_heating(int which, double* array, double mass, Gain&& gain) {
    const double scale = 1.0 / (heat_capacity_air * mass);
    for (int k = 0; k < levels_; ++k) row(which)[k] = scale * gain(k);
    store(which, array, levels_);
  }

 private:
  int levels_;
  parallel::Buffer<V> rows_;
  std::int64_t first_ = 0;
  int used_ = 1;
};

// Calls work(group, first, last) for the columns of each task, with a group that has so many rows.
template <class V, class Work>
void for_tasks_with_rows(const Columns& columns, int row_count, int threads, Work&& work) {
  const int tasks = static_cast<int>((columns.count + columns_at_once - 1) / columns_at_once);
  std::vector<ArrayGroup<V>> groups;
  groups.reserve(threads);
  for (int thread = 0; thread < threads; ++thread) groups.emplace_back(columns.levels, row_count);
  parallel::for_tasks(tasks, threads, [&](int task, int thread) {
    const std::int64_t first = std::int64_t{task} * columns_at_once;
    work(groups[thread], first, std::min(first + columns_at_once, columns.count));
  });
}

// Calls work(group) for groups of columns.
template <class V, class Work>
void for_groups(const Columns& columns, int row_count, int threads, Work&& work) {
  for_tasks_with_rows<V>(
      columns, row_count, threads,
      [&](ArrayGroup<V>& group, std::int64_t first, std::int64_t last) {
        for (std::int64_t at = first; at < last; at += lanes_of<V>) {
          group.take(at, static_cast<int>(std::min<std::int64_t>(lanes_of<V>, last - at)));
          work(group);
        }
      });
}

template <class F>
void with_values(const ColumnsManner& manner, F&& f) {
  if (manner.fast)
    f.template operator()<Lanes>();
  else
    f.template operator()<double>();
}

}  // namespace

void long_wave(const Columns& columns, std::span<const LongWaveBand> given,
               const LongWaveArrays& arrays, const ColumnsManner& manner) {
  const int levels = columns.levels;
  const double mass = Vertical(levels).mass;
  std::vector<LongWaveBand> bands;
  for (const LongWaveBand& band : given) bands.push_back(of_layer(band, mass));
  with_values(manner, [&]<class V>() {
    for_groups<V>(columns, 10, manner.threads, [&](ArrayGroup<V>& group) {
      const LongWaveRows<V> rows{.temperature = group.load(0, arrays.temperature, levels),
                                 .vapour = group.load(1, arrays.vapour, levels),
                                 .cloud = group.load(2, arrays.cloud, levels),
                                 .emission = group.row(3),
                                 .transmission = group.row(4),
                                 .source = group.row(5),
                                 .net = group.row(6),
                                 .down = group.row(7)};
      const V surface = *group.load(8, arrays.surface_temperature, 1);
      long_wave_fluxes<true, V>(bands, levels, surface, rows);
      for (int k = 0; k <= levels; ++k) group.row(9)[k] = rows.net[k] + rows.down[k];
      group.store(9, arrays.up, levels + 1);
      group.store(7, arrays.down, levels + 1);
      group.store_heating(3, arrays.heating, mass,
                          [&](int k) { return rows.net[k + 1] - rows.net[k]; });
    });
  });
}

void short_wave(const Columns& columns, std::span<const ShortWaveBand> given, double albedo,
                double solar_constant, const ShortWaveArrays& arrays, const ColumnsManner& manner) {
  const int levels = columns.levels;
  const double mass = Vertical(levels).mass;
  std::vector<ShortWaveTerms> bands;
  for (const ShortWaveBand& band : given) bands.push_back(of_layer(band, mass));
  with_values(manner, [&]<class V>() {
    for_groups<V>(columns, 11, manner.threads, [&](ArrayGroup<V>& group) {
      const ShortWaveRows<V> rows{.vapour = group.load(0, arrays.vapour, levels),
                                  .cloud = group.load(1, arrays.cloud, levels),
                                  .reflected = group.row(2),
                                  .beam_reflected = group.row(3),
                                  .passed = group.row(4),
                                  .beam_spread = group.row(5),
                                  .direct = group.row(6),
                                  .net = group.row(7),
                                  .down = group.row(8)};
      const V cosine = larger(*group.load(9, arrays.cosine, 1), V{});
      short_wave_fluxes<true, V>(bands, levels, albedo, beam_of<V>(cosine, solar_constant), rows);
      for (int k = 0; k <= levels; ++k) group.row(10)[k] = rows.down[k] - rows.net[k];
      group.store(10, arrays.up, levels + 1);
      group.store(8, arrays.down, levels + 1);
      group.store_heating(2, arrays.heating, mass,
                          [&](int k) { return rows.net[k] - rows.net[k + 1]; });
    });
  });
}

namespace {

// Moves the air of a task's columns for the adjustment.
template <class V>
struct AdjustedColumns {
  ArrayGroup<V>& group;
  const AdjustedArrays& arrays;
  int levels;
  std::int64_t first;

  template <class F>
  void for_arrays(F&& f) const {
    f(0, arrays.temperature);
    f(1, arrays.vapour);
    f(2, arrays.cloud);
  }
  void load(int at, int used) {
    group.take(first + at, used);
    for_arrays([&](int row, const double* array) { group.load(row, array, levels); });
  }
  void store(int, int) {
    for_arrays([&](int row, double* array) { group.store(row, array, levels); });
  }
  void put(int column, int lane) {
    for_arrays([&](int row, const double* array) {
      load_lane(array + (first + column) * levels, levels, group.row(row), lane);
    });
  }
  void take(int column, int lane) {
    for_arrays([&](int row, double* array) {
      store_lane(group.row(row), levels, array + (first + column) * levels, lane);
    });
  }
  void finish(int column, int sweeps) { arrays.sweeps[first + column] = sweeps; }
};

}  // namespace

void adjust(const Columns& columns, int most_sweeps, const AdjustedArrays& arrays,
            const ColumnsManner& manner) {
  const Vertical vertical(columns.levels);
  with_values(manner, [&]<class V>() {
    for_tasks_with_rows<V>(
        columns, 13, manner.threads,
        [&](ArrayGroup<V>& group, std::int64_t first, std::int64_t last) {
          const AdjustmentRows<V> rows =
              adjustment_rows(StateRows<V>{group.row(0), group.row(1), group.row(2)},
                              [&](int row) { return group.row(3 + row); });
          AdjustedColumns<V> of_task{group, arrays, columns.levels, first};
          Adjuster(vertical, most_sweeps, rows, of_task).run(static_cast<int>(last - first));
        });
  });
}

}  // namespace phasewise::atmosphere

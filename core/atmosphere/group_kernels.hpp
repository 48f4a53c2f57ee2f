// Takes the values of columns into rows, one lane a column, through a kernel, and back.
#pragma once

#include <algorithm>

#include "atmosphere/column_kernels.hpp"
#include "atmosphere/rows.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::atmosphere {

template <class V>
class GroupKernels : public ColumnKernels {
 public:
  GroupKernels(const PhysicsSetting& setting, const Tables& tables)
      : setting_(setting),
        tables_(tables),
        layout_{setting.levels},
        rows_(layout_.size() + scratch_rows * (setting.levels + 1)) {
    std::fill(rows_.data(), rows_.data() + rows_.size(), V{});
  }

  void long_wave(const ColumnGroup& group) override {
    in_lanes(group, [&](const ColumnGroup& some, int) { long_wave_of(some); });
  }
  void short_wave(const ColumnGroup& group) override {
    in_lanes(group, [&](const ColumnGroup& some, int) { short_wave_of(some); });
  }

  void adjust(const ColumnGroup& group, const Failed& failed) override {
    Adjusted columns{*this, group, failed};
    const AdjustmentRows<V> rows = adjustment_rows(state(), [&](int row) { return scratch(row); });
    Adjuster(tables_.vertical, setting_.most_sweeps, rows, columns).run(group.count);
  }

  void surface(const ColumnGroup& group, const Failed& failed) override {
    in_lanes(group, [&](const ColumnGroup& some, int first) {
      const V good = surface_of(some);
      for (int lane = 0; lane < some.count; ++lane)
        if (lane_of(good, lane) == 0.0) failed(first + lane);
    });
  }

 private:
  static constexpr int scratch_rows = 10;

  // Moves the air of a group's columns for the adjustment.
  struct Adjusted {
    GroupKernels& kernels;
    const ColumnGroup& group;
    const Failed& failed;

    int air() const { return kernels.layout_.surface_temperature(); }
    ColumnGroup some(int first, int used) const {
      return {group.columns + first, group.places + first, used};
    }
    void load(int first, int used) { kernels.load(some(first, used), 0, air()); }
    void store(int first, int used) { kernels.store(some(first, used), 0, air()); }
    void put(int column, int lane) {
      load_lane(group.columns[column], air(), kernels.values(), lane);
    }
    void take(int column, int lane) {
      store_lane(kernels.values(), air(), group.columns[column], lane);
    }
    void finish(int column, int sweeps) {
      group.columns[column][kernels.layout_.results() + result::sweeps] = sweeps;
      if (sweeps > kernels.setting_.most_sweeps) failed(column);
    }
  };

  // Calls work(some, first) for as many columns as there are lanes.
  template <class Work>
  static void in_lanes(const ColumnGroup& group, Work&& work) {
    for (int first = 0; first < group.count; first += lanes_of<V>)
      work(
          {group.columns + first, group.places + first, std::min(lanes_of<V>, group.count - first)},
          first);
  }

  void long_wave_of(const ColumnGroup& group) {
    load(group, 0, layout_.values());
    const int levels = setting_.levels;
    const LongWaveRows<V> rows{.temperature = temperature(),
                               .vapour = vapour(),
                               .cloud = cloud(),
                               .emission = scratch(0),
                               .transmission = scratch(1),
                               .source = scratch(2),
                               .net = scratch(3),
                               .down = nullptr};
    for (int i = 0; i < result::count; ++i) result_of(i) = V{};
    result_of(result::energy_residual) =
        moist_enthalpy<V>(tables_.vertical, state(), surface_temperature());
    long_wave_fluxes<false, V>(tables_.long_wave, levels, surface_temperature(), rows);
    for (int k = 0; k < levels; ++k)
      temperature()[k] = fused(rows.net[k + 1] - rows.net[k], tables_.warming, temperature()[k]);
    result_of(result::outgoing) = rows.net[0];
    result_of(result::surface_long) = rows.net[levels];
    store(group, layout_.temperature(), levels);
    store(group, layout_.results(), result::count);
  }

  void short_wave_of(const ColumnGroup& group) {
    load(group, 0, layout_.surface_temperature());
    const int levels = setting_.levels;
    const ShortWaveRows<V> rows{.vapour = vapour(),
                                .cloud = cloud(),
                                .reflected = scratch(0),
                                .beam_reflected = scratch(1),
                                .passed = scratch(2),
                                .beam_spread = scratch(3),
                                .direct = scratch(4),
                                .net = scratch(5),
                                .down = nullptr};
    const V cosine = of_places(group, [](const Place& place) { return place.cosine; });
    short_wave_fluxes<false, V>(tables_.short_wave, levels, setting_.albedo,
                                beam_of<V>(cosine, setting_.solar_constant), rows);
    for (int k = 0; k < levels; ++k)
      temperature()[k] = fused(rows.net[k] - rows.net[k + 1], tables_.warming, temperature()[k]);
    result_of(result::absorbed) = rows.net[0];
    result_of(result::surface_short) = rows.net[levels];
    store(group, layout_.temperature(), levels);
    store(group, layout_.results() + result::absorbed, 1);
    store(group, layout_.results() + result::surface_short, 1);
  }

  // 1 where a column's numbers are in their range, else 0.
  V surface_of(const ColumnGroup& group) {
    load(group, 0, layout_.size());
    const Vertical& vertical = tables_.vertical;
    const SurfaceTerms& terms = tables_.surface;
    const double per_second = 1.0 / terms.timestep;
    const V sine_squared =
        of_places(group, [](const Place& place) { return place.sine * place.sine; });
    const AirChange<V> air = change_air<V>(vertical, terms, sine_squared, state());
    V& slab = surface_temperature();
    const SurfaceFlux<V> flux = exchange_with_air<V>(vertical, terms, slab, state());
    const V restored = (slab_capacity * terms.restored) *
                       (reference_temperature<V>(sine_squared, 1.0, 0.0) - slab);
    const V radiation =
        terms.timestep * (result_of(result::surface_short) - result_of(result::surface_long));
    const V given = fused(flux.vapour, latent_heat, flux.heat);
    slab += (1.0 / slab_capacity) * ((radiation - given) + restored);

    result_of(result::precipitation) = air.rain;
    result_of(result::evaporation) = flux.vapour;
    result_of(result::sensible) = per_second * flux.heat;
    result_of(result::forcing) = per_second * (air.forcing + restored);
    const V gained =
        moist_enthalpy<V>(vertical, state(), slab) - result_of(result::energy_residual);
    const V fluxes =
        (result_of(result::absorbed) - result_of(result::outgoing)) + result_of(result::forcing);
    result_of(result::energy_residual) = per_second * gained - fluxes;
    store(group, 0, layout_.size());
    return in_range<V>(setting_.levels, state(), slab);
  }

  V* values() { return rows_.data(); }
  V* temperature() { return values() + layout_.temperature(); }
  V* vapour() { return values() + layout_.vapour(); }
  V* cloud() { return values() + layout_.cloud(); }
  V& surface_temperature() { return values()[layout_.surface_temperature()]; }
  V& result_of(int which) { return values()[layout_.results() + which]; }
  StateRows<V> state() { return {temperature(), vapour(), cloud()}; }
  V* scratch(int row) { return values() + layout_.size() + row * (setting_.levels + 1); }

  void load(const ColumnGroup& group, int first, int count) {
    load_rows(
        group.count, [&](int i) { return group.columns[i] + first; }, count, values() + first);
  }
  void store(const ColumnGroup& group, int first, int count) {
    store_rows(
        group.count, [&](int i) { return group.columns[i] + first; }, count, values() + first);
  }

  template <class F>
  static V of_places(const ColumnGroup& group, F&& f) {
    V found{};
    for (int lane = 0; lane < lanes_of<V>; ++lane)
      set_lane(found, lane, f(group.places[std::min(lane, group.count - 1)]));
    return found;
  }

  const PhysicsSetting& setting_;
  const Tables& tables_;
  ColumnLayout layout_;
  parallel::Buffer<V> rows_;
};

}  // namespace phasewise::atmosphere

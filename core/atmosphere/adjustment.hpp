// Moist convective adjustment, after Manabe, Smagorinsky, Strickler, Mon. Wea. Rev. 93 (1965) 769.
//
// Air that rises from a layer to the one above it arrives with r T: on the dry adiabat
// r = (σ above/σ)^κ, and if the layer is saturated (its relative humidity is `saturated_from` or
// more) on the moist one. A layer is unstable if it is colder than that by more than
// `stable_within`, and where vapour exceeds saturation.
//
// A sweep condenses the excess of vapour into cloud water. Then it mixes the columns that are
// unstable anywhere: from the surface up, a layer joins the block of layers below it unless it is
// warmer by more than `stable_within` than the air that rises from there. (Were neutral layers left
// out, they would part blocks that then warm each other over many sweeps.) In a block temperatures
// become those of rising air, and vapour uniform or, where the block is saturated, a uniform share
// of saturation. Enthalpy and water of a block stay. Sweeps follow until one finds nothing to do.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "atmosphere/constants.hpp"
#include "atmosphere/values.hpp"
#include "atmosphere/vertical.hpp"

namespace phasewise::atmosphere {

// Saturation of air: the specific humidity, and its increase with temperature times L/cp.
template <class V>
struct Saturation {
  V humidity, slope;
};

template <class V>
PHASEWISE_HD Saturation<V> saturation(V temperature, double inverse_pressure) {
  const V inverse = 1.0 / larger(temperature - bolton_offset, all_of<V>(10.0));
  const auto [scale, beyond_one] =
      exponential<V>(fused(inverse, -bolton_slope, all_of<V>(bolton_log)));
  const V pressure = fused(scale, beyond_one, scale);
  const V humidity = smaller((vapour_ratio * inverse_pressure) * pressure, all_of<V>(vapour_ratio));
  constexpr double per_kelvin = latent_heat / heat_capacity_air * bolton_slope;
  return {humidity, per_kelvin * humidity * (inverse * inverse)};
}

// The air of a column.
template <class V>
struct StateRows {
  V *temperature, *vapour, *cloud;
};

template <class V>
struct AdjustmentRows {
  V *temperature, *vapour, *cloud;
  V* saturated;  // specific humidity of saturation
  // What air that rises from a level to that above it has there over what it had: temperature, and
  // vapour.
  V *ratio, *vapour_ratio;
  // The block of a level, up to the level itself: the sums of its temperatures and of its vapour;
  // temperature and vapour of the level over those of the block's base, and the sums of these.
  V *heat, *water, *place, *share, *places, *shares;
  V* joins;  // 1 where a level is in one block with that above it, else 0
};

// The rows of these columns; scratch(i) is memory for row i of the ten others.
template <class V, class Scratch>
AdjustmentRows<V> adjustment_rows(const StateRows<V>& air, Scratch&& scratch) {
  return {.temperature = air.temperature,
          .vapour = air.vapour,
          .cloud = air.cloud,
          .saturated = scratch(0),
          .ratio = scratch(1),
          .vapour_ratio = scratch(2),
          .heat = scratch(3),
          .water = scratch(4),
          .place = scratch(5),
          .share = scratch(6),
          .places = scratch(7),
          .shares = scratch(8),
          .joins = scratch(9)};
}

// Condenses, and finds how air rises. Returns where vapour condensed.
template <class V>
PHASEWISE_HD auto condense_and_lift(const Vertical& vertical, const AdjustmentRows<V>& rows) {
  auto condensed = V{} != V{};
  for (int k = 0; k < vertical.levels; ++k) {
    V temperature = rows.temperature[k], vapour = rows.vapour[k];
    const auto [humidity, slope] = saturation<V>(temperature, vertical.inverse_pressure[k]);
    V saturated = humidity;
    const auto over = vapour > (1.0 + saturated_within) * humidity;
    if (any(over)) {
      condensed = condensed | over;
      const V excess = over ? (vapour - humidity) / (1.0 + slope) : V{};
      temperature += (latent_heat / heat_capacity_air) * excess;
      vapour -= excess;
      saturated = over ? larger(vapour, humidity) : humidity;  // never 0
      rows.temperature[k] = temperature;
      rows.vapour[k] = vapour;
      rows.cloud[k] += excess;
    }
    rows.saturated[k] = saturated;
    if (k == 0) continue;
    // The moist adiabat d ln T/d ln p = κ (1 + L q*/(R T))/(1 + L/cp dq*/dT), over the step between
    // the levels.
    const V moist = vapour >= saturated_from * saturated ? all_of<V>(1.0) : V{};
    const V whole = fused(temperature, slope, temperature);
    const V half = (0.5 * kappa * vertical.log_step[k]) *
                   fused(saturated, latent_heat / gas_constant_air, temperature);
    const V inverse = 1.0 / ((whole + half) * saturated);
    const V dry = all_of<V>(vertical.dry_ratio[k]);
    const V lifted = larger((whole - half) * (saturated * inverse), dry);
    const V drier = rows.saturated[k - 1] * ((whole + half) * inverse);
    rows.ratio[k] = moist > 0.0 ? lifted : dry;
    rows.vapour_ratio[k] = moist > 0.0 ? drier : all_of<V>(1.0);
  }
  return condensed;
}

// Joins levels into blocks. Returns where any level is unstable; other columns must not be mixed.
template <class V>
PHASEWISE_HD auto join_levels(int levels, const AdjustmentRows<V>& rows) {
  const V one = all_of<V>(1.0);
  auto unstable = V{} != V{};
  V heat{}, water{}, place{}, share{}, places{}, shares{};
  for (int k = levels - 1; k >= 0; --k) {
    const V temperature = rows.temperature[k], vapour = rows.vapour[k];
    auto joins = V{} != V{};
    if (k < levels - 1) {
      const V ratio = rows.ratio[k + 1];
      unstable = unstable | (rows.temperature[k + 1] * ratio > temperature + stable_within);
      place = place * ratio;
      share = share * rows.vapour_ratio[k + 1];
      joins = heat * place > (temperature - stable_within) * places;
      rows.joins[k + 1] = joins ? one : V{};
    }
    place = joins ? place : one;
    share = joins ? share : one;
    heat = joins ? heat + temperature : temperature;
    water = joins ? water + vapour : vapour;
    places = joins ? places + place : one;
    shares = joins ? shares + share : one;
    rows.heat[k] = heat;
    rows.water[k] = water;
    rows.place[k] = place;
    rows.share[k] = share;
    rows.places[k] = places;
    rows.shares[k] = shares;
  }
  return unstable;
}

// Mixes the blocks of the unstable columns.
template <class V, class Mask>
PHASEWISE_HD void mix_blocks(int levels, Mask unstable, const AdjustmentRows<V>& rows) {
  V temperature{}, vapour{};  // of the base
  for (int k = 0; k < levels; ++k) {
    const V inverse = 1.0 / (rows.places[k] * rows.shares[k]);
    const V own_temperature = rows.heat[k] * rows.shares[k] * inverse;
    const V own_vapour = rows.water[k] * rows.places[k] * inverse;
    const V joins = k == 0 ? V{} : rows.joins[k];
    temperature = joins > 0.0 ? temperature : own_temperature;
    vapour = joins > 0.0 ? vapour : own_vapour;
    rows.temperature[k] = unstable ? temperature * rows.place[k] : rows.temperature[k];
    rows.vapour[k] = unstable ? vapour * rows.share[k] : rows.vapour[k];
  }
}

// A sweep. Returns a bit for each lane that it changed.
template <class V>
PHASEWISE_HD unsigned sweep(const Vertical& vertical, const AdjustmentRows<V>& rows) {
  const auto condensed = condense_and_lift<V>(vertical, rows);
  const auto unstable = join_levels<V>(vertical.levels, rows);
  if (any(unstable)) mix_blocks<V>(vertical.levels, unstable, rows);
  return bits_of(condensed) | bits_of(unstable);
}

// Adjusts columns until a sweep changes nothing. Columns differ in their sweeps: those of all lanes
// begin together, and when few are left these wait; later a lane whose column is done takes the
// next one that waits.
//
// `Columns` moves them: load(first, used) and store(first, used) neighbours into the lanes and
// back, put(column, lane) and take(column, lane) a single one. finish(column, sweeps) gets their
// sweeps, one more than the most where a column is still unstable.
template <class V, class Columns>
class Adjuster {
 public:
  Adjuster(const Vertical& vertical, int most_sweeps, const AdjustmentRows<V>& rows,
           Columns& columns)
      : vertical_(vertical), most_(most_sweeps), rows_(rows), columns_(columns) {}

  void run(int count) {
    for (int first = 0; first < count; first += lanes_of<V>)
      begin(first, std::min(lanes_of<V>, count - first));
    finish_waiting();
  }

 private:
  static constexpr int few = lanes_of<V> / 2;

  struct Waiting {
    int column, sweeps;
  };

  void begin(int first, int used) {
    columns_.load(first, used);
    unsigned busy = (1u << used) - 1;
    bool touched = false;
    int sweeps = 0;
    do {
      ++sweeps;
      const unsigned changed = busy & sweep<V>(vertical_, rows_);
      touched = touched || changed != 0;
      for_lanes(busy & ~changed, [&](int lane) { columns_.finish(first + lane, sweeps); });
      busy = changed;
    } while (sweeps < most_ && std::popcount(busy) > few);
    if (touched) columns_.store(first, used);
    for_lanes(busy, [&](int lane) {
      if (sweeps < most_)
        waiting_.push_back({first + lane, sweeps});
      else
        columns_.finish(first + lane, most_ + 1);
    });
  }

  void finish_waiting() {
    Waiting in_lane[lanes_of<V>];
    std::size_t next = 0;
    unsigned busy = 0;
    const auto put = [&](int lane) {
      busy &= ~(1u << lane);
      if (next == waiting_.size()) return;
      in_lane[lane] = waiting_[next++];
      columns_.put(in_lane[lane].column, lane);
      busy |= 1u << lane;
    };
    for (int lane = 0; lane < lanes_of<V>; ++lane) put(lane);
    while (busy != 0) {
      const unsigned changed = sweep<V>(vertical_, rows_);
      for_lanes(busy, [&](int lane) {
        Waiting& own = in_lane[lane];
        const bool stable = (changed >> lane & 1u) == 0;
        if (++own.sweeps < most_ && !stable) return;
        columns_.take(own.column, lane);
        columns_.finish(own.column, stable ? own.sweeps : most_ + 1);
        put(lane);
      });
    }
  }

  template <class F>
  static void for_lanes(unsigned bits, F&& f) {
    for (; bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
  }

  const Vertical& vertical_;
  int most_;
  const AdjustmentRows<V>& rows_;
  Columns& columns_;
  std::vector<Waiting> waiting_;
};

}  // namespace phasewise::atmosphere

// The sweep of a batch, group by group: into the batch, through the loops, and out of it.
#pragma once

#include <algorithm>

#include "hydro/batch_copy.hpp"
#include "hydro/batch_sweep.hpp"
#include "hydro/sweep_direction.hpp"
#include "hydro/sweep_loops.hpp"

namespace phasewise::hydro {

template <class V>
class GroupSweep : public BatchSweep {
 public:
  // `block`: the zones that a loop takes before the next loop follows it.
  GroupSweep(const SweepSetting& setting, int direction, int block)
      : direction_(setting, direction),
        riemann_(setting.riemann),
        batch_(zones(), setting.batch),
        rows_(zones(), block) {}

  void operator()(const Pencils& pencils, double timestep, Tally& tally) override {
    constants_ = direction_.constants(timestep);
    const int groups = (pencils.count + lanes_of<V> - 1) / lanes_of<V>;
    for_fields(
        [&](int q, int from) { load_batch(place(pencils, from), zones(), batch_.rows_of(q)); });
    for (int g = 0; g < groups; ++g) sweep_group(pencils, g, tally);
    for_fields([&](int q, int to) { store_batch(batch_.rows_of(q), zones(), place(pencils, to)); });
  }

 private:
  int zones() const { return direction_.axis().zones; }

  // Calls f with the quantities of a batch and the numbers of their arrays.
  template <class F>
  void for_fields(F&& f) const {
    for (int q = 0; q < quantities; ++q) f(q, direction_.field_of(q));
    if (constants_.carries_flattening) f(BatchRows<V>::carried, field::flattening);
  }

  static FieldPlace place(const Pencils& pencils, int field) {
    return {pencils.values[field], pencils.zone_stride, pencils.pencil_stride, pencils.count};
  }
  static int pencil_of(const Pencils& pencils, int group, int lane) {
    return std::min(group * lanes_of<V> + lane, pencils.count - 1);
  }

  void take_group(int group) {
    for (int q = 0; q < quantities; ++q) rows_.state[q] = batch_.rows_of(q).of(group);
    rows_.carried = batch_.rows_of(BatchRows<V>::carried).of(group);
  }

  void find_gravity(const Pencils& pencils, int group) {
    if (!constants_.has_gravity) return;
    for (int i = 0; i < zones(); ++i)
      for (int lane = 0; lane < lanes_of<V>; ++lane)
        set_lane(
            rows_.gravity[i], lane,
            direction_.gravity(direction_.zone_of(pencils, pencil_of(pencils, group, lane), i)));
  }

  void fill_ghost(int ghost) {
    const GhostSource source = ghost_source(direction_.axis(), ghost);
    const auto fill = [&](V* row, double entering, bool turns) {
      const V value = source.zone < 0 ? all_of<V>(entering) : row[source.zone];
      row[ghost] = turns && source.mirrored ? -value : value;
    };
    for (int q = 0; q < quantities; ++q) fill(rows_.state[q], direction_.inflow(q), q == normal);
    fill(rows_.carried, 0.0, false);
    if (constants_.has_gravity) fill(rows_.gravity, 0.0, true);
  }

  // Whether a velocity differs from zero anywhere in the pencils of the group.
  bool moves(const V* velocity) const {
    auto found = V{} != V{};
    for (int i = -ghosts; i < zones() + ghosts; ++i) found = found | (velocity[i] != V{});
    return any(found);
  }

  PencilScale<V> scale_of(const Pencils& pencils, int group) const {
    PencilScale<V> scale{};
    for (int lane = 0; lane < lanes_of<V>; ++lane) {
      const double radius = direction_.radius(pencils, pencil_of(pencils, group, lane));
      const double width = direction_.tables().width * radius;
      set_lane(scale.radius, lane, radius);
      set_lane(scale.inverse_radius, lane, 1.0 / radius);
      set_lane(scale.width, lane, width);
      set_lane(scale.inverse_width, lane, 1.0 / width);
    }
    return scale;
  }

  void sweep_group(const Pencils& pencils, int group, Tally& tally) {
    take_group(group);
    find_gravity(pencils, group);
    for (int i = 0; i < ghosts; ++i) {
      fill_ghost(-1 - i);
      fill_ghost(zones() + i);
    }
    const PencilWork<V> work{constants_, direction_.tables(), scale_of(pencils, group), rows_};
    switch (shape_of(direction_.axis().geometry)) {
      case Shape::flat:
        return choose<Shape::flat>(work, pencils, group, tally);
      case Shape::cylinder:
        return choose<Shape::cylinder>(work, pencils, group, tally);
      case Shape::sphere:
        return choose<Shape::sphere>(work, pencils, group, tally);
      case Shape::polar:
        return choose<Shape::polar>(work, pencils, group, tally);
    }
  }

  template <Shape shape>
  void choose(const PencilWork<V>& work, const Pencils& pencils, int group, Tally& tally) {
    if (moves(rows_.state[across + 1]))
      run<shape, quantities>(work, pencils, group, tally);
    else
      run<shape, quantities - 1>(work, pencils, group, tally);
  }

  template <Shape shape, int Moving>
  void run(const PencilWork<V>& work, const Pencils& pencils, int group, Tally& tally) {
    const Axis& axis = direction_.axis();
    const int used = std::min(lanes_of<V>, pencils.count - group * lanes_of<V>);
    PencilLoops<shape, Moving, V> loops(work, riemann_, axis.at_low == Boundary::reflecting,
                                        axis.at_high == Boundary::reflecting);
    loops.run([&](int i, V* state) { write(i, state, used, tally); },
              [&](int i, V width) {
                if (i < 0 || i >= zones()) return;
                for (int lane = 0; lane < used; ++lane)
                  if (lane_of(width, lane) <= 0.0)
                    tally.collapse(direction_.zone_of(pencils, pencil_of(pencils, group, lane), i));
              });
    count_steps(loops.steps, used, tally);
  }

  PHASEWISE_HD static void raise(V& value, double floor, int used, std::int64_t& count) {
    const auto below = value < all_of<V>(floor);
    if (!any(below)) return;
    for (int lane = 0; lane < used; ++lane) count += lane_of(value, lane) < floor ? 1 : 0;
    value = below ? all_of<V>(floor) : value;
  }

  PHASEWISE_HD void write(int i, V* state, int used, Tally& tally) {
    raise(state[field::density], constants_.density_floor, used, tally.density_floors);
    raise(state[field::pressure], constants_.pressure_floor, used, tally.pressure_floors);
    for (int q = 0; q < quantities; ++q) rows_.state[q][i] = state[q];
    rows_.carried[i] = rows_.flat[i];
  }

  void count_steps(V steps, int used, Tally& tally) const {
    const std::int64_t faces = zones() + 7;  // with those between ghost zones
    tally.interfaces += used * faces;
    if (riemann_ == Riemann::newton_8) {
      tally.newton_steps += 8 * used * faces;
      return;
    }
    for (int lane = 0; lane < used; ++lane)
      tally.newton_steps += static_cast<std::int64_t>(lane_of(steps, lane));
  }

  SweepDirection direction_;
  Riemann riemann_;
  SweepConstants constants_{};
  BatchRows<V> batch_;
  PencilRows<V> rows_;
};

}  // namespace phasewise::hydro

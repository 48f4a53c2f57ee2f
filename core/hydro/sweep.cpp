#include "hydro/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "hydro/sweep_loops.hpp"

namespace phasewise::hydro {
namespace {

// Whether gas that moves along this axis keeps its angular momentum in another velocity: an azimuth
// or an angle, also one that the grid lacks.
bool turns(const Grid& grid, Geometry along, int other) {
  const bool lacking = other >= grid.dimensions();
  if (!lacking && !is_angle(grid.axes[other].geometry)) return false;
  if (along == Geometry::spherical_radius) return true;
  if (along == Geometry::polar_angle) return other == 2;
  if (along != Geometry::cylindrical_radius) return false;
  if (!lacking || other == 1) return true;
  return grid.dimensions() == 2 && grid.axes[1].geometry == Geometry::planar;
}

// The zone whose state a ghost zone has, and whether it is mirrored there; -1: none.
struct Source {
  int zone;
  bool mirrored = false;
};

Source source_of(const Axis& axis, int i) {
  const int n = axis.zones;
  bool mirrored = false;
  // A pencil of few zones is mirrored, or repeated, several times.
  while (i < 0 || i >= n) {
    const Boundary boundary = i < 0 ? axis.at_low : axis.at_high;
    if (boundary == Boundary::inflow) return {-1};
    if (boundary == Boundary::outflow) return {i < 0 ? 0 : n - 1, mirrored};
    if (boundary == Boundary::periodic) {
      i += i < 0 ? n : -n;
    } else {
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
      mirrored = !mirrored;
    }
  }
  return {i, mirrored};
}

}  // namespace

void Tally::add(const Tally& other) {
  density_floors += other.density_floors;
  pressure_floors += other.pressure_floors;
  interfaces += other.interfaces;
  newton_steps += other.newton_steps;
  if (collapsed == 0) collapsed_zone = other.collapsed_zone;
  collapsed += other.collapsed;
}

class Sweep::Work {
 public:
  Work(const SweepSetting& setting, int direction)
      : setting_(setting), direction_(direction), tables_(setting.grid.axes[direction]) {
    for (int axis = 0, other = 0; axis < 3; ++axis)
      if (axis != direction) others_[other++] = axis;
    const Axis& along = setting.grid.axes[direction];
    const Gravity& gravity = setting.gravity;
    constants_ = {
        .gamma = setting.gas.gamma,
        .density_floor = setting.gas.density_floor,
        .pressure_floor = setting.gas.pressure_floor,
        .timestep = 0.0,
        .carries_flattening = setting.grid.dimensions() > 1,
        .has_gravity = gravity.acceleration[direction] != 0.0 || gravity.point_mass != 0.0,
        .turning = {turns(setting.grid, along.geometry, others_[0]),
                    turns(setting.grid, along.geometry, others_[1])}};
    if (setting.kernel == Kernel::fast)
      fast_.emplace(along.zones);
    else
      plain_.emplace(along.zones);
  }

  void sweep(const Pencils& pencils, double timestep, Tally& tally) {
    constants_.timestep = timestep;
    if (fast_)
      for_groups(*fast_, pencils, tally);
    else
      for_groups(*plain_, pencils, tally);
  }

 private:
  const Axis& along() const { return setting_.grid.axes[direction_]; }

  template <class V>
  void for_groups(PencilRows<V>& rows, const Pencils& pencils, Tally& tally) {
    for (int first = 0; first < pencils.count; first += lanes_of<V>) {
      switch (shape_of(along().geometry)) {
        case Shape::flat:
          sweep_group<Shape::flat>(rows, pencils, first, tally);
          break;
        case Shape::cylinder:
          sweep_group<Shape::cylinder>(rows, pencils, first, tally);
          break;
        case Shape::sphere:
          sweep_group<Shape::sphere>(rows, pencils, first, tally);
          break;
        case Shape::polar:
          sweep_group<Shape::polar>(rows, pencils, first, tally);
      }
    }
  }

  Zone zone_of(const Pencils& pencils, int pencil, int i) const {
    Zone zone;
    zone.at[direction_] = i;
    for (int other = 0; other < 2; ++other)
      zone.at[others_[other]] =
          pencils.first_other[other] + (other == pencils.other_step ? pencil : 0);
    return zone;
  }

  double gravity_of(const Zone& zone) const;

  // The pencil of a lane; lanes without one repeat the last pencil.
  static int pencil_of(const Pencils& pencils, int first, int lane) {
    return std::min(first + lane, pencils.count - 1);
  }

  template <class V>
  void load(PencilRows<V>& rows, const Pencils& pencils, int first) const;
  template <class V>
  void fill_ghosts(PencilRows<V>& rows) const;
  template <Shape shape, class V>
  void sweep_group(PencilRows<V>& rows, const Pencils& pencils, int first, Tally& tally);
  template <class V>
  void write(PencilRows<V>& rows, const Pencils& pencils, int first, int i, const V* state,
             Tally& tally) const;
  template <class V>
  void find_collapsed(const PencilRows<V>& rows, const Pencils& pencils, int first,
                      Tally& tally) const;

  SweepSetting setting_;
  int direction_, others_[2];
  PencilTables tables_;
  SweepConstants constants_;
  std::optional<PencilRows<Lanes>> fast_;
  std::optional<PencilRows<double>> plain_;
};

double Sweep::Work::gravity_of(const Zone& zone) const {
  double sum = setting_.gravity.acceleration[direction_];
  if (setting_.gravity.point_mass == 0.0) return sum;
  const Grid& grid = setting_.grid;
  if (is_angle(along().geometry)) return sum;
  double squares = 0.0;
  for (int axis = 0; axis < grid.dimensions(); ++axis)
    if (!is_angle(grid.axes[axis].geometry)) {
      const double x = grid.axes[axis].centre(zone.at[axis]);
      squares += x * x;
    }
  const double x = along().centre(zone.at[direction_]);
  return sum - setting_.gravity.point_mass * x / (squares * std::sqrt(squares));
}

template <class V>
void Sweep::Work::load(PencilRows<V>& rows, const Pencils& pencils, int first) const {
  const int fields[quantities] = {field::density, field::pressure, field::velocity + direction_,
                                  field::velocity + others_[0], field::velocity + others_[1]};
  const int n = along().zones;
  const auto load_row = [&](const double* from, V* row) {
    for (int lane = 0; lane < lanes_of<V>; ++lane) {
      const double* zone = from + pencil_of(pencils, first, lane) * pencils.pencil_stride;
      for (int i = 0; i < n; ++i) set_lane(row[i], lane, zone[i * pencils.zone_stride]);
    }
  };
  for (int q = 0; q < quantities; ++q) load_row(pencils.values[fields[q]], rows.state[q]);
  if (constants_.carries_flattening) load_row(pencils.values[field::flattening], rows.carried);
  if (!constants_.has_gravity) return;
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < lanes_of<V>; ++lane)
      set_lane(rows.gravity[i], lane,
               gravity_of(zone_of(pencils, pencil_of(pencils, first, lane), i)));
}

template <class V>
void Sweep::Work::fill_ghosts(PencilRows<V>& rows) const {
  const Primitive& inflow = setting_.inflow;
  const double entering[quantities] = {inflow.density, inflow.pressure, inflow.velocity[direction_],
                                       inflow.velocity[others_[0]], inflow.velocity[others_[1]]};
  const int n = along().zones;
  const auto fill = [&](int ghost) {
    const Source source = source_of(along(), ghost);
    for (int q = 0; q < quantities; ++q)
      rows.state[q][ghost] = source.zone < 0 ? all_of<V>(entering[q]) : rows.state[q][source.zone];
    if (source.mirrored) rows.state[normal][ghost] = -rows.state[normal][ghost];
    rows.carried[ghost] = source.zone < 0 ? V{} : rows.carried[source.zone];
    rows.gravity[ghost] = source.zone < 0 ? V{} : rows.gravity[source.zone];
    if (source.mirrored) rows.gravity[ghost] = -rows.gravity[ghost];
  };
  for (int i = 0; i < ghosts; ++i) {
    fill(-1 - i);
    fill(n + i);
  }
}

template <Shape shape, class V>
void Sweep::Work::sweep_group(PencilRows<V>& rows, const Pencils& pencils, int first,
                              Tally& tally) {
  load(rows, pencils, first);
  fill_ghosts(rows);
  PencilScale<V> scale{};
  for (int lane = 0; lane < lanes_of<V>; ++lane) {
    const Zone zone = zone_of(pencils, pencil_of(pencils, first, lane), 0);
    const double radius = setting_.grid.radius(direction_, zone);
    set_lane(scale.radius, lane, radius);
    set_lane(scale.inverse_radius, lane, 1.0 / radius);
    set_lane(scale.width, lane, tables_.width * radius);
    set_lane(scale.inverse_width, lane, 1.0 / (tables_.width * radius));
  }
  const PencilWork<V> work{constants_, tables_, scale, rows};
  PencilLoops<shape, V> loops(work, setting_.riemann, along().at_low == Boundary::reflecting,
                              along().at_high == Boundary::reflecting);
  const int n = along().zones, whole = n + 2 * ghosts;
  loops.run(lanes_of<V> == 1 ? whole : 32,
            [&](int i, const V* state) { write(rows, pencils, first, i, state, tally); });
  find_collapsed(rows, pencils, first, tally);
  const int used = std::min(lanes_of<V>, pencils.count - first);
  const std::int64_t faces = n + 7;
  tally.interfaces += used * faces;
  if (setting_.riemann == Riemann::newton_8)
    tally.newton_steps += 8 * used * faces;
  else
    for (int lane = 0; lane < used; ++lane)
      tally.newton_steps += static_cast<std::int64_t>(lane_of(loops.steps, lane));
}

template <class V>
void Sweep::Work::write(PencilRows<V>& rows, const Pencils& pencils, int first, int i,
                        const V* state, Tally& tally) const {
  const int fields[quantities] = {field::density, field::pressure, field::velocity + direction_,
                                  field::velocity + others_[0], field::velocity + others_[1]};
  const int used = std::min(lanes_of<V>, pencils.count - first);
  const std::int64_t at = i * pencils.zone_stride + first * pencils.pencil_stride;
  for (int lane = 0; lane < used; ++lane) {
    const std::int64_t there = at + lane * pencils.pencil_stride;
    for (int q = 0; q < quantities; ++q) pencils.values[fields[q]][there] = lane_of(state[q], lane);
    double& density = pencils.values[field::density][there];
    double& pressure = pencils.values[field::pressure][there];
    if (density < constants_.density_floor) {
      density = constants_.density_floor;
      ++tally.density_floors;
    }
    if (pressure < constants_.pressure_floor) {
      pressure = constants_.pressure_floor;
      ++tally.pressure_floors;
    }
    if (constants_.carries_flattening)
      pencils.values[field::flattening][there] = lane_of(rows.flat[i], lane);
  }
}

template <class V>
void Sweep::Work::find_collapsed(const PencilRows<V>& rows, const Pencils& pencils, int first,
                                 Tally& tally) const {
  for (int i = 0; i < along().zones; ++i) {
    if (!any(rows.width[i] <= V{})) continue;
    for (int lane = 0; lane < std::min(lanes_of<V>, pencils.count - first); ++lane)
      if (lane_of(rows.width[i], lane) <= 0.0 && tally.collapsed++ == 0)
        tally.collapsed_zone = zone_of(pencils, first + lane, i);
  }
}

Sweep::Sweep(const SweepSetting& setting, int direction)
    : work_(std::make_unique<Work>(setting, direction)) {}
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;
Sweep::~Sweep() = default;

void Sweep::operator()(const Pencils& pencils, double timestep, Tally& tally) {
  work_->sweep(pencils, timestep, tally);
}

}  // namespace phasewise::hydro

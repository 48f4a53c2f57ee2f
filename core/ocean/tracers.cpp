#include "ocean/tracers.hpp"

#include "ocean/corner_flow.hpp"

namespace phasewise::ocean {
namespace {

// Weights at a face: of the third difference in the value there, and of the damping.
struct FaceWeights {
  double third, damping;
};
constexpr FaceWeights upwind_face{1.0 / 12.0, 1.0 / 12.0}, centred_face{0.0, 0.0};

// What goes through a face from a value to the next, with a flow and with mixing. `before`,
// `across` and `after` are the differences of the values in the direction of the flow.
template <class V>
PHASEWISE_HD V through_face(const FaceWeights& weights, V flow, double mixing, V value, V next,
                            V before, V across, V after) {
  const V at_face = 0.5 * (value + next) + weights.third * (before - after);
  const V damping = weights.damping * ((before - across) + (after - across));
  return (flow * at_face + magnitude(flow) * damping) - mixing * across;
}

// A row of tracers and what carries them, at level 0 and cell 0.
struct CarriedRow {
  const double *cells, *east, *north;  // numbers of sea levels
  std::int64_t plane, pitch;
  FaceWeights weights;
  int deepest;  // level
};

// Differences between cells; 0 if one of them is land.
template <class V>
PHASEWISE_HD V difference(const double* levels, int level, const double* at, std::int64_t step) {
  return where_sea(loaded<V>(levels), level, loaded<V>(at + step) - loaded<V>(at));
}

// What goes through the faces of a cell with these velocities at corners.
template <class V>
PHASEWISE_HD Faces<V> flow_of(const HalfFaces& half, double height, std::int64_t pitch,
                              const double* u, const double* v) {
  const auto at_corner = [](const double* from) {
    return [from](std::int64_t offset) __attribute__((always_inline)) {
      return loaded<V>(from + offset);
    };
  };
  return flow_through<V>(half, height, pitch, at_corner(u), at_corner(v));
}

// What leaves a cell through its sides and goes upwards through its top and bottom, for one tracer.
// `flow` has u and v times the thickness at the corners; rise is that through the tops, [m³/s].
template <class V>
PHASEWISE_HD V net_outflow(const CarriedRow& row, const double* tracer, int k, int i,
                           const Faces<V>& flow, const Faces<double>& mixing) {
  const double* const at = tracer + k * row.plane + i;
  const std::int64_t pitch = row.pitch;
  const auto along_x = [&](int offset) __attribute__((always_inline)) {
    return difference<V>(row.east + i + offset, k, at + offset, 1);
  };
  const auto along_y = [&](int rows) __attribute__((always_inline)) {
    return difference<V>(row.north + i + rows * pitch, k, at + rows * pitch, pitch);
  };
  const V here = loaded<V>(at);
  const V x_2 = along_x(-2), x_1 = along_x(-1), x0 = along_x(0), x1 = along_x(1);
  const V y_2 = along_y(-2), y_1 = along_y(-1), y0 = along_y(0), y1 = along_y(1);
  const V east =
      through_face(row.weights, flow.east, mixing.east, here, loaded<V>(at + 1), x_1, x0, x1);
  const V west =
      through_face(row.weights, flow.west, mixing.west, loaded<V>(at - 1), here, x_2, x_1, x0);
  const V north =
      through_face(row.weights, flow.north, mixing.north, here, loaded<V>(at + pitch), y_1, y0, y1);
  const V south = through_face(row.weights, flow.south, mixing.south, loaded<V>(at - pitch), here,
                               y_2, y_1, y0);
  return Faces<V>{east, west, north, south}.outflow();
}

// What rises through the top of a level; through the surface nothing does.
template <class V>
PHASEWISE_HD V through_top(const CarriedRow& row, const double* tracer, int k, int i, V rise) {
  if (k == 0 || k > row.deepest) return V{};
  const double* const at = tracer + k * row.plane + i;
  const V levels = loaded<V>(row.cells + i);
  const V here = loaded<V>(at), above = loaded<V>(at - row.plane);
  const V below =
      k < row.deepest ? where_sea(levels, k + 1.0, here - loaded<V>(at + row.plane)) : V{};
  const V beyond = k > 1 ? loaded<V>(at - 2 * row.plane) - above : V{};
  return through_face(row.weights, rise, 0.0, here, above, below, above - here, beyond);
}

}  // namespace

template <Kernel kernel>
void Tracers::extrapolate_row(Fields& fields, const RowPlace& row, double weight) const {
  const std::int64_t plane = domain_.plane(), field = domain_.field();
  const double* const now = fields.tracers() + row.at;
  double* const before = fields.tracers_before() + row.at;
  downwards<kernel>(
      {-ghosts, row.nx + ghosts},
      domain_.levels(), [&]<class V>(int k, int i) __attribute__((always_inline)) {
        for (int tracer = 0; tracer < 2; ++tracer) {
          const std::int64_t at = tracer * field + k * plane + i;
          const V value = loaded<V>(now + at);
          stored(before + at, value + weight * (value - loaded<V>(before + at)));
        }
      });
}

void Tracers::extrapolate(Kernel kernel, Fields& fields, const RowPlace& row, double weight) const {
  with_kernel(kernel, [&]<Kernel which>() { extrapolate_row<which>(fields, row, weight); });
}

// The upward flow through the top of each cell [m³/s].
template <Kernel kernel>
void Tracers::find_rise(const double* flow, const RowPlace& row, double* rise) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  const Grid::Row &here = domain_.grid().row(row.y), &south = domain_.grid().row(row.y - 1);
  const double* const u = flow + row.at;
  const double* const v = u + domain_.field();
  const HalfFaces half(here, south);
  const int deepest = row.levels - 1;
  upwards<kernel>(
      {0, row.nx}, row.levels, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const double *const x = u + k * plane + i, *const y = v + k * plane + i;
        const V spread = flow_of<V>(half, 1.0, pitch, x, y).outflow();
        const V below = k < deepest ? loaded<V>(rise + (k + 1) * pitch + i) : V{};
        stored(rise + k * pitch + i, below - domain_.grid().thickness(k) * spread);
      });
}

template <Kernel kernel>
void Tracers::carry_row(Fields& fields, const RowPlace& row, Scratch& scratch) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch(), field = domain_.field();
  const Grid& grid = domain_.grid();
  const Grid::Row &here = grid.row(row.y), &south = grid.row(row.y - 1);
  const double* const u = fields.flow() + row.at;
  const double* const v = u + field;
  const double* const now = fields.tracers() + row.at;
  const double* const middle = fields.tracers_before() + row.at;
  const double* const surface = fields.surface() + row.at;
  const double* const height = fields.surface_before() + row.at;
  double* const next = fields.next_tracers() + row.at;
  double* const rise = scratch.row(0);
  find_rise<kernel>(fields.flow(), row, rise);

  const HalfFaces half(here, south);
  const CarriedRow carried{
      .cells = domain_.cell_levels() + row.at,
      .east = domain_.east_levels() + row.at,
      .north = domain_.north_levels() + row.at,
      .plane = plane,
      .pitch = pitch,
      .weights = terms_.advection == Advection::upwind ? upwind_face : centred_face,
      .deepest = row.levels - 1};
  const double scale = terms_.timestep / here.area_cell, mixing = terms_.diffusivity;
  downwards<kernel>(
      {0, row.nx}, row.levels, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const double thickness = grid.thickness(k);
        const double *const x = u + k * plane + i, *const y = v + k * plane + i;
        const Faces<V> flow = flow_of<V>(half, thickness, pitch, x, y);
        const double mixing_x = mixing * thickness * here.dy / here.dx_cell;
        const Faces<double> mixed{.east = mixing_x,
                                  .west = mixing_x,
                                  .north = mixing * thickness * here.dx_corner / here.dy,
                                  .south = mixing * thickness * south.dx_corner / here.dy};
        const V up = loaded<V>(rise + k * pitch + i);
        const V up_below = k < carried.deepest ? loaded<V>(rise + (k + 1) * pitch + i) : V{};
        V per_thickness = all_of<V>(1.0 / thickness), thicker = V{};
        if (k == 0) {
          per_thickness = 1.0 / (thickness + loaded<V>(surface + i));
          thicker = loaded<V>(surface + i) - loaded<V>(height + i);
        }
        const V levels = loaded<V>(carried.cells + i);
        for (int tracer = 0; tracer < 2; ++tracer) {
          const double* const of = middle + tracer * field;
          const V lost =
              net_outflow(carried, of, k, i, flow, mixed) +
              (through_top(carried, of, k, i, up) - through_top(carried, of, k + 1, i, up_below));
          const std::int64_t at = tracer * field + k * plane + i;
          const V value = loaded<V>(now + at);
          stored(next + at,
                 where_sea(levels, k, value - per_thickness * (scale * lost + thicker * value)));
        }
      });
}

void Tracers::carry(Kernel kernel, Fields& fields, const RowPlace& row, Scratch& scratch) const {
  with_kernel(kernel, [&]<Kernel which>() { carry_row<which>(fields, row, scratch); });
}

// Thomas' algorithm for the change d of q: h d - Δt ∂/∂z κ ∂d/∂z = Δt ∂/∂z κ ∂q/∂z, from the
// surface down and up again. Of water that is the same at all levels no bit changes.
template <Kernel kernel>
void Tracers::mix_row(Fields& fields, const RowPlace& row, Scratch& scratch) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch(), field = domain_.field();
  const Grid& grid = domain_.grid();
  const double* const depth = domain_.cell_levels() + row.at;
  const double* const height = fields.surface() + row.at;
  double* const q = fields.next_tracers() + row.at;
  double* const share = scratch.row(0);  // of the level below in a level's change
  double* const change[2] = {scratch.row(1), scratch.row(2)};
  double* const from_above[2] = {scratch.row(3), scratch.row(4)};
  const Span span{0, row.nx};
  const double twice = 2.0 * terms_.timestep * terms_.vertical_diffusivity;
  const int deepest = row.levels - 1;
  downwards<kernel>(
      span, row.levels, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const V levels = loaded<V>(depth + i);
        const V below = where_sea(levels, k + 1.0, all_of<V>(domain_.coupling(k, twice)));
        V weight = grid.thickness(k) + below, above = V{};
        if (k == 0) {
          weight += loaded<V>(height + i);
        } else {
          above = where_sea(levels, k, all_of<V>(domain_.coupling(k - 1, twice)));
          weight += above * (1.0 - loaded<V>(share + (k - 1) * pitch + i));
        }
        const V inverse = 1.0 / weight;
        stored(share + k * pitch + i, below * inverse);
        for (int tracer = 0; tracer < 2; ++tracer) {
          const double* const at = q + tracer * field + k * plane + i;
          double* const sinking = from_above[tracer] + i;
          V gained = V{}, sinks = V{};
          if (k > 0)
            gained = loaded<V>(sinking) + above * loaded<V>(change[tracer] + (k - 1) * pitch + i);
          if (k < deepest) sinks = below * (loaded<V>(at) - loaded<V>(at + plane));
          stored(sinking, sinks);
          stored(change[tracer] + k * pitch + i, where_sea(levels, k, (gained - sinks) * inverse));
        }
      });
  upwards<kernel>(
      span, row.levels, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        for (int tracer = 0; tracer < 2; ++tracer) {
          double* const at = q + tracer * field + k * plane + i;
          double* const own = change[tracer] + k * pitch + i;
          V found = loaded<V>(own);
          if (k < deepest) found += loaded<V>(share + k * pitch + i) * loaded<V>(own + pitch);
          stored(own, found);
          stored(at, loaded<V>(at) + found);
        }
      });
}

void Tracers::mix(Kernel kernel, Fields& fields, const RowPlace& row, Scratch& scratch) const {
  with_kernel(kernel, [&]<Kernel which>() { mix_row<which>(fields, row, scratch); });
}

}  // namespace phasewise::ocean

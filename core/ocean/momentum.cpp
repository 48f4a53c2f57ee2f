#include "ocean/momentum.hpp"

#include "numerics/elementary.hpp"
#include "ocean/corner_flow.hpp"

namespace phasewise::ocean {
namespace {

// Weights of differences in c ∂q/∂x: of the nearest two values and of the next two, and of the
// fourth difference, which damps.
struct SlopeWeights {
  double near, far, damping;
};
constexpr SlopeWeights upwind_slope{2.0 / 3.0, 1.0 / 12.0, 1.0 / 12.0},
    centred_slope{0.5, 0.0, 0.0};

// Values of a field at corners and those around them.
template <class V>
struct Around {
  PHASEWISE_HD Around(const double* at, std::int64_t pitch)
      : here(loaded<V>(at)),
        east(loaded<V>(at + 1)),
        west(loaded<V>(at - 1)),
        north(loaded<V>(at + pitch)),
        south(loaded<V>(at - pitch)),
        east2(loaded<V>(at + 2)),
        west2(loaded<V>(at - 2)),
        north2(loaded<V>(at + 2 * pitch)),
        south2(loaded<V>(at - 2 * pitch)) {}
  V here, east, west, north, south, east2, west2, north2, south2;
};

// c times the derivative, in units of a cell.
template <class V>
PHASEWISE_HD V slope(const SlopeWeights& of, V c, V before2, V before, V here, V after, V after2) {
  const V fourth = (after2 + before2) - 4.0 * (after + before) + 6.0 * here;
  return c * (of.near * (after - before) - of.far * (after2 - before2)) +
         magnitude(c) * (of.damping * fourth);
}

// What the terms at a row have in common.
struct RowTerms {
  double per_dx, per_dy;               // 1/m
  double curvature;                    // tan(latitude)/R
  double along_x, to_north, to_south;  // of viscosity, 1/s
  SlopeWeights weights;
};

// Advection and viscosity of one component, without what the vertical flow carries.
template <class V>
PHASEWISE_HD V horizontal_terms(const RowTerms& row, const Around<V>& q, V u, V v) {
  const V carried =
      row.per_dx * slope(row.weights, u, q.west2, q.west, q.here, q.east, q.east2) +
      row.per_dy * slope(row.weights, v, q.south2, q.south, q.here, q.north, q.north2);
  const V viscous = row.along_x * ((q.east - q.here) - (q.here - q.west)) +
                    (row.to_north * (q.north - q.here) - row.to_south * (q.here - q.south));
  return viscous - carried;
}

}  // namespace

// The zonal wind stress [N/m²]. gyre: westward in the south and eastward in the north of a basin.
// trades: westward at the equator and eastward in the middle latitudes.
double Momentum::wind_at(int y) const {
  const double share = domain_.grid().row(y).northing;
  double sine, cosine;
  switch (terms_.wind_profile) {
    case WindProfile::gyre:
      numerics::sincos_turns(0.5 * share, sine, cosine);
      return -terms_.wind * cosine;
    case WindProfile::trades:
      numerics::sincos_turns(1.5 * (share - 0.5), sine, cosine);
      return -terms_.wind * cosine;
    default:
      return 0.0;
  }
}

// The upward flow through the top of each corner's levels [m/s].
template <Kernel kernel>
void Momentum::find_rise(const double* flow, const RowPlace& row, double* rise) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  const Grid& grid = domain_.grid();
  const Grid::Row& here = grid.row(row.y);
  const double* const u = flow + row.at;
  const double* const v = u + domain_.field();
  const double* const depth = domain_.corner_levels() + row.at;
  const double along_x = 0.5 / here.dx_corner;
  const double to_north = 0.5 * grid.row(row.y + 1).dx_corner / here.area_corner();
  const double to_south = 0.5 * grid.row(row.y - 1).dx_corner / here.area_corner();
  const int deepest = row.corners - 1;
  upwards<kernel>(
      {0, row.nx}, row.corners, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const std::int64_t at = k * plane + i;
        const V spread =
            along_x * (loaded<V>(u + at + 1) - loaded<V>(u + at - 1)) +
            (to_north * loaded<V>(v + at + pitch) - to_south * loaded<V>(v + at - pitch));
        const V below = k < deepest ? loaded<V>(rise + (k + 1) * pitch + i) : V{};
        const V up = below - grid.thickness(k) * spread;
        stored(rise + k * pitch + i, where_sea(loaded<V>(depth + i), k, up));
      });
}

template <Kernel kernel>
void Momentum::predict_row(Fields& fields, const RowPlace& row, double weight,
                           Scratch& scratch) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch(), field = domain_.field();
  const Grid& grid = domain_.grid();
  const Grid::Row& here = grid.row(row.y);
  const double dt = terms_.timestep;
  const double* const u = fields.flow() + row.at;
  const double* const v = u + field;
  const double* const depth = domain_.corner_levels() + row.at;
  const double* const surface = fields.surface() + row.at;
  const double* const warmth = domain_.baroclinic() ? fields.tracers_before() + row.at : nullptr;
  double* const tendency = fields.tendency() + row.at;
  double* const next = fields.next_flow() + row.at;
  double* const rise = scratch.row(0);
  double* const push = scratch.row(1);  // of the water above: along x and y, and their halves
  if (domain_.baroclinic()) find_rise<kernel>(fields.flow(), row, rise);

  const RowTerms terms{
      .per_dx = 1.0 / here.dx_corner,
      .per_dy = 1.0 / here.dy,
      .curvature = here.curvature,
      .along_x = terms_.viscosity / (here.dx_corner * here.dx_corner),
      .to_north =
          terms_.viscosity * grid.row(row.y + 1).dx_cell / (here.dx_corner * here.dy * here.dy),
      .to_south = terms_.viscosity * here.dx_cell / (here.dx_corner * here.dy * here.dy),
      .weights = terms_.advection == Advection::upwind ? upwind_slope : centred_slope};
  const double half_dx = 0.5 / here.dx_corner, half_dy = 0.5 / here.dy;
  const double turn = 0.5 * here.coriolis * dt, shortened = 1.0 / (1.0 + turn * turn);
  const double wind = wind_at(row.y) / sea_density;
  const int deepest = row.corners - 1;
  downwards<kernel>(
      {0, row.nx}, row.corners, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const std::int64_t at = k * plane + i;
        const Around<V> of_u(u + at, pitch), of_v(v + at, pitch);
        const V thickness = loaded<V>(domain_.thickness(k, row) + i);
        V explicit_u = horizontal_terms(terms, of_u, of_u.here, of_v.here) +
                       terms.curvature * (of_u.here * of_v.here);
        V explicit_v = horizontal_terms(terms, of_v, of_u.here, of_v.here) -
                       terms.curvature * (of_u.here * of_u.here);
        const CornerDifferences<V> slope_of_surface(surface + i, pitch);
        V push_x = -gravity * half_dx * slope_of_surface.x;
        V push_y = -gravity * half_dy * slope_of_surface.y;
        if (warmth != nullptr) {
          const double per_level = 0.5 / grid.thickness(k);
          if (k > 0) {
            const V up = per_level * loaded<V>(rise + k * pitch + i);
            explicit_u -= up * (loaded<V>(u + at - plane) - of_u.here);
            explicit_v -= up * (loaded<V>(v + at - plane) - of_v.here);
          }
          if (k < deepest) {
            const V up = per_level * loaded<V>(rise + (k + 1) * pitch + i);
            explicit_u -= up * (of_u.here - loaded<V>(u + at + plane));
            explicit_v -= up * (of_v.here - loaded<V>(v + at + plane));
          }
          const CornerDifferences<V> of_warmth(warmth + at, pitch),
              of_salt(warmth + field + at, pitch);
          const double half = 0.5 * gravity * grid.thickness(k);
          const V half_x =
              half * half_dx * (haline_contraction * of_salt.x - thermal_expansion * of_warmth.x);
          const V half_y =
              half * half_dy * (haline_contraction * of_salt.y - thermal_expansion * of_warmth.y);
          double* const above = push + i;
          const std::int64_t next_of = scratch.pitch;
          V sum_x = half_x, sum_y = half_y;
          if (k > 0) {
            sum_x += loaded<V>(above);
            sum_y += loaded<V>(above + next_of);
          }
          push_x -= sum_x;
          push_y -= sum_y;
          stored(above, sum_x + half_x);
          stored(above + next_of, sum_y + half_y);
        }
        const V before_u = loaded<V>(tendency + at), before_v = loaded<V>(tendency + field + at);
        const V levels = loaded<V>(depth + i);
        stored(tendency + at, where_sea(levels, k, explicit_u));
        stored(tendency + field + at, where_sea(levels, k, explicit_v));
        push_x += explicit_u + weight * (explicit_u - before_u);
        push_y += explicit_v + weight * (explicit_v - before_v);
        if (k == 0) push_x += wind / thickness;
        const V along_x = dt * push_x + 2.0 * turn * of_v.here;
        const V along_y = dt * push_y - 2.0 * turn * of_u.here;
        stored(next + at, where_sea(levels, k, of_u.here + shortened * (along_x + turn * along_y)));
        stored(next + field + at,
               where_sea(levels, k, of_v.here + shortened * (along_y - turn * along_x)));
      });
}

void Momentum::predict(Kernel kernel, Fields& fields, const RowPlace& row, double weight,
                       Scratch& scratch) const {
  with_kernel(kernel, [&]<Kernel which>() { predict_row<which>(fields, row, weight, scratch); });
}

// Thomas' algorithm for (h + drag) q - Δt ∂/∂z ν ∂q/∂z = h q0, from the surface down and up again.
template <Kernel kernel>
void Momentum::mix_row(Fields& fields, const RowPlace& row, Scratch& scratch) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch(), field = domain_.field();
  const double* const depth = domain_.corner_levels() + row.at;
  double* const u = fields.next_flow() + row.at;
  double* const share = scratch.row(0);  // of the level below in a level's value
  const double drag = terms_.timestep * terms_.drag;
  const Span span{0, row.nx};
  const double twice = 2.0 * terms_.timestep * terms_.vertical_viscosity;
  downwards<kernel>(
      span, row.corners, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const std::int64_t at = k * plane + i;
        const V levels = loaded<V>(depth + i);
        const V thickness = loaded<V>(domain_.thickness(k, row) + i);
        const V below = where_sea(levels, k + 1.0, all_of<V>(domain_.coupling(k, twice)));
        const V rubbed = all_of<V>(drag) - where_sea(levels, k + 1.0, all_of<V>(drag));
        V weight = thickness + below + rubbed;
        V first = thickness * loaded<V>(u + at), second = thickness * loaded<V>(u + field + at);
        if (k > 0) {
          const V above = where_sea(levels, k, all_of<V>(domain_.coupling(k - 1, twice)));
          weight += above * (1.0 - loaded<V>(share + (k - 1) * pitch + i));
          first += above * loaded<V>(u + at - plane);
          second += above * loaded<V>(u + field + at - plane);
        }
        const V inverse = 1.0 / weight;
        stored(share + k * pitch + i, below * inverse);
        stored(u + at, where_sea(levels, k, first * inverse));
        stored(u + field + at, where_sea(levels, k, second * inverse));
      });
  upwards<kernel>(
      span, row.corners - 1, [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const std::int64_t at = k * plane + i;
        const V part = loaded<V>(share + k * pitch + i);
        stored(u + at, loaded<V>(u + at) + part * loaded<V>(u + at + plane));
        stored(u + field + at,
               loaded<V>(u + field + at) + part * loaded<V>(u + field + at + plane));
      });
}

void Momentum::mix(Kernel kernel, Fields& fields, const RowPlace& row, Scratch& scratch) const {
  with_kernel(kernel, [&]<Kernel which>() { mix_row<which>(fields, row, scratch); });
}

}  // namespace phasewise::ocean

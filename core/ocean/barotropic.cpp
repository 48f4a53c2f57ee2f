#include "ocean/barotropic.hpp"

namespace phasewise::ocean {
namespace {

// Halves of the differences of a plane around a corner.
template <class V>
struct Slope {
  PHASEWISE_HD Slope(const double* at, std::int64_t pitch) {
    const V here = loaded<V>(at), east = loaded<V>(at + 1);
    const V north = loaded<V>(at + pitch), north_east = loaded<V>(at + pitch + 1);
    x = 0.5 * ((east - here) + (north_east - north));
    y = 0.5 * ((north - here) + (north_east - east));
  }
  V x, y;
};

// What leaves a cell [m³/s] if along_x(offset) and along_y(offset) [m²/s] flow at its corners.
template <class V, class X, class Y>
PHASEWISE_HD V outflow(const Grid::Row& here, const Grid::Row& south, std::int64_t pitch,
                       X&& along_x, Y&& along_y) {
  const V east = 0.5 * here.dy * (along_x(0) + along_x(-pitch));
  const V west = 0.5 * here.dy * (along_x(-1) + along_x(-pitch - 1));
  const V to_north = 0.5 * here.dx_corner * (along_y(0) + along_y(-1));
  const V to_south = 0.5 * south.dx_corner * (along_y(-pitch) + along_y(-pitch - 1));
  return (east - west) + (to_north - to_south);
}

}  // namespace

Barotropic::Barotropic(const Domain& domain, const Terms& terms)
    : domain_(domain),
      terms_(terms),
      per_height_(1.0 / (gravity * terms.implicitness * terms.implicitness * terms.timestep *
                         terms.timestep)) {}

Coefficients Barotropic::fill_operator() {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  planes_ = zeros(4 * plane);
  double* const centre = planes_.data();
  double *const east = centre + plane, *const north = east + plane, *const both = north + plane;
  const double* const depth = domain_.corner_depth();
  for (const RowPlace& row : domain_.rows())
    for (int i = 0; i < row.nx; ++i) {
      const std::int64_t at = row.at + i;
      if (domain_.cell_levels()[at] == 0.0) continue;
      // Of a corner: its squared differences along x and y, with weights X and Y.
      const auto along_x = [&](int j, std::int64_t corner) {
        const Grid::Row& of = domain_.grid().row(j);
        return 0.25 * depth[corner] * of.dy / of.dx_corner;
      };
      const auto along_y = [&](int j, std::int64_t corner) {
        const Grid::Row& of = domain_.grid().row(j);
        return 0.25 * depth[corner] * of.dx_corner / of.dy;
      };
      const auto sum = [&](int j, std::int64_t corner) {
        return along_x(j, corner) + along_y(j, corner);
      };
      const auto difference = [&](int j, std::int64_t corner) {
        return along_y(j, corner) - along_x(j, corner);
      };
      centre[at] = domain_.grid().row(row.y).area_cell * per_height_ +
                   ((sum(row.y, at) + sum(row.y, at - 1)) +
                    (sum(row.y - 1, at - pitch) + sum(row.y - 1, at - pitch - 1)));
      east[at] = difference(row.y, at) + difference(row.y - 1, at - pitch);
      north[at] = -(difference(row.y, at) + difference(row.y, at - 1));
      both[at] = -sum(row.y, at);
    }
  return {.centre = centre, .east = east, .north = north, .north_east = both};
}

template <Kernel kernel>
void Barotropic::integrate_row(Fields& fields, const RowPlace& row) const {
  const std::int64_t plane = domain_.plane(), field = domain_.field();
  const double* const now = fields.flow() + row.at;
  const double* const next = fields.next_flow() + row.at;
  double* const transport = fields.transport() + row.at;
  const double later = terms_.implicitness, earlier = 1.0 - later;
  downwards<kernel>(
      {-1, row.nx}, domain_.levels(), [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const std::int64_t at = k * plane + i;
        const V thickness = loaded<V>(domain_.thickness(k, row) + i);
        V x = thickness * (later * loaded<V>(next + at) + earlier * loaded<V>(now + at));
        V y = thickness *
              (later * loaded<V>(next + field + at) + earlier * loaded<V>(now + field + at));
        if (k > 0) {
          x += loaded<V>(transport + i);
          y += loaded<V>(transport + plane + i);
        }
        stored(transport + i, x);
        stored(transport + plane + i, y);
      });
}

void Barotropic::integrate(Kernel kernel, Fields& fields, const RowPlace& row) const {
  with_kernel(kernel, [&]<Kernel which>() { integrate_row<which>(fields, row); });
}

void Barotropic::right_side(Fields& fields, const RowPlace& row, double* right) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  const Grid::Row &here = domain_.grid().row(row.y), &south = domain_.grid().row(row.y - 1);
  const double* const surface = fields.surface() + row.at;
  const double* const flow = fields.transport() + row.at;
  const double* const depth = domain_.corner_depth() + row.at;
  const double* const levels = domain_.cell_levels() + row.at;
  const double per_flow = per_height_ * terms_.timestep;
  const double area = here.area_cell * per_height_;
  for_vectors(
      {0, row.nx}, [&]<class V>(int i) __attribute__((always_inline)) {
        const auto along_x = [&](std::int64_t offset) __attribute__((always_inline)) {
          const double per_dx = 1.0 / (offset < -1 ? south : here).dx_corner;
          const V slope = Slope<V>(surface + i + offset, pitch).x;
          return per_flow * loaded<V>(flow + i + offset) +
                 loaded<V>(depth + i + offset) * (per_dx * slope);
        };
        const auto along_y = [&](std::int64_t offset) __attribute__((always_inline)) {
          const V slope = Slope<V>(surface + i + offset, pitch).y;
          return per_flow * loaded<V>(flow + plane + i + offset) +
                 loaded<V>(depth + i + offset) * (1.0 / here.dy * slope);
        };
        const V found =
            area * loaded<V>(surface + i) - outflow<V>(here, south, pitch, along_x, along_y);
        stored(right + row.at + i, where_sea(loaded<V>(levels + i), 0.0, found));
      });
}

void Barotropic::push(Fields& fields, const RowPlace& row, const double* solution) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  const Grid::Row& here = domain_.grid().row(row.y);
  const double* const levels = domain_.corner_levels() + row.at;
  const double* const old = fields.surface() + row.at;
  double* const change = fields.surface() + plane + row.at;
  const double scale = gravity * terms_.implicitness * terms_.timestep;
  const double along_x = scale / here.dx_corner, along_y = scale / here.dy;
  for_vectors(
      {-1, row.nx}, [&]<class V>(int i) __attribute__((always_inline)) {
        const Slope<V> after(solution + row.at + i, pitch), before(old + i, pitch);
        const V sea = loaded<V>(levels + i);
        stored(change + i, where_sea(sea, 0.0, along_x * (before.x - after.x)));
        stored(change + plane + i, where_sea(sea, 0.0, along_y * (before.y - after.y)));
      });
}

void Barotropic::raise(Fields& fields, const RowPlace& row) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  const Grid::Row &here = domain_.grid().row(row.y), &south = domain_.grid().row(row.y - 1);
  const double* const flow = fields.transport() + row.at;
  const double* const depth = domain_.corner_depth() + row.at;
  double* const surface = fields.surface() + row.at;
  const double* const change = surface + plane;
  const double later = terms_.implicitness, scale = terms_.timestep / here.area_cell;
  for_vectors(
      {0, row.nx}, [&]<class V>(int i) __attribute__((always_inline)) {
        const auto along_x = [&](std::int64_t offset) __attribute__((always_inline)) {
          return loaded<V>(flow + i + offset) +
                 later * (loaded<V>(depth + i + offset) * loaded<V>(change + i + offset));
        };
        const auto along_y = [&](std::int64_t offset) __attribute__((always_inline)) {
          return loaded<V>(flow + plane + i + offset) +
                 later * (loaded<V>(depth + i + offset) * loaded<V>(change + plane + i + offset));
        };
        const V left = outflow<V>(here, south, pitch, along_x, along_y);
        stored(surface + i, loaded<V>(surface + i) - scale * left);
      });
}

template <Kernel kernel>
void Barotropic::correct_row(Fields& fields, const RowPlace& row) const {
  const std::int64_t plane = domain_.plane(), field = domain_.field();
  double* const now = fields.flow() + row.at;
  double* const next = fields.next_flow() + row.at;
  const double* const change = fields.surface() + plane + row.at;
  const double* const depth = domain_.corner_levels() + row.at;
  const double later = terms_.implicitness, earlier = 1.0 - later;
  downwards<kernel>(
      {-ghosts, row.nx + ghosts},
      domain_.levels(), [&]<class V>(int k, int i) __attribute__((always_inline)) {
        const V levels = loaded<V>(depth + i);
        for (int part = 0; part < 2; ++part) {
          const std::int64_t at = part * field + k * plane + i;
          const V pushed = where_sea(levels, k, loaded<V>(change + part * plane + i));
          const V after = loaded<V>(next + at) + pushed;
          stored(next + at, after);
          stored(now + at, later * after + earlier * loaded<V>(now + at));
        }
      });
}

void Barotropic::correct(Kernel kernel, Fields& fields, const RowPlace& row) const {
  with_kernel(kernel, [&]<Kernel which>() { correct_row<which>(fields, row); });
}

void Barotropic::guess(const Fields& fields, double weight, double* solution) const {
  const double* const now = fields.surface();
  const double* const before = fields.surface_before();
  for_vectors(
      {0, static_cast<int>(domain_.plane())}, [&]<class V>(int i) __attribute__((always_inline)) {
        const V height = loaded<V>(now + i);
        stored(solution + i, height + weight * (height - loaded<V>(before + i)));
      });
}

}  // namespace phasewise::ocean

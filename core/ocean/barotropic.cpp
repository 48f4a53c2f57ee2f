#include "ocean/barotropic.hpp"

#include "ocean/corner_flow.hpp"

namespace phasewise::ocean {
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
  const HalfFaces half(here, south);
  for_vectors(
      {0, row.nx}, [&]<class V>(int i) __attribute__((always_inline)) {
        const auto along_x = [&](std::int64_t offset) __attribute__((always_inline)) {
          const double half_dx = 0.5 / (offset < -1 ? south : here).dx_corner;
          const V twice = CornerDifferences<V>(surface + i + offset, pitch).x;
          return per_flow * loaded<V>(flow + i + offset) +
                 loaded<V>(depth + i + offset) * (half_dx * twice);
        };
        const auto along_y = [&](std::int64_t offset) __attribute__((always_inline)) {
          const V twice = CornerDifferences<V>(surface + i + offset, pitch).y;
          return per_flow * loaded<V>(flow + plane + i + offset) +
                 loaded<V>(depth + i + offset) * (0.5 / here.dy * twice);
        };
        const V found = area * loaded<V>(surface + i) -
                        flow_through<V>(half, 1.0, pitch, along_x, along_y).outflow();
        stored(right + row.at + i, where_sea(loaded<V>(levels + i), 0.0, found));
      });
}

void Barotropic::push(Fields& fields, const RowPlace& row, const double* solution) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch();
  const Grid::Row& here = domain_.grid().row(row.y);
  const double* const levels = domain_.corner_levels() + row.at;
  const double* const old = fields.surface() + row.at;
  double* const change = fields.surface() + plane + row.at;
  const double scale = 0.5 * gravity * terms_.implicitness * terms_.timestep;
  const double along_x = scale / here.dx_corner, along_y = scale / here.dy;
  for_vectors(
      {-1, row.nx}, [&]<class V>(int i) __attribute__((always_inline)) {
        const CornerDifferences<V> after(solution + row.at + i, pitch), before(old + i, pitch);
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
  const HalfFaces half(here, south);
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
        const V left = flow_through<V>(half, 1.0, pitch, along_x, along_y).outflow();
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

// The mesh field for tests and pictures: Green function and Poisson solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bindings/arrays.hpp"
#include "field/integrated_green.hpp"
#include "field/poisson.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::Array;
using Grid = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Array solve(const Grid& charge, double hx, double hy, int shift_x, int shift_y) {
  const int nx = static_cast<int>(charge.shape(0)), ny = static_cast<int>(charge.shape(1));
  field::PoissonSolver solver(nx, ny);
  auto scratch = solver.make_scratch();
  std::vector<double> potential(charge.size());
  solver.solve(charge.data(), *solver.green({hx, hy, shift_x, shift_y}, 1), potential.data(),
               scratch);
  return bindings::to_array(std::move(potential), {charge.shape(0), charge.shape(1)});
}

nb::dict card_of(const parallel::KernelCard& card) {
  nb::dict result;
  result["name"] = std::string(card.name);
  result["flops"] = card.flops;
  result["bytes"] = card.bytes;
  result["vectorised"] = card.vectorised;
  return result;
}

nb::dict doubled_grid(int nx, int ny, int parts) {
  const field::DoubledGrid grid(nx, ny);
  nb::dict result;
  result["mx"] = grid.mx();
  result["my"] = grid.my();
  result["columns"] = grid.columns();
  result["row_stride"] = grid.row_stride();
  result["column_stride"] = grid.column_stride();
  result["solve"] = card_of(grid.solve_card());
  result["rows"] = card_of(grid.row_card());
  result["transformed_columns"] = card_of(grid.column_card());
  result["green"] = card_of(grid.green_card(parts));
  return result;
}

// The rows of a grid, or the columns of its transform, that one process of a column has.
struct Part {
  int begin, count;
  parallel::Buffer<numerics::Complex> values;
};

std::vector<Part> divide(int n, int parts, std::int64_t stride) {
  std::vector<Part> all;
  for (int p = 0; p < parts; ++p) {
    const int begin = n * p / parts, count = n * (p + 1) / parts - begin;
    all.push_back({begin, count, parallel::Buffer<numerics::Complex>(count * stride)});
  }
  return all;
}

// Copies every value to the part that it belongs to, as messages between the processes would.
void transpose(std::vector<Part>& rows, std::int64_t row_stride, std::vector<Part>& columns,
               std::int64_t column_stride, bool to_columns) {
  for (Part& r : rows)
    for (Part& c : columns)
      for (int i = 0; i < r.count; ++i)
        for (int k = 0; k < c.count; ++k) {
          numerics::Complex& in_row = r.values[i * row_stride + c.begin + k];
          numerics::Complex& in_column = c.values[k * column_stride + r.begin + i];
          (to_columns ? in_column : in_row) = to_columns ? in_row : in_column;
        }
}

std::vector<field::PoissonSolver::GreenPointer> green_by_parts(field::PoissonSolver& solver,
                                                               const field::GreenKey& function,
                                                               int parts) {
  std::vector<Part> rows = divide(solver.grid().mx(), parts, solver.grid().row_stride());
  std::vector<Part> columns = divide(solver.grid().columns(), parts, solver.grid().column_stride());
  for (Part& part : rows)
    solver.green_rows(function, part.begin, part.count, part.values.data(), 1);
  transpose(rows, solver.grid().row_stride(), columns, solver.grid().column_stride(), true);
  std::vector<field::PoissonSolver::GreenPointer> all;
  for (Part& part : columns) {
    solver.green_columns(part.values.data(), part.count);
    all.push_back(solver.keep_green({function, part.begin, part.count}, part.values.data()));
  }
  return all;
}

Array solve_by_parts(const Grid& charge, double hx, double hy, int shift_x, int shift_y,
                     int parts) {
  if (parts < 1) throw std::invalid_argument("parts must be at least 1");
  const int nx = static_cast<int>(charge.shape(0)), ny = static_cast<int>(charge.shape(1));
  field::PoissonSolver solver(nx, ny);
  const auto green = green_by_parts(solver, {hx, hy, shift_x, shift_y}, parts);
  std::vector<Part> rows = divide(nx, parts, solver.grid().row_stride());
  std::vector<Part> columns = divide(solver.grid().columns(), parts, solver.grid().column_stride());
  parallel::Buffer<double> line = solver.make_line();
  for (Part& part : rows)
    solver.forward_rows(charge.data() + static_cast<std::int64_t>(part.begin) * ny, part.count,
                        part.values.data(), line.data());
  transpose(rows, solver.grid().row_stride(), columns, solver.grid().column_stride(), true);
  for (int p = 0; p < parts; ++p)
    solver.convolve(columns[p].values.data(), columns[p].count, green[p]->values.data());
  transpose(rows, solver.grid().row_stride(), columns, solver.grid().column_stride(), false);
  std::vector<double> potential(charge.size());
  for (Part& part : rows)
    solver.backward_rows(part.values.data(), part.count,
                         potential.data() + static_cast<std::int64_t>(part.begin) * ny,
                         line.data());
  return bindings::to_array(std::move(potential), {charge.shape(0), charge.shape(1)});
}

}  // namespace

void bind_field(nb::module_& m) {
  m.def("integrated_green", &field::integrated_green, nb::arg("x"), nb::arg("y"), nb::arg("hx"),
        nb::arg("hy"), "Average of -1/2 ln(x² + y²) over a cell hx by hy [m] centred on (x, y).");
  m.def("doubled_grid", &doubled_grid, nb::arg("nx"), nb::arg("ny"), nb::arg("parts") = 1,
        "Sizes of the doubled grid of a mesh, and the cards of the solver's kernels: for a solve, "
        "for all rows in one direction, for all columns, and for a Green function made by `parts` "
        "processes.");
  m.def("solve_poisson", &solve, nb::arg("charge"), nb::arg("hx"), nb::arg("hy"),
        nb::arg("shift_x") = 0, nb::arg("shift_y") = 0,
        "Potential u (-ln r of a unit charge) on the target window from charge[nx, ny] on the "
        "source window; shifts are target minus source, in cells.");
  m.def("poisson_by_parts", &solve_by_parts, nb::arg("charge"), nb::arg("hx"), nb::arg("hy"),
        nb::arg("shift_x"), nb::arg("shift_y"), nb::arg("parts"),
        "As solve_poisson, with the mesh divided over `parts` processes of a column, which run "
        "here one after the other.");
}

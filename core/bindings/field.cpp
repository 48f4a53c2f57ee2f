// The mesh field for tests and pictures: Green function and Poisson solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bindings/arrays.hpp"
#include "bindings/named.hpp"
#include "field/integrated_green.hpp"
#include "field/poisson.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::Array;
using Grid = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Grids = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

field::Transforms transforms_of(const std::string& name) {
  return bindings::named<field::Transforms>(
      "transforms", name, {{"fftw", field::Transforms::fftw}, {"lanes", field::Transforms::lanes}});
}

Array solve(const Grid& charge, double hx, double hy, int shift_x, int shift_y,
            const std::string& transforms) {
  const int nx = static_cast<int>(charge.shape(0)), ny = static_cast<int>(charge.shape(1));
  field::PoissonSolver solver(nx, ny, transforms_of(transforms));
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

nb::dict doubled_grid(int nx, int ny, int parts, const std::string& transforms) {
  const field::DoubledGrid grid(nx, ny, transforms_of(transforms));
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

template <class Value>
std::vector<Value*> rows_of(Value* mesh, int ny, const Part& part) {
  std::vector<Value*> rows(part.count);
  for (int i = 0; i < part.count; ++i)
    rows[i] = mesh + static_cast<std::int64_t>(part.begin + i) * ny;
  return rows;
}

// Convolves the columns that process p has of all meshes, together.
void convolve_part(const field::PoissonSolver& solver, std::vector<std::vector<Part>>& columns,
                   const std::vector<std::vector<field::PoissonSolver::GreenPointer>>& greens,
                   std::size_t p, field::PoissonSolver::Scratch& scratch) {
  std::vector<field::ColumnToConvolve> with;
  std::vector<numerics::Complex> all;
  for (std::size_t mesh = 0; mesh < columns.size(); ++mesh) {
    const Part& part = columns[mesh][p];
    for (int i = 0; i < part.count; ++i) with.push_back({&greens[mesh][p], i});
    all.insert(all.end(), part.values.data(), part.values.data() + part.values.size());
  }
  parallel::Buffer<numerics::Complex> aligned(std::ssize(all));
  std::copy(all.begin(), all.end(), aligned.data());
  solver.convolve(aligned.data(), with, scratch);
  const numerics::Complex* from = aligned.data();
  for (std::vector<Part>& mesh : columns) {
    std::copy_n(from, mesh[p].values.size(), mesh[p].values.data());
    from += mesh[p].values.size();
  }
}

// Shifts of each mesh along x and along y.
Array solve_by_parts(const Grids& charges, double hx, double hy, const std::vector<int>& shift_x,
                     const std::vector<int>& shift_y, int parts, const std::string& transforms) {
  const std::size_t meshes = charges.shape(0);
  if (parts < 1) throw std::invalid_argument("parts must be at least 1");
  if (shift_x.size() != meshes || shift_y.size() != meshes)
    throw std::invalid_argument("each mesh needs a shift along x and along y");
  const int nx = static_cast<int>(charges.shape(1)), ny = static_cast<int>(charges.shape(2));
  const std::int64_t nodes = static_cast<std::int64_t>(nx) * ny;
  field::PoissonSolver solver(nx, ny, transforms_of(transforms));
  const field::DoubledGrid& grid = solver.grid();
  auto scratch = solver.make_scratch();
  std::vector<std::vector<Part>> rows, columns;
  std::vector<std::vector<field::PoissonSolver::GreenPointer>> greens;
  for (std::size_t mesh = 0; mesh < meshes; ++mesh) {
    greens.push_back(green_by_parts(solver, {hx, hy, shift_x[mesh], shift_y[mesh]}, parts));
    rows.push_back(divide(nx, parts, grid.row_stride()));
    columns.push_back(divide(grid.columns(), parts, grid.column_stride()));
    for (Part& part : rows.back())
      solver.forward_rows(rows_of(charges.data() + mesh * nodes, ny, part), part.values.data(),
                          scratch);
    transpose(rows.back(), grid.row_stride(), columns.back(), grid.column_stride(), true);
  }
  for (int p = 0; p < parts; ++p) convolve_part(solver, columns, greens, p, scratch);
  std::vector<double> potential(charges.size());
  for (std::size_t mesh = 0; mesh < meshes; ++mesh) {
    transpose(rows[mesh], grid.row_stride(), columns[mesh], grid.column_stride(), false);
    for (Part& part : rows[mesh])
      solver.backward_rows(part.values.data(), rows_of(potential.data() + mesh * nodes, ny, part),
                           scratch);
  }
  return bindings::to_array(std::move(potential), {meshes, charges.shape(1), charges.shape(2)});
}

// A solver, its Green function and its potential, made once.
struct MeshSolver {
  MeshSolver(int nx, int ny, double hx, double hy, int shift_x, int shift_y,
             const std::string& transforms)
      : solver(nx, ny, transforms_of(transforms)),
        scratch(solver.make_scratch()),
        green(solver.green({hx, hy, shift_x, shift_y}, 1)),
        potential(static_cast<std::size_t>(nx) * ny) {}

  void solve(const Grid& charge, int times) {
    if (charge.size() != potential.size())
      throw std::invalid_argument("the charge must have as many nodes as the solver");
    for (int i = 0; i < times; ++i) solver.solve(charge.data(), *green, potential.data(), scratch);
  }
  Array found() const {
    const auto nx = static_cast<std::size_t>(solver.grid().nx());
    return bindings::to_array(std::vector<double>(potential), {nx, potential.size() / nx});
  }

  field::PoissonSolver solver;
  field::PoissonSolver::Scratch scratch;
  field::PoissonSolver::GreenPointer green;
  std::vector<double> potential;
};

}  // namespace

void bind_field(nb::module_& m) {
  m.def("integrated_green", &field::integrated_green, nb::arg("x"), nb::arg("y"), nb::arg("hx"),
        nb::arg("hy"), "Average of -1/2 ln(x² + y²) over a cell hx by hy [m] centred on (x, y).");
  m.def("doubled_grid", &doubled_grid, nb::arg("nx"), nb::arg("ny"), nb::arg("parts") = 1,
        nb::arg("transforms") = "fftw",
        "Sizes of the doubled grid of a mesh, and the cards of the solver's kernels: for a solve, "
        "for all rows in one direction, for all columns, and for a Green function made by `parts` "
        "processes.");
  m.def("solve_poisson", &solve, nb::arg("charge"), nb::arg("hx"), nb::arg("hy"),
        nb::arg("shift_x") = 0, nb::arg("shift_y") = 0, nb::arg("transforms") = "fftw",
        "Potential u (-ln r of a unit charge) on the target window from charge[nx, ny] on the "
        "source window; shifts are target minus source, in cells.");
  nb::class_<MeshSolver>(m, "MeshSolver",
                         "A solver of one mesh with its Green function, to be timed.")
      .def(nb::init<int, int, double, double, int, int, const std::string&>(), nb::arg("nx"),
           nb::arg("ny"), nb::arg("hx"), nb::arg("hy"), nb::arg("shift_x") = 0,
           nb::arg("shift_y") = 0, nb::arg("transforms") = "fftw")
      .def("solve", &MeshSolver::solve, nb::arg("charge"), nb::arg("times") = 1,
           "Solves for the potential of charge[nx, ny] this many times.")
      .def("potential", &MeshSolver::found, "The potential [nx, ny] of the last charge.");
  m.def(
      "poisson_by_parts", &solve_by_parts, nb::arg("charges"), nb::arg("hx"), nb::arg("hy"),
      nb::arg("shift_x"), nb::arg("shift_y"), nb::arg("parts"), nb::arg("transforms") = "fftw",
      "As solve_poisson, of charges[mesh, nx, ny] with shifts of each mesh, which are divided over "
      "`parts` processes of a column. These run here one after the other.");
}

#include "spacecharge/box_potential.hpp"

#include <algorithm>
#include <cstdint>

#include "parallel/loops.hpp"

namespace phasewise::spacecharge {
namespace {

// A rank without planes or columns still has memory, because null would mean messages without
// contents.
template <class T>
void reserve(parallel::Buffer<T>& buffer, std::int64_t size) {
  buffer.reserve(std::max<std::int64_t>(1, size));
}

}  // namespace

BoxPotential::BoxPotential(const field::DoubledBox& grid, field::BoxGreen green,
                           const Exchanges& exchanges, bool real, int threads)
    : grid_(grid), threads_(threads), real_(real) {
  if (!real) return;
  solver_ = std::make_unique<field::BoxSolver>(grid, green, threads);
  const int ranks = exchanges.division().ranks();
  const std::int64_t columns = (grid.columns() + ranks - 1) / ranks;
  solver_->set_green_capacity(greens_kept(8 * columns * grid.green_stride()));
  const std::int64_t planes = size_of(exchanges.planes());
  reserve(lines_, planes * size_of(exchanges.lines()) * grid.row_stride());
  if (exchanges.division().divides_planes())
    reserve(rows_, planes * size_of(exchanges.rows()) * grid.line_stride());
  if (!exchanges.alone()) reserve(columns_, size_of(exchanges.columns()) * grid.column_stride());
}

bool BoxPotential::find_green(const std::array<double, 3>& h, const Exchanges& exchanges) {
  const auto [begin, end] = exchanges.columns();
  green_ = solver_->find_green({{h}, begin, end - begin});
  return green_ != nullptr;
}

void BoxPotential::make_green(const std::array<double, 3>& h, const Exchanges& exchanges,
                              Listener& listener) {
  const auto [first, last] = exchanges.green_planes();
  const auto [begin, end] = exchanges.columns();
  const int planes = last - first, columns = end - begin;
  parallel::Buffer<double> distances;
  auto made = std::make_shared<field::BoxGreenTransform>();
  if (real_) {
    reserve(distances, std::int64_t{planes} * grid_.columns());
    made->key = {{h}, begin, columns};
    reserve(made->values, columns * grid_.green_stride());
  }
  listener.kernel(grid_.green_plane_card(), planes, [&, first = first] {
    solver_->green_planes({h}, first, planes, distances.data());
  });
  if (exchanges.alone()) {
    if (real_)
      for (int c = 0; c < columns; ++c)
        for (int k = 0; k < planes; ++k)
          made->values[c * grid_.green_stride() + k] =
              distances[static_cast<std::int64_t>(k) * grid_.columns() + c];
  } else {
    listener.transpose(exchanges.green(), {distances.data(), distances.size()},
                       {made->values.data(), made->values.size()});
  }
  listener.kernel(grid_.green_column_card(), columns,
                  [&] { solver_->green_columns(made->values.data(), columns); });
  if (real_) green_ = solver_->keep_green(std::move(made));
}

void BoxPotential::solve(double* mesh, const Exchanges& exchanges, Listener& listener) {
  forward(mesh, exchanges, listener);
  convolve(exchanges, listener);
  backward(mesh, exchanges, listener);
}

template <class Mesh, class F>
void BoxPotential::for_planes(Mesh* mesh, const Exchanges& exchanges, F&& f) {
  const auto [first, last] = exchanges.planes();
  const auto [begin, end] = exchanges.rows();
  const std::int64_t row = grid_.ny(), plane = row * grid_.nx();
  const std::int64_t rows = (end - begin) * grid_.line_stride();
  const std::int64_t lines = size_of(exchanges.lines()) * grid_.row_stride();
  Mesh* const mine = mesh + first * plane + begin * row;
  parallel::for_tasks(last - first, threads_, [&](int k, int) {
    f(rows_.data() + k * rows, lines_.data() + k * lines, mine + k * plane);
  });
}

void BoxPotential::forward(const double* mesh, const Exchanges& exchanges, Listener& listener) {
  const int planes = size_of(exchanges.planes());
  if (!exchanges.division().divides_planes()) {
    const std::int64_t plane = static_cast<std::int64_t>(grid_.nx()) * grid_.ny();
    listener.kernel(grid_.plane_card(), planes, [&] {
      solver_->forward(mesh + exchanges.planes().first * plane, planes, lines_.data());
    });
    return;
  }
  if (planes == 0) return;
  const int rows = size_of(exchanges.rows()), lines = size_of(exchanges.lines());
  listener.kernel(grid_.row_card(), static_cast<double>(planes) * rows, [&] {
    for_planes(mesh, exchanges, [&](Complex* out, Complex*, const double* charge) {
      solver_->forward_rows(charge, rows, out);
    });
  });
  listener.transpose(exchanges.to_lines(), {rows_.data(), rows * grid_.line_stride()},
                     {lines_.data(), lines * grid_.row_stride()});
  listener.kernel(grid_.line_card(), static_cast<double>(planes) * lines, [&] {
    for_planes(mesh, exchanges,
               [&](Complex*, Complex* all, const double*) { solver_->forward_lines(all, lines); });
  });
}

void BoxPotential::backward(double* mesh, const Exchanges& exchanges, Listener& listener) {
  const int planes = size_of(exchanges.planes());
  if (!exchanges.division().divides_planes()) {
    const std::int64_t plane = static_cast<std::int64_t>(grid_.nx()) * grid_.ny();
    listener.kernel(grid_.plane_card(), planes, [&] {
      solver_->backward(lines_.data(), planes, mesh + exchanges.planes().first * plane);
    });
    return;
  }
  if (planes == 0) return;
  const int rows = size_of(exchanges.rows()), lines = size_of(exchanges.lines());
  listener.kernel(grid_.line_card(), static_cast<double>(planes) * lines, [&] {
    for_planes(mesh, exchanges,
               [&](Complex*, Complex* all, double*) { solver_->backward_lines(all, lines); });
  });
  listener.transpose(exchanges.to_rows(), {lines_.data(), lines * grid_.row_stride()},
                     {rows_.data(), rows * grid_.line_stride()});
  listener.kernel(grid_.row_card(), static_cast<double>(planes) * rows, [&] {
    for_planes(mesh, exchanges, [&](Complex* in, Complex*, double* potential) {
      solver_->backward_rows(in, rows, potential);
    });
  });
}

void BoxPotential::convolve(const Exchanges& exchanges, Listener& listener) {
  const int columns = size_of(exchanges.columns());
  const exchange::ItemBuffer in_planes(lines_.data(), lines_.size());
  const exchange::ItemBuffer in_columns(columns_.data(), columns_.size());
  if (!exchanges.alone()) listener.transpose(exchanges.to_columns(), in_planes, in_columns);
  listener.kernel(grid_.column_card(), columns, [&] {
    if (exchanges.alone())
      solver_->convolve_planes(lines_.data(), *green_);
    else
      solver_->convolve(columns_.data(), columns, green_->values.data());
  });
  if (!exchanges.alone()) listener.transpose(exchanges.to_planes(), in_columns, in_planes);
}

}  // namespace phasewise::spacecharge

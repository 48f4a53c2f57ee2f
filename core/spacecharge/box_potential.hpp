// The potential in three dimensions: slabs or pencils of the charge are transformed along y and x;
// the columns along z are convolved; then everything is transformed back.
#pragma once

#include "field/box_solver.hpp"
#include "parallel/buffer.hpp"
#include "spacecharge/potential.hpp"

namespace phasewise::spacecharge {

class BoxPotential : public Potential {
 public:
  BoxPotential(const field::DoubledBox& grid, field::BoxGreen green, const Exchanges& exchanges,
               bool real, int threads);

  bool find_green(const std::array<double, 3>& h, const Exchanges& exchanges) override;
  void make_green(const std::array<double, 3>& h, const Exchanges& exchanges,
                  workload::Listener& listener) override;
  void solve(double* mesh, const Exchanges& exchanges, workload::Listener& listener) override;

 private:
  using Listener = workload::Listener;
  using Complex = numerics::Complex;

  // Transform this rank's charge to the lines that it has in all of its planes, and back.
  void forward(const double* mesh, const Exchanges& exchanges, Listener& listener);
  void backward(double* mesh, const Exchanges& exchanges, Listener& listener);
  void convolve(const Exchanges& exchanges, Listener& listener);
  // Calls f(rows, lines, part of the mesh) for each of this rank's planes.
  template <class Mesh, class F>
  void for_planes(Mesh* mesh, const Exchanges& exchanges, F&& f);

  const field::DoubledBox& grid_;
  int threads_;
  bool real_;
  std::unique_ptr<field::BoxSolver> solver_;  // null without values
  field::BoxSolver::GreenPointer green_;
  // The transforms of this rank's rows along y, of its lines also along x, and of its columns.
  parallel::Buffer<Complex> rows_, lines_, columns_;
};

}  // namespace phasewise::spacecharge

#include "spacecharge/potential.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "field/long_beam.hpp"
#include "spacecharge/box_potential.hpp"

namespace phasewise::spacecharge {
namespace {

// Solves plane by plane; every rank makes the transverse Green function for itself.
class LongBeamPotential : public Potential {
 public:
  LongBeamPotential(const field::DoubledBox& grid, double pipe_radius, bool real, int threads)
      : grid_(grid), log_pipe_(std::log(pipe_radius)), threads_(threads) {
    if (!real) return;
    solver_ = std::make_unique<field::LongBeamSolver>(grid.nx(), grid.ny(), threads);
    const field::DoubledGrid& across = solver_->across().grid();
    solver_->across().set_green_capacity(
        greens_kept(16 * across.columns() * across.column_stride()));
  }

  bool find_green(const std::array<double, 3>& h, const Exchanges&) override {
    cell_ = h[2];
    const int columns = solver_->across().grid().columns();
    green_ = solver_->across().find_green({{.hx = h[0], .hy = h[1]}, 0, columns});
    return green_ != nullptr;
  }
  void make_green(const std::array<double, 3>& h, const Exchanges&,
                  workload::Listener& listener) override {
    listener.kernel(field::LongBeamSolver::green_card(grid_.nx(), grid_.ny()), 1,
                    [&] { green_ = solver_->across().green({.hx = h[0], .hy = h[1]}, threads_); });
  }
  void solve(double* mesh, const Exchanges& exchanges, workload::Listener& listener) override {
    const auto [first, last] = exchanges.planes();
    const int planes = last - first;
    const std::int64_t plane = static_cast<std::int64_t>(grid_.nx()) * grid_.ny();
    listener.kernel(field::LongBeamSolver::card(grid_.nx(), grid_.ny()), planes,
                    [&, first = first] {
                      solver_->solve(mesh + first * plane, planes, *green_,
                                     {.cell = cell_, .log_pipe = log_pipe_});
                    });
  }

 private:
  const field::DoubledBox& grid_;
  double log_pipe_, cell_ = 1.0;
  int threads_;
  std::unique_ptr<field::LongBeamSolver> solver_;  // null without values
  field::PoissonSolver::GreenPointer green_;
};

}  // namespace

std::size_t greens_kept(std::int64_t bytes) {
  constexpr std::int64_t memory = std::int64_t{1} << 28, fewest = 4, most = 64;
  return static_cast<std::size_t>(std::clamp(memory / bytes, fewest, most));
}

std::unique_ptr<Potential> make_potential(const Description& description,
                                          const field::DoubledBox& grid, const Exchanges& exchanges,
                                          bool real, int threads) {
  switch (description.kind) {
    case Kind::box:
      return std::make_unique<BoxPotential>(grid, description.green, exchanges, real, threads);
    case Kind::planes:
      return std::make_unique<LongBeamPotential>(grid, description.pipe_radius.value_or(1.0), real,
                                                 threads);
    case Kind::frozen:
      break;
  }
  return nullptr;
}

}  // namespace phasewise::spacecharge

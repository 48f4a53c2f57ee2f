#include "field/long_beam.hpp"

#include <cstdint>

#include "parallel/loops.hpp"

namespace phasewise::field {

LongBeamSolver::LongBeamSolver(int nx, int ny, int threads) : across_(nx, ny), threads_(threads) {}

void LongBeamSolver::solve(double* planes, int count, const GreenTransform& green,
                           const LongBeam& beam) const {
  const std::int64_t nodes = static_cast<std::int64_t>(across_.grid().nx()) * across_.grid().ny();
  const double per_length = 2.0 / beam.cell;
  parallel::for_tasks(count, threads_, [&](int k, int) {
    double* plane = planes + k * nodes;
    double charge = 0.0;
    bool empty = true;
    for (std::int64_t i = 0; i < nodes; ++i) {
      charge += plane[i];
      empty = empty && plane[i] == 0.0;
    }
    if (empty) return;
    PoissonSolver::Scratch scratch = across_.make_scratch();
    across_.solve(plane, green, plane, scratch);
    const double of_pipe = charge * beam.log_pipe;
    for (std::int64_t i = 0; i < nodes; ++i) plane[i] = per_length * (plane[i] + of_pipe);
  });
}

parallel::KernelCard LongBeamSolver::card(int nx, int ny) {
  parallel::KernelCard card = DoubledGrid(nx, ny).solve_card();
  card.name = "potential";
  return card;
}

parallel::KernelCard LongBeamSolver::green_card(int nx, int ny) {
  return DoubledGrid(nx, ny).green_card();
}

}  // namespace phasewise::field

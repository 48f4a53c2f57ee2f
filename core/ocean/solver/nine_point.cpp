#include "ocean/solver/nine_point.hpp"

#include <ctime>

#include "parallel/clock.hpp"

namespace phasewise::ocean {

NinePoint::NinePoint(const WholeOperator& whole, const LayoutSetting& layout,
                     const SolverSetting& setting, int threads)
    : session_(workload::Parameters::parse(""), threads),
      live_(session_),
      layout_(whole.mask, layout, session_.world.size()),
      planes_(layout_, session_.world.rank()),
      solver_(std::make_unique<Solver>(setting, layout_, planes_, session_.nodes, session_.team,
                                       threads, workload::Contents::real)) {
  session_.set_teams({{session_.team, 0}});
  session_.executor->prepare(solver_->exchanges());
  const double start = parallel::clock().now();
  const auto plane_of = [&](const std::vector<double>& array) {
    std::vector<double> plane(static_cast<std::size_t>(planes_.size()));
    if (!array.empty()) take(array.data(), plane.data());
    return plane;
  };
  const std::vector<double> centre = plane_of(whole.centre), east = plane_of(whole.east),
                            north = plane_of(whole.north), north_east = plane_of(whole.north_east),
                            north_west = plane_of(whole.north_west);
  solver_->set_operator({.centre = centre.data(),
                         .east = east.data(),
                         .north = north.data(),
                         .north_east = north_east.data(),
                         .north_west = whole.north_west.empty() ? nullptr : north_west.data()},
                        live_);
  setup_ = parallel::clock().now() - start;
}

void NinePoint::take(const double* whole, double* plane) const {
  const int nx = layout_.nx(), ny = layout_.ny();
  for (std::size_t p = 0; p < planes_.parts().size(); ++p) {
    const Planes::Part& part = planes_.parts()[p];
    for (int j = -ghosts; j < part.ny + ghosts; ++j)
      for (int i = -ghosts; i < part.nx + ghosts; ++i) {
        int x = part.x + i, y = part.y + j;
        if (layout_.periodic_x()) x = (x + nx) % nx;
        if (layout_.periodic_y()) y = (y + ny) % ny;
        if (x < 0 || y < 0 || x >= nx || y >= ny) continue;
        plane[planes_.at(static_cast<int>(p), i, j)] = whole[std::int64_t{y} * nx + x];
      }
  }
}

std::vector<double> NinePoint::whole_of(const double* plane) {
  std::vector<double> whole(static_cast<std::size_t>(layout_.nx()) * layout_.ny());
  for (std::size_t p = 0; p < planes_.parts().size(); ++p) {
    const Planes::Part& part = planes_.parts()[p];
    for (int j = 0; j < part.ny; ++j)
      for (int i = 0; i < part.nx; ++i)
        whole[std::int64_t{part.y + j} * layout_.nx() + part.x + i] =
            plane[planes_.at(static_cast<int>(p), i, j)];
  }
  // All terms but one are zero.
  if (session_.world.size() > 1) session_.world.sum("gather", whole);
  return whole;
}

std::vector<double> NinePoint::solve(const double* b, const double* guess) {
  take(b, solver_->right());
  take(guess, solver_->solution());
  const double start = parallel::clock().now();
  const std::clock_t began = std::clock();
  for (solver_->begin(live_); !solver_->done();) {
    solver_->iterate(live_);
    if (solver_->wants_check()) solver_->check(live_);
  }
  solver_->end(live_);
  seconds_ = parallel::clock().now() - start;
  processor_ = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return whole_of(solver_->solution());
}

std::vector<double> NinePoint::precondition(const double* r) {
  take(r, solver_->right());
  solver_->precondition(live_);
  return whole_of(solver_->solution());
}

}  // namespace phasewise::ocean

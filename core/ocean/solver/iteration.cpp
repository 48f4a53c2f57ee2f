#include "ocean/solver/iteration.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace phasewise::ocean {

parallel::KernelCard Problem::tiles_card(double flops, double planes) const {
  return {.name = "solve_tiles",
          .flops = tiles->flops() + flops,
          .bytes = tiles->bytes() + word * planes,
          .vectorised = true};
}

void Problem::precondition(const double* from, double* z, workload::Listener& listener) const {
  listener.kernel(tiles_card(0.0, 2.0), context.sea_cells(), [&] {
    tiles->solve(from, z, [&](std::int64_t at, int n, const double* solution) {
      std::copy_n(solution, n, z + at);
    });
  });
}

double Iteration::step_length(double energy, double curvature) const {
  if (!context_.real || energy == 0.0 || curvature == 0.0) return 0.0;
  if (curvature > 0.0) return energy / curvature;
  if (std::isfinite(energy) && std::isfinite(curvature)) {
    std::ostringstream text;
    text << "the operator is not positive: a direction p has p'Ap = " << curvature << " after "
         << iterations_ << " iterations";
    throw std::runtime_error(text.str());
  }
  throw std::runtime_error("the equation has numbers that are not finite, after " +
                           std::to_string(iterations_) + " iterations");
}

// By bisection: the number of negative pivots of T - x is that of the eigenvalues below x.
std::array<double, 2> extreme_eigenvalues(const std::vector<Coefficient>& steps) {
  std::vector<double> centre, squared;  // of T: diagonal, and square of the coupling before
  for (std::size_t k = 0; k < steps.size() && steps[k].alpha > 0.0; ++k) {
    const double before = k == 0 ? 0.0 : steps[k].beta / steps[k - 1].alpha;
    centre.push_back(1.0 / steps[k].alpha + before);
    squared.push_back(k == 0 ? 0.0 : before / steps[k - 1].alpha);
  }
  if (centre.empty()) return {0.0, 0.0};
  double most = 0.0;
  for (std::size_t k = 0; k < centre.size(); ++k)
    most = std::max(most, centre[k] + std::sqrt(squared[k]) +
                              (k + 1 < centre.size() ? std::sqrt(squared[k + 1]) : 0.0));
  const auto below = [&](double x) {
    std::size_t count = 0;
    double pivot = 1.0;
    for (std::size_t k = 0; k < centre.size(); ++k) {
      pivot = centre[k] - x - (k == 0 ? 0.0 : squared[k] / pivot);
      if (pivot == 0.0) pivot = -1e-300;
      if (pivot < 0.0) ++count;
    }
    return count;
  };
  const auto found = [&](std::size_t wanted) {
    double low = 0.0, high = most;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (below(middle) >= wanted ? high : low) = middle;
    }
    return 0.5 * (low + high);
  };
  return {found(1), found(centre.size())};
}

}  // namespace phasewise::ocean

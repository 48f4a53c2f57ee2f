#include "ocean/solver/context.hpp"

#include <algorithm>
#include <utility>

namespace phasewise::ocean {
namespace {

constexpr int cells_of_band = 4096;  // at least, so that threads share what is worth it

}  // namespace

Context::Context(const SolverSetting& given, const Layout& grid, const Planes& stored,
                 const std::vector<int>& node_of_rank, exchange::TeamPointer all,
                 int threads_of_rank, workload::Contents contents)
    : setting(given),
      layout(grid),
      planes(stored),
      nodes(node_of_rank),
      team(std::move(all)),
      threads(threads_of_rank),
      real(contents == workload::Contents::real) {
  for (std::size_t part = 0; part < planes.parts().size(); ++part) {
    const Planes::Part& block = planes.parts()[part];
    const int rows = std::max(1, cells_of_band / block.nx);
    for (int first = 0; first < block.ny; first += rows)
      bands.push_back({static_cast<int>(part), first, std::min(first + rows, block.ny)});
  }
}

Field Context::field(int items) const {
  if (!real) return {};
  Field result(items * planes.size());
  std::fill_n(result.data(), result.size(), 0.0);
  return result;
}

Halo Context::halo(int items) const {
  return {layout,
          planes,
          nodes,
          team->me,
          {.phase = setting.halo_phase, .protocol = setting.halo, .items = items}};
}

workload::SumSetting Context::sum() const {
  return {.phase = setting.sum_phase, .algorithm = setting.sum, .protocol = setting.sum_protocol};
}

}  // namespace phasewise::ocean

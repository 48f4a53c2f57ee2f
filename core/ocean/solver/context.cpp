#include "ocean/solver/context.hpp"

#include <algorithm>
#include <utility>

#include "parallel/simd.hpp"

namespace phasewise::ocean {
namespace {

constexpr int cells_of_band = 4096;  // at least, so that threads share what is worth it

// Shorter land is computed too: a processor that reads ahead loses more at each new beginning.
constexpr int shortest_land = 256;

}  // namespace

// Spans of whole vectors, counted from the row's first cell.
void append_spans(const double* positive, std::int64_t at, int n, std::vector<SeaSpan>& spans) {
  int begin = -1, end = 0;
  const auto finish = [&] {
    if (begin >= 0) spans.push_back({at + begin, std::min(end, n) - begin});
  };
  for (int i = 0; i < n; ++i) {
    if (positive[at + i] == 0.0) continue;
    const int first = i / parallel::lanes * parallel::lanes;
    if (begin < 0 || first - end >= shortest_land) {
      finish();
      begin = first;
    }
    end = first + parallel::lanes;
  }
  finish();
}

void Context::find_sea(const double* positive) {
  for (int ring = 0; ring < ghosts; ++ring) {
    sea[ring].assign(bands.size(), {});
    for (std::size_t b = 0; b < bands.size(); ++b) {
      const auto [part, first, last] = bands[b];
      const int nx = planes.parts()[part].nx, ny = planes.parts()[part].ny;
      for (int j = first == 0 ? -ring : first; j < (last == ny ? ny + ring : last); ++j)
        append_spans(positive, planes.at(part, -ring, j), nx + 2 * ring, sea[ring][b]);
    }
  }
}

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

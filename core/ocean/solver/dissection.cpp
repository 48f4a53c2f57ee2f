#include "ocean/solver/dissection.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace phasewise::ocean {

Dissection::Dissection(const TileShape& shape)
    : shape_(shape), numbers_(static_cast<std::size_t>(shape.cells())) {
  int next = 0;
  order(0, 0, shape.m, shape.n, next);
  const std::vector<std::vector<int>> later = columns();
  for (int p = 0; p < shape.cells(); ++p) {
    if (!fronts_.empty()) {
      Front& last = fronts_.back();
      // The column before is coupled with this one, and else with the same cells.
      const std::vector<int>& before = later[p - 1];
      if (last.columns < Front::most && !before.empty() && before.front() == p &&
          std::ranges::equal(before.begin() + 1, before.end(), later[p].begin(), later[p].end())) {
        ++last.columns;
        last.rows = later[p];
        continue;
      }
    }
    fronts_.push_back({p, 1, later[p], 0});
  }
  for (Front& front : fronts_) {
    front.values = size_;
    size_ += front.size();
  }
}

// Numbers the cells of a rectangle from `next` on.
void Dissection::order(int x, int y, int m, int n, int& next) {
  if (m <= 0 || n <= 0) return;
  if (m >= n) {
    const int line = m / 2;
    order(x, y, line, n, next);
    order(x + line + 1, y, m - line - 1, n, next);
    for (int j = 0; j < n; ++j) numbers_[(y + j) * shape_.m + x + line] = next++;
  } else {
    const int line = n / 2;
    order(x, y, m, line, next);
    order(x, y + line + 1, m, n - line - 1, next);
    for (int i = 0; i < m; ++i) numbers_[(y + line) * shape_.m + x + i] = next++;
  }
}

// The later cells with which each cell is coupled when its turn comes: its neighbours, and those of
// the earlier cells whose first later cell it is.
std::vector<std::vector<int>> Dissection::columns() const {
  const int cells = shape_.cells();
  std::vector<int> cell_of(static_cast<std::size_t>(cells));
  for (int c = 0; c < cells; ++c) cell_of[numbers_[c]] = c;
  std::vector<std::vector<int>> later(static_cast<std::size_t>(cells));
  for (int p = 0; p < cells; ++p) {
    const int x = cell_of[p] % shape_.m, y = cell_of[p] / shape_.m;
    std::vector<int>& found = later[p];
    for (int j = std::max(0, y - 1); j < std::min(shape_.n, y + 2); ++j)
      for (int i = std::max(0, x - 1); i < std::min(shape_.m, x + 2); ++i)
        found.push_back(numbers_[j * shape_.m + i]);
    for (int q = 0; q < p; ++q)
      if (!later[q].empty() && later[q].front() == p)
        found.insert(found.end(), later[q].begin(), later[q].end());
    std::ranges::sort(found);
    const auto [first, last] = std::ranges::unique(found);
    found.erase(first, last);
    std::erase_if(found, [p](int row) { return row <= p; });
  }
  return later;
}

}  // namespace phasewise::ocean

// Each column and its twin on one rank.
#include <cstddef>
#include <map>
#include <utility>

#include "atmosphere/balance.hpp"

namespace phasewise::atmosphere {

Holders keep_twins(const Geometry& geometry, const Layout& layout) {
  Holders holders = layout.owners();
  // The columns of the lower rank whose twins are on the higher one, by these two ranks.
  std::map<std::pair<int, int>, std::vector<std::int64_t>> apart;
  for (std::int64_t column = 0; column < geometry.columns(); ++column) {
    const int own = layout.owner(column), other = layout.owner(geometry.twin(column));
    if (own < other) apart[{own, other}].push_back(column);
  }
  // Where the pairs of two ranks are odd in number, the rank with fewer columns gets one more.
  std::vector<std::int64_t> more(static_cast<std::size_t>(layout.ranks()), 0);
  for (const auto& [ranks, columns] : apart) {
    const auto [lower, higher] = ranks;
    std::size_t to_higher = columns.size() / 2;
    if (columns.size() % 2 != 0) {
      const bool higher_gets = more[higher] < more[lower];
      to_higher += higher_gets ? 1 : 0;
      ++more[higher_gets ? higher : lower];
      --more[higher_gets ? lower : higher];
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (i < to_higher)
        holders[static_cast<std::size_t>(columns[i])] = higher;
      else
        holders[static_cast<std::size_t>(geometry.twin(columns[i]))] = lower;
  }
  return holders;
}

}  // namespace phasewise::atmosphere

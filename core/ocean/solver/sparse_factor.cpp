#include "ocean/solver/sparse_factor.hpp"

namespace phasewise::ocean {

void factorise(const Dissection& order, std::vector<Lanes>& a, Lanes* factors) {
  const int cells = order.shape().cells();
  const auto at = [&](int row, int column) -> Lanes& {
    return a[static_cast<std::size_t>(row) * cells + column];
  };
  for (const Front& front : order.fronts()) {
    const int last = front.first + front.columns;
    std::vector<int> rows;
    for (int p = front.first; p < last; ++p) rows.push_back(p);
    rows.insert(rows.end(), front.rows.begin(), front.rows.end());
    Lanes* to = factors + front.values;
    for (int k = 0; k < front.columns; ++k) {
      const int p = front.first + k;
      const Lanes inverse = 1.0 / at(p, p);
      to[k] = inverse;
      // Pairs of later cells lose what this cell contributes; then L D of its column becomes L.
      for (std::size_t r = k + 1; r < rows.size(); ++r) {
        const Lanes factor = at(rows[r], p) * inverse;
        for (std::size_t s = k + 1; s <= r; ++s)
          at(rows[r], rows[s]) = fused(-factor, at(rows[s], p), at(rows[r], rows[s]));
      }
      for (std::size_t r = k + 1; r < rows.size(); ++r) at(rows[r], p) *= inverse;
    }
    Lanes* value = to + front.columns;
    for (std::size_t r = 1; r < rows.size(); ++r)
      for (int k = 0; k < front.columns && k < static_cast<int>(r); ++k)
        *value++ = at(rows[r], front.first + k);
  }
}

}  // namespace phasewise::ocean

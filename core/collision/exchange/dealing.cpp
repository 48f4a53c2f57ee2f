#include "collision/exchange/dealing.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace phasewise::collision {

Pairs all_pairs(const Step& step) {
  Pairs all(step.pairs());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Pairs> batches(const PlanBasis& basis, const Step& step) {
  const Pairs all = all_pairs(step);
  if (!basis.settings.overlap) return {all};
  // Consecutive slices belong to different columns.
  const int at_once = std::min(basis.shape_of(0).prow, basis.shape_of(1).prow);
  std::vector<Pairs> result;
  for (int p = 0; p < step.pairs(); p += at_once)
    result.emplace_back(all.begin() + p, all.begin() + std::min(p + at_once, step.pairs()));
  return result;
}

Pairs own_pairs(const PlanBasis& basis, const Step& step, int beam, const Pairs& pairs) {
  const Division& division = basis.division;
  Pairs result;
  if (!division.holds(beam)) return result;
  for (const int p : pairs)
    if (division.column_of(beam, step.own(beam, p)) == division.column()) result.push_back(p);
  return result;
}

std::vector<Pairs> by_column(const Step& step, const Pairs& pairs, int slices_of, int prow) {
  std::vector<Pairs> result(prow);
  for (const int p : pairs) result[step.own(slices_of, p) % prow].push_back(p);
  return result;
}

std::vector<std::vector<int>> dealt(const PlanBasis& basis, const Step& step, const Pairs& pairs,
                                    int slices_of, int prow) {
  const Planes& planes = basis.shape.planes;
  std::vector<std::vector<int>> result;
  result.reserve(prow);
  for (const Pairs& of_column : by_column(step, pairs, slices_of, prow))
    result.push_back(planes.laid(step, slices_of, of_column));
  if (!basis.padded()) return result;
  std::size_t largest = 0;
  for (const auto& of_column : result) largest = std::max(largest, of_column.size());
  int padding = planes.places(step.slices);
  for (auto& of_column : result)
    while (of_column.size() < largest) of_column.push_back(padding++);
  return result;
}

std::vector<Pairs> messages(const Pairs& pairs, bool aggregate) {
  if (aggregate) return {pairs};
  std::vector<Pairs> result;
  result.reserve(pairs.size());
  for (const int p : pairs) result.push_back({p});
  return result;
}

exchange::Items items_of(const PlanBasis& basis, const Step& step, const Pairs& pairs,
                         int slices_of) {
  return std::make_shared<std::vector<int>>(basis.shape.planes.laid(step, slices_of, pairs));
}

exchange::Block block_of(const PlanBasis& basis, const exchange::Items& items,
                         std::pair<int, int> rows) {
  const std::int64_t row = std::int64_t{8} * basis.shape.ny;
  return {items.get(), {rows.first * row, (rows.second - rows.first) * row, nullptr}};
}

Blocks blocks_of(const PlanBasis& basis, Among among, int beam, const Step& step,
                 const Pairs& pairs, int slices_of) {
  const Shape& shape = basis.shape_of(beam);
  const Division& division = basis.division;
  const std::vector<std::vector<int>> of_columns =
      among == Among::column
          ? std::vector<std::vector<int>>{basis.shape.planes.laid(step, slices_of, pairs)}
          : dealt(basis, step, pairs, slices_of, shape.prow);
  Blocks result;
  result.blocks.reserve(among == Among::row ? shape.prow : of_columns.size() * shape.pcol);
  for (const std::vector<int>& of_column : of_columns) {
    const exchange::Items& items =
        result.items.emplace_back(std::make_shared<std::vector<int>>(of_column));
    const int first = among == Among::row ? division.row() : 0;
    const int last = among == Among::row ? first + 1 : shape.pcol;
    for (int row = first; row < last; ++row)
      result.blocks.push_back(block_of(basis, items, division.rows(beam, row)));
  }
  return result;
}

}  // namespace phasewise::collision

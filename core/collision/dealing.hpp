// How the pairs of slices of a step are dealt over columns and messages, and which bytes of the
// meshes that makes.
#pragma once

#include <utility>
#include <vector>

#include "collision/plan_basis.hpp"
#include "collision/schedule.hpp"
#include "comm/exchange.hpp"

namespace phasewise::collision {

using Pairs = std::vector<int>;  // numbers of pairs of a step

Pairs all_pairs(const Step& step);
// The pairs of a step in groups that are solved one after another: all at once, or, with overlap,
// one of each column at a time.
std::vector<Pairs> batches(const PlanBasis& basis, const Step& step);
// Those of these pairs that this rank's column solves for.
Pairs own_pairs(const PlanBasis& basis, const Step& step, int beam, const Pairs& pairs);
// Pairs by the column that a slice of `slices_of` stands for, in a grid of prow columns.
std::vector<Pairs> by_column(const Step& step, const Pairs& pairs, int slices_of, int prow);
// The same, padded where the study asks for it: to equal numbers by pairs that are none, numbered
// after the step's.
std::vector<Pairs> dealt(const PlanBasis& basis, const Step& step, const Pairs& pairs,
                         int slices_of, int prow);
// What goes into one message: all pairs, or one by one.
std::vector<Pairs> messages(const Pairs& pairs, bool aggregate);

// The planes of these pairs.
comm::Items items_of(const PlanBasis& basis, const Pairs& pairs);
// Rows [begin, end) of these items.
comm::Block block_of(const PlanBasis& basis, const comm::Items& items, std::pair<int, int> rows);

// Blocks of an exchange, and the items that they name.
struct Blocks {
  std::vector<comm::Items> items;
  std::vector<comm::Block> blocks;
};
// A block for each member of a beam's column, row or whole, as PlanBasis::ranks lists them; a slice
// of `slices_of` goes with the column that it stands for.
Blocks blocks_of(const PlanBasis& basis, Among among, int beam, const Step& step,
                 const Pairs& pairs, int slices_of);

}  // namespace phasewise::collision

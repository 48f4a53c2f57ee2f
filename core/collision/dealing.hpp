// How the pairs of slices of a step are dealt over columns and messages, and which bytes of the
// meshes each message carries.
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
// The given pairs that this rank's column solves for.
Pairs own_pairs(const PlanBasis& basis, const Step& step, int beam, const Pairs& pairs);
// The pairs of each of prow columns: a pair belongs to column s mod prow, where s is its slice of
// the beam `slices_of`.
std::vector<Pairs> by_column(const Step& step, const Pairs& pairs, int slices_of, int prow);
// The same. If the study asks for padding, dummy pairs, numbered after the step's, make the
// columns' numbers equal.
std::vector<Pairs> dealt(const PlanBasis& basis, const Step& step, const Pairs& pairs,
                         int slices_of, int prow);
// The pairs of each message: all of them in one, or one in each.
std::vector<Pairs> messages(const Pairs& pairs, bool aggregate);

// Item numbers of all planes of these pairs.
comm::Items items_of(const PlanBasis& basis, const Pairs& pairs);
// Rows [begin, end) of the mesh in each of these items.
comm::Block block_of(const PlanBasis& basis, const comm::Items& items, std::pair<int, int> rows);

// Blocks of an exchange, and the items that they name.
struct Blocks {
  std::vector<comm::Items> items;
  std::vector<comm::Block> blocks;
};
// One block for each rank that PlanBasis::ranks lists; `slices_of` is the beam whose slices decide
// to which column a pair belongs.
Blocks blocks_of(const PlanBasis& basis, Among among, int beam, const Step& step,
                 const Pairs& pairs, int slices_of);

}  // namespace phasewise::collision

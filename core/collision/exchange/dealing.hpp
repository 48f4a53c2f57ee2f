// How the pairs of slices of a step are dealt to columns and messages, and which bytes of the
// meshes each message carries.
#pragma once

#include <utility>
#include <vector>

#include "collision/exchange/plan_basis.hpp"
#include "collision/exchange/schedule.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

using Pairs = std::vector<int>;  // numbers of pairs of a step

Pairs all_pairs(const Step& step);
// Groups of the pairs of a step that are solved one after another: all in one group, or, with
// overlap, one pair of each column at a time.
std::vector<Pairs> batches(const PlanBasis& basis, const Step& step);
// Those of the given pairs that this rank's column solves for.
Pairs own_pairs(const PlanBasis& basis, const Step& step, int beam, const Pairs& pairs);
// The pairs of each of prow columns: a pair belongs to column s mod prow, where s is its slice of
// the beam `slices_of`.
std::vector<Pairs> by_column(const Step& step, const Pairs& pairs, int slices_of, int prow);
// The planes that are laid for the pairs of each column; if the study asks for padding, dummy
// planes, numbered after the others, give every column equally many.
std::vector<std::vector<int>> dealt(const PlanBasis& basis, const Step& step, const Pairs& pairs,
                                    int slices_of, int prow);
// The pairs of each message: all in one message, or each in a message of its own.
std::vector<Pairs> messages(const Pairs& pairs, bool aggregate);

// The item numbers of the planes that are laid for these pairs by the beam `slices_of`.
exchange::Items items_of(const PlanBasis& basis, const Step& step, const Pairs& pairs,
                         int slices_of);
// Rows [begin, end) of the mesh in each of these items.
exchange::Block block_of(const PlanBasis& basis, const exchange::Items& items,
                         std::pair<int, int> rows);

// The blocks of an exchange, and the items that they name.
struct Blocks {
  std::vector<exchange::Items> items;
  std::vector<exchange::Block> blocks;
};
// Makes one block for each rank that PlanBasis::ranks lists. The slices of beam `slices_of` decide
// which column a pair belongs to.
Blocks blocks_of(const PlanBasis& basis, Among among, int beam, const Step& step,
                 const Pairs& pairs, int slices_of);

}  // namespace phasewise::collision

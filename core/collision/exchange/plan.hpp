// Who sends what to whom in a collision, for one rank. It is pure geometry, which the collision
// executes and `phasewise plan` counts. The particle-field decomposition is that of Qiang, Furman,
// Ryne, J. Comput. Phys. 198 (2004) 278.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "collision/exchange/dealing.hpp"
#include "collision/exchange/phases.hpp"
#include "collision/exchange/plan_basis.hpp"
#include "collision/exchange/transposes.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

// Lays out an exchange when it is first asked for, and keeps it.
class CollisionPlan {
 public:
  CollisionPlan(const CollisionShape& shape, const Settings& settings, const ProcessGrid& grid,
                int rank)
      : basis_(shape, settings, grid, rank), transposes_(basis_) {}

  // Whether neighbouring slices share planes from now on.
  void share_planes(bool shared) { basis_.shape.planes.shared = shared; }
  const Planes& planes() const { return basis_.shape.planes; }
  const Division& division() const { return basis_.division; }
  // The beam that this rank holds, or the first if it holds both.
  int own_beam() const { return basis_.own; }
  std::vector<Pairs> batches(const Step& step) const { return collision::batches(basis_, step); }
  Pairs own_pairs(const Step& step, int beam, const Pairs& pairs) const {
    return collision::own_pairs(basis_, step, beam, pairs);
  }
  // The number of grids, one for each plane, that this rank's column solves for these pairs; with
  // padding, as many as the fullest column solves.
  int grids_to_solve(const Step& step, const Pairs& pairs) const;
  // The number of pairs that the buffers need room for: those of a step and those that pad it.
  int room() const;

  // Exchanges of the planes that are laid, which run one after the other. Item Planes::item of the
  // buffers has nx·ny values.
  const exchange::Exchanges& reduce(const Step& step, const Pairs& pairs) const;
  const Broadcast& broadcast(const Step& step, const Pairs& pairs) const;
  // Sends the charges of beam 2 (items: pairs, one plane) to the ranks that solve for beam 1.
  // shift[pair] is the offset of beam 1's window from beam 2's [rows].
  exchange::ExchangePointer luminosity(const Step& step, const std::vector<int>& shift) const;
  // The forward or backward transpose of `grids` grids of this column's pairs.
  exchange::TransposeExchange solve(int grids, Direction direction) const {
    return transposes_.solve(grids, direction);
  }
  exchange::TransposeExchange green() const { return transposes_.green(); }

 private:
  using Key = std::tuple<bool, int, Pairs>;  // whether planes are shared, step, pairs
  struct Luminosity {
    std::vector<int> shift;
    exchange::ExchangePointer exchange;
  };

  bool shared() const { return basis_.shape.planes.shared; }

  PlanBasis basis_;
  Transposes transposes_;
  mutable std::map<Key, exchange::Exchanges> reduce_;
  mutable std::map<Key, Broadcast> broadcast_;
  mutable std::map<int, Luminosity> luminosity_;  // of each step, for its last windows
};

}  // namespace phasewise::collision

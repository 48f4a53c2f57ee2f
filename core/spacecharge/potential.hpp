// One rank's part in the potential of the charge on the mesh, for all listeners, by one of the
// solvers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "spacecharge/description.hpp"
#include "spacecharge/exchanges.hpp"
#include "workload/listener.hpp"

namespace phasewise::spacecharge {

// How many Green functions of this size [B] a rank keeps: a bunch that breathes in x and y meets
// some tens of meshes in a period. The number is the same on every rank, so that all keep the same
// ones.
std::size_t greens_kept(std::int64_t bytes);

class Potential {
 public:
  virtual ~Potential() = default;
  // Whether the Green function for cells h [m], in the bunch's rest frame, is kept; the same on
  // every rank. From then on solve() uses it.
  virtual bool find_green(const std::array<double, 3>& h, const Exchanges& exchanges) = 0;
  virtual void make_green(const std::array<double, 3>& h, const Exchanges& exchanges,
                          workload::Listener& listener) = 0;
  // Turns this rank's part of the charge on the mesh [nz][nx][ny] into potential in place.
  virtual void solve(double* mesh, const Exchanges& exchanges, workload::Listener& listener) = 0;
};

// The solver of the description's kind; null for a frozen bunch. `real` says whether it has values.
// The grid must outlive it.
std::unique_ptr<Potential> make_potential(const Description& description,
                                          const field::DoubledBox& grid, const Exchanges& exchanges,
                                          bool real, int threads);

}  // namespace phasewise::spacecharge

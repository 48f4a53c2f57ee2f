// One rank's part in a passage of a bunch through a lattice, written once for all listeners:
// stretches of the lattice, and a kick by the bunch's own field between them. With particles this
// is the simulation; without particles it only reports its actions to the listener.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "beam/bunch.hpp"
#include "spacecharge/description.hpp"
#include "spacecharge/exchanges.hpp"
#include "spacecharge/frozen.hpp"
#include "spacecharge/kernels.hpp"
#include "spacecharge/potential.hpp"
#include "workload/workload.hpp"

namespace phasewise::spacecharge {

namespace pieces {
inline constexpr std::string_view sort = "sort", step = "step", green = "green", end = "end";
}

// A passage sorts particles in some turns, and then has a step for each kick, with a Green function
// for each new mesh, and the part after the last kick. `first` says which kicks of the first turn
// have a new mesh (first_meshes).
std::vector<workload::Piece> pieces_of(const Description& description,
                                       const std::vector<bool>& first);

// What one passage measured, the same on every rank.
struct PassageRecord {
  // The values of the beam of this number, as a run records them.
  std::vector<workload::Value> values(int beam) const;

  beam::Moments moments;                // at the end of the passage
  std::vector<beam::Moments> monitors;  // at each monitor
  std::int64_t losses = 0;              // so far
  std::int64_t outside = 0;             // particles outside the mesh, summed over the kicks
  std::vector<std::int64_t> stopped;    // particles lost in the passage, at each aperture
  std::vector<double> tracked;          // [particle][6]; NaN once lost
};

class Turn : public workload::RankTurn {
 public:
  // With null for `first` it has particles; those of a guest's bunch are handed over to it. Without
  // particles `first` says which kicks of the first turn have a new mesh. It, the description and
  // the nodes (those of the team's ranks) must outlive the turn. Throws std::bad_alloc.
  Turn(const Description& description, const workload::Nodes& nodes,
       const exchange::TeamPointer& team, const std::vector<bool>* first, int threads);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Begins passage `number`: a new record.
  void begin(std::int64_t number);
  void set_settings(const Settings& settings);

  const PassageRecord& record() const { return record_; }
  beam::Bunch& bunch() { return bunch_; }
  const beam::Bunch& bunch() const { return bunch_; }
  std::int64_t greens_made() const { return greens_made_; }
  std::int64_t sorts() const { return sorts_; }

 private:
  using Listener = workload::Listener;

  void sort(Listener& listener);
  void step(int number, Listener& listener);
  void end(Listener& listener);
  void traverse(const Stretch& stretch, Listener& listener);
  void push(const beam::Line& line, Listener& listener);
  void measure(beam::Moments& moments, Listener& listener);
  void count_losses(Listener& listener);
  void record_tracked(Listener& listener);
  void choose_mesh(Listener& listener);
  void kick_by_mesh(int number, Listener& listener);
  void kick_frozen(int number, Listener& listener);
  void make_green(Listener& listener);
  std::array<double, 3> cells() const;
  void wrap_particles(Listener& listener);
  double held_particles() const;
  double nodes_each() const;
  // The planes of the mesh that are solved for, without the copies of a period's planes.
  double* own_planes();

  const Description& description_;
  const workload::Nodes& nodes_;
  const std::vector<bool>* first_;
  bool real_;
  int threads_;
  field::DoubledBox grid_;
  Exchanges exchanges_;
  std::unique_ptr<Potential> potential_;  // null if frozen
  beam::Bunch bunch_;
  std::int64_t number_ = 0;
  PassageRecord record_;
  std::size_t passed_ = 0;  // apertures of the passage so far
  field::BoxMesh mesh_;
  std::int64_t greens_made_ = 0, sorts_ = 0;
  PlaneSort sort_;
  ChargeDeposit deposit_;
  KickCic kick_;
  parallel::Buffer<double> values_;  // [nz][nx][ny], charge and then potential
};

}  // namespace phasewise::spacecharge

// One rank's part in a passage of a bunch through a lattice, written once for all listeners:
// stretches of the lattice, and a kick by the bunch's own field between them. With particles this
// is the simulation; without, it only reports its actions to the listener.
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

// A passage: particles are sorted in some passages, then come a step for each kick, a Green
// function for each new mesh, and what follows the last kick.
std::vector<workload::Piece> pieces_of(const Description& description);

// What a passage measured; the same on every rank.
struct PassageRecord {
  // As a run records it, of the beam of this number.
  std::vector<workload::Value> values(int beam) const;

  beam::Moments moments;                // at its end
  std::vector<beam::Moments> monitors;  // at each monitor
  std::int64_t losses = 0;              // so far
  std::int64_t outside = 0;             // particles outside the mesh, summed over the kicks
};

class Turn : public workload::RankTurn {
 public:
  // real: has particles; those of a guest's bunch are handed over. Description and nodes, those of
  // the ranks of the team, must outlive the turn. Throws std::bad_alloc.
  Turn(const Description& description, const workload::Nodes& nodes, const comm::TeamPointer& team,
       bool real, int threads);

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
  void choose_mesh(Listener& listener);
  void kick_by_mesh(Listener& listener);
  void kick_frozen(Listener& listener);
  void make_green(Listener& listener);
  std::array<double, 3> cells() const;
  void wrap_particles(Listener& listener);
  double held_particles() const;
  double nodes_each() const;
  // The planes of the mesh that are solved for, without copies of a period's.
  double* own_planes();

  const Description& description_;
  const workload::Nodes& nodes_;
  bool real_;
  int threads_;
  field::DoubledBox grid_;
  Exchanges exchanges_;
  std::unique_ptr<Potential> potential_;  // null if frozen
  beam::Bunch bunch_;
  std::int64_t number_ = 0;
  PassageRecord record_;
  field::BoxMesh mesh_;
  std::int64_t greens_made_ = 0, sorts_ = 0;
  PlaneSort sort_;
  ChargeDeposit deposit_;
  KickCic kick_;
  parallel::Buffer<double> values_;  // [nz][nx][ny], charge and then potential
};

}  // namespace phasewise::spacecharge

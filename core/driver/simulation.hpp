// The simulation of a study: both beams, turn after turn. One turn: for each interaction point in
// order, measure the beams, collide them, and take each along its line to the next one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collision/beam_groups.hpp"
#include "collision/decomposition.hpp"
#include "collision/frame.hpp"
#include "collision/gaussian.hpp"
#include "collision/slice_moments.hpp"
#include "collision/strong_strong.hpp"
#include "comm/communicator.hpp"
#include "driver/bunch.hpp"
#include "driver/parameters.hpp"
#include "parallel/kernel_times.hpp"

namespace phasewise::driver {

// What one turn measured; the same on every rank.
struct TurnRecord {
  std::vector<double> luminosity;  // per interaction point [1/m²] and crossing
  struct Beam {
    beam::Moments moments;
    std::int64_t losses = 0;
    std::vector<std::int64_t> outside;  // per interaction point
    std::vector<double> tracked;        // [particle][6]; NaN once lost
  };
  std::array<Beam, 2> beam;
};

class Simulation {
 public:
  // Throws std::invalid_argument with one sentence where the parameters cannot be used. Collective.
  Simulation(const std::string& parameters, int threads);
  ~Simulation();

  void step();
  std::int64_t turn() const { return turn_; }
  void set_turn(std::int64_t turn) { turn_ = turn; }
  const TurnRecord& record() const { return record_; }

  int interaction_points() const { return static_cast<int>(points_.size()); }
  int tracked() const { return tracked_; }
  Bunch& bunch(int beam) { return bunches_[beam]; }
  const Bunch& bunch(int beam) const { return bunches_[beam]; }
  const collision::BeamGroups& groups() const { return *groups_; }
  // From the next turn on the ranks exchange as these parameters say, the communication.* of how:
  // not process_grid, layout, places or node_size, as the particles are dealt out. Between turns,
  // on all ranks; no bit of the results follows from it. Throws std::invalid_argument with one
  // sentence where they cannot be used; then everything stays as it was.
  void set_communication(const std::string& parameters);
  // Puts these particles in the place of this rank's; ids must be of this rank, each given once.
  void replace_particles(int beam, const beam::ParticleView& particles);

  // Of the last collision; the slices' moments only where the records ask for them in that turn.
  const std::vector<double>& pair_luminosity(int ip) const;
  const std::array<std::vector<collision::GaussianSlice>, 2>& slices(int ip) const;
  int slice_count(int ip) const;
  // The field at the first interaction point of a slice (from 0) of the beams as they are now, on
  // arrival there; empty where the model has no mesh. Collective over the beam's ranks.
  collision::SliceField slice_field(int beam, int slice);

  const comm::Recorder& recorder() const { return recorder_; }
  // This rank's records: one JSON object of one line (docs/communication.md).
  std::string communication() const;
  // Of the first interaction point that has a mesh.
  std::array<collision::Shape, 2> shapes() const;
  // Of all turns so far, on this rank [s].
  double seconds() const { return seconds_; }
  // Whether only the messages are sent, without particles.
  bool skeleton() const { return skeleton_; }
  const parallel::KernelTimes& kernel_times() const { return times_; }

 private:
  struct Point;
  void read_records(const Parameters& parameters);
  void read_simulated(const Parameters& parameters);
  void build_points(const Parameters& parameters);
  std::unique_ptr<collision::StrongStrong> strong_strong(const collision::InteractionPoint& ip,
                                                         collision::Decomposition& shared);
  collision::Decomposition& decomposition(const collision::ProcessGrid& grid);
  void read_bunch(const Parameters& parameters, int beam);
  void fill_bunches(const Parameters& parameters);
  void collide(int ip);
  void measure_and_enter(int ip, std::array<collision::CollidingBeam, 2>& colliding);
  void cut_and_sort(int ip, std::array<collision::CollidingBeam, 2>& colliding);
  void leave_and_push(int ip);
  void take_stock();
  struct Measured {
    beam::MomentSums sums;
    beam::LongitudinalHistogram histogram;
  };
  Measured measure_beam(int ip, int beam);
  void measure_slices(Point& point, const std::array<collision::CollidingBeam, 2>& colliding);
  void record_arrival();
  void record_tracked(int beam);
  collision::CollisionFrame frame(int ip, int beam) const;
  beam::PushContext context(const Bunch& bunch) const;
  bool tracked(int beam) const { return !bunches_[beam].strong; }
  // Particles of a beam that this rank holds, also where they are only counted.
  beam::ParticleView particles(int beam);
  bool slices_wanted() const { return slices_every_ > 0 && turn_ % slices_every_ == 0; }

  comm::Recorder recorder_;
  parallel::KernelTimes times_;
  comm::Communicator world_;
  collision::Settings settings_;
  std::vector<int> nodes_;  // of each rank
  std::vector<std::unique_ptr<collision::Decomposition>> decompositions_;
  std::unique_ptr<collision::BeamGroups> groups_;
  int threads_;
  bool skeleton_ = false;
  int sample_ = 0;        // steps of a turn that are done, 0: all
  double seconds_ = 0.0;  // of all turns

  std::uint64_t seed_;
  std::int64_t turn_ = 0;
  int moments_order_, tracked_;
  std::int64_t slices_every_;
  std::array<Bunch, 2> bunches_;
  std::vector<std::unique_ptr<Point>> points_;
  std::array<beam::Bounds, 2> beam_bounds_{};  // of the whole beams
  TurnRecord record_;
};

}  // namespace phasewise::driver

// One rank's part in a turn of colliding beams, written once for all listeners. For each
// interaction point it measures the beams, collides them, and tracks each along its line to the
// next one. With particles this is the simulation; without particles it only reports its actions to
// the listener.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collision/description.hpp"
#include "collision/design_mesh.hpp"
#include "collision/device_work.hpp"
#include "collision/exchange/beam_groups.hpp"
#include "collision/frame.hpp"
#include "collision/gaussian.hpp"
#include "collision/pieces.hpp"
#include "collision/radiation/expected_scattering.hpp"
#include "collision/slice_moments.hpp"
#include "collision/static_change.hpp"
#include "collision/strong_strong.hpp"
#include "workload/workload.hpp"

namespace phasewise::collision {

// The pieces of a turn. If every step makes its Green function, that is part of the steps. `greens`
// is how many a rank makes in the first turn (greens_for).
std::vector<workload::Piece> pieces_of(const Description& description, double greens);

// What one turn measured, the same on every rank.
struct TurnRecord {
  std::vector<double> luminosity;  // per interaction point [1/m²] and crossing
  struct Beam {
    beam::Moments moments;
    std::int64_t losses = 0;
    std::int64_t debunched = 0;         // outside the RF bucket; 0 without RF
    std::vector<std::int64_t> outside;  // per interaction point
    // Per interaction point, if energy may be lost there. Per living particle: photons, the sums
    // of the energy shares that they take and of their squares; the largest Υ.
    std::vector<double> photons, photon_loss, photon_square, upsilon;
    // Events of scattering that were drawn; particles that were lost by their energy, after one
    // of them and otherwise; real events and losses that the luminosity lets expect.
    std::vector<std::int64_t> scattered, lost_scattered, lost_radiating;
    std::vector<double> scattering_expected, scattering_losses_expected;
    std::vector<double> tracked;  // [particle][6]; NaN once lost
  };
  std::array<Beam, 2> beam;
};

class Turn : public workload::RankTurn {
 public:
  // `description` and `grids` (one for each interaction point) must outlive the turn. `device` is
  // where the kernels run; null is the CPU. `meshes` are those on which a plan counts Green
  // functions, one for each interaction point; they must outlive the turn, too.
  Turn(const Description& description, const std::vector<ProcessGrid>& grids, int rank,
       Contents contents, int threads, std::unique_ptr<DeviceWork> device = nullptr,
       const std::vector<CollisionMesh>* meshes = nullptr);
  ~Turn() override;

  void tell(const workload::Piece& piece, workload::Listener& listener) override;

  // Begins turn `number`: a new record, and this turn's random numbers and ramps.
  void begin(std::int64_t number);
  const TurnRecord& record() const { return record_; }

  int interaction_points() const { return static_cast<int>(points_.size()); }
  // Copies the particles of a beam from the device first, if they live there.
  beam::Bunch& bunch(int beam);
  const beam::Bunch& bunch(int beam) const { return bunches_[beam]; }
  const BeamGroups& groups() const { return groups_; }
  DeviceWork* device() { return device_.get(); }  // null if the kernels run on the CPU
  // Exchanges follow these settings from the next turn on. Throws what the constructor throws, and
  // then changes nothing.
  void set_settings(const Settings& settings);

  // The state of an interaction point.
  struct Point {
    const InteractionPoint& description;
    std::unique_ptr<StrongStrong> strong_strong{};
    std::unique_ptr<GaussianCollision> gaussian{};
    bool collides = false;  // in the present or last passage
    CollisionResult result{};
    std::array<CollidingBeam, 2> beams{};  // of this passage; without particles once it is over
    std::array<std::vector<GaussianSlice>, 2> slices{};
    std::array<parallel::Buffer<std::uint16_t>, 2> bin_of{};
    std::array<StaticChange, 2> static_change{};
    // Null where nobody radiates, or is scattered.
    std::array<std::unique_ptr<RadiatingBeam>, 2> radiating{};
    std::array<std::unique_ptr<ScatteringBeam>, 2> scattering{};
    std::array<std::unique_ptr<ExpectedScattering>, 2> expected{};
  };
  Point& point(int ip) { return points_[ip]; }
  const Point& point(int ip) const { return points_[ip]; }
  CollisionFrame frame(int ip, int beam, std::int64_t turn) const {
    return frame_of(description_.points[ip], beam, turn);
  }

 private:
  using Listener = workload::Listener;
  struct Measured {
    beam::MomentSums sums;
    beam::LongitudinalHistogram histogram;
  };

  std::unique_ptr<StrongStrong> make_strong_strong(int ip, const Settings& settings) const;
  // The transforms where the kernels run, or are planned to run.
  field::Transforms transforms(int ip) const;
  void prepare_radiation(int ip, int beam);
  void arrive(int ip, Listener& listener);
  void depart(int ip, Listener& listener);
  void count_particles(int ip, Listener& listener);
  bool counts_debunched(int ip, int beam) const;
  std::int64_t count_debunched(int beam, Listener& listener);
  void find_bounds(beam::Bunch& bunch, Listener& listener);
  void measure_and_enter(int ip, Listener& listener);
  Measured measure_beam(int ip, int beam, Listener& listener);
  void use_measured(int ip, std::array<Measured, 2>& measured, std::span<const double> sums,
                    std::span<const std::int64_t> counts);
  int strips_of(const InteractionPoint& point, const CollidingBeam& beam) const;
  void cut_and_sort(int ip, Listener& listener);
  void measure_slices(Point& point, Listener& listener);
  void leave_and_push(int ip, int beam, Listener& listener);
  CollisionFrame passage_frame(int ip, int beam) const;
  CollisionFrame leaving_frame(int ip, int beam);
  void start_radiation(int ip, int beam, Listener& listener);
  void lose_particles(int ip, int beam);
  void lose_by_energy(int ip, Listener& listener);
  void record_energy(int ip, int beam);
  ExpectedScattering::CrossSections expected_scattering(const Point& point, int beam) const;
  void record_arrival();
  void record_tracked(int beam, Listener& listener);
  beam::PushContext context(const beam::Bunch& bunch) const;
  // The number of a beam's particles on this rank, even if only their number is known.
  double held_particles(int beam) const;

  const Description& description_;
  const std::vector<ProcessGrid>& grids_;
  const std::vector<CollisionMesh>* meshes_;  // null with contents
  int rank_;
  Contents contents_;
  int threads_;
  BeamGroups groups_;
  std::unique_ptr<DeviceWork> device_;  // outlives what lives on it
  std::array<bool, 2> newer_there_{};   // whether the device's particles are newer than the host's
  std::unique_ptr<const Settings> settings_;
  std::int64_t number_ = 0;
  std::array<beam::Bunch, 2> bunches_;
  std::vector<Point> points_;
  std::array<beam::Bounds, 2> beam_bounds_{};  // of the whole beams
  TurnRecord record_;
};

}  // namespace phasewise::collision

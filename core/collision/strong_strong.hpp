// Strong-strong collision by particle-in-cell: in each step the slices that meet deposit their
// charge on the shared mesh; the Poisson solver finds their potentials, which are sent to the other
// beam and kick it. Qiang, Furman, Ryne, J. Comput. Phys. 198 (2004) 278.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collision/column_solver.hpp"
#include "collision/contents.hpp"
#include "collision/device_work.hpp"
#include "collision/encounter.hpp"
#include "collision/exchange/beam_groups.hpp"
#include "collision/exchange/plan.hpp"
#include "collision/exchange/schedule.hpp"
#include "collision/interaction_point.hpp"
#include "collision/mesh/kick_nodes.hpp"
#include "collision/mesh/mesh_choice.hpp"
#include "collision/mesh/overlap_factor.hpp"
#include "collision/mesh/slice_field.hpp"
#include "comm/communicator.hpp"
#include "field/poisson.hpp"
#include "numerics/order_free_sum.hpp"
#include "workload/listener.hpp"

namespace phasewise::collision {

// What the plan needs to know about a collision.
CollisionShape collision_shape(const InteractionPoint& ip);

class StrongStrong {
 public:
  using Listener = workload::Listener;

  // ip, groups, grid, settings and device must outlive the collision. `device` is null if the
  // kernels run on the CPU. `transforms` are those of the solver where they run. `staged` says that
  // the kernels run on a device, in this run or in the planned one, and that what other ranks need
  // is copied to the host.
  StrongStrong(const InteractionPoint& ip, const BeamGroups& groups, const ProcessGrid& grid,
               const Settings& settings, int rank, int threads, Contents contents,
               DeviceWork* device, field::Transforms transforms, bool staged);

  // The mesh on which a plan counts Green functions; it must stay in place.
  void plan_on(const CollisionMesh& mesh) { design_ = &mesh; }
  // One collision: begin, then all or some of the steps in order, then finish. The beams and the
  // result must stay in place until then.
  void begin(std::array<CollidingBeam, 2>& beams, CollisionResult& result, Listener& listener);
  void run_step(const Step& step, Listener& listener);
  void finish(Listener& listener);
  // Makes a new Green function, as a step does if it finds none that is kept.
  void make_green(Listener& listener) { columns_.make_green({}, listener); }
  // Number of Green functions made so far.
  std::int64_t greens_made() const { return columns_.greens_made(); }
  // Whether every step makes its Green function; otherwise one is made only for a new mesh.
  bool green_every_step() const { return ip_.green_every_step; }

  // The field of a line of charges. `blocks` calls its argument with one block after another of the
  // particles in the collision frame; particles with x = NaN are left out. Collective over `group`,
  // the ranks of the beam.
  template <class Blocks>
  SliceField field_of(const std::array<CollidingBeam, 2>& beams, int beam, int slice,
                      const comm::Communicator& group, Blocks&& blocks);

 private:
  using Values = parallel::Buffer<double>;

  void allocate();
  // Kicks particles in the step `now` and deposits them for the step `next`; either may be null.
  void advance(const Step* now, const Step* next, Listener& listener);
  double particles_in(const Step* now, const Step* next) const;
  // How many of the particles read two planes on meshes of their own.
  double particles_apart(const Step* now) const;
  void pass(std::span<const EncounterTask> todo);
  int parts_of_slices(const Step* now, const Step* next) const;
  void clear_charges(const Step& next, int parts);
  // The places of the planes that a beam lays for a step.
  std::vector<int> laid(const Step& step, int beam) const;
  // How many planes the beams of this rank lay.
  int laid_here(const Step& step) const;
  // The following two append exchanges to `works`.
  void reduce_charges(const Step& step, const std::vector<int>& pairs, exchange::Works& works);
  void share_potentials(const Step& step, const std::vector<int>& pairs, exchange::Works& works);
  void overlap(const Step& step, Listener& listener);
  // Copies planes between the host and a device if meshes are staged.
  void to_host(MeshValues& values, const std::vector<int>& planes, Listener& listener);
  void to_device(MeshValues& values, const std::vector<int>& planes, Listener& listener);
  exchange::Work exchange_charges(const Step& step, const std::vector<int>& own);
  void solve(const Step& step, const std::vector<int>& pairs, Listener& listener);
  std::vector<ColumnSolver::Grid> grids_of(const Step& step, const std::vector<int>& pairs,
                                           Listener& listener);
  ColumnSolver::GreenPointer green_for(const field::GreenKey& function, Listener& listener);
  void prepare(const Step& step, Listener& listener);
  void add_nodes_tasks(const Step& step, int beam, std::vector<NodesTask>& to);
  void finish_luminosity(Listener& listener);
  double pair_luminosity(std::int64_t i, const OverlapFactor& factor) const;
  Arithmetic arithmetic() const {
    return ip_.share_planes ? Arithmetic::fused : Arithmetic::separate;
  }
  NodeValues node_values() const { return collision::node_values(ip_.weighting, arithmetic()); }
  bool has_differences() const { return ip_.planes == 2 && node_values() == NodeValues::field; }
  bool real() const { return contents_ == Contents::particles; }

  struct Task {
    int beam, slice, part;
  };
  std::vector<Task> tasks(const Step* now, const Step* next, int parts) const;
  std::vector<EncounterTask> encounter_tasks(const Step* now, const Step* next, int parts);
  EncounterTask encounter_task(const Task& task, const Step* now, const Step* next, int parts);
  ChargeTarget charge_target(const Step& next, int beam, int slice, int part);
  KickSource kick_source(const Step& step, int beam, int slice) const;
  FarSource far_source(const Step& step, int beam, int slice) const;
  double met_size(const EncounterTask& task) const;
  double density_factor(const EncounterTask& task) const;
  void sum_parts(const Step& next, int parts);
  int level(const Step& step, int beam, int p, int plane) const {
    return mesh_.levels.of(beam, step.own(beam, p), step.other(beam, p) + plane);
  }
  // Whether the two planes of the field that acts on a beam have meshes of their own.
  bool apart(const Step& step, int beam, int p) const;
  int overlap_level(int slice_1, int slice_2) const;
  // The opposing slice that a slice meets nearest to the waist.
  static int slice_at_waist(const std::array<CollidingBeam, 2>& beams, int beam, int slice);
  // The level of the opposing plane that a slice meets nearest to the waist.
  int level_at_waist(const CollisionMesh& mesh, const std::array<CollidingBeam, 2>& beams, int beam,
                     int slice) const;
  EffectiveCharge effective_charge(const Step& step, int beam, int p);
  std::array<field::Window, 2> windows(const Step& step, int p) const;
  std::vector<int> window_shifts(const Step& step) const;
  Overlap overlap_of(const Step& step, int p) const;
  void effective_charges(const Step& step, const std::vector<int>& own);
  void sum_overlaps(const Step& step, const std::vector<int>& own);

  // A plane of a beam's charge, or of its potential, in a buffer of planes.
  std::int64_t plane_at(const Step& step, int beam, int p, int plane) const {
    return plan_.planes().item(step, beam, p, plane) * plane_size();
  }
  // The charges of one of the threads that share a slice's particles.
  double* charge_of_part(int beam, int part) {
    if (part == 0) return charge_[beam].data();
    return parts_[beam].data() + (part - 1) * places() * plane_size();
  }
  std::int64_t places() const { return plan_.planes().places(ip_.slices); }
  std::int64_t plane_size() const { return mesh_.nodes(); }
  std::int64_t pair_size() const { return ip_.planes * plane_size(); }

  const InteractionPoint& ip_;
  const BeamGroups& groups_;
  const Settings& settings_;
  int threads_;
  Contents contents_;
  DeviceWork* device_;
  bool staged_;  // exchanges with other ranks go through the host
  field::DoubledGrid grid_;
  std::unique_ptr<field::PoissonSolver> solver_;  // null without contents
  CollisionPlan plan_;
  ColumnSolver columns_;

  std::array<CollidingBeam, 2>* beams_ = nullptr;
  CollisionResult* result_ = nullptr;
  std::optional<Step> last_;  // the step whose kicks are still to come
  CollisionMesh mesh_;
  const CollisionMesh* design_ = nullptr;  // without contents
  std::vector<field::GreenKey> planned_;   // the Green functions of the turn so far, likewise
  std::array<double, 2> rounding_offset_{};
  std::array<MeshValues, 2> charge_;      // of each beam: [plane][nodes], see Planes::item
  std::array<Values, 2> parts_;           // of the slices' further parts: [part - 1][plane][nodes]
  std::array<MeshValues, 2> potential_;   // acting on each beam: [plane of the other beam][nodes]
  std::array<MeshValues, 2> nodes_;       // what the particles read: [pair][nodes][values]
  std::array<MeshValues, 2> difference_;  // of fields of two planes: [pair][nodes]
  MeshValues outgoing_;                   // potentials for the other beam, laid out as potential_
  std::array<MeshValues, 2>
      effective_;  // of each beam: charge between its planes, for the luminosity
  std::array<std::vector<double*>, 2> rho_;  // by pair: the charges whose overlap is summed
  MeshValues overlap_;                       // charges from the other beam: [pair][nodes]
  numerics::OrderFreeGrid overlap_grid_;
  std::vector<double> overlap_sums_;  // [slice of beam 1][slice of beam 2][high, low]
};

template <class Blocks>
SliceField StrongStrong::field_of(const std::array<CollidingBeam, 2>& beams, int beam, int slice,
                                  const comm::Communicator& group, Blocks&& blocks) {
  const CollisionMesh all = choose_mesh(ip_, beams);
  const int other = slice_at_waist(beams, beam, slice);
  const int level = level_at_waist(all, beams, beam, slice);
  const field::Mesh mesh =
      beam == 0 ? all.of_pair(slice, other, level) : all.of_pair(other, slice, level);
  const field::Window window = all.window_of(beam, slice, other);
  Values charge(mesh.nodes()), potential(mesh.nodes());
  std::fill_n(charge.data(), charge.size(), 0.0);
  const double rounding_offset = numerics::rounding_offset_for(
      numerics::power_of_two_above(beams[beam].macroparticles) * 0x1p-52);
  const field::WindowFrame frame(mesh, window);
  const ChargeTarget target{.planes = 1,
                            .frame = {frame, frame},
                            .z = {beams[beam].cuts.z[slice], 0.0},
                            .charge = {charge.data(), nullptr},
                            .rounding_offset = rounding_offset};
  blocks([&](const beam::ParticleView& block) {
    encounter(ip_.weighting, arithmetic(), block, nullptr, &target);
  });
  group.sum("field_picture", charge.span());
  const auto green = solver_->green({mesh.hx, mesh.hy}, threads_);
  field::PoissonSolver::Scratch scratch = solver_->make_scratch();
  solver_->solve(charge.data(), *green, potential.data(), scratch);
  return slice_field(mesh, window, charge.data(), potential.data());
}

}  // namespace phasewise::collision

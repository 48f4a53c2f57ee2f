#include "collision/strong_strong.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "collision/exchange/channels.hpp"
#include "collision/mesh/kick_nodes.hpp"
#include "collision/pieces.hpp"

namespace phasewise::collision {
namespace {

// The number of Green transforms to keep: windows that move against each other need several, a mesh
// that changes its size a few more. They take at most a quarter of a gigabyte.
std::size_t kept_greens(const InteractionPoint& ip) {
  const double bytes = 32.0 * ip.nx * ip.ny;  // (ny + 1)·2 nx complex values
  const double fit = std::max(2.0, 0x1p28 / bytes);
  return static_cast<std::size_t>(std::min(6.0 + 2.0 * steps(ip.slices), fit));
}

parallel::KernelCard to_host_card() {
  return {.name = "to_host", .flops = 0.0, .bytes = sizeof(double), .vectorised = true};
}

parallel::KernelCard to_device_card() {
  return {.name = "to_device", .flops = 0.0, .bytes = sizeof(double), .vectorised = true};
}

}  // namespace

CollisionShape collision_shape(const InteractionPoint& ip) {
  const field::DoubledGrid grid(ip.nx, ip.ny);
  return {.nx = ip.nx,
          .ny = ip.ny,
          .mx = grid.mx(),
          .ky = grid.columns(),
          .row_stride = grid.row_stride(),
          .column_stride = grid.column_stride(),
          .slices = ip.slices,
          .planes = {.each = ip.planes},
          .luminosity = ip.luminosity,
          .green_every_step = ip.green_every_step};
}

StrongStrong::StrongStrong(const InteractionPoint& ip, const BeamGroups& groups,
                           const ProcessGrid& grid, const Settings& settings, int rank, int threads,
                           Contents contents, DeviceWork* device, field::Transforms transforms,
                           bool staged)
    : ip_(ip),
      groups_(groups),
      settings_(settings),
      threads_(threads),
      contents_(contents),
      device_(device),
      staged_(staged),
      grid_(ip.nx, ip.ny, transforms),
      solver_(contents == Contents::none ? nullptr : std::make_unique<field::PoissonSolver>(grid_)),
      plan_(collision_shape(ip), settings, grid, rank),
      columns_(grid_, solver_.get(), plan_, threads, contents, device) {
  const int pairs = most_pairs(ip.slices);
  if (pairs * ip.planes * static_cast<double>(ip.nx) * ip.ny > std::numeric_limits<int>::max())
    throw std::invalid_argument("a grid of " + std::to_string(ip.nx) + " x " +
                                std::to_string(ip.ny) + " with up to " + std::to_string(pairs) +
                                " pairs of slices at once is more than one message can hold: use "
                                "fewer of either");
  mesh_.nx = ip.nx;
  mesh_.ny = ip.ny;
  if (solver_) solver_->set_green_capacity(kept_greens(ip));
  for (MeshValues* values :
       {&charge_[0], &charge_[1], &potential_[0], &potential_[1], &nodes_[0], &nodes_[1],
        &difference_[0], &difference_[1], &outgoing_, &effective_[0], &effective_[1], &overlap_})
    values->live_on(device);
}

void StrongStrong::begin(std::array<CollidingBeam, 2>& beams, CollisionResult& result,
                         Listener& listener) {
  beams_ = &beams;
  result_ = &result;
  last_.reset();
  const std::size_t pairs = pairs_in_all(ip_.slices);
  overlap_sums_.assign(2 * pairs, 0.0);
  if (device_ != nullptr) device_->start_overlaps(static_cast<std::int64_t>(pairs));
  const auto choose = [&] { mesh_ = choose_mesh(ip_, beams); };
  // No kernels run, but windows are needed.
  if (contents_ == Contents::design) choose();
  if (design_ != nullptr) mesh_ = *design_;
  planned_.clear();
  listener.kernel(mesh_card(), ip_.fixed_mesh ? 0.0 : 2.0 * ip_.planes * static_cast<double>(pairs),
                  choose);
  plan_.share_planes(ip_.share_planes && mesh_.is_common());
  if (contents_ == Contents::none) return;
  result.pair_luminosity.assign(pairs, 0.0);
  for (int b = 0; b < 2; ++b) {
    const double quantum = numerics::power_of_two_above(beams[b].macroparticles) * 0x1p-52;
    rounding_offset_[b] = numerics::rounding_offset_for(quantum);
  }
  overlap_grid_ = numerics::OrderFreeGrid(beams[0].macroparticles * beams[1].macroparticles,
                                          std::int64_t{Overlap::terms} * ip_.nx);
  allocate();
}

// While one batch of pairs is solved, the charges of the next batch and the potentials of the last
// one are in transit.
void StrongStrong::run_step(const Step& step, Listener& listener) {
  constexpr exchange::Channel reducing = channels::reduce, sharing = channels::broadcast;
  advance(last_ ? &*last_ : nullptr, &step, listener);
  if (ip_.green_every_step) {
    planned_.clear();
    if (solver_) solver_->forget_greens();
  }
  const std::vector<std::vector<int>> batches = plan_.batches(step);
  const int own = plan_.own_beam();
  to_host(charge_[own], laid(step, own), listener);
  const auto reduce = [&](std::size_t b) {
    listener.start(reducing,
                   [&, b](exchange::Works& works) { reduce_charges(step, batches[b], works); });
  };
  reduce(0);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    listener.finish(reducing);
    if (b + 1 < batches.size()) {
      reduce(b + 1);
      listener.progress(reducing);
    }
    std::vector<std::vector<int>> solved;
    if (staged_)
      for (const int p : plan_.own_pairs(step, own, batches[b]))
        plan_.planes().append_laid(step, own, p, solved.emplace_back());
    for (const auto& planes : solved) to_device(charge_[own], planes, listener);
    solve(step, batches[b], listener);
    for (const auto& planes : solved) to_host(outgoing_, planes, listener);
    listener.finish(sharing);
    listener.start(sharing,
                   [&](exchange::Works& works) { share_potentials(step, batches[b], works); });
    listener.progress(sharing);
  }
  if (ip_.luminosity) overlap(step, listener);
  listener.finish(sharing);
  to_device(potential_[own], laid(step, 1 - own), listener);
  prepare(step, listener);
  last_ = step;
}

void StrongStrong::to_host(MeshValues& values, const std::vector<int>& planes, Listener& listener) {
  if (!staged_) return;
  listener.kernel(to_host_card(), static_cast<double>(std::ssize(planes) * plane_size()), [&] {
    for (const auto& [first, count] : runs_of(planes))
      values.to_host(first * plane_size(), count * plane_size());
  });
}

void StrongStrong::to_device(MeshValues& values, const std::vector<int>& planes,
                             Listener& listener) {
  if (!staged_) return;
  listener.kernel(to_device_card(), static_cast<double>(std::ssize(planes) * plane_size()), [&] {
    for (const auto& [first, count] : runs_of(planes))
      values.to_device(first * plane_size(), count * plane_size());
  });
}

void StrongStrong::finish(Listener& listener) {
  if (last_) advance(&*last_, nullptr, listener);
  if (device_ != nullptr) result_->outside = device_->take_outside();
  finish_luminosity(listener);
}

void StrongStrong::allocate() {
  if (!real()) return;
  const std::int64_t pairs = plan_.room() * pair_size();
  const std::int64_t nodes = most_pairs(ip_.slices) * plane_size();
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    charge_[b].reserve(pairs);
    potential_[b].reserve(pairs);
    nodes_[b].reserve(nodes * values_per_node(node_values(), ip_.planes));
    if (has_differences()) difference_[b].reserve(nodes);
  }
  if (groups_.divided()) outgoing_.reserve(pairs);
}

void StrongStrong::advance(const Step* now, const Step* next, Listener& listener) {
  const int parts = device_ == nullptr ? parts_of_slices(now, next) : 1;
  if (next) {
    const double cells = static_cast<double>(laid_here(*next) * plane_size());
    listener.kernel(clear_card(), cells, [&] { clear_charges(*next, parts); });
  }
  const double particles = particles_in(now, next);
  const double apart = particles > 0.0 ? particles_apart(now) / particles : 0.0;
  const std::vector<EncounterTask> todo =
      real() ? encounter_tasks(now, next, parts) : std::vector<EncounterTask>{};
  const double passes =
      device_ != nullptr && particles > 0.0
          ? static_cast<double>(device_->deposits_by_tiles(ip_.weighting, todo)) / particles
          : 0.0;
  // In the mean over a collision, of whose first and last step a slice is kicked or deposited
  // alone.
  const int deposits = plan_.planes().shared ? 1 : ip_.planes;
  parallel::KernelCard card =
      encounter_card(ip_.weighting, arithmetic(), ip_.planes, deposits, apart, passes);
  if (ip_.beamstrahlung != Beamstrahlung::none) card = with_radiation(card);
  listener.kernel(card, particles, [&] { pass(todo); });
  if (next && parts > 1 && real()) sum_parts(*next, parts);
}

void StrongStrong::reduce_charges(const Step& step, const std::vector<int>& pairs,
                                  exchange::Works& works) {
  const int own = plan_.own_beam();
  const exchange::ItemBuffer charge = charge_[own].exchanged(plane_size());
  for (const exchange::ExchangePointer& exchange : plan_.reduce(step, pairs))
    works.push_back({exchange, charge, charge});
}

void StrongStrong::share_potentials(const Step& step, const std::vector<int>& pairs,
                                    exchange::Works& works) {
  const Broadcast& exchanges = plan_.broadcast(step, pairs);
  const int own = plan_.own_beam();
  const exchange::ItemBuffer ours = outgoing_.exchanged(plane_size());
  const exchange::ItemBuffer theirs = potential_[own].exchanged(plane_size());
  for (const auto& exchange : exchanges.own) works.push_back({exchange, ours, ours});
  for (const auto& exchange : exchanges.crossing) works.push_back({exchange, ours, theirs});
  for (const auto& exchange : exchanges.other) works.push_back({exchange, theirs, theirs});
}

// A plan reports each Green function where a run's first turn makes it, or every step.
ColumnSolver::GreenPointer StrongStrong::green_for(const field::GreenKey& function,
                                                   Listener& listener) {
  if (contents_ != Contents::none) return columns_.green(function, listener);
  if (std::ranges::find(planned_, function) != planned_.end()) return nullptr;
  planned_.push_back(function);
  if (ip_.green_every_step)
    make_green(listener);
  else
    listener.if_needed(pieces::green, [&] { make_green(listener); });
  return nullptr;
}

// The grids that this rank's column solves for, with their Green functions.
std::vector<ColumnSolver::Grid> StrongStrong::grids_of(const Step& step,
                                                       const std::vector<int>& pairs,
                                                       Listener& listener) {
  std::vector<ColumnSolver::Grid> grids;
  if (ip_.green_every_step) green_for({mesh_.hx, mesh_.hy}, listener);
  for (int b = 0; b < 2; ++b)
    for (const int p : plan_.own_pairs(step, b, pairs)) {
      double* out = groups_.divided() ? outgoing_.data() : potential_[1 - b].data();
      for (int plane = plan_.planes().first_laid(step, b, p); plane < ip_.planes; ++plane) {
        const ColumnSolver::GreenPointer green =
            green_for(mesh_.green(b, step.own(b, p), step.other(b, p), plane), listener);
        const std::int64_t at = plane_at(step, b, p, plane);
        if (real())
          grids.push_back({charge_[b].data() + at, out + at, green});
        else
          grids.push_back({nullptr, nullptr, green});
      }
    }
  return grids;
}

void StrongStrong::solve(const Step& step, const std::vector<int>& pairs, Listener& listener) {
  const std::vector<ColumnSolver::Grid> grids = grids_of(step, pairs, listener);
  const auto progress = [&] {
    listener.progress(channels::reduce);
    listener.progress(channels::broadcast);
  };
  const std::size_t count = grids.size();
  const std::size_t in_all = columns_.alone() ? count : plan_.grids_to_solve(step, pairs);
  const std::size_t of_pair = plan_.planes().shared ? 1 : ip_.planes;
  const std::size_t together = settings_.aggregate_solve || columns_.alone() ? in_all : of_pair;
  for (std::size_t i = 0; i < in_all; i += together) {
    const std::size_t end = std::min(i + together, in_all), real = std::min(end, count);
    const std::size_t first = std::min(i, real);
    columns_.solve({grids.data() + first, real - first}, static_cast<int>(end - i - (real - first)),
                   progress, listener);
  }
}

}  // namespace phasewise::collision

#include "collision/strong_strong.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

// Kept Green transforms: windows that move against each other ask for several, a breathing mesh for
// a few more; no more than a quarter of a gigabyte of them.
std::size_t kept_greens(const InteractionPoint& ip) {
  const double bytes = 32.0 * ip.nx * ip.ny;  // (ny + 1)·2 nx complex values
  const double fit = std::max(2.0, 0x1p28 / bytes);
  return static_cast<std::size_t>(std::min(4.0 + 4.0 * ip.slices, fit));
}

}  // namespace

CollisionShape collision_shape(const InteractionPoint& ip) {
  const field::DoubledGrid grid(ip.nx, ip.ny);
  return {.nx = ip.nx,
          .ny = ip.ny,
          .mx = grid.mx(),
          .ky = grid.columns(),
          .slices = ip.slices,
          .planes = ip.planes,
          .luminosity = ip.luminosity,
          .green_every_step = ip.green_every_step};
}

std::vector<int> sampled_steps(int slices, int sample) {
  const int all = steps(slices);
  const int count = sample > 0 ? std::min(sample, all) : all;
  std::vector<int> result;
  result.reserve(count);
  for (int i = 0; i < count; ++i)
    result.push_back(static_cast<int>((2 * i + 1) * static_cast<std::int64_t>(all) / (2 * count)));
  return result;
}

StrongStrong::StrongStrong(const InteractionPoint& ip, const BeamGroups& groups,
                           Decomposition& decomposition, int threads, parallel::KernelTimes& times,
                           int sample, bool skeleton)
    : ip_(ip),
      groups_(groups),
      decomposition_(decomposition),
      threads_(threads),
      times_(times),
      sample_(sample),
      skeleton_(skeleton),
      solver_(ip.nx, ip.ny),
      plan_(collision_shape(ip), decomposition.settings, decomposition.grid, groups.world().rank()),
      columns_(solver_, plan_, decomposition.executor, times, threads, skeleton) {
  if (ip.slices * ip.planes * static_cast<double>(ip.nx) * ip.ny > std::numeric_limits<int>::max())
    throw std::invalid_argument("a grid of " + std::to_string(ip.nx) + " x " +
                                std::to_string(ip.ny) + " with " + std::to_string(ip.slices) +
                                " slices is more than one message can hold: use fewer of either");
  solver_.set_green_capacity(kept_greens(ip));
}

CollisionResult StrongStrong::collide(std::array<CollidingBeam, 2>& beams) {
  beams_ = &beams;
  result_ = {};
  const std::size_t pairs = static_cast<std::size_t>(ip_.slices) * ip_.slices;
  result_.pair_luminosity.assign(pairs, 0.0);
  mesh_ = choose_mesh(ip_, beams);
  for (int b = 0; b < 2; ++b) {
    const double quantum = numerics::power_of_two_above(beams[b].macroparticles) * 0x1p-52;
    rounding_offset_[b] = numerics::rounding_offset_for(quantum);
  }
  overlap_sums_.assign(2 * pairs, 0.0);
  overlap_grid_ =
      numerics::OrderFreeGrid(beams[0].macroparticles * beams[1].macroparticles, ip_.nx);
  allocate();
  std::vector<Step> todo;
  for (const int k : sampled_steps(ip_.slices, sample_)) todo.push_back({ip_.slices, k});
  advance(nullptr, &todo[0]);
  for (std::size_t i = 0; i < todo.size(); ++i) {
    run_step(todo[i]);
    advance(&todo[i], i + 1 < todo.size() ? &todo[i + 1] : nullptr);
  }
  finish_luminosity();
  return result_;
}

// While one batch of pairs is solved, the charge of the next and the potentials of the last are on
// their way.
void StrongStrong::run_step(const Step& step) {
  if (ip_.green_every_step) solver_.forget_greens();
  const std::vector<std::vector<int>> batches = plan_.batches(step);
  comm::Executor::Flight reducing = reduce_charges(step, batches[0]), sharing;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    reducing.finish();
    if (b + 1 < batches.size()) {
      reducing = reduce_charges(step, batches[b + 1]);
      reducing.progress();
    }
    solve(step, batches[b], [&] {
      reducing.progress();
      sharing.progress();
    });
    sharing.finish();
    sharing = share_potentials(step, batches[b]);
    sharing.progress();
  }
  if (ip_.luminosity) overlap(step);
  sharing.finish();
  prepare(step);
}

void StrongStrong::allocate() {
  if (skeleton_) return;
  const std::int64_t pairs = plan_.room() * pair_size();
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    charge_[b].reserve(pairs);
    potential_[b].reserve(pairs);
    nodes_[b].reserve(ip_.slices * plane_size() * values_per_node(ip_.weighting, ip_.planes));
    if (ip_.planes == 2) difference_[b].reserve(ip_.slices * plane_size());
  }
  if (groups_.divided()) outgoing_.reserve(pairs);
}

std::vector<StrongStrong::Task> StrongStrong::tasks(const Step* now, const Step* next,
                                                    int parts) const {
  std::vector<Task> result;
  for (int slice = 0; slice < ip_.slices; ++slice)
    for (int b = 0; b < 2; ++b)
      if (groups_.holds(b) && ((now && now->contains(slice)) || (next && next->contains(slice))))
        for (int part = 0; part < parts; ++part) result.push_back({b, slice, part});
  return result;
}

void StrongStrong::advance(const Step* now, const Step* next) {
  const int whole = static_cast<int>(tasks(now, next, 1).size());
  // Slices are divided so that the threads share the work about evenly; each part has a charge grid
  // of its own.
  const int even = threads_ / std::gcd(threads_, std::max(whole, 1));
  const int enough = (4 * threads_ + whole - 1) / std::max(whole, 1);
  const int parts = std::max(1, std::min(even, enough));
  const std::vector<Task> todo = tasks(now, next, parts);
  double particles = 0.0;
  for (const Task& task : todo)
    if (task.part == 0) {
      const auto& begin = (*beams_)[task.beam].begin;
      particles += static_cast<double>(begin[task.slice + 1] - begin[task.slice]);
    }
  if (next) {
    const double cells = static_cast<double>(next->pairs() * pair_size());
    times_.run("clear", cells * groups_.held(), 0.0, 8.0, [&] { clear_charges(*next, parts); });
  }
  std::vector<std::int64_t> outside(todo.size(), 0);
  times_.run("encounter", particles, 60.0 * ip_.planes, 88.0, [&] {
    parallel::for_tasks(static_cast<int>(todo.size()), threads_,
                        [&](int i, int) { outside[i] = run_task(todo[i], now, next, parts); });
  });
  for (std::size_t i = 0; i < todo.size(); ++i) result_.outside[todo[i].beam] += outside[i];
  if (next && parts > 1 && !skeleton_) sum_parts(*next, parts);
}

void StrongStrong::clear_charges(const Step& next, int parts) {
  for (int b = 0; b < 2; ++b)
    if (groups_.holds(b)) {
      charge_[b].reserve(parts * next.pairs() * pair_size());
      parallel::for_tasks(parts * next.pairs(), threads_, [&](int i, int) {
        std::fill_n(charge_[b].data() + i * pair_size(), pair_size(), 0.0);
      });
    }
}

std::int64_t StrongStrong::run_task(const Task& task, const Step* now, const Step* next,
                                    int parts) {
  CollidingBeam& beam = (*beams_)[task.beam];
  const std::int64_t begin = beam.begin[task.slice], size = beam.begin[task.slice + 1] - begin;
  const std::int64_t from = size * task.part / parts, to = size * (task.part + 1) / parts;
  const beam::ParticleView particles = beam.particles->view().part(begin + from, to - from);
  std::optional<KickSource> kick;
  std::optional<ChargeTarget> target;
  if (now && now->contains(task.slice)) kick = kick_source(*now, task.beam, task.slice);
  if (next && next->contains(task.slice))
    target = charge_target(*next, task.beam, task.slice, task.part);
  return encounter(ip_.weighting, particles, kick ? &*kick : nullptr, target ? &*target : nullptr);
}

ChargeTarget StrongStrong::charge_target(const Step& next, int beam, int slice, int part) {
  const int p = next.pair_of(beam, slice), other = next.other(beam, p);
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  double* charge = charge_[beam].data() + (part * next.pairs() + p) * pair_size();
  ChargeTarget target{.frame = field::WindowFrame(mesh_, mesh_.window[beam][slice]),
                      .planes = ip_.planes,
                      .z = {opposing.z[other], 0.0},
                      .charge = {charge, charge + plane_size()},
                      .rounding_offset = rounding_offset_[beam]};
  if (ip_.planes == 2) {
    target.z[0] = opposing.plane[other];
    target.z[1] = opposing.plane[other + 1];
  }
  return target;
}

KickSource StrongStrong::kick_source(const Step& step, int beam, int slice) const {
  const int p = step.pair_of(beam, slice), other = step.other(beam, p);
  const CollidingBeam& own = (*beams_)[beam];
  const CollidingBeam& opposing = (*beams_)[1 - beam];
  const double length = own.cuts.plane[slice] - own.cuts.plane[slice + 1];
  const double z_other = opposing.cuts.z[other];
  const SliceShape shape = slice_shape(opposing, other, 0.5 * (z_other - own.cuts.z[slice]));
  const int values = values_per_node(ip_.weighting, ip_.planes);
  return {.frame = field::WindowFrame(mesh_, mesh_.window[beam][slice]),
          .planes = ip_.planes,
          .z_other = z_other,
          .z_tail = own.cuts.plane[slice + 1],
          .inverse_length = length > 0.0 ? 1.0 / length : 0.0,
          .nodes = nodes_[beam].data() + p * plane_size() * values,
          .difference = ip_.planes == 2 ? difference_[beam].data() + p * plane_size() : nullptr,
          .longitudinal_kick = ip_.longitudinal_kick,
          .far_x = shape.x,
          .far_y = shape.y,
          .far_sigma = std::max(shape.sigma_x, shape.sigma_y),
          .far_charge = own.kick_scale * opposing.cuts.share[other] * opposing.moments.particles};
}

void StrongStrong::sum_parts(const Step& next, int parts) {
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    const std::int64_t size = next.pairs() * pair_size();
    double* charge = charge_[b].data();
    parallel::for_blocks(size, threads_, [&](std::int64_t begin, int count, int) {
      for (int part = 1; part < parts; ++part)
        for (std::int64_t i = begin; i < begin + count; ++i) charge[i] += charge[part * size + i];
    });
  }
}

comm::Executor::Flight StrongStrong::reduce_charges(const Step& step,
                                                    const std::vector<int>& pairs) {
  std::vector<comm::Work> work;
  const int own = plan_.own_beam();
  const comm::ItemBuffer charge{skeleton_ ? nullptr : charge_[own].data(), plane_size()};
  for (comm::Exchange& exchange : plan_.reduce(step, pairs))
    work.push_back({std::move(exchange), charge, charge});
  return decomposition_.executor.start(std::move(work));
}

comm::Executor::Flight StrongStrong::share_potentials(const Step& step,
                                                      const std::vector<int>& pairs) {
  CollisionPlan::Broadcast exchanges = plan_.broadcast(step, pairs);
  const int own = plan_.own_beam();
  const comm::ItemBuffer ours{skeleton_ ? nullptr : outgoing_.data(), plane_size()};
  const comm::ItemBuffer theirs{skeleton_ ? nullptr : potential_[own].data(), plane_size()};
  std::vector<comm::Work> work;
  for (comm::Exchange& exchange : exchanges.own) work.push_back({std::move(exchange), ours, ours});
  for (comm::Exchange& exchange : exchanges.crossing)
    work.push_back({std::move(exchange), ours, theirs});
  for (comm::Exchange& exchange : exchanges.other)
    work.push_back({std::move(exchange), theirs, theirs});
  return decomposition_.executor.start(std::move(work));
}

void StrongStrong::solve(const Step& step, const std::vector<int>& pairs,
                         const std::function<void()>& progress) {
  std::vector<ColumnSolver::Grid> grids;
  if (ip_.green_every_step) columns_.green(mesh_.hx, mesh_.hy, 0, 0);
  for (int b = 0; b < 2; ++b)
    for (const int p : plan_.own_pairs(step, b, pairs)) {
      const field::Window& from = mesh_.window[b][step.own(b, p)];
      const field::Window& to = mesh_.window[1 - b][step.other(b, p)];
      const auto green = columns_.green(mesh_.hx, mesh_.hy, to.offset_x - from.offset_x,
                                        to.offset_y - from.offset_y);
      double* out = groups_.divided() ? outgoing_.data() : potential_[1 - b].data();
      for (int plane = 0; plane < ip_.planes; ++plane) {
        const std::int64_t at = p * pair_size() + plane * plane_size();
        grids.push_back({charge_[b].data() + at, out + at, green});
      }
    }
  const std::size_t count = grids.size();
  const std::size_t in_all = columns_.alone() ? count : plan_.grids_to_solve(step, pairs);
  const std::size_t together =
      decomposition_.settings.aggregate_solve || columns_.alone() ? in_all : ip_.planes;
  for (std::size_t i = 0; i < in_all; i += together) {
    const std::size_t end = std::min(i + together, in_all), real = std::min(end, count);
    const std::size_t first = std::min(i, real);
    columns_.solve({grids.data() + first, real - first}, static_cast<int>(end - i - (real - first)),
                   progress);
  }
}

void StrongStrong::prepare(const Step& step) {
  constexpr int chunks = 4;  // of rows, so that few pairs keep all threads busy
  const int nx = mesh_.nx, values = values_per_node(ip_.weighting, ip_.planes);
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    times_.run("field", static_cast<double>(step.pairs() * plane_size()), 6.0 * ip_.planes,
               8.0 * (ip_.planes + values), [&] {
                 parallel::for_tasks(step.pairs() * chunks, threads_, [&](int i, int) {
                   const int p = i / chunks, c = i % chunks;
                   const double* head = potential_[b].data() + p * pair_size();
                   const double* tail = head + (ip_.planes - 1) * plane_size();
                   double* difference =
                       ip_.planes == 2 ? difference_[b].data() + p * plane_size() : nullptr;
                   prepare_nodes(ip_.weighting, ip_.planes, head, tail, mesh_,
                                 (*beams_)[b].kick_scale,
                                 nodes_[b].data() + p * plane_size() * values, difference,
                                 nx * c / chunks, nx * (c + 1) / chunks);
                 });
               });
  }
}

}  // namespace phasewise::collision

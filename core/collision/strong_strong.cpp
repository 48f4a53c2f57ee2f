#include "collision/strong_strong.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

StrongStrong::StrongStrong(const InteractionPoint& ip, const BeamGroups& groups, int threads,
                           parallel::KernelTimes& times)
    : ip_(ip), groups_(groups), threads_(threads), times_(times), solver_(ip.nx, ip.ny) {
  if (ip.slices * ip.planes * static_cast<double>(ip.nx) * ip.ny > std::numeric_limits<int>::max())
    throw std::invalid_argument("a grid of " + std::to_string(ip.nx) + " x " +
                                std::to_string(ip.ny) + " with " + std::to_string(ip.slices) +
                                " slices is more than one message can hold: use fewer of either");
  solver_.set_green_capacity(kept_greens(ip));
  for (int t = 0; t < threads; ++t) scratch_.push_back(solver_.make_scratch());
}

CollisionResult StrongStrong::collide(std::array<CollidingBeam, 2>& beams) {
  beams_ = &beams;
  result_ = {};
  result_.pair_luminosity.assign(static_cast<std::size_t>(ip_.slices) * ip_.slices, 0.0);
  mesh_ = choose_mesh(ip_, beams);
  for (int b = 0; b < 2; ++b) {
    const double quantum = numerics::power_of_two_above(beams[b].macroparticles) * 0x1p-52;
    magic_[b] = numerics::magic_for(quantum);
  }
  allocate();
  advance(-1);
  for (int k = 0; k < steps(ip_.slices); ++k) {
    const Step step{ip_.slices, k};
    reduce_charges(step);
    if (ip_.luminosity) overlap(step);
    solve(step);
    share_potentials(step);
    prepare(step);
    advance(k);
  }
  finish_luminosity();
  return result_;
}

void StrongStrong::allocate() {
  const std::int64_t pairs = ip_.slices * pair_size();
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    charge_[b].reserve(pairs);
    potential_[b].reserve(pairs);
    nodes_[b].reserve(ip_.slices * plane_size() * values_per_node(ip_.weighting, ip_.planes));
    if (ip_.planes == 2) difference_[b].reserve(ip_.slices * plane_size());
  }
  if (groups_.divided()) outgoing_.reserve(pairs);
}

std::vector<StrongStrong::Task> StrongStrong::tasks(int k, int parts) const {
  const Step now{ip_.slices, k}, next{ip_.slices, k + 1};
  const bool kicks = k >= 0, deposits = k + 1 < steps(ip_.slices);
  std::vector<Task> result;
  for (int slice = 0; slice < ip_.slices; ++slice)
    for (int b = 0; b < 2; ++b)
      if (groups_.holds(b) &&
          ((kicks && now.contains(slice)) || (deposits && next.contains(slice))))
        for (int part = 0; part < parts; ++part) result.push_back({b, slice, part});
  return result;
}

void StrongStrong::advance(int k) {
  const Step next{ip_.slices, k + 1};
  const bool deposits = k + 1 < steps(ip_.slices);
  const int whole = static_cast<int>(tasks(k, 1).size());
  // Slices are divided so that the threads share the work about evenly; each part has a charge grid
  // of its own.
  const int even = threads_ / std::gcd(threads_, std::max(whole, 1));
  const int enough = (4 * threads_ + whole - 1) / std::max(whole, 1);
  const int parts = std::max(1, std::min(even, enough));
  const std::vector<Task> todo = tasks(k, parts);
  if (deposits)
    for (int b = 0; b < 2; ++b)
      if (groups_.holds(b)) {
        const std::int64_t size = next.pairs() * pair_size();
        charge_[b].reserve(parts * size);
        parallel::for_tasks(parts * next.pairs(), threads_, [&](int i, int) {
          std::fill_n(charge_[b].data() + i * pair_size(), pair_size(), 0.0);
        });
      }
  double particles = 0.0;
  for (const Task& task : todo)
    if (task.part == 0) {
      const auto& begin = (*beams_)[task.beam].begin;
      particles += static_cast<double>(begin[task.slice + 1] - begin[task.slice]);
    }
  std::vector<std::int64_t> outside(todo.size(), 0);
  times_.run("encounter", particles, 60.0 * ip_.planes, 88.0, [&] {
    parallel::for_tasks(static_cast<int>(todo.size()), threads_,
                        [&](int i, int) { outside[i] = run_task(todo[i], k, parts); });
  });
  for (std::size_t i = 0; i < todo.size(); ++i) result_.outside[todo[i].beam] += outside[i];
  if (deposits && parts > 1) sum_parts(next, parts);
}

std::int64_t StrongStrong::run_task(const Task& task, int k, int parts) {
  CollidingBeam& beam = (*beams_)[task.beam];
  const Step now{ip_.slices, k}, next{ip_.slices, k + 1};
  const std::int64_t begin = beam.begin[task.slice], size = beam.begin[task.slice + 1] - begin;
  const std::int64_t from = size * task.part / parts, to = size * (task.part + 1) / parts;
  const beam::ParticleView particles = beam.particles->view().part(begin + from, to - from);
  const bool kicks = k >= 0 && now.contains(task.slice);
  const bool deposits = k + 1 < steps(ip_.slices) && next.contains(task.slice);
  if (kicks && deposits) {
    const KickSource kick = kick_source(now, task.beam, task.slice);
    const ChargeTarget target = charge_target(next, task.beam, task.slice, task.part);
    return encounter(ip_.weighting, particles, &kick, &target);
  }
  if (kicks) {
    const KickSource kick = kick_source(now, task.beam, task.slice);
    return encounter(ip_.weighting, particles, &kick, nullptr);
  }
  const ChargeTarget target = charge_target(next, task.beam, task.slice, task.part);
  return encounter(ip_.weighting, particles, nullptr, &target);
}

ChargeTarget StrongStrong::charge_target(const Step& next, int beam, int slice, int part) {
  const int p = next.pair_of(beam, slice), other = next.other(beam, p);
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  double* charge = charge_[beam].data() + (part * next.pairs() + p) * pair_size();
  ChargeTarget target{field::WindowFrame(mesh_.lattice, mesh_.window[beam][slice]),
                      ip_.planes,
                      {opposing.z[other], 0.0},
                      {charge, charge + plane_size()},
                      magic_[beam]};
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
  return {field::WindowFrame(mesh_.lattice, mesh_.window[beam][slice]),
          ip_.planes,
          z_other,
          own.cuts.plane[slice + 1],
          length > 0.0 ? 1.0 / length : 0.0,
          nodes_[beam].data() + p * plane_size() * values_per_node(ip_.weighting, ip_.planes),
          ip_.planes == 2 ? difference_[beam].data() + p * plane_size() : nullptr,
          ip_.longitudinal_kick,
          shape.x,
          shape.y,
          std::max(shape.sigma_x, shape.sigma_y),
          own.kick_scale * opposing.cuts.share[other] * opposing.moments.particles};
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

void StrongStrong::reduce_charges(const Step& step) {
  const comm::Communicator& group = groups_.group();
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    std::vector<int> counts;
    for (int r = 0; r < group.size(); ++r) {
      const auto [begin, end] = share(step.pairs(), group.size(), r);
      counts.push_back(static_cast<int>((end - begin) * pair_size()));
    }
    group.reduce_scatter("reduce",
                         {charge_[b].data(), static_cast<std::size_t>(step.pairs() * pair_size())},
                         counts);
  }
}

void StrongStrong::solve(const Step& step) {
  struct Solve {
    const double* charge;
    double* potential;
    std::shared_ptr<const field::GreenTransform> green;
  };
  std::vector<Solve> todo;
  times_.run("green", 1.0, 0.0, 0.0, [&] {
    for (int b = 0; b < 2; ++b) {
      const auto [begin, end] = groups_.my_share(b, step.pairs());
      double* out = groups_.divided() ? outgoing_.data() : potential_[1 - b].data();
      for (int p = begin; p < end; ++p) {
        const field::Window& from = mesh_.window[b][step.own(b, p)];
        const field::Window& to = mesh_.window[1 - b][step.other(b, p)];
        const auto green =
            solver_.green(mesh_.lattice.hx, mesh_.lattice.hy, to.offset_x - from.offset_x,
                          to.offset_y - from.offset_y, threads_);
        for (int plane = 0; plane < ip_.planes; ++plane) {
          const std::int64_t at = (p - begin) * pair_size() + plane * plane_size();
          todo.push_back({charge_[b].data() + at, out + at, green});
        }
      }
    }
  });
  times_.run("solve", static_cast<double>(todo.size()), solver_.flops_per_solve(),
             solver_.bytes_per_solve(), [&] {
               parallel::for_tasks(static_cast<int>(todo.size()), threads_, [&](int i, int thread) {
                 solver_.solve(todo[i].charge, *todo[i].green, todo[i].potential, scratch_[thread]);
               });
             });
}

// Potentials cross from the owner in one beam's group to the owner of the same pair in the other's,
// which shares them there.
void StrongStrong::share_potentials(const Step& step) {
  if (!groups_.divided()) return;
  const int own = groups_.holds(0) ? 0 : 1, other = 1 - own, pairs = step.pairs();
  const auto [begin, end] = groups_.my_share(own, pairs);
  std::vector<comm::Message> sends, receives;
  for (int p = begin; p < end; ++p) {
    const int peer = groups_.owner(other, pairs, p);
    sends.push_back({peer, outgoing_.data() + (p - begin) * pair_size(), pair_size()});
    receives.push_back({peer, potential_[own].data() + p * pair_size(), pair_size()});
  }
  groups_.world().exchange("crossing", sends, receives);
  const comm::Communicator& group = groups_.group();
  std::vector<int> counts;
  for (int r = 0; r < group.size(); ++r) {
    const auto [first, last] = share(pairs, group.size(), r);
    counts.push_back(static_cast<int>((last - first) * pair_size()));
  }
  group.all_gather("broadcast",
                   {potential_[own].data(), static_cast<std::size_t>(pairs * pair_size())}, counts);
}

void StrongStrong::prepare(const Step& step) {
  constexpr int chunks = 4;  // of rows, so that few pairs keep all threads busy
  const int nx = mesh_.lattice.nx, values = values_per_node(ip_.weighting, ip_.planes);
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
                   prepare_nodes(ip_.weighting, ip_.planes, head, tail, mesh_.lattice,
                                 (*beams_)[b].kick_scale,
                                 nodes_[b].data() + p * plane_size() * values, difference,
                                 nx * c / chunks, nx * (c + 1) / chunks);
                 });
               });
  }
}

}  // namespace phasewise::collision

#include "collision/strong_strong.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "collision/channels.hpp"
#include "collision/kick_nodes.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

// Number of Green transforms to keep: windows that move against each other need several, a mesh
// that changes its size a few more. At most a quarter of a gigabyte is kept.
std::size_t kept_greens(const InteractionPoint& ip) {
  const double bytes = 32.0 * ip.nx * ip.ny;  // (ny + 1)·2 nx complex values
  const double fit = std::max(2.0, 0x1p28 / bytes);
  return static_cast<std::size_t>(std::min(6.0 + 2.0 * steps(ip.slices), fit));
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
          .planes = ip.planes,
          .luminosity = ip.luminosity,
          .green_every_step = ip.green_every_step};
}

StrongStrong::StrongStrong(const InteractionPoint& ip, const BeamGroups& groups,
                           const ProcessGrid& grid, const Settings& settings, int rank, int threads,
                           Contents contents)
    : ip_(ip),
      groups_(groups),
      settings_(settings),
      threads_(threads),
      contents_(contents),
      grid_(ip.nx, ip.ny),
      solver_(contents == Contents::none ? nullptr
                                         : std::make_unique<field::PoissonSolver>(ip.nx, ip.ny)),
      plan_(collision_shape(ip), settings, grid, rank),
      columns_(grid_, solver_.get(), plan_, threads, contents) {
  const int pairs = most_pairs(ip.slices);
  if (pairs * ip.planes * static_cast<double>(ip.nx) * ip.ny > std::numeric_limits<int>::max())
    throw std::invalid_argument("a grid of " + std::to_string(ip.nx) + " x " +
                                std::to_string(ip.ny) + " with up to " + std::to_string(pairs) +
                                " pairs of slices at once is more than one message can hold: use "
                                "fewer of either");
  mesh_.nx = ip.nx;
  mesh_.ny = ip.ny;
  if (solver_) solver_->set_green_capacity(kept_greens(ip));
}

void StrongStrong::begin(std::array<CollidingBeam, 2>& beams, CollisionResult& result,
                         Listener& listener) {
  beams_ = &beams;
  result_ = &result;
  last_.reset();
  const std::size_t pairs = pairs_in_all(ip_.slices);
  overlap_sums_.assign(2 * pairs, 0.0);
  const auto choose = [&] { mesh_ = choose_mesh(ip_, beams); };
  if (contents_ == Contents::design) choose();  // where kernels do not run, but windows are needed
  listener.kernel(mesh_card(), ip_.fixed_mesh ? 0.0 : 2.0 * ip_.planes * static_cast<double>(pairs),
                  choose);
  if (contents_ == Contents::none) return;
  result.pair_luminosity.assign(pairs, 0.0);
  for (int b = 0; b < 2; ++b) {
    const double quantum = numerics::power_of_two_above(beams[b].macroparticles) * 0x1p-52;
    rounding_offset_[b] = numerics::rounding_offset_for(quantum);
  }
  overlap_grid_ =
      numerics::OrderFreeGrid(beams[0].macroparticles * beams[1].macroparticles, ip_.nx);
  allocate();
}

// While one batch of pairs is solved, the charges of the next batch and the potentials of the last
// one are in transit.
void StrongStrong::run_step(const Step& step, Listener& listener) {
  constexpr comm::Channel reducing = channels::reduce, sharing = channels::broadcast;
  advance(last_ ? &*last_ : nullptr, &step, listener);
  if (ip_.green_every_step && solver_) solver_->forget_greens();
  const std::vector<std::vector<int>> batches = plan_.batches(step);
  const auto reduce = [&](std::size_t b) {
    listener.start(reducing,
                   [&, b](comm::Works& works) { reduce_charges(step, batches[b], works); });
  };
  reduce(0);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    listener.finish(reducing);
    if (b + 1 < batches.size()) {
      reduce(b + 1);
      listener.progress(reducing);
    }
    if (b == 0 && ip_.green_every_step && contents_ == Contents::none) make_green(listener);
    solve(step, batches[b], listener);
    listener.finish(sharing);
    listener.start(sharing, [&](comm::Works& works) { share_potentials(step, batches[b], works); });
    listener.progress(sharing);
  }
  if (ip_.luminosity) overlap(step, listener);
  listener.finish(sharing);
  prepare(step, listener);
  last_ = step;
}

void StrongStrong::finish(Listener& listener) {
  if (last_) advance(&*last_, nullptr, listener);
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
    nodes_[b].reserve(nodes * values_per_node(ip_.weighting, ip_.planes));
    if (ip_.planes == 2) difference_[b].reserve(nodes);
  }
  if (groups_.divided()) outgoing_.reserve(pairs);
}

void StrongStrong::advance(const Step* now, const Step* next, Listener& listener) {
  const int parts = parts_of_slices(now, next);
  if (next) {
    const double cells = static_cast<double>(next->pairs() * pair_size());
    listener.kernel(clear_card(), cells * groups_.held(), [&] { clear_charges(*next, parts); });
  }
  const double particles = particles_in(now, next);
  const double apart = particles > 0.0 ? particles_apart(now) / particles : 0.0;
  listener.kernel(encounter_card(ip_.weighting, ip_.planes, apart), particles,
                  [&] { pass(now, next, parts); });
  if (next && parts > 1 && real()) sum_parts(*next, parts);
}

void StrongStrong::pass(const Step* now, const Step* next, int parts) {
  const std::vector<Task> todo = tasks(now, next, parts);
  std::vector<std::int64_t> outside(todo.size(), 0);
  parallel::for_tasks(static_cast<int>(todo.size()), threads_,
                      [&](int i, int) { outside[i] = run_task(todo[i], now, next, parts); });
  for (std::size_t i = 0; i < todo.size(); ++i) result_->outside[todo[i].beam] += outside[i];
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
  if (now && now->contains(task.beam, task.slice)) kick = kick_source(*now, task.beam, task.slice);
  if (next && next->contains(task.beam, task.slice))
    target = charge_target(*next, task.beam, task.slice, task.part);
  return encounter(ip_.weighting, particles, kick ? &*kick : nullptr, target ? &*target : nullptr);
}

ChargeTarget StrongStrong::charge_target(const Step& next, int beam, int slice, int part) {
  const int p = next.pair_of(beam, slice), other = next.other(beam, p);
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  double* charge = charge_[beam].data() + (part * next.pairs() + p) * pair_size();
  const field::Window& window = mesh_.window[beam][slice];
  const auto frame = [&](int plane) {
    return field::WindowFrame(mesh_.levels.mesh(level(next, beam, p, plane)), window);
  };
  ChargeTarget target{.planes = ip_.planes,
                      .frame = {frame(0), frame(ip_.planes - 1)},
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
  const int values = values_per_node(ip_.weighting, ip_.planes);
  // The field comes from the opposing slice, on this slice's planes.
  const auto frame = [&](int plane) {
    field::WindowFrame made(mesh_.levels.mesh(level(step, 1 - beam, p, plane)),
                            mesh_.window[beam][slice]);
    made.rim_x = rim_cells(mesh_.nx);
    made.rim_y = rim_cells(mesh_.ny);
    return made;
  };
  return {.frame = {frame(0), frame(ip_.planes - 1)},
          .planes = ip_.planes,
          .z_other = z_other,
          .z_tail = own.cuts.plane[slice + 1],
          .inverse_length = length > 0.0 ? 1.0 / length : 0.0,
          .apart = apart(step, beam, p),
          .nodes = nodes_[beam].data() + p * plane_size() * values,
          .difference = ip_.planes == 2 ? difference_[beam].data() + p * plane_size() : nullptr,
          .longitudinal_kick = ip_.longitudinal_kick,
          .far = far_source(step, beam, slice)};
}

bool StrongStrong::apart(const Step& step, int beam, int p) const {
  return ip_.planes == 2 && level(step, 1 - beam, p, 0) != level(step, 1 - beam, p, 1);
}

int StrongStrong::level_at_waist(const CollisionMesh& mesh,
                                 const std::array<CollidingBeam, 2>& beams, int beam,
                                 int slice) const {
  const beam::SliceCuts& other = beams[1 - beam].cuts;
  const std::vector<double>& planes = ip_.planes == 2 ? other.plane : other.z;
  const double z = beams[beam].cuts.z[slice];
  const auto nearest = std::min_element(planes.begin(), planes.end(), [&](double a, double b) {
    return std::fabs(a - z) < std::fabs(b - z);
  });
  return mesh.levels.of(beam, slice, static_cast<int>(nearest - planes.begin()));
}

// The opposing slice as it is met at this slice's head and tail planes, or at its centre.
FarSource StrongStrong::far_source(const Step& step, int beam, int slice) const {
  const int p = step.pair_of(beam, slice), other = step.other(beam, p);
  const beam::SliceCuts& own = (*beams_)[beam].cuts;
  const CollidingBeam& opposing = (*beams_)[1 - beam];
  const bool two = ip_.planes == 2;
  FarSource far{};
  far.enclosed = mesh_.window[beam][slice] == mesh_.window[1 - beam][other];
  far.scale = (*beams_)[beam].kick_scale;
  far.smearing = smearing_of(ip_.weighting);
  for (int plane = 0; plane < ip_.planes; ++plane) {
    const double z = two ? own.plane[slice + plane] : own.z[slice];
    far.potential[plane] = potential_[beam].data() + p * pair_size() + plane * plane_size();
    far.expected[plane] = expected_charge(opposing, other, 0.5 * (opposing.cuts.z[other] - z));
  }
  return far;
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

void StrongStrong::reduce_charges(const Step& step, const std::vector<int>& pairs,
                                  comm::Works& works) {
  const int own = plan_.own_beam();
  const comm::ItemBuffer charge{!real() ? nullptr : charge_[own].data(), plane_size()};
  for (const comm::ExchangePointer& exchange : plan_.reduce(step, pairs))
    works.push_back({exchange, charge, charge});
}

void StrongStrong::share_potentials(const Step& step, const std::vector<int>& pairs,
                                    comm::Works& works) {
  const Broadcast& exchanges = plan_.broadcast(step, pairs);
  const int own = plan_.own_beam();
  const comm::ItemBuffer ours{!real() ? nullptr : outgoing_.data(), plane_size()};
  const comm::ItemBuffer theirs{!real() ? nullptr : potential_[own].data(), plane_size()};
  for (const auto& exchange : exchanges.own) works.push_back({exchange, ours, ours});
  for (const auto& exchange : exchanges.crossing) works.push_back({exchange, ours, theirs});
  for (const auto& exchange : exchanges.other) works.push_back({exchange, theirs, theirs});
}

// The grids that this rank's column solves for, with their Green functions.
std::vector<ColumnSolver::Grid> StrongStrong::grids_of(const Step& step,
                                                       const std::vector<int>& pairs,
                                                       Listener& listener) {
  const bool placed = contents_ != Contents::none;
  std::vector<ColumnSolver::Grid> grids;
  if (ip_.green_every_step && placed) columns_.green({mesh_.hx, mesh_.hy}, listener);
  for (int b = 0; b < 2; ++b)
    for (const int p : plan_.own_pairs(step, b, pairs)) {
      const auto green_for = [&](int plane) -> ColumnSolver::GreenPointer {
        if (!placed) return nullptr;
        const field::Window& from = mesh_.window[b][step.own(b, p)];
        const field::Window& to = mesh_.window[1 - b][step.other(b, p)];
        return columns_.green({.hx = mesh_.hx,
                               .hy = mesh_.levels.mesh(level(step, b, p, plane)).hy,
                               .shift_x = to.offset_x - from.offset_x,
                               .shift_y = to.offset_y - from.offset_y},
                              listener);
      };
      double* out = groups_.divided() ? outgoing_.data() : potential_[1 - b].data();
      for (int plane = 0; plane < ip_.planes; ++plane) {
        const ColumnSolver::GreenPointer green = green_for(plane);
        const std::int64_t at = p * pair_size() + plane * plane_size();
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
  const std::size_t together = settings_.aggregate_solve || columns_.alone() ? in_all : ip_.planes;
  for (std::size_t i = 0; i < in_all; i += together) {
    const std::size_t end = std::min(i + together, in_all), real = std::min(end, count);
    const std::size_t first = std::min(i, real);
    columns_.solve({grids.data() + first, real - first}, static_cast<int>(end - i - (real - first)),
                   progress, listener);
  }
}

void StrongStrong::prepare(const Step& step, Listener& listener) {
  constexpr int chunks = 4;  // of rows, so that even a few pairs keep all threads busy
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    const double cells = static_cast<double>(step.pairs() * plane_size());
    listener.kernel(nodes_card(ip_.weighting, ip_.planes), cells, [&] {
      const std::vector<NodesTask> todo = nodes_tasks(step, b);
      parallel::for_tasks(static_cast<int>(todo.size()) * chunks, threads_, [&](int i, int) {
        const int c = i % chunks;
        prepare_rows(todo[i / chunks], mesh_.nx * c / chunks, mesh_.nx * (c + 1) / chunks);
      });
    });
  }
}

// One for each pair, or for each plane of it where planes have meshes of their own.
std::vector<NodesTask> StrongStrong::nodes_tasks(const Step& step, int beam) {
  std::vector<NodesTask> result;
  for (int p = 0; p < step.pairs(); ++p) {
    const double* head = potential_[beam].data() + p * pair_size();
    const double* tail = head + (ip_.planes - 1) * plane_size();
    double* nodes =
        nodes_[beam].data() + p * plane_size() * values_per_node(ip_.weighting, ip_.planes);
    double* difference = ip_.planes == 2 ? difference_[beam].data() + p * plane_size() : nullptr;
    const auto mesh = [&](int plane) { return mesh_.levels.mesh(level(step, 1 - beam, p, plane)); };
    const double scale = (*beams_)[beam].kick_scale;
    if (!apart(step, beam, p)) {
      result.push_back({ip_.weighting, ip_.planes, head, tail, mesh(0), scale, nodes, difference});
      continue;
    }
    result.push_back({ip_.weighting, 1, head, head, mesh(0), scale, nodes, nullptr});
    nodes += plane_size() * values_per_node(ip_.weighting, 1);
    result.push_back({ip_.weighting, 1, tail, tail, mesh(1), scale, nodes, nullptr});
  }
  return result;
}

}  // namespace phasewise::collision

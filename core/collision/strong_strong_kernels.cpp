// The kernels of a step and their data: the particles that are kicked and deposited, and the nodes
// that they read.
#include <algorithm>
#include <cmath>
#include <vector>

#include "collision/mesh/kick_nodes.hpp"
#include "collision/radiation/density_across.hpp"
#include "collision/slice_moments.hpp"
#include "collision/strong_strong.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

// The place of the value nearest to z.
int nearest(const std::vector<double>& values, double z) {
  const auto found = std::min_element(values.begin(), values.end(), [&](double a, double b) {
    return std::fabs(a - z) < std::fabs(b - z);
  });
  return static_cast<int>(found - values.begin());
}

}  // namespace

std::vector<EncounterTask> StrongStrong::encounter_tasks(const Step* now, const Step* next,
                                                         int parts) {
  std::vector<EncounterTask> result;
  for (const Task& task : tasks(now, next, parts))
    result.push_back(encounter_task(task, now, next, parts));
  return result;
}

void StrongStrong::pass(std::span<const EncounterTask> todo) {
  if (device_ != nullptr) return device_->encounter(ip_.weighting, arithmetic(), ip_.planes, todo);
  std::vector<std::int64_t> outside(todo.size(), 0);
  parallel::for_tasks(static_cast<int>(todo.size()), threads_, [&](int i, int thread) {
    const EncounterTask& task = todo[i];
    const CollidingBeam& beam = (*beams_)[task.beam];
    std::optional<MeshDensity> density;
    if (beam.scattering != nullptr && task.kick) density.emplace(*task.kick, density_factor(task));
    AfterKick radiate;
    if (beam.scattering != nullptr || beam.radiating != nullptr)
      radiate = [&](const beam::ParticleView& block, std::int64_t first, const double* kick) {
        first += task.begin;
        if (density) beam.scattering->scatter(block, first, *density, met_size(task), thread);
        if (beam.radiating != nullptr)
          beam.radiating->radiate(block, first, task.opposing, kick, thread);
      };
    outside[i] = encounter(
        ip_.weighting, arithmetic(), beam.particles->view().part(task.begin, task.count),
        task.kick ? &*task.kick : nullptr, task.target ? &*task.target : nullptr, radiate);
  });
  for (std::size_t i = 0; i < todo.size(); ++i) result_->outside[todo[i].beam] += outside[i];
}

// What the size of the beams where a task's slices meet is to scattering.
double StrongStrong::met_size(const EncounterTask& task) const {
  return harmonic_size(typical_slice((*beams_)[task.beam], task.slice),
                       typical_slice((*beams_)[1 - task.beam], task.opposing));
}

// Real particles that a macroparticle of the opposing beam stands for, times how much larger the
// mean of its density over the own slice is than that of the density on the mesh. The weights with
// which charge is laid and read and the Green function's average over a cell widen it, as if both
// slices were wider by these variances together; for two Gaussians whose centres meet.
double StrongStrong::density_factor(const EncounterTask& task) const {
  const GaussianSlice own = typical_slice((*beams_)[task.beam], task.slice);
  const CollidingBeam& opposing = (*beams_)[1 - task.beam];
  const GaussianSlice other = typical_slice(opposing, task.opposing);
  const double s = meeting_distance(own.z, other.z);
  const double xx = own.sxx_at(s) + other.sxx_at(-s), yy = own.syy_at(s) + other.syy_at(-s);
  const field::WindowFrame& frame = task.kick->frame[0];
  const double widening = smearing_of(ip_.weighting) + weights_spread(Weighting::cic);
  const double hx = 1.0 / frame.inverse_hx, hy = 1.0 / frame.inverse_hy;
  return opposing.per_macroparticle *
         std::sqrt((1.0 + widening * hx * hx / xx) * (1.0 + widening * hy * hy / yy));
}

void StrongStrong::clear_charges(const Step& next, int parts) {
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    const std::vector<int> planes = laid(next, b);
    if (device_ != nullptr) {
      for (const auto& [first, count] : runs_of(planes))
        device_->clear(charge_[b].data() + first * plane_size(), count * plane_size());
      continue;
    }
    parts_[b].reserve((parts - 1) * places() * plane_size());
    const int each = static_cast<int>(planes.size());
    parallel::for_tasks(parts * each, threads_, [&](int i, int) {
      std::fill_n(charge_of_part(b, i / each) + planes[i % each] * plane_size(), plane_size(), 0.0);
    });
  }
}

std::vector<int> StrongStrong::laid(const Step& step, int beam) const {
  return plan_.planes().laid(step, beam, all_pairs(step));
}

int StrongStrong::laid_here(const Step& step) const {
  std::ptrdiff_t planes = 0;
  for (int b = 0; b < 2; ++b)
    if (groups_.holds(b)) planes += std::ssize(laid(step, b));
  return static_cast<int>(planes);
}

EncounterTask StrongStrong::encounter_task(const Task& task, const Step* now, const Step* next,
                                           int parts) {
  const CollidingBeam& beam = (*beams_)[task.beam];
  const std::int64_t begin = beam.begin[task.slice], size = beam.begin[task.slice + 1] - begin;
  const std::int64_t from = size * task.part / parts, to = size * (task.part + 1) / parts;
  EncounterTask result{task.beam, begin + from, to - from, {}, {}, task.slice};
  if (now && now->contains(task.beam, task.slice)) {
    result.kick = kick_source(*now, task.beam, task.slice);
    result.opposing = now->other(task.beam, now->pair_of(task.beam, task.slice));
  }
  if (next && next->contains(task.beam, task.slice))
    result.target = charge_target(*next, task.beam, task.slice, task.part);
  return result;
}

ChargeTarget StrongStrong::charge_target(const Step& next, int beam, int slice, int part) {
  const int p = next.pair_of(beam, slice), other = next.other(beam, p);
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  const int first = plan_.planes().first_laid(next, beam, p), last = ip_.planes - 1;
  const auto frame = [&](int plane) {
    return field::WindowFrame(mesh_.mesh_of(beam, slice, other, plane),
                              mesh_.window_of(beam, slice, other));
  };
  const auto z = [&](int plane) {
    return ip_.planes == 2 ? opposing.plane[other + plane] : opposing.z[other];
  };
  const auto charge = [&](int plane) {
    return charge_of_part(beam, part) + plane_at(next, beam, p, plane);
  };
  return {.planes = last - first + 1,
          .frame = {frame(first), frame(last)},
          .z = {z(first), z(last)},
          .charge = {charge(first), charge(last)},
          .rounding_offset = rounding_offset_[beam]};
}

KickSource StrongStrong::kick_source(const Step& step, int beam, int slice) const {
  const int p = step.pair_of(beam, slice), other = step.other(beam, p);
  const CollidingBeam& own = (*beams_)[beam];
  const CollidingBeam& opposing = (*beams_)[1 - beam];
  const double length = own.cuts.plane[slice] - own.cuts.plane[slice + 1];
  const double z_other = opposing.cuts.z[other];
  const int values = values_per_node(node_values(), ip_.planes);
  // The field comes from the opposing slice, on this slice's planes.
  const auto frame = [&](int plane) {
    field::WindowFrame made(mesh_.mesh_of(1 - beam, other, slice, plane),
                            mesh_.window_of(beam, slice, other));
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
          .difference = has_differences() ? difference_[beam].data() + p * plane_size() : nullptr,
          .longitudinal_kick = ip_.longitudinal_kick,
          .far = far_source(step, beam, slice)};
}

bool StrongStrong::apart(const Step& step, int beam, int p) const {
  return ip_.planes == 2 && level(step, 1 - beam, p, 0) != level(step, 1 - beam, p, 1);
}

int StrongStrong::slice_at_waist(const std::array<CollidingBeam, 2>& beams, int beam, int slice) {
  return nearest(beams[1 - beam].cuts.z, beams[beam].cuts.z[slice]);
}

int StrongStrong::level_at_waist(const CollisionMesh& mesh,
                                 const std::array<CollidingBeam, 2>& beams, int beam,
                                 int slice) const {
  const beam::SliceCuts& other = beams[1 - beam].cuts;
  const std::vector<double>& planes = ip_.planes == 2 ? other.plane : other.z;
  return mesh.levels.of(beam, slice, nearest(planes, beams[beam].cuts.z[slice]));
}

// The opposing slice as this slice's head and tail planes, or its centre, meet it.
FarSource StrongStrong::far_source(const Step& step, int beam, int slice) const {
  const int p = step.pair_of(beam, slice), other = step.other(beam, p);
  const beam::SliceCuts& own = (*beams_)[beam].cuts;
  const CollidingBeam& opposing = (*beams_)[1 - beam];
  const bool two = ip_.planes == 2;
  FarSource far{};
  far.enclosed = mesh_.window_of(beam, slice, other) == mesh_.window_of(1 - beam, other, slice);
  far.scale = (*beams_)[beam].kick_scale;
  far.smearing = smearing_of(ip_.weighting);
  for (int plane = 0; plane < ip_.planes; ++plane) {
    const double z = two ? own.plane[slice + plane] : own.z[slice];
    far.potential[plane] = potential_[beam].data() + plane_at(step, 1 - beam, p, plane);
    far.expected[plane] = expected_charge(opposing, other, 0.5 * (opposing.cuts.z[other] - z));
  }
  return far;
}

void StrongStrong::sum_parts(const Step& next, int parts) {
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    for (const auto& [first, planes] : runs_of(laid(next, b))) {
      const std::int64_t at = first * plane_size();
      double* charge = charge_[b].data() + at;
      parallel::for_blocks(planes * plane_size(), threads_,
                           [&](std::int64_t begin, int count, int) {
                             for (int part = 1; part < parts; ++part) {
                               const double* other = charge_of_part(b, part) + at;
                               for (std::int64_t i = begin; i < begin + count; ++i)
                                 charge[i] += other[i];
                             }
                           });
    }
  }
}

void StrongStrong::prepare(const Step& step, Listener& listener) {
  constexpr int chunks = 4;  // of rows, so that even a few pairs keep all threads busy
  const double cells = static_cast<double>(step.pairs() * plane_size()) * groups_.held();
  listener.kernel(nodes_card(node_values(), ip_.planes), cells, [&] {
    std::vector<NodesTask> todo;
    for (int b = 0; b < 2; ++b)
      if (groups_.holds(b)) add_nodes_tasks(step, b, todo);
    if (device_ != nullptr) return device_->prepare_nodes(todo);
    parallel::for_tasks(static_cast<int>(todo.size()) * chunks, threads_, [&](int i, int) {
      const int c = i % chunks;
      prepare_rows(todo[i / chunks], mesh_.nx * c / chunks, mesh_.nx * (c + 1) / chunks);
    });
  });
}

// Adds one task for each pair, or for each plane of a pair whose planes have meshes of their own.
void StrongStrong::add_nodes_tasks(const Step& step, int beam, std::vector<NodesTask>& to) {
  for (int p = 0; p < step.pairs(); ++p) {
    const double* head = potential_[beam].data() + plane_at(step, 1 - beam, p, 0);
    const double* tail = potential_[beam].data() + plane_at(step, 1 - beam, p, ip_.planes - 1);
    const NodeValues values = node_values();
    double* nodes = nodes_[beam].data() + p * plane_size() * values_per_node(values, ip_.planes);
    double* difference = has_differences() ? difference_[beam].data() + p * plane_size() : nullptr;
    const auto mesh = [&](int plane) {
      return mesh_.mesh_of(1 - beam, step.other(beam, p), step.own(beam, p), plane);
    };
    const double scale = (*beams_)[beam].kick_scale;
    if (!apart(step, beam, p)) {
      to.push_back({values, ip_.planes, head, tail, mesh(0), scale, nodes, difference});
      continue;
    }
    to.push_back({values, 1, head, head, mesh(0), scale, nodes, nullptr});
    nodes += plane_size() * values_per_node(values, 1);
    to.push_back({values, 1, tail, tail, mesh(1), scale, nodes, nullptr});
  }
}

}  // namespace phasewise::collision

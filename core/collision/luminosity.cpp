// Luminosity of each pair of slices from the overlap of their charges on the mesh: N1 N2 ∫ρ1 ρ2
// dx dy, in the boosted frame, where the beams move head-on (the number of events does not depend
// on the frame), corrected for what the mesh smears.
#include "collision/luminosity.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "collision/mesh/overlap_factor.hpp"
#include "collision/strong_strong.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

parallel::KernelCard effective_charge_card(int ny) {
  return {.name = "luminosity", .flops = 3.0, .bytes = 24.0, .vectorised = true, .trip = 1.0 * ny};
}

parallel::KernelCard overlap_card(int ny) {
  return {.name = "luminosity", .flops = 2.0, .bytes = 16.0, .vectorised = true, .trip = 1.0 * ny};
}

// The coarsest of the mesh levels on which the charges of a pair lie.
int StrongStrong::overlap_level(int slice_1, int slice_2) const {
  int level = std::numeric_limits<int>::max();
  for (int plane = 0; plane < ip_.planes; ++plane)
    level = std::min({level, mesh_.levels.of(0, slice_1, slice_2 + plane),
                      mesh_.levels.of(1, slice_2, slice_1 + plane)});
  return level;
}

// The charge of a pair's slice where it meets the centroid of the opposing one, interpolated
// between the slice's two planes.
EffectiveCharge StrongStrong::effective_charge(const Step& step, int beam, int p) {
  const double* charge = charge_[beam].data();
  const int own = step.own(beam, p), other = step.other(beam, p);
  return {.at_head = charge + plane_at(step, beam, p, 0),
          .at_tail = charge + plane_at(step, beam, p, 1),
          .out = effective_[beam].data() + p * plane_size(),
          .place = place_between_planes((*beams_)[1 - beam].cuts, other),
          .head_level = mesh_.levels.of(beam, own, other),
          .tail_level = mesh_.levels.of(beam, own, other + 1),
          .to = overlap_level(step.own(0, p), step.own(1, p)),
          .coarsening = mesh_.levels.coarsening()};
}

// The windows of a pair's slices.
std::array<field::Window, 2> StrongStrong::windows(const Step& step, int p) const {
  const int slice_1 = step.own(0, p), slice_2 = step.own(1, p);
  return {mesh_.window_of(0, slice_1, slice_2), mesh_.window_of(1, slice_2, slice_1)};
}

// The overlap of a pair in this rank's rows.
Overlap StrongStrong::overlap_of(const Step& step, int p) const {
  const auto [w1, w2] = windows(step, p);
  const int dx = w1.offset_x - w2.offset_x, dy = w1.offset_y - w2.offset_y;
  const auto [first, last] = plan_.division().rows(0, plan_.division().row());
  return {.rho1 = rho_[0][p],
          .rho2 = rho_[1][p],
          .ny = mesh_.ny,
          .dx = dx,
          .dy = dy,
          .first = std::max(first, -dx),
          .last = std::min(last, mesh_.nx - dx),
          .place = static_cast<std::int64_t>(step.place(p))};
}

std::vector<int> StrongStrong::window_shifts(const Step& step) const {
  std::vector<int> shifts;
  shifts.reserve(step.pairs());
  if (contents_ == Contents::none) return std::vector<int>(step.pairs(), 0);
  for (int p = 0; p < step.pairs(); ++p) {
    const auto [w1, w2] = windows(step, p);
    shifts.push_back(w1.offset_x - w2.offset_x);
  }
  return shifts;
}

// A rank of beam 1 receives the charges of beam 2 that overlap with its rows; a rank of beam 2
// sends its own charges.
exchange::Work StrongStrong::exchange_charges(const Step& step, const std::vector<int>& own) {
  exchange::ExchangePointer exchange = plan_.luminosity(step, window_shifts(step));
  if (!groups_.holds(0)) {
    MeshValues& ours = ip_.planes == 2 ? effective_[1] : charge_[1];
    const exchange::ItemBuffer buffer = ours.exchanged(plane_size());
    return {std::move(exchange), buffer, buffer};
  }
  if (real()) {
    overlap_.reserve(step.pairs() * plane_size());
    rho_[1].assign(step.pairs(), nullptr);
    for (const int p : own) rho_[1][p] = overlap_.data() + p * plane_size();
  }
  const exchange::ItemBuffer theirs = overlap_.exchanged(plane_size());
  return {std::move(exchange), theirs, theirs};
}

void StrongStrong::overlap(const Step& step, Listener& listener) {
  std::vector<int> all(static_cast<std::size_t>(step.pairs()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> own = plan_.own_pairs(step, plan_.own_beam(), all);
  const double cells = static_cast<double>(own.size()) * static_cast<double>(plane_size()) /
                       plan_.division().shape(plan_.own_beam()).pcol;
  listener.kernel(effective_charge_card(mesh_.ny), ip_.planes == 2 ? cells : 0.0, [&] {
    for (int b = 0; b < 2; ++b) {
      if (!groups_.holds(b)) continue;
      rho_[b].assign(all.size(), nullptr);
      if (ip_.planes == 1)
        for (const int p : own) rho_[b][p] = charge_[b].data() + p * pair_size();
    }
    if (ip_.planes == 2) effective_charges(step, own);
  });
  if (groups_.divided()) {
    if (ip_.planes == 2 && !groups_.holds(0)) to_host(effective_[1], all, listener);
    listener.start(exchange::common_channel,
                   [&](exchange::Works& works) { works.push_back(exchange_charges(step, own)); });
    listener.finish(exchange::common_channel);
    if (groups_.holds(0)) to_device(overlap_, all, listener);
  }
  if (!groups_.holds(0)) return;
  listener.kernel(overlap_card(mesh_.ny), cells, [&] { sum_overlaps(step, own); });
}

void StrongStrong::effective_charges(const Step& step, const std::vector<int>& own) {
  std::vector<EffectiveCharge> todo;
  for (int b = 0; b < 2; ++b) {
    if (!groups_.holds(b)) continue;
    effective_[b].reserve(most_pairs(ip_.slices) * plane_size());
    for (const int p : own) {
      todo.push_back(effective_charge(step, b, p));
      rho_[b][p] = todo.back().out;
    }
  }
  // If a rank has both beams, its rows are the same for both.
  const auto [first, last] = plan_.division().rows(plan_.own_beam(), plan_.division().row());
  if (device_ != nullptr) return device_->effective_charges(todo, first, last);
  parallel::for_tasks(static_cast<int>(todo.size()), threads_, [&, first, last](int i, int) {
    std::vector<double> scratch(4 * static_cast<std::size_t>(mesh_.ny));
    for (int row = first; row < last; ++row) todo[i].row(row, scratch.data());
  });
}

void StrongStrong::sum_overlaps(const Step& step, const std::vector<int>& own) {
  std::vector<Overlap> todo;
  todo.reserve(own.size());
  for (const int p : own) todo.push_back(overlap_of(step, p));
  if (device_ != nullptr) return device_->add_overlaps(todo, overlap_grid_);
  parallel::for_tasks(static_cast<int>(todo.size()), threads_, [&](int i, int) {
    numerics::OrderFreeSum sum;
    for (int row = todo[i].first; row < todo[i].last; ++row) {
      double terms[Overlap::terms] = {};
      todo[i].add_terms(row, 0, terms);
      for (const double term : terms) sum.add(term, overlap_grid_);
    }
    overlap_sums_[2 * todo[i].place] = sum.high;
    overlap_sums_[2 * todo[i].place + 1] = sum.low;
  });
}

void StrongStrong::finish_luminosity(Listener& listener) {
  if (!ip_.luminosity) return;
  if (device_ != nullptr && real()) device_->take_overlaps(overlap_sums_);
  if (groups_.divided()) listener.sum("luminosity_sum", overlap_sums_);
  const auto pairs = static_cast<std::int64_t>(pairs_in_all(ip_.slices));
  listener.kernel(overlap_factor_card(), static_cast<double>(pairs), [&] {
    const OverlapFactor factor(*beams_, ip_.planes);
    parallel::for_blocks(pairs, threads_, [&](std::int64_t begin, int count, int) {
      for (std::int64_t i = begin; i < begin + count; ++i)
        result_->pair_luminosity[i] = pair_luminosity(i, factor);
    });
    for (const double value : result_->pair_luminosity) result_->luminosity += value;
  });
}

// The luminosity of pair i, in [slice of beam 1][slice of beam 2], from the sum of its overlap.
double StrongStrong::pair_luminosity(std::int64_t i, const OverlapFactor& factor) const {
  const int slice_1 = static_cast<int>(i / ip_.slices[1]);
  const int slice_2 = static_cast<int>(i % ip_.slices[1]);
  const field::Mesh mesh = mesh_.of_pair(slice_1, slice_2, overlap_level(slice_1, slice_2));
  const double hx = mesh.hx, hy = mesh.hy;
  const double spread = weights_spread(ip_.weighting);
  return (overlap_sums_[2 * i] + overlap_sums_[2 * i + 1]) * (*beams_)[0].per_macroparticle *
         (*beams_)[1].per_macroparticle / (hx * hy) *
         factor.of(slice_1, slice_2, spread * hx * hx, spread * hy * hy);
}

}  // namespace phasewise::collision

// Luminosity of each pair of slices from the overlap of their charges on the mesh: N1 N2 ∫ρ1 ρ2
// dx dy, in the boosted frame, where the beams move head-on (the number of events does not depend
// on the frame), corrected for what the mesh smears.
#include "collision/luminosity.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "collision/overlap_factor.hpp"
#include "collision/strong_strong.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

parallel::KernelCard effective_charge_card(int ny) {
  return {.name = "luminosity", .flops = 3.0, .bytes = 24.0, .vectorised = true, .trip = 1.0 * ny};
}

parallel::KernelCard overlap_card(int ny) {
  return {.name = "luminosity", .flops = 2.0, .bytes = 16.0, .vectorised = true, .trip = 1.0 * ny};
}

// The coarsest level of the meshes on which the charges of a pair lie.
int StrongStrong::overlap_level(int slice_1, int slice_2) const {
  int level = std::numeric_limits<int>::max();
  for (int plane = 0; plane < ip_.planes; ++plane)
    level = std::min({level, mesh_.levels.of(0, slice_1, slice_2 + plane),
                      mesh_.levels.of(1, slice_2, slice_1 + plane)});
  return level;
}

// The charge of a pair where the slice meets the centroid of the opposing one: its only plane, or
// the interpolation between its two planes. Only this rank's rows are computed.
double* StrongStrong::effective_charge(const Step& step, int beam, int p) {
  double* at_head = charge_[beam].data() + p * pair_size();
  if (ip_.planes == 1) return at_head;
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  const int own = step.own(beam, p), other = step.other(beam, p);
  const double t = place_between_planes(opposing, other);
  const double* at_tail = at_head + plane_size();
  double* out = effective_[beam].data() + p * plane_size();
  const int to = overlap_level(step.own(0, p), step.own(1, p));
  const int head_level = mesh_.levels.of(beam, own, other);
  const int tail_level = mesh_.levels.of(beam, own, other + 1);
  const auto [first, last] = plan_.division().rows(beam, plan_.division().row());
  const std::int64_t ny = mesh_.ny;
  const Coarsening coarsening = mesh_.levels.coarsening();
  std::vector<double> scratch(4 * ny);
  for (std::int64_t row = first * ny; row < last * ny; row += ny) {
    const double* h = coarsening.coarsened(at_head + row, head_level, to, scratch.data());
    const double* l = coarsening.coarsened(at_tail + row, tail_level, to, &scratch[2 * ny]);
    for (int j = 0; j < ny; ++j) out[row + j] = l[j] + t * (h[j] - l[j]);
  }
  return out;
}

// Sum over this rank's nodes that both windows contain. A row is summed as four partial sums in a
// fixed order; the rows may be added in any order.
numerics::OrderFreeSum StrongStrong::overlap_sum(const Step& step, int p, const double* rho1,
                                                 const double* rho2) const {
  const field::Window& w1 = mesh_.window[0][step.own(0, p)];
  const field::Window& w2 = mesh_.window[1][step.own(1, p)];
  const int dx = w1.offset_x - w2.offset_x, dy = w1.offset_y - w2.offset_y;
  const int nx = mesh_.nx, ny = mesh_.ny;
  const int j0 = std::max(0, -dy), j1 = std::min(ny, ny - dy);
  const auto [first, last] = plan_.division().rows(0, plan_.division().row());
  numerics::OrderFreeSum result;
  for (int i = std::max(first, -dx); i < std::min(last, nx - dx); ++i) {
    const double* a = rho1 + static_cast<std::int64_t>(i) * ny;
    const double* b = rho2 + static_cast<std::int64_t>(i + dx) * ny + dy;
    double sum[4] = {};
    for (int j = j0; j < j1; j += 4)
      for (int c = 0; c < std::min(4, j1 - j); ++c) sum[c] += a[j + c] * b[j + c];
    result.add((sum[0] + sum[1]) + (sum[2] + sum[3]), overlap_grid_);
  }
  return result;
}

std::vector<int> StrongStrong::window_shifts(const Step& step) const {
  std::vector<int> shifts;
  shifts.reserve(step.pairs());
  if (contents_ == Contents::none) return std::vector<int>(step.pairs(), 0);
  for (int p = 0; p < step.pairs(); ++p)
    shifts.push_back(mesh_.window[0][step.own(0, p)].offset_x -
                     mesh_.window[1][step.own(1, p)].offset_x);
  return shifts;
}

// A rank of beam 1 receives the charges of beam 2 that overlap with its rows; a rank of beam 2
// sends its own.
comm::Work StrongStrong::exchange_charges(const Step& step, const std::vector<int>& own) {
  double* theirs = nullptr;
  double* ours = nullptr;
  if (real() && groups_.holds(0)) {
    overlap_.reserve(step.pairs() * plane_size());
    theirs = overlap_.data();
    rho_[1].assign(step.pairs(), nullptr);
    for (const int p : own) rho_[1][p] = theirs + p * plane_size();
  } else if (real()) {
    ours = ip_.planes == 2 ? effective_[1].data() : charge_[1].data();
    theirs = ours;
  }
  const comm::ItemBuffer from{ours, plane_size()}, to{theirs, plane_size()};
  return {plan_.luminosity(step, window_shifts(step)), from, to};
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
      if (ip_.planes == 2) effective_[b].reserve(most_pairs(ip_.slices) * plane_size());
      rho_[b].assign(all.size(), nullptr);
      parallel::for_tasks(static_cast<int>(own.size()), threads_,
                          [&](int i, int) { rho_[b][own[i]] = effective_charge(step, b, own[i]); });
    }
  });
  if (groups_.divided()) {
    listener.start(comm::common_channel,
                   [&](comm::Works& works) { works.push_back(exchange_charges(step, own)); });
    listener.finish(comm::common_channel);
  }
  if (!groups_.holds(0)) return;
  listener.kernel(overlap_card(mesh_.ny), cells, [&] {
    parallel::for_tasks(static_cast<int>(own.size()), threads_, [&](int i, int) {
      const int p = own[i];
      const std::size_t at = step.place(p);
      const numerics::OrderFreeSum sum = overlap_sum(step, p, rho_[0][p], rho_[1][p]);
      overlap_sums_[2 * at] = sum.high;
      overlap_sums_[2 * at + 1] = sum.low;
    });
  });
}

void StrongStrong::finish_luminosity(Listener& listener) {
  if (!ip_.luminosity) return;
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

// From the overlap's sum of pair i, in [slice of beam 1][slice of beam 2].
double StrongStrong::pair_luminosity(std::int64_t i, const OverlapFactor& factor) const {
  const int slice_1 = static_cast<int>(i / ip_.slices[1]);
  const int slice_2 = static_cast<int>(i % ip_.slices[1]);
  const double hx = mesh_.hx, hy = mesh_.levels.mesh(overlap_level(slice_1, slice_2)).hy;
  const double spread = weights_spread(ip_.weighting);
  return (overlap_sums_[2 * i] + overlap_sums_[2 * i + 1]) * (*beams_)[0].per_macroparticle *
         (*beams_)[1].per_macroparticle / (hx * hy) *
         factor.of(slice_1, slice_2, spread * hx * hx, spread * hy * hy);
}

}  // namespace phasewise::collision

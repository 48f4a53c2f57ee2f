// Luminosity of each pair of slices from the overlap of their charges on the mesh: N1 N2 ∫ρ1 ρ2
// dx dy, in the boosted frame, where the beams move head-on (the number of events does not depend
// on the frame), less what the mesh has smeared.
#include "collision/luminosity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "collision/passage.hpp"
#include "collision/slice_moments.hpp"
#include "collision/strong_strong.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

parallel::KernelCard effective_charge_card() {
  return {.name = "luminosity", .flops = 3.0, .bytes = 24.0, .vectorised = true};
}

parallel::KernelCard overlap_card() {
  return {.name = "luminosity", .flops = 8.0, .bytes = 16.0, .vectorised = true};
}

namespace {

// Of a slice's centroid, between its tail (0) and its head (1).
double place_between_planes(const beam::SliceCuts& cuts, int slice) {
  const double head = cuts.plane[slice], tail = cuts.plane[slice + 1];
  return head > tail ? (cuts.z[slice] - tail) / (head - tail) : 0.0;
}

// What is missing from the luminosity of two slices [1/m²] because each charge was interpolated
// between its two planes, where the beams are wider apart from the waist: for Gaussian slices of
// the beams' moments, the overlap where their centroids meet minus that of the interpolated
// charges.
double lost_between_planes(const std::array<CollidingBeam, 2>& beams, int slice_1, int slice_2) {
  const std::array<int, 2> slice{slice_1, slice_2};
  std::array<GaussianSlice, 2> shape;
  std::array<std::array<double, 2>, 2> s, weight;  // of each beam on its head and tail plane
  double particles = 1.0;
  for (int b = 0; b < 2; ++b) {
    const beam::SliceCuts& opposing = beams[1 - b].cuts;
    const int other = slice[1 - b];
    shape[b] = typical_slice(beams[b], slice[b]);
    const double t = place_between_planes(opposing, other);
    weight[b] = {t, 1.0 - t};
    for (int plane = 0; plane < 2; ++plane)
      s[b][plane] = meeting_distance(shape[b].z, opposing.plane[other + plane]);
    particles *=
        beams[b].cuts.share[slice[b]] * beams[b].moments.particles * beams[b].per_macroparticle;
  }
  const double where = meeting_distance(shape[0].z, shape[1].z);
  double lost = overlap(shape[0], where, shape[1], -where);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      lost -= weight[0][i] * weight[1][j] * overlap(shape[0], s[0][i], shape[1], s[1][j]);
  return particles * lost;
}

}  // namespace

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
  std::vector<double> scratch(4 * ny);
  for (std::int64_t row = first * ny; row < last * ny; row += ny) {
    const double* h = mesh_.levels.coarsened(at_head + row, head_level, to, scratch.data());
    const double* l = mesh_.levels.coarsened(at_tail + row, tail_level, to, &scratch[2 * ny]);
    for (int j = 0; j < ny; ++j) out[row + j] = l[j] + t * (h[j] - l[j]);
  }
  return out;
}

// Sum over this rank's nodes that both windows contain, of charge 1 times charge 2 as it would be
// without the mesh: weights spread each charge by a variance v = spread·h² in each direction, hence
// their overlap C(d), by the distance d of the beams, to C + v ∇²C (Hockney, Eastwood, chapter 5);
// charge 2 therefore enters as ρ - spread·δ²ρ, δ² the sum of second differences of both directions.
// A row is summed as four partial sums in a fixed order; the rows may be added in any order.
numerics::OrderFreeSum StrongStrong::overlap_sum(const Step& step, int p, const double* rho1,
                                                 const double* rho2) const {
  const field::Window& w1 = mesh_.window[0][step.own(0, p)];
  const field::Window& w2 = mesh_.window[1][step.own(1, p)];
  const int dx = w1.offset_x - w2.offset_x, dy = w1.offset_y - w2.offset_y;
  const int nx = mesh_.nx, ny = mesh_.ny;
  const int j0 = std::max(0, -dy), j1 = std::min(ny, ny - dy);
  const double spread = weights_spread(ip_.weighting);
  // With one more node, which is 0, on each side.
  std::vector<double> zeros(ny + 2, 0.0), middle(ny + 2, 0.0), sharp(ny);
  const auto row_of = [&](int i) {
    return i >= 0 && i < nx ? rho2 + static_cast<std::int64_t>(i) * ny : zeros.data();
  };
  const auto [first, last] = plan_.division().rows(0, plan_.division().row());
  numerics::OrderFreeSum result;
  for (int i = std::max(first, -dx); i < std::min(last, nx - dx); ++i) {
    const double* a = rho1 + static_cast<std::int64_t>(i) * ny;
    const double *before = row_of(i + dx - 1), *after = row_of(i + dx + 1);
    std::copy_n(row_of(i + dx), ny, middle.data() + 1);
    const double* m = middle.data();
    for (int j = 0; j < ny; ++j)
      sharp[j] =
          (1.0 + 4.0 * spread) * m[j + 1] - spread * ((m[j] + m[j + 2]) + (before[j] + after[j]));
    const double* b = sharp.data() + dy;
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
  listener.kernel(effective_charge_card(), ip_.planes == 2 ? cells : 0.0, [&] {
    for (int b = 0; b < 2; ++b) {
      if (!groups_.holds(b)) continue;
      if (ip_.planes == 2) effective_[b].reserve(most_pairs(ip_.slices) * plane_size());
      rho_[b].assign(all.size(), nullptr);
      parallel::for_tasks(static_cast<int>(own.size()), threads_,
                          [&](int i, int) { rho_[b][own[i]] = effective_charge(step, b, own[i]); });
    }
  });
  if (groups_.divided()) {
    listener.start(comm::common_channel, [&] { return std::vector{exchange_charges(step, own)}; });
    listener.finish(comm::common_channel);
  }
  if (!groups_.holds(0)) return;
  listener.kernel(overlap_card(), cells, [&] {
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
  if (contents_ == Contents::none) return;
  const double scale =
      (*beams_)[0].per_macroparticle * (*beams_)[1].per_macroparticle / (mesh_.hx * mesh_.hy);
  for (std::size_t i = 0; i < result_->pair_luminosity.size(); ++i) {
    const int slice_1 = static_cast<int>(i) / ip_.slices[1],
              slice_2 = static_cast<int>(i) % ip_.slices[1];
    const double finer = std::ldexp(scale, overlap_level(slice_1, slice_2));
    result_->pair_luminosity[i] = (overlap_sums_[2 * i] + overlap_sums_[2 * i + 1]) * finer;
    if (ip_.planes == 2)
      result_->pair_luminosity[i] += lost_between_planes(*beams_, slice_1, slice_2);
    result_->luminosity += result_->pair_luminosity[i];
  }
}

}  // namespace phasewise::collision

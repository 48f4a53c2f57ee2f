// Luminosity of each pair of slices from the overlap of their charges on the lattice: N1 N2 ∫ρ1 ρ2
// dx dy, in the boosted frame, where the beams move head-on (the number of events does not depend
// on the frame).
#include <algorithm>

#include "collision/strong_strong.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

// Charges of this rank's pairs where each slice meets the centroid of the opposing one: the plane
// itself, or between the two planes.
std::vector<double*> StrongStrong::effective_charges(const Step& step, int beam) {
  const auto [begin, end] = groups_.my_share(beam, step.pairs());
  const int count = end - begin;
  std::vector<double*> result(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result[i] = charge_[beam].data() + i * pair_size();
  if (ip_.planes == 1) return result;
  effective_[beam].reserve(count * plane_size());
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  const int first = begin;
  parallel::for_tasks(count, threads_, [&](int i, int) {
    const int other = step.other(beam, first + i);
    const double head = opposing.plane[other], tail = opposing.plane[other + 1];
    const double t = head > tail ? (opposing.z[other] - tail) / (head - tail) : 0.0;
    const double* at_head = result[i];
    const double* at_tail = at_head + plane_size();
    double* out = effective_[beam].data() + i * plane_size();
    for (std::int64_t k = 0; k < plane_size(); ++k)
      out[k] = at_tail[k] + t * (at_head[k] - at_tail[k]);
    result[i] = out;
  });
  return result;
}

// Sum over the nodes that both windows have; four partial sums in a fixed order.
double StrongStrong::overlap_sum(const Step& step, int p, const double* rho1,
                                 const double* rho2) const {
  const field::Window& w1 = mesh_.window[0][step.own(0, p)];
  const field::Window& w2 = mesh_.window[1][step.own(1, p)];
  const int dx = w1.offset_x - w2.offset_x, dy = w1.offset_y - w2.offset_y;
  const int nx = mesh_.lattice.nx, ny = mesh_.lattice.ny;
  const int j0 = std::max(0, -dy), j1 = std::min(ny, ny - dy);
  double sum[4] = {};
  for (int i = std::max(0, -dx); i < std::min(nx, nx - dx); ++i) {
    const double* a = rho1 + static_cast<std::int64_t>(i) * ny;
    const double* b = rho2 + static_cast<std::int64_t>(i + dx) * ny + dy;
    for (int j = j0; j < j1; j += 4)
      for (int c = 0; c < std::min(4, j1 - j); ++c) sum[c] += a[j + c] * b[j + c];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void StrongStrong::overlap(const Step& step) {
  const int pairs = step.pairs(), begin1 = groups_.my_share(0, pairs).first,
            begin2 = groups_.my_share(1, pairs).first;
  const std::vector<double*> rho1 = effective_charges(step, 0);
  std::vector<double*> rho2 = effective_charges(step, 1);
  if (groups_.divided()) {
    std::vector<comm::Message> sends, receives;
    for (std::size_t i = 0; i < rho2.size(); ++i)
      sends.push_back(
          {groups_.owner(0, pairs, begin2 + static_cast<int>(i)), rho2[i], plane_size()});
    rho2.resize(rho1.size());
    overlap_.reserve(std::ssize(rho1) * plane_size());
    for (std::size_t i = 0; i < rho1.size(); ++i) {
      rho2[i] = overlap_.data() + static_cast<std::int64_t>(i) * plane_size();
      receives.push_back(
          {groups_.owner(1, pairs, begin1 + static_cast<int>(i)), rho2[i], plane_size()});
    }
    groups_.world().exchange("luminosity", sends, receives);
  }
  const int count = static_cast<int>(rho1.size());
  times_.run("luminosity", count * static_cast<double>(plane_size()), 2.0, 16.0, [&] {
    parallel::for_tasks(count, threads_, [&](int i, int) {
      const int p = begin1 + i;
      const std::size_t at = static_cast<std::size_t>(step.own(0, p)) * ip_.slices + step.own(1, p);
      result_.pair_luminosity[at] = overlap_sum(step, p, rho1[i], rho2[i]);
    });
  });
}

void StrongStrong::finish_luminosity() {
  if (groups_.divided()) groups_.world().sum("luminosity", result_.pair_luminosity);
  const double scale = (*beams_)[0].per_macroparticle * (*beams_)[1].per_macroparticle /
                       (mesh_.lattice.hx * mesh_.lattice.hy);
  for (double& value : result_.pair_luminosity) {
    value *= scale;
    result_.luminosity += value;
  }
}

SliceField StrongStrong::assemble(const Values& charge, const Values& potential,
                                  const field::Window& window) const {
  const field::Lattice& lattice = mesh_.lattice;
  const field::WindowFrame frame(lattice, window);
  SliceField result;
  for (int i = 0; i < lattice.nx; ++i) result.x.push_back(frame.x0 + i * lattice.hx);
  for (int j = 0; j < lattice.ny; ++j) result.y.push_back(frame.y0 + j * lattice.hy);
  result.charge.assign(charge.data(), charge.data() + charge.size());
  result.potential.assign(potential.data(), potential.data() + potential.size());
  Values nodes(2 * lattice.nodes());
  prepare_nodes(Weighting::cic, 1, potential.data(), potential.data(), lattice, 1.0, nodes.data(),
                nullptr, 0, lattice.nx);
  for (std::int64_t at = 0; at < lattice.nodes(); ++at) {
    result.ex.push_back(nodes[2 * at]);
    result.ey.push_back(nodes[2 * at + 1]);
  }
  return result;
}

}  // namespace phasewise::collision

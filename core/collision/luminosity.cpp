// Luminosity of each pair of slices from the overlap of their charges on the lattice: N1 N2 ∫ρ1 ρ2
// dx dy, in the boosted frame, where the beams move head-on (the number of events does not depend
// on the frame).
#include <algorithm>

#include "collision/strong_strong.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

// Charge of a slice where it meets the centroid of the opposing one: the plane itself, or between
// the two planes.
void StrongStrong::effective_charge(const Step& step, int beam, int p, const double* planes,
                                    double* out) const {
  if (ip_.planes == 1) {
    std::copy_n(planes, plane_size(), out);
    return;
  }
  const beam::SliceCuts& opposing = (*beams_)[1 - beam].cuts;
  const int other = step.other(beam, p);
  const double head = opposing.plane[other], tail = opposing.plane[other + 1];
  const double t = head > tail ? (opposing.z[other] - tail) / (head - tail) : 0.0;
  for (std::int64_t i = 0; i < plane_size(); ++i)
    out[i] = planes[plane_size() + i] + t * (planes[i] - planes[plane_size() + i]);
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
  const int pairs = step.pairs();
  const std::pair<int, int> first = groups_.my_share(0, pairs), second = groups_.my_share(1, pairs);
  const int begin1 = first.first, count1 = first.second - begin1;
  const int begin2 = second.first, count2 = second.second - begin2;
  std::vector<comm::Message> sends, receives;
  overlap_.reserve(std::max(count1, count2) * plane_size());
  parallel::for_tasks(count2, threads_, [&](int i, int) {
    effective_charge(step, 1, begin2 + i, charge_[1].data() + i * pair_size(),
                     overlap_.data() + i * plane_size());
  });
  if (groups_.divided()) {
    for (int p = begin2; p < begin2 + count2; ++p)
      sends.push_back({groups_.owner(0, pairs, p), overlap_.data() + (p - begin2) * plane_size(),
                       plane_size()});
    for (int p = begin1; p < begin1 + count1; ++p)
      receives.push_back({groups_.owner(1, pairs, p), overlap_.data() + (p - begin1) * plane_size(),
                          plane_size()});
    groups_.world().exchange("luminosity", sends, receives);
  }
  times_.run("luminosity", count1 * static_cast<double>(plane_size()), 2.0, 16.0, [&] {
    parallel::for_tasks(count1, threads_, [&](int i, int) {
      const int p = begin1 + i;
      double* planes = charge_[0].data() + i * pair_size();
      parallel::Buffer<double> rho1(plane_size());
      effective_charge(step, 0, p, planes, rho1.data());
      const std::size_t at = static_cast<std::size_t>(step.own(0, p)) * ip_.slices + step.own(1, p);
      result_.pair_luminosity[at] =
          overlap_sum(step, p, rho1.data(), overlap_.data() + i * plane_size());
    });
  });
}

void StrongStrong::finish_luminosity() {
  if (groups_.divided()) groups_.world().sum("luminosity", result_.pair_luminosity);
  const double scale =
      (*beams_)[0].population * (*beams_)[1].population / (mesh_.lattice.hx * mesh_.lattice.hy);
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

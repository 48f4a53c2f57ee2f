// The loops of a sweep over one pencil, or over as many as a vector has lanes.
#pragma once

#include <algorithm>

#include "hydro/remap.hpp"
#include "hydro/steepening.hpp"

namespace phasewise::hydro {

template <class V>
PHASEWISE_HD void solve_newton_8(const PencilWork<V>& work, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    TwoShocks<V> face = riemann_problem(work, i);
    for (int step = 0; step < 8; ++step) face.step();
    set_face(work, i, face.state());
  }
}

// Each lane stops where it has converged. `steps` counts those of each lane.
template <class V>
PHASEWISE_HD void solve_converged(const PencilWork<V>& work, int begin, int end, V& steps) {
  const V none{}, one = none + 1.0;
  for (int i = begin; i < end; ++i) {
    TwoShocks<V> face = riemann_problem(work, i);
    auto active = none == none;
    for (int step = 0; step < most_newton_steps && any(active); ++step) {
      TwoShocks<V> next = face;
      const V change = next.step();
      face.take(next, active);
      steps = steps + (active ? one : none);
      active = active & (magnitude(change) > converged_change * next.pressure());
    }
    set_face(work, i, face.state());
  }
}

// How far the loops of a pencil have come. Each finds what it needs of its neighbours, since it
// stays behind the loop before.
template <Shape shape, class V>
class PencilLoops {
 public:
  PencilLoops(const PencilWork<V>& work, Riemann riemann, bool low_wall, bool high_wall)
      : work_(work), riemann_(riemann), low_wall_(low_wall), high_wall_(high_wall) {}

  // Zones are swept until `write(i, state)` has got the last one. `block`: how many zones a loop
  // takes before the next loop follows it.
  template <class Write>
  void run(int block, Write&& write) {
    const int n = work_.tables.zones, last = n + 5;
    int done = -5;
    for (int next = std::min(done + block, last); done < last;
         done = next, next = std::min(next + block, last)) {
      for (int i = done; i < next; ++i) find_slope(work_, i);
      for (int i = std::max(done - 1, -4); i < next - 1; ++i) find_states<shape>(work_, i);
      solve(std::max(done - 1, -3), next - 1);
      for (int i = std::max(done - 2, -3); i < next - 2; ++i) move_zone<shape>(work_, i);
      for (int i = std::max(done - 2, -2); i < next - 2; ++i) find_inverse_sum(work_, i);
      for (int i = std::max(done - 3, -2); i < next - 3; ++i) find_moved_slope(work_, i);
      for (int i = std::max(done - 4, -1); i < next - 4; ++i) remap(i, write);
    }
  }

  V steps{};

 private:
  // A wall has the mirrored state behind it, also where the geometry beyond it is another one.
  void mirror(V* const* from, V* const* to, int face, int from_zone, int to_zone) {
    for (int q = 0; q < characteristic; ++q)
      to[q][face] = q == normal ? -from[q][face] : from[q][face];
    work_.rows.impedance[to_zone] = work_.rows.impedance[from_zone];
  }

  void solve(int begin, int end) {
    const int n = work_.tables.zones;
    PencilRows<V>& rows = work_.rows;
    if (low_wall_ && begin <= 0 && 0 < end) mirror(rows.right, rows.left, 0, 0, -1);
    if (high_wall_ && begin <= n && n < end) mirror(rows.left, rows.right, n, n - 1, n);
    if (riemann_ == Riemann::newton_8)
      solve_newton_8(work_, begin, end);
    else
      solve_converged(work_, begin, end, steps);
  }

  // Makes the parabolas of zone i, and with them what crosses face i; then zone i - 1 is complete.
  template <class Write>
  PHASEWISE_HD void remap(int i, Write&& write) {
    V high_edge[quantities];
    if (i == -1) find_moved_edges(work_, i, low_edge_);
    find_moved_edges(work_, i + 1, high_edge);
    Parabola<V> parabola[quantities];
    const V steepness = steepness_left(work_, i);
    V left_edge = low_edge_[field::density], right_edge = high_edge[field::density];
    steepen(work_, i, left_edge, right_edge);
    parabola[field::density] =
        monotone(left_edge, work_.rows.moved[field::density][i], right_edge, steepness);
    for (int q = 1; q < quantities; ++q)
      parabola[q] = monotone(low_edge_[q], work_.rows.moved[q][i], high_edge[q], steepness);
    if (i >= 0) {
      const Crossing<V> high = crossing<shape>(work_, i, before_, parabola);
      if (i >= 1) {
        V state[quantities];
        remap_zone<shape>(work_, i - 1, low_, high, state);
        write(i - 1, state);
      }
      low_ = high;
    }
    for (int q = 0; q < quantities; ++q) {
      low_edge_[q] = high_edge[q];
      before_[q] = parabola[q];
    }
  }

  const PencilWork<V>& work_;
  Riemann riemann_;
  bool low_wall_, high_wall_;
  V low_edge_[quantities];
  Parabola<V> before_[quantities];
  Crossing<V> low_;
};

}  // namespace phasewise::hydro

// The loops of a sweep over one pencil, or over as many as a vector has lanes.
#pragma once

#include <algorithm>
#include <utility>

#include "hydro/remap.hpp"

namespace phasewise::hydro {

// Faces whose problems are solved at once, since a step waits long for its roots and its division.
inline constexpr int faces_together = 3;

template <int Count, class V>
PHASEWISE_HD void solve_newton_8(const PencilWork<V>& work, int i) {
  const auto of_faces = [&]<std::size_t... K>(std::index_sequence<K...>) {
    TwoShocks<V> faces[] = {riemann_problem(work, i + static_cast<int>(K))...};
    for (int step = 0; step < 8; ++step) (faces[K].step(), ...);
    (set_face(work, i + static_cast<int>(K), faces[K].state()), ...);
  };
  of_faces(std::make_index_sequence<Count>());
}

// Goes on with the lanes of a face that have not converged after the first step.
template <class V>
PHASEWISE_HD void converge(TwoShocks<V>& face, V change, V& steps) {
  const V none{}, one = none + 1.0;
  auto active = magnitude(change) > converged_change * face.pressure();
  steps = steps + one;
  for (int step = 1; step < most_newton_steps && any(active); ++step) {
    TwoShocks<V> next = face;
    change = next.step();
    face.take(next, active);
    steps = steps + (active ? one : none);
    active = active & (magnitude(change) > converged_change * next.pressure());
  }
}

// Each lane stops where it has converged. `steps` counts those of each lane.
template <int Count, class V>
PHASEWISE_HD void solve_converged(const PencilWork<V>& work, int i, V& steps) {
  const auto of_faces = [&]<std::size_t... K>(std::index_sequence<K...>) {
    TwoShocks<V> faces[] = {riemann_problem(work, i + static_cast<int>(K))...};
    const V changes[] = {faces[K].step()...};
    (converge(faces[K], changes[K], steps), ...);
    (set_face(work, i + static_cast<int>(K), faces[K].state()), ...);
  };
  of_faces(std::make_index_sequence<Count>());
}

// Solves the problems of faces begin to end - 1.
template <class V>
PHASEWISE_HD void solve_faces(const PencilWork<V>& work, Riemann riemann, int begin, int end,
                              V& steps) {
  constexpr int together = lanes_of<V> == 1 ? 1 : faces_together;
  int i = begin;
  if (riemann == Riemann::newton_8) {
    for (; i + together <= end; i += together) solve_newton_8<together>(work, i);
    for (; i < end; ++i) solve_newton_8<1>(work, i);
  } else {
    for (; i + together <= end; i += together) solve_converged<together>(work, i, steps);
    for (; i < end; ++i) solve_converged<1>(work, i, steps);
  }
}

// The loops of a pencil. Each stays so far behind the loop before that it finds what it needs of
// its neighbours.
template <Shape shape, int Moving, class V>
class PencilLoops {
 public:
  PencilLoops(const PencilWork<V>& work, Riemann riemann, bool low_wall, bool high_wall)
      : work_(work), riemann_(riemann), low_wall_(low_wall), high_wall_(high_wall) {}

  // Calls write(i, state) for each zone, and collapsed(i, width) for those whose faces have met.
  template <class Write, class Collapsed>
  void run(Write&& write, Collapsed&& collapsed) {
    PencilRows<V>& rows = work_.rows;
    const int n = work_.tables.zones, last = n + 5;
    rows.restart();
    for (int done = -5; done < last; done += rows.block()) {
      const int next = std::min(done + rows.block(), last);
      rows.begin(done);
      for (int i = done; i < next; ++i) find_slope(work_, i);
      for (int i = std::max(done - 1, -4); i < next - 1; ++i) find_states<shape>(work_, i);
      solve(std::max(done - 1, -3), next - 1);
      for (int i = std::max(done - 2, -3); i < next - 2; ++i) {
        move_zone<shape>(work_, i);
        if (any(rows.width[i] <= V{})) collapsed(i, rows.width[i]);
      }
      for (int i = std::max(done - 2, -2); i < next - 2; ++i) find_inverse_sum(work_, i);
      for (int i = std::max(done - 3, -2); i < next - 3; ++i) find_moved_slope<Moving>(work_, i);
      remap(std::max(done - 4, -1), next - 4, write);
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
    solve_faces(work_, riemann_, begin, end, steps);
  }

  template <class Write>
  PHASEWISE_HD void remap(int begin, int end, Write&& write) {
    RemapCarry<Moving, V> carry = carry_;
    if (begin == -1 && begin < end) begin_remap(work_, begin, carry);
    for (int i = begin; i < end; ++i) remap_step<shape>(work_, i, carry, write);
    carry_ = carry;
  }

  const PencilWork<V>& work_;
  Riemann riemann_;
  bool low_wall_, high_wall_;
  RemapCarry<Moving, V> carry_{};
};

}  // namespace phasewise::hydro

// The route of a message over a torus or a mesh. It includes nothing of the project, since
// machines/platform.cpp, which is compiled against SimGrid alone, uses the same routes.
#pragma once

#include <array>

namespace phasewise::contention {

struct Torus {
  static constexpr int ways = 6;  // links that leave a node: up and down along each axis
  std::array<int, 3> dims{};
  bool wraps = true;  // whether rows are closed to rings; else it is a mesh

  int nodes() const { return dims[0] * dims[1] * dims[2]; }

  // Calls cross(link) for each link on the way; node n has links [ways n, ways (n + 1)). A message
  // goes along x, then y, then z, each time the shorter way around, or the only one. If both are
  // equally long, it goes up from even places and down from odd ones, so that neither way carries
  // all messages. All adapters of a node use the same links.
  template <class Cross>
  void follow(int from, int to, Cross&& cross, int /*out*/ = 0, int /*in*/ = 0) const {
    int at = from;
    for (int axis = 0, stride = 1; axis < 3; stride *= dims[axis++]) {
      const int side = dims[axis];
      int here = at / stride % side;
      const int there = to / stride % side, up = (there - here + side) % side, down = side - up;
      const bool shorter_up = up < down || (up == down && here % 2 == 0);
      const bool goes_up = wraps ? shorter_up : there > here;
      while (here != there) {
        cross(at * ways + 2 * axis + (goes_up ? 0 : 1));
        const int next = (here + (goes_up ? 1 : side - 1)) % side;
        at += (next - here) * stride;
        here = next;
      }
    }
  }
};

}  // namespace phasewise::contention

// Times several versions of the kick of a Gaussian bunch in a box. It prints a line for each
// version, its name and its nanoseconds per particle, and ends with status 1 if two versions
// differ.
//
//   space-charge-kicks NX NY NZ PARTICLES
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "beam/profile.hpp"
#include "beam/sorting.hpp"
#include "field/box_field.hpp"
#include "plain_kicks.hpp"
#include "spacecharge/kernels.hpp"

namespace {

using namespace phasewise;
using kicks::Component;
using kicks::Shape;

constexpr int repetitions = 5;
constexpr double factor = 1e-6;

struct Bench {
  beam::Particles particles;
  field::BoxMesh mesh;
  std::vector<double> potential;
  std::array<Component, 3> components;  // -∂u/∂x, -∂u/∂y, -∂u/∂z
  std::vector<double> expected;         // px + py + δ after the first version, by id
  bool agree = true;

  Bench(const std::array<int, 3>& nodes, std::int64_t count);
  void time(const char* name, const std::function<void(const beam::ParticleView&)>& kick);
  void sort_by_cell();
};

// The potential is u = x²/2 - y z + 3 cos z, which is smooth, in a box of 10 rms of the bunch in
// each direction.
Bench::Bench(const std::array<int, 3>& nodes, std::int64_t count) : particles(count) {
  mesh.n = nodes;
  for (int axis = 0; axis < 3; ++axis) {
    mesh.h[axis] = 10.0 / (nodes[axis] - 1);
    mesh.origin[axis] = -5.0;
  }
  const auto [nx, ny, nz] = nodes;
  const auto place = [&](int axis, int i) { return mesh.origin[axis] + i * mesh.h[axis]; };
  for (int k = 0; k < nz; ++k)
    for (int i = 0; i < nx; ++i)
      for (int j = 0; j < ny; ++j) {
        const double x = place(0, i), y = place(1, j), z = place(2, k);
        potential.push_back(0.5 * x * x - y * z + 3.0 * std::cos(z));
      }
  const std::int64_t steps[3] = {ny, 1, mesh.plane()};
  for (int axis = 0; axis < 3; ++axis) {
    components[axis] = {mesh, std::vector<double>(potential.size(), 0.0)};
    for (std::int64_t at = mesh.plane() + ny + 1; at < mesh.nodes() - mesh.plane() - ny - 1; ++at)
      components[axis].values[at] =
          -(potential[at + steps[axis]] - potential[at - steps[axis]]) / (2.0 * mesh.h[axis]);
  }
  const beam::ParticleView all = particles.view();
  for (std::int64_t i = 0; i < count; ++i) all.id[i] = static_cast<std::uint32_t>(i);
  beam::ProfileDescription bunch;
  bunch.x = bunch.y = {.size = 1.0, .emittance = 1.0};
  bunch.bunch_length = bunch.momentum_spread = 1.0;
  bunch.cut = 4.5;
  beam::fill(all, bunch, 1);
}

void Bench::time(const char* name, const std::function<void(const beam::ParticleView&)>& kick) {
  using Clock = std::chrono::steady_clock;
  const beam::ParticleView p = particles.view();
  std::vector<double> seconds;
  for (int k = 0; k < repetitions; ++k) {
    for (double* momentum : {p.px, p.py, p.delta}) std::fill_n(momentum, p.size, 0.0);
    const auto start = Clock::now();
    kick(p);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  std::printf("%s\t%.3f\n", name, seconds[repetitions / 2] / static_cast<double>(p.size) * 1e9);
  std::vector<double> found(p.size);
  for (std::int64_t i = 0; i < p.size; ++i) found[p.id[i]] = p.px[i] + p.py[i] + p.delta[i];
  if (expected.empty()) expected = found;
  // The terms of these sums are at most of size 30 factor.
  for (std::int64_t i = 0; i < p.size; ++i)
    agree = agree && std::fabs(found[i] - expected[i]) < 1e-11 * factor;
}

void Bench::sort_by_cell() {
  const beam::ParticleView p = particles.view();
  const field::BoxFrame frame(mesh);
  std::vector<std::uint32_t> cell(p.size);
  for (std::int64_t i = 0; i < p.size; ++i)
    cell[i] = static_cast<std::uint32_t>(frame.place(p.x[i], p.y[i], p.z[i]).node);
  beam::sort_into_bins(particles, cell.data(), static_cast<int>(mesh.nodes()), 1);
}

template <class Read>
void one_pass(const Bench& bench, const beam::ParticleView& p, Read&& read) {
  const field::BoxFrame frame(bench.mesh);
  for (std::int64_t i = 0; i < p.size; ++i) {
    const field::BoxField e = read(frame.place(p.x[i], p.y[i], p.z[i]));
    p.px[i] += factor * frame.inverse_hx * e.ex;
    p.py[i] += factor * frame.inverse_hy * e.ey;
    p.delta[i] += factor * frame.inverse_hz * e.ez;
  }
}

// Times Amundson's steps, one after the other.
void time_first_steps(Bench& bench) {
  using kicks::CalledFloor, kicks::FastFloor;
  const auto passes = [&](auto&& field) {
    return [&bench, field](const beam::ParticleView& p) {
      double* momenta[3] = {p.px, p.py, p.delta};
      for (int axis = 0; axis < 3; ++axis)
        kicks::pass(p, momenta[axis], factor, field(bench.components[axis]));
    };
  };
  const auto shaped = [&](auto&& of) {
    return passes([of](const Component& c) {
      return [of, shape = Shape(c)](double x, double y, double z) { return of(shape, x, y, z); };
    });
  };
  bench.time("plain", passes([](const Component& c) {
               return [&c](double x, double y, double z) { return kicks::plain_field(c, x, y, z); };
             }));
  bench.time("shapes hoisted", shaped(kicks::called_field<CalledFloor>));
  bench.time("inlined", shaped([](const Shape& s, double x, double y, double z) {
               return kicks::shaped_field<CalledFloor>(s, x, y, z);
             }));
  const auto fast = shaped([](const Shape& s, double x, double y, double z) {
    return kicks::shaped_field<FastFloor>(s, x, y, z);
  });
  bench.time("fast floor", fast);
  spacecharge::PlaneSort().run(bench.particles, bench.mesh.n[2], 1);
  bench.time("sorted along z", fast);
}

// Times what phasewise does beyond these steps, and what it leaves out because it does not pay.
void time_further_steps(Bench& bench) {
  const int nx = bench.mesh.n[0], ny = bench.mesh.n[1];
  spacecharge::KickCic kick;
  bench.time("one pass over the potential", [&](const beam::ParticleView& p) {
    one_pass(bench, p, [&](const field::BoxPlace& place) {
      return field::box_field(bench.potential.data(), nx, ny, place);
    });
  });
  std::vector<double> differences(4 * bench.mesh.nodes());
  bench.time("differences once for all nodes", [&](const beam::ParticleView& p) {
    for (int k = 1; k < bench.mesh.n[2] - 1; ++k)
      field::difference_plane(bench.potential.data(), bench.mesh, k,
                              differences.data() + 4 * k * bench.mesh.plane());
    one_pass(bench, p, [&](const field::BoxPlace& place) {
      return field::box_field_of_differences(differences.data(), nx, ny, place);
    });
  });
  const auto ours = [&](const beam::ParticleView& p) {
    kick.run(p, bench.mesh, bench.potential.data(), factor, factor, 1);
  };
  bench.time("places with SIMD (phasewise)", ours);
  bench.sort_by_cell();
  bench.time("sorted by cell instead", ours);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "space-charge-kicks NX NY NZ PARTICLES\n");
    return 2;
  }
  Bench bench({std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])}, std::atoll(argv[4]));
  time_first_steps(bench);
  time_further_steps(bench);
  if (!bench.agree) std::fprintf(stderr, "versions differ\n");
  return bench.agree ? 0 : 1;
}

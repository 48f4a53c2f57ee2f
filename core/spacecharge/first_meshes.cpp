#include "spacecharge/first_meshes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "beam/particles.hpp"
#include "spacecharge/kernels.hpp"
#include "spacecharge/linear_force.hpp"
#include "spacecharge/period.hpp"

namespace phasewise::spacecharge {
namespace {

// The sample is as large as this many passages of an element by a particle allow: some hundredths
// of a second.
constexpr double most_passages = 4e6;
constexpr std::int64_t fewest_particles = 1000;

std::int64_t sample_size(const Description& description) {
  double elements = 1.0;
  for (const Stretch& stretch : description.stretches)
    for (const beam::Line& line : stretch.lines) elements += static_cast<double>(line.size());
  const auto affordable = static_cast<std::int64_t>(most_passages / elements);
  return std::min(std::max(affordable, fewest_particles), description.bunch.macroparticles);
}

// Particles of the bunch, evenly spaced in their ids.
beam::Particles sample_of(const Description& description) {
  const std::int64_t size = sample_size(description);
  beam::Particles particles(size);
  const beam::ParticleView all = particles.view();
  for (std::int64_t i = 0; i < size; ++i)
    all.id[i] = static_cast<std::uint32_t>(i * description.bunch.macroparticles / size);
  beam::fill(all, description.profile, description.seed);
  return particles;
}

bool has_size(const Extent& extent) {
  for (int axis = 0; axis < 3; ++axis) {
    const double width = extent.high[axis] - extent.low[axis];
    if (!std::isfinite(width) || !(width > 0.0)) return false;
  }
  return true;
}

}  // namespace

field::BoxMesh mesh_for(const Description& description, Extent extent) {
  field::BoxMesh mesh{.n = description.grid};
  if (description.half_width) {
    mesh = fixed_mesh(*description.half_width, description.grid);
  } else {
    if (description.period) {
      extent.low[2] = -0.5 * *description.period;
      extent.high[2] = 0.5 * *description.period;
    }
    mesh = following_mesh(extent, description.grid, spare_nodes(description.weighting));
  }
  if (description.period) set_period(mesh, *description.period, description.grid[2]);
  return mesh;
}

std::array<double, 3> cells_of(const Description& description, const field::BoxMesh& mesh) {
  return {mesh.h[0], mesh.h[1], description.bunch.gamma() * mesh.h[2]};
}

std::vector<bool> first_meshes(const Description& description) {
  std::vector<bool> needed(static_cast<std::size_t>(description.kicks), false);
  if (needed.empty() || !description.has_mesh()) return needed;
  needed.front() = true;
  if (description.half_width || description.guest) return needed;
  beam::Particles particles = sample_of(description);
  beam::PushContext context{};
  context.seed = description.seed;
  context.beam = static_cast<std::uint32_t>(description.bunch.number);
  std::vector<std::array<double, 3>> made;
  for (std::size_t kick = 0; kick < needed.size(); ++kick) {
    for (const beam::Line& line : description.stretches[kick].lines) {
      line.push(particles.view(), context);
      if (description.apertures > 0) particles.remove_lost();
    }
    if (description.period) wrap(particles.view(), *description.period, 1);
    const Extent extent = extent_of(particles.view(), 1);
    if (particles.size() == 0 || !has_size(extent)) return needed;
    const std::array<double, 3> cells = cells_of(description, mesh_for(description, extent));
    needed[kick] = std::ranges::find(made, cells) == made.end();
    if (needed[kick]) made.push_back(cells);
    kick_by_sizes(particles.view(), description);
  }
  return needed;
}

}  // namespace phasewise::spacecharge

#include "collision/description.hpp"

#include <algorithm>
#include <string>

#include "beam/build_line.hpp"
#include "collision/build_point.hpp"
#include "collision/exchange/build_settings.hpp"
#include "workload/session.hpp"

namespace phasewise::collision {
namespace {

using workload::Parameters;

void read_records(const Parameters& parameters, Description& description) {
  description.moments_order = static_cast<int>(parameters.integer("records.moments_order"));
  if (description.moments_order != 2 && description.moments_order != 4)
    parameters.fail("records.moments_order", "give 2 or 4");
  description.tracked = static_cast<int>(parameters.not_negative("records.tracked"));
  if (parameters.has("records.slices_every"))
    description.slices_every = parameters.integer("records.slices_every");
}

// Whether a plan contains copies between host and device: as the study asks. If the study leaves
// that open it does, unless the device is emulated, since only the library of a run can tell
// whether they are needed.
bool plans_copies(const Parameters& parameters) {
  using workload::Device;
  using workload::DeviceBuffers;
  const Device device = workload::chosen_device(parameters);
  const DeviceBuffers buffers = workload::chosen_device_buffers(parameters);
  if (device == Device::cpu || buffers == DeviceBuffers::direct) return false;
  return buffers == DeviceBuffers::staged || device != Device::emulated;
}

// Whether a plan is that of a GPU. It is for "auto" too: predictions replace that by what the
// machine has, and a plan without a machine cannot know.
bool plans_gpu(const Parameters& parameters) {
  const workload::Device device = workload::chosen_device(parameters);
  return device == workload::Device::cuda || device == workload::Device::automatic;
}

}  // namespace

Description::Description(const Parameters& parameters) {
  seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  read_records(parameters, *this);
  staged = plans_copies(parameters);
  planned_on_gpu = plans_gpu(parameters);
  planned_on_device = workload::chosen_device(parameters) != workload::Device::cpu;
  settings = build_settings(parameters);
  for (int b = 0; b < 2; ++b) bunches[b] = beam::read_bunch(parameters, b + 1);
  const int count = static_cast<int>(parameters.positive("ip.count"));
  for (int ip = 1; ip <= count; ++ip) {
    points.push_back(build_point(parameters, ip));
    std::array<beam::Moments, 2>& moments = design.emplace_back();
    for (int b = 0; b < 2; ++b) {
      moments[b] = design_moments(parameters, b + 1, ip);
      bunches[b].segments.push_back(beam::build_line(parameters, b + 1, ip));
    }
    if (points.back().model == Model::strong_strong && !(is_tracked(0) && is_tracked(1)))
      parameters.fail(
          "ip." + std::to_string(ip) + ".model",
          "both beams must be tracked here, but one is the strong beam of another point");
  }
  for (int b = 0; b < 2; ++b) {
    const auto start = parameters.numbers_or("beam." + std::to_string(b + 1) + ".orbit",
                                             std::vector<double>(orbit[b].size(), 0.0));
    std::ranges::copy(start, orbit[b].begin());
    bunches[b].distribution = beam::build_bunch(parameters, b + 1);
    bunches[b].bucket = beam::find_bucket(bunches[b].segments);
  }
  const workload::Device device = workload::chosen_device(parameters);
  if (loses_by_energy() &&
      (device == workload::Device::cuda || device == workload::Device::emulated))
    parameters.fail("run.device",
                    "beamstrahlung, bhabha and momentum_aperture need a CPU; give \"cpu\"");
}

bool Description::radiates() const {
  return std::ranges::any_of(points, [](const InteractionPoint& point) {
    return point.beamstrahlung != Beamstrahlung::none;
  });
}

bool Description::scatters() const {
  return std::ranges::any_of(points, [](const InteractionPoint& point) { return point.bhabha.on; });
}

bool Description::loses_by_energy() const {
  return radiates() || scatters() ||
         std::ranges::any_of(bunches, [](const beam::BunchConstants& bunch) {
           return bunch.momentum_aperture.has_value();
         });
}

std::vector<ProcessGrid> Description::process_grids(int ranks, const workload::Nodes& nodes) const {
  std::vector<ProcessGrid> grids;
  grids.reserve(points.size());
  for (const InteractionPoint& point : points)
    grids.push_back(build_process_grid(settings, ranks, point.slices, seed, nodes));
  return grids;
}

}  // namespace phasewise::collision

// What changes in time: velocities, temperature and salinity on [component][level][plane], and the
// height of the surface on planes.
#pragma once

#include <utility>

#include "ocean/domain.hpp"

namespace phasewise::ocean {

class Fields {
 public:
  Fields(const Domain& domain, workload::Contents contents) {
    if (contents == workload::Contents::none) return;
    const std::int64_t both = 2 * domain.field(), plane = domain.plane();
    for (auto* flow : {&flow_, &next_flow_, &tendency_}) *flow = zeros(both);
    if (domain.baroclinic())
      for (auto* tracers : {&tracers_, &tracers_before_, &next_tracers_}) *tracers = zeros(both);
    surface_ = zeros(3 * plane);
    surface_before_ = zeros(plane);
    transport_ = zeros(2 * plane);
  }

  // u and v at the corners [m/s], of this timestep and of the next one.
  double* flow() { return flow_.data(); }
  const double* flow() const { return flow_.data(); }
  double* next_flow() { return next_flow_.data(); }
  // Explicit tendencies of both in the timestep before [m/s²].
  double* tendency() { return tendency_.data(); }
  const double* tendency() const { return tendency_.data(); }
  // Temperature [°C] and salinity [psu] of cells; those of the timestep before, which become those
  // in the middle of the coming timestep; and those of the next one.
  double* tracers() { return tracers_.data(); }
  const double* tracers() const { return tracers_.data(); }
  double* tracers_before() { return tracers_before_.data(); }
  const double* tracers_before() const { return tracers_before_.data(); }
  double* next_tracers() { return next_tracers_.data(); }
  // The height of the surface [m], and after it the changes of u and v by its gradient [m/s].
  double* surface() { return surface_.data(); }
  const double* surface() const { return surface_.data(); }
  double* surface_before() { return surface_before_.data(); }
  const double* surface_before() const { return surface_before_.data(); }
  // The depth-integrated flow along x and y that moves the surface [m²/s].
  double* transport() { return transport_.data(); }

  void advance_flow() { std::swap(flow_, next_flow_); }
  void advance_tracers() {
    std::swap(tracers_before_, tracers_);
    std::swap(tracers_, next_tracers_);
  }

 private:
  parallel::Buffer<double> flow_, next_flow_, tendency_, tracers_, tracers_before_, next_tracers_,
      surface_, surface_before_, transport_;
};

}  // namespace phasewise::ocean

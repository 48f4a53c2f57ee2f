// The simulation of a study of colliding beams: both beams, turn after turn.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "collision/workload.hpp"
#include "parallel/clock.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::collision {

class Simulation : public workload::Run {
 public:
  // Collective; throws as device_of does.
  Simulation(const std::shared_ptr<const Collision>& study,
             std::unique_ptr<workload::Session> session);

  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<std::pair<std::string, double>> piece_counts() const override;

  int interaction_points() const { return state_.interaction_points(); }
  beam::Bunch* held_bunch(int number) override {
    return holds(number - 1) ? &bunch(number - 1) : nullptr;
  }
  beam::Bunch& bunch(int beam) { return state_.bunch(beam); }
  const beam::Bunch& bunch(int beam) const { return state_.bunch(beam); }
  bool holds(int beam) const { return state_.groups().holds(beam); }
  // The state of an interaction point after the last collision. It has moments of slices only if
  // the records ask for them in that turn.
  const Turn::Point& point(int ip) const { return state_.point(ip); }
  // The field of a slice (from 0) at the first interaction point, with the beams as they are now.
  // It is empty if the model has no mesh. Collective over the beam's ranks.
  SliceField slice_field(int beam, int slice);
  void exchange_as(const workload::Parameters& parameters) override;
  // Bytes of a device's memory that this process holds; 0 on the CPU.
  std::int64_t device_bytes() {
    return state_.device() == nullptr ? 0 : state_.device()->held_bytes();
  }
  // The number of kernels, copies and other operations that this process has queued on a device so
  // far; 0 on the CPU.
  std::int64_t device_operations() {
    return state_.device() == nullptr ? 0 : state_.device()->operations();
  }
  parallel::Together* together() override {
    DeviceWork* device = state_.device();
    return device == nullptr ? nullptr : &device->together(parallel::clock().now);
  }

 protected:
  void run_turn() override;

 private:
  void add_energy(const TurnRecord::Beam& beam, const std::string& of,
                  std::vector<workload::Value>& to) const;

  const Description& description_;
  comm::Communicator group_;  // the ranks that hold the same beam as this one
  std::vector<workload::Piece> pieces_;
  Turn state_;
  workload::Live live_;
  std::int64_t measurements_ = 0;  // how often slices were measured
};

}  // namespace phasewise::collision

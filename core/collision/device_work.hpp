// What a turn computes on a device: its particles, and the kernels on them and on the meshes, which
// mean the same as their twins on the CPU. All mesh pointers are to the device's memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "beam/bucket.hpp"
#include "beam/line.hpp"
#include "beam/moments.hpp"
#include "beam/slices.hpp"
#include "collision/encounter.hpp"
#include "collision/frame.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/luminosity.hpp"
#include "collision/mesh/kick_nodes.hpp"
#include "collision/slice_moments.hpp"
#include "exchange/memory.hpp"
#include "exchange/region.hpp"
#include "field/doubled_grid.hpp"
#include "field/green_transform.hpp"
#include "parallel/stopwatch.hpp"
#include "parallel/together.hpp"

namespace phasewise::collision {

// Particles [begin, begin + count) of a beam. They are kicked if there is a `kick`, then deposited
// if there is a `target`.
struct EncounterTask {
  int beam;
  std::int64_t begin, count;
  std::optional<KickSource> kick;
  std::optional<ChargeTarget> target;
  int slice = -1, opposing = -1;  // whose particles these are, and by which they are kicked
};

class DevicePoisson {
 public:
  using Complex = numerics::Complex;
  virtual ~DevicePoisson() = default;
  virtual void solve(std::span<const field::MeshToSolve> tasks) = 0;
  // The passes of ColumnSolver, between which a column's processes exchange rows and columns.
  virtual void forward_rows(std::span<const double* const> from, Complex* to) = 0;
  virtual void convolve(Complex* columns, std::span<const field::ColumnToConvolve> with) = 0;
  virtual void backward_rows(const Complex* from, std::span<double* const> to) = 0;
};

class DeviceWork {
 public:
  DeviceWork() = default;
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
  virtual ~DeviceWork() = default;

  // If true, what other ranks need is sent from the device's memory and received into it; else it
  // goes through the host's.
  void exchange_directly(bool directly) { direct_ = directly; }
  bool exchanges_directly() const { return direct_; }
  // The device's memory, as direct exchanges use it.
  virtual std::shared_ptr<exchange::Memory> exchange_memory() = 0;

  // Takes a beam's particles from the host, and gives them back.
  virtual void take(int beam, const beam::ParticleView& from) = 0;
  virtual void give(int beam, const beam::ParticleView& to) = 0;

  // Removes lost particles, finds the bounds of the others and returns their number.
  virtual std::int64_t keep_living(int beam, beam::Bounds& bounds) = 0;
  virtual std::int64_t count_debunched(int beam, const beam::Bucket& bucket) = 0;
  // Adds the particles to the sums. Then, unless `into` is null, takes them into that frame (which
  // may change nothing), and adds them to the histogram.
  virtual void measure_and_enter(int beam, beam::MomentSums& sums, const CollisionFrame* into,
                                 beam::LongitudinalHistogram& bins) = 0;
  // Does what beam::sort_by_slice does.
  virtual std::vector<std::int64_t> sort(int beam, const std::vector<double>& cuts) = 0;
  // Takes the particles back from the collision's frame, unless it is null, and along the line;
  // then does the same as keep_living.
  virtual std::int64_t leave_and_push(int beam, const CollisionFrame* from, const beam::Line& line,
                                      const beam::PushContext& context, beam::Bounds& bounds) = 0;
  // Writes seven numbers for each of the first `count` ids: the coordinates and 1 if the particle
  // lives here.
  virtual void tracked(int beam, int count, double* rows) = 0;

  virtual void find_bounds(int beam, beam::Bounds& bounds) = 0;
  // Writes the sums over a slice, [term][high, low].
  virtual void sum_slice(int beam, std::int64_t begin, std::int64_t count, const SliceSumming& how,
                         double* sums) = 0;
  virtual void gaussian_encounter(int beam, std::int64_t begin, std::int64_t count,
                                  const GaussianSlice& opposing, double kick_scale,
                                  bool longitudinal_kick) = 0;

  virtual double* allocate(std::int64_t values) = 0;
  virtual void release(double* values) = 0;
  virtual void copy_in(double* device, const double* host, std::int64_t values) = 0;
  virtual void copy_out(double* host, const double* device, std::int64_t values) = 0;
  virtual void clear(double* values, std::int64_t count) = 0;

  virtual void encounter(Weighting weighting, Arithmetic arithmetic, int planes,
                         std::span<const EncounterTask> tasks) = 0;
  // How many deposits of a particle on a plane take a further pass over the particles.
  virtual std::int64_t deposits_by_tiles(Weighting weighting,
                                         std::span<const EncounterTask> tasks) const = 0;
  // The number of deposits outside the mesh since the last call, for each beam.
  virtual std::array<std::int64_t, 2> take_outside() = 0;
  virtual void prepare_nodes(std::span<const NodesTask> tasks) = 0;
  // Computes rows [first, last) of each.
  virtual void effective_charges(std::span<const EffectiveCharge> tasks, int first, int last) = 0;
  // The sums of a collision's pairs, [place][high, low].
  virtual void start_overlaps(std::int64_t pairs) = 0;
  virtual void add_overlaps(std::span<const Overlap> tasks,
                            const numerics::OrderFreeGrid& grid) = 0;
  virtual void take_overlaps(std::span<double> sums) = 0;
  virtual std::unique_ptr<DevicePoisson> poisson(const field::DoubledGrid& grid) = 0;
  // The transforms of the device where the CPU takes these.
  virtual field::Transforms transforms(field::Transforms of_cpu) const = 0;

  // Pins memory of the host, which is then copied faster, and unpins it.
  virtual void pin(double* host, std::int64_t values) = 0;
  virtual void unpin(double* host) = 0;

  // All work is queued: a function that returns nothing may still be under way. The stopwatch reads
  // the clock `now` when the work is done.
  virtual std::shared_ptr<parallel::Stopwatch> stopwatch(double (*now)()) = 0;
  // Bytes of the device's memory that this process holds.
  virtual std::int64_t held_bytes() const = 0;
  // The number of kernels, copies and other operations that this process has queued so far.
  virtual std::int64_t operations() const = 0;
  // Lets works share launches; there is one such object for all work on this device.
  virtual parallel::Together& together(double (*now)()) = 0;

 private:
  bool direct_ = false;
};

// Values of a mesh, in the memory where the kernels run: the host's or a device's.
class MeshValues {
 public:
  MeshValues() = default;
  MeshValues(const MeshValues&) = delete;
  MeshValues& operator=(const MeshValues&) = delete;
  ~MeshValues() {
    if (on_ == nullptr) return;
    on_->release(there_);
    unpin();
  }
  // If `device` is null, the values live in the host's memory.
  void live_on(DeviceWork* device) { on_ = device; }
  // The contents are lost, unless the size is already large enough; then this costs nothing.
  void reserve(std::int64_t size) {
    if (on_ == nullptr) return here_.reserve(size);
    if (size <= size_) return;
    on_->release(std::exchange(there_, nullptr));
    there_ = on_->allocate(size);
    size_ = size;
  }
  // The buffer that an exchange with other ranks uses, in items of `item` values: the values
  // themselves, or their copy in the host's memory. It is null if there are no values.
  exchange::ItemBuffer exchanged(std::int64_t item) {
    if (staged()) return {host(), item};
    return {data(), item, on_ != nullptr};
  }
  // The values' copy in the host's memory, or the values themselves if they live there.
  double* host() {
    if (on_ != nullptr && here_.size() < size_) {
      unpin();
      here_.reserve(size_);
      on_->pin(here_.data(), size_);
    }
    return here_.data();
  }
  // The same memory, after waiting until nothing reads it any more.
  double* idle_host() {
    if (on_ != nullptr) on_->exchange_memory()->wait();
    return host();
  }
  // The following two update the host's copy before an exchange, and the values after it; they do
  // nothing where there is no copy.
  void to_host(std::int64_t first, std::int64_t count) {
    if (staged() && count > 0) on_->copy_out(host() + first, there_ + first, count);
  }
  // The host's copy is read until the next copy to the host, or the next wait.
  void to_device(std::int64_t first, std::int64_t count) {
    if (staged() && count > 0) on_->copy_in(there_ + first, host() + first, count);
  }
  double* data() { return on_ == nullptr ? here_.data() : there_; }
  const double* data() const { return on_ == nullptr ? here_.data() : there_; }

 private:
  bool staged() const { return on_ != nullptr && !on_->exchanges_directly(); }
  void unpin() {
    if (here_.size() > 0) on_->unpin(here_.data());
  }

  parallel::Buffer<double> here_;
  DeviceWork* on_ = nullptr;  // null if the values live on the host
  double* there_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace phasewise::collision

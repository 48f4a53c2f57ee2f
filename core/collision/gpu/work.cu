// The kernels of a collision on a device.
#include "collision/device_work.hpp"
#include "collision/gaussian_kick.hpp"
#include "collision/gpu/encounter_work.hpp"
#include "collision/gpu/make_work.hpp"
#include "collision/gpu/particles.hpp"
#include "collision/gpu/poisson.hpp"
#include "gpu/exchange_memory.hpp"
#include "gpu/launch.hpp"
#include "gpu/stopwatch.hpp"
#include "gpu/together.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

using beam::ParticleView;
using platform::Array;

namespace {

template <class E>
void push_element(const E element, const ParticleView& particles, const beam::PushContext context) {
  platform::for_each("arc", particles.size, [=] PHASEWISE_DEVICE(std::int64_t i) {
    beam::Coordinates c = beam::load(particles, i);
    element.push(c, particles.id[i], context);
    beam::store(particles, i, c);
  });
}

// Adds to the high and low parts of each of `terms` sums, in the device's memory.
template <int terms, class Add>
void sum_on_device(const char* name, std::int64_t n, double* sums, const Add& add) {
  platform::reduce<2 * terms, false>(name, n, sums, add);
}

// Adds to the sums of moments [first, first + terms).
template <int order, int first, int terms>
void sum_moments(const ParticleView& p, const numerics::OrderFreeGrid* grid, double* sums) {
  sum_on_device<terms>("moments", p.size, sums + 2 * first,
                       [=] PHASEWISE_DEVICE(std::int64_t i, double* mine) {
                         const double u[6] = {p.x[i], p.px[i], p.y[i], p.py[i], p.z[i], p.delta[i]};
                         beam::each_moment(order, [&](int t, int a, int b, const auto& term) {
                           const int k = t - first;
                           if (k < 0 || k >= terms) return;
                           numerics::OrderFreeSum sum{mine[2 * k], mine[2 * k + 1]};
                           sum.add(term(u[a], u[b]), grid[t]);
                           mine[2 * k] = sum.high;
                           mine[2 * k + 1] = sum.low;
                         });
                       });
}

// Takes several passes, each with so few sums that a thread keeps them in registers and has room
// for its other values.
void sum_moments(int order, const ParticleView& p, const numerics::OrderFreeGrid* grid,
                 double* sums) {
  if (order == 4) {
    sum_moments<4, 0, 13>(p, grid, sums);
    sum_moments<4, 13, 13>(p, grid, sums);
    sum_moments<4, 26, 13>(p, grid, sums);
  } else {
    sum_moments<2, 0, 14>(p, grid, sums);
    sum_moments<2, 14, 13>(p, grid, sums);
  }
}

}  // namespace

class Work final : public DeviceWork {
 public:
  std::shared_ptr<exchange::Memory> exchange_memory() override { return exchange_memory_; }
  void take(int beam, const ParticleView& from) override { particles_[beam].take(from); }
  void give(int beam, const ParticleView& to) override { particles_[beam].give(to); }

  std::int64_t keep_living(int beam, beam::Bounds& bounds) override {
    const ParticleView p = particles_[beam].view();
    counts_.reserve(1);
    counts_.clear(1);
    std::int64_t* lost = counts_.data();
    platform::for_each("losses", p.size, [=] PHASEWISE_DEVICE(std::int64_t i) {
      if (beam::is_finite(beam::load(p, i))) return;
      beam::store(p, i, beam::lost_particle());
      platform::atomic_add(lost, std::int64_t{1});
    });
    std::int64_t found = 0;
    counts_.copy_to(&found, 1);
    if (found > 0) particles_[beam].remove_lost();
    find_bounds(beam, bounds);
    return particles_[beam].size();
  }

  std::int64_t count_debunched(int beam, const beam::Bucket& bucket) override {
    const ParticleView p = particles_[beam].view();
    counts_.reserve(1);
    counts_.clear(1);
    std::int64_t* outside = counts_.data();
    platform::for_each("debunched", p.size, [=] PHASEWISE_DEVICE(std::int64_t i) {
      if (!bucket.holds(p.z[i], p.delta[i])) platform::atomic_add(outside, std::int64_t{1});
    });
    std::int64_t found = 0;
    counts_.copy_to(&found, 1);
    return found;
  }

  void measure_and_enter(int beam, beam::MomentSums& sums, const CollisionFrame* into,
                         beam::LongitudinalHistogram& bins) override {
    const ParticleView p = particles_[beam].view();
    grids_.copy_from(sums.grids().data(), std::ssize(sums.grids()));
    const std::span<double> values = sums.values();
    sums_.reserve(std::ssize(values));
    sums_.clear(std::ssize(values));
    sum_moments(sums.order(), p, grids_.data(), sums_.data());
    sums_.copy_to(values.data(), std::ssize(values));
    if (into == nullptr) return;
    counts_.reserve(beam::LongitudinalHistogram::bins);
    counts_.clear(beam::LongitudinalHistogram::bins);
    std::int64_t* counts = counts_.data();
    const std::int64_t first_key = bins.first_key();
    const CollisionFrame frame = *into;
    const bool moves = !frame.is_identity();
    platform::for_each("enter", p.size, [=] PHASEWISE_DEVICE(std::int64_t i) {
      if (moves) {
        beam::Coordinates c = beam::load(p, i);
        frame.enter(c);
        beam::store(p, i, c);
      }
      platform::atomic_add(counts + beam::LongitudinalHistogram::bin_of(p.z[i], first_key),
                           std::int64_t{1});
    });
    counts_.copy_to(bins.counts().data(), std::ssize(bins.counts()));
  }

  std::vector<std::int64_t> sort(int beam, const std::vector<double>& cuts) override {
    cuts_.copy_from(cuts.data(), std::ssize(cuts));
    const double* cut = cuts_.data();
    const int count = static_cast<int>(cuts.size());
    return particles_[beam].sort(count + 1,
                                 [=] PHASEWISE_DEVICE(const ParticleView& p, std::int64_t i) {
                                   int slice = 0;
                                   for (int s = 0; s < count; ++s) slice += p.z[i] < cut[s] ? 1 : 0;
                                   return slice;
                                 });
  }

  std::int64_t leave_and_push(int beam, const CollisionFrame* from, const beam::Line& line,
                              const beam::PushContext& about, beam::Bounds& bounds) override {
    const ParticleView p = particles_[beam].view();
    if (from != nullptr) {
      const CollisionFrame frame = *from;
      platform::for_each("leave", p.size, [=] PHASEWISE_DEVICE(std::int64_t i) {
        beam::Coordinates c = beam::load(p, i);
        frame.leave(c);
        beam::store(p, i, c);
      });
    }
    beam::PushContext context = about;
    context.element = line.first_element();
    for (const beam::Element& element : line.elements()) {
      std::visit([&](const auto& e) { push_element(e, p, context); }, element);
      ++context.element;
    }
    return keep_living(beam, bounds);
  }

  void tracked(int beam, int count, double* rows) override {
    constexpr int width = 7;
    const ParticleView p = particles_[beam].view();
    rows_.reserve(std::int64_t{width} * count);
    rows_.clear(std::int64_t{width} * count);
    double* out = rows_.data();
    platform::for_each("tracked", p.size, [=] PHASEWISE_DEVICE(std::int64_t i) {
      if (p.id[i] >= static_cast<std::uint32_t>(count)) return;
      const double row[width] = {p.x[i], p.px[i], p.y[i], p.py[i], p.z[i], p.delta[i], 1.0};
      for (int c = 0; c < width; ++c) out[std::int64_t{p.id[i]} * width + c] = row[c];
    });
    rows_.copy_to(rows, std::int64_t{width} * count);
  }

  void find_bounds(int beam, beam::Bounds& bounds) override {
    const ParticleView p = particles_[beam].view();
    sums_.reserve(6);
    sums_.clear(6);
    platform::reduce<6, true>(
        "bounds", p.size, sums_.data(), [=] PHASEWISE_DEVICE(std::int64_t i, double* largest) {
          const double u[6] = {p.x[i], p.px[i], p.y[i], p.py[i], p.z[i], p.delta[i]};
          for (int c = 0; c < 6; ++c)
            largest[c] = std::fabs(u[c]) > largest[c] ? std::fabs(u[c]) : largest[c];
        });
    sums_.copy_to(bounds.data(), 6);
  }

  void sum_slice(int beam, std::int64_t begin, std::int64_t count, const SliceSumming& how,
                 double* sums) override {
    const ParticleView p = particles_[beam].view().part(begin, count);
    sums_.reserve(2 * slice_terms);
    sums_.clear(2 * slice_terms);
    sum_on_device<slice_terms>("slice_moments", count, sums_.data(),
                               [=] PHASEWISE_DEVICE(std::int64_t i, double* mine) {
                                 const double u[4] = {how.held(0, p.x[i]), how.held(1, p.px[i]),
                                                      how.held(2, p.y[i]), how.held(3, p.py[i])};
                                 each_slice_term([&](auto t, const auto& term) {
                                   numerics::OrderFreeSum sum{mine[2 * t], mine[2 * t + 1]};
                                   sum.add(term([&](int c) { return u[c]; }), how.grid[t]);
                                   mine[2 * t] = sum.high;
                                   mine[2 * t + 1] = sum.low;
                                 });
                               });
    sums_.copy_to(sums, 2 * slice_terms);
  }

  void gaussian_encounter(int beam, std::int64_t begin, std::int64_t count,
                          const GaussianSlice& opposing, double kick_scale,
                          bool longitudinal_kick) override {
    const ParticleView p = particles_[beam].view().part(begin, count);
    const GaussianKick kick(opposing, kick_scale, longitudinal_kick);
    if (!kick.acts()) return;
    platform::for_each("gaussian_encounter", count,
                       [=] PHASEWISE_DEVICE(std::int64_t i) { kick.act(p, i); });
  }

  double* allocate(std::int64_t values) override {
    const std::size_t bytes = static_cast<std::size_t>(values) * sizeof(double);
    auto* made = static_cast<double*>(platform::allocate(bytes));
    platform::zero(made, bytes);
    return made;
  }
  void release(double* values) override { platform::release(values); }
  void copy_in(double* device, const double* host, std::int64_t values) override {
    platform::copy_in(device, host, static_cast<std::size_t>(values) * sizeof(double));
  }
  void copy_out(double* host, const double* device, std::int64_t values) override {
    platform::copy_out(host, device, static_cast<std::size_t>(values) * sizeof(double));
    platform::wait();
  }
  void clear(double* values, std::int64_t count) override {
    platform::zero(values, static_cast<std::size_t>(count) * sizeof(double));
  }

  void encounter(Weighting weighting, Arithmetic arithmetic, int planes,
                 std::span<const EncounterTask> tasks) override {
    encounters_.run(weighting, arithmetic, planes, tasks,
                    {particles_[0].view(), particles_[1].view()});
  }
  std::int64_t deposits_by_tiles(Weighting weighting,
                                 std::span<const EncounterTask> tasks) const override {
    return TileChoice(tasks, weighting).deposits();
  }
  std::array<std::int64_t, 2> take_outside() override { return encounters_.take_outside(); }

  void prepare_nodes(std::span<const NodesTask> tasks) override {
    if (tasks.empty()) return;
    nodes_.copy_from(tasks.data(), std::ssize(tasks));
    const NodesTask* todo = nodes_.data();
    const int ny = tasks[0].mesh.ny;
    const bool field = tasks[0].values == NodeValues::field;
    platform::for_each_of_tasks("field", static_cast<int>(tasks.size()), tasks[0].mesh.nodes(),
                                [=] PHASEWISE_DEVICE(int task, std::int64_t i) {
                                  if (field)
                                    prepare_field(todo[task], static_cast<int>(i / ny),
                                                  static_cast<int>(i % ny));
                                  else
                                    prepare_potential(todo[task], i);
                                });
  }

  void effective_charges(std::span<const EffectiveCharge> tasks, int first, int last) override {
    if (tasks.empty()) return;
    const int count = static_cast<int>(tasks.size()), ny = tasks[0].coarsening.ny;
    const std::int64_t rows = last - first;
    effective_.copy_from(tasks.data(), count);
    const EffectiveCharge* todo = effective_.data();
    platform::for_each_of_tasks("luminosity", count, rows * ny,
                                [=] PHASEWISE_DEVICE(int task, std::int64_t i) {
                                  if (todo[task].has_near_levels())
                                    todo[task].node(first + i / ny, static_cast<int>(i % ny));
                                });
    const auto near = [](const EffectiveCharge& task) { return task.has_near_levels(); };
    if (std::all_of(tasks.begin(), tasks.end(), near)) return;
    const std::int64_t scratch = 4 * std::int64_t{ny};
    rows_.reserve(count * rows * scratch);
    double* room = rows_.data();
    platform::for_each_of_tasks("luminosity", count, rows,
                                [=] PHASEWISE_DEVICE(int task, std::int64_t i) {
                                  if (!todo[task].has_near_levels())
                                    todo[task].row(first + i, room + (task * rows + i) * scratch);
                                });
  }

  void start_overlaps(std::int64_t pairs) override {
    overlap_sums_.reserve(2 * pairs);
    overlap_sums_.clear(2 * pairs);
  }
  void add_overlaps(std::span<const Overlap> tasks, const numerics::OrderFreeGrid& grid) override {
    if (tasks.empty()) return;
    overlaps_.copy_from(tasks.data(), std::ssize(tasks));
    std::int64_t most = 0;
    for (const Overlap& task : tasks) most = std::max<std::int64_t>(most, task.last - task.first);
    const Overlap* todo = overlaps_.data();
    double* sums = overlap_sums_.data();
    constexpr int terms = Overlap::terms;
    platform::for_each_of_tasks("luminosity", static_cast<int>(tasks.size()), terms * most,
                                [=] PHASEWISE_DEVICE(int number, std::int64_t i) {
                                  const Overlap& task = todo[number];
                                  if (i >= terms * (task.last - task.first)) return;
                                  double term[1] = {};
                                  task.add_terms(task.first + static_cast<int>(i / terms),
                                                 static_cast<int>(i % terms), term);
                                  numerics::OrderFreeSum sum;
                                  sum.add(term[0], grid);
                                  platform::atomic_add(sums + 2 * task.place, sum.high);
                                  platform::atomic_add(sums + 2 * task.place + 1, sum.low);
                                });
  }
  void take_overlaps(std::span<double> sums) override {
    overlap_sums_.copy_to(sums.data(), std::ssize(sums));
  }

  field::Transforms transforms(field::Transforms of_cpu) const override {
    return transforms_of_device(of_cpu);
  }
  std::unique_ptr<DevicePoisson> poisson(const field::DoubledGrid& grid) override {
    return std::make_unique<PoissonOnDevice>(grid);
  }
  void pin(double* host, std::int64_t values) override {
    platform::pin(host, static_cast<std::size_t>(values) * sizeof(double));
  }
  void unpin(double* host) override { platform::unpin(host); }
  std::shared_ptr<parallel::Stopwatch> stopwatch(double (*now)()) override {
    return std::make_shared<platform::Stopwatch>(now);
  }
  std::int64_t held_bytes() const override {
    return static_cast<std::int64_t>(platform::held().bytes);
  }
  std::int64_t operations() const override { return platform::operations(); }
  parallel::Together& together(double (*now)()) override {
    static platform::TogetherOnDevice one(now);
    return one;
  }

 private:
  std::shared_ptr<exchange::Memory> exchange_memory_ = std::make_shared<platform::ExchangeMemory>();
  std::array<DeviceParticles, 2> particles_;
  Encounters encounters_;
  Array<std::int64_t> counts_;
  Array<double> sums_, overlap_sums_, cuts_, rows_;
  Array<numerics::OrderFreeGrid> grids_;
  Array<NodesTask> nodes_;
  Array<EffectiveCharge> effective_;
  Array<Overlap> overlaps_;
};

std::unique_ptr<DeviceWork> make_work() { return std::make_unique<Work>(); }

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM

#if defined(__CUDACC__)
phasewise::collision::DeviceWork* phasewise_collision_on_cuda(int number, std::string* why) {
  *why = phasewise::gpu::cuda::choose_device(number);
  return why->empty() ? phasewise::collision::gpu::cuda::make_work().release() : nullptr;
}
#endif

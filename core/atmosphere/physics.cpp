#include "atmosphere/physics.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

#include "atmosphere/column_kernels.hpp"
#include "numerics/philox.hpp"
#include "parallel/clock.hpp"
#include "parallel/loops.hpp"

namespace phasewise::atmosphere {
namespace {

// Columns that a thread adjusts at once, where there are as many for each: its lanes stay busy.
constexpr std::int64_t columns_of_adjustment = 128;

std::string said(const char* format, double value, int level) {
  char text[128];
  std::snprintf(text, sizeof text, format, value, level);
  return text;
}

// What left its range first, from the top down.
std::string out_of_range(const ColumnLayout& layout, const double* column) {
  const auto fine = [](double value, double low, double high) {
    return value >= low && value <= high;
  };
  for (int level = 0; level < layout.levels; ++level) {
    const double temperature = column[layout.temperature() + level];
    const double vapour = column[layout.vapour() + level];
    if (!fine(temperature, coldest, hottest))
      return said("has %.4g K at level %d (0 is the top)", temperature, level);
    if (!fine(vapour, 0.0, most_vapour))
      return said("has %.4g kg of vapour in a kg of air at level %d (0 is the top)", vapour, level);
  }
  return said("has %.4g K at its surface", column[layout.surface_temperature()], 0);
}

}  // namespace

// What a caller hands over with data.
struct Physics::Told {
  double* const* data;
  const Place* places;
  double* seconds;
};

struct Physics::State {
  explicit State(const PhysicsSetting& given) : setting(given), tables(setting) {}

  // Calls work(kernels, group) for groups of `most` columns. `weight` says how their time is
  // shared among them.
  template <class Work, class Weight>
  void run(const Told& told, std::int64_t columns, int most, Work&& work, Weight&& weight) {
    make_kernels();
    const int groups = static_cast<int>((columns + most - 1) / most);
    parallel::for_tasks(groups, setting.threads, [&](int group, int thread) {
      const std::int64_t first = std::int64_t{group} * most;
      const int count = static_cast<int>(std::min<std::int64_t>(most, columns - first));
      const double start = told.seconds == nullptr ? 0.0 : parallel::clock().now();
      work(*kernels[thread], ColumnGroup{told.data + first, told.places + first, count});
      if (told.seconds == nullptr) return;
      double whole = 0.0;
      for (int i = 0; i < count; ++i) whole += weight(told.data[first + i]);
      const double each = (parallel::clock().now() - start) / whole;
      for (int i = 0; i < count; ++i)
        told.seconds[first + i] += each * weight(told.data[first + i]);
    });
  }

  // Each thread has its own, made when it is first needed: a plan needs none.
  void make_kernels() {
    while (static_cast<int>(kernels.size()) < setting.threads)
      kernels.push_back(setting.fast ? fast_kernels(setting, tables)
                                     : plain_kernels(setting, tables));
  }

  // Keeps the lowest number of several columns that failed, so that no division of the columns
  // changes what is told.
  void fail(std::int64_t column, std::string what) {
    const std::lock_guard<std::mutex> lock(failing);
    if (!failure || column < failure->column) failure = Failure{column, std::move(what)};
  }

  PhysicsSetting setting;
  Tables tables;
  std::vector<std::unique_ptr<ColumnKernels>> kernels;
  std::optional<Failure> failure;
  std::mutex failing;
};

Physics::Physics(const PhysicsSetting& setting) : state_(std::make_unique<State>(setting)) {}
Physics::~Physics() = default;

const PhysicsSetting& Physics::setting() const { return state_->setting; }
const std::optional<Failure>& Physics::failure() const { return state_->failure; }

void Physics::tell(workload::Listener& listener, std::int64_t columns, std::int64_t lit,
                   double* const* data, const Place* places, double* seconds) {
  State& state = *state_;
  const PhysicsSetting& own = state.setting;
  const Told told{data, places, seconds};
  state.failure.reset();
  if (seconds != nullptr) std::fill(seconds, seconds + columns, 0.0);
  const auto run = [&](std::int64_t number, const auto& work) {
    if (data != nullptr)
      state.run(told, number, own.chunk, work, [](const double*) { return 1.0; });
  };

  listener.kernel(long_wave_card(own), static_cast<double>(columns), [&] {
    run(columns, [](ColumnKernels& on, const ColumnGroup& group) { on.long_wave(group); });
  });
  listener.kernel(short_wave_card(own), static_cast<double>(lit), [&] {
    run(lit, [](ColumnKernels& on, const ColumnGroup& group) { on.short_wave(group); });
  });
  if (own.adjustment) tell_adjustment(listener, columns, told);
  listener.kernel(surface_card(own), static_cast<double>(columns), [&] {
    run(columns, [&](ColumnKernels& on, const ColumnGroup& group) {
      on.surface(group, [&](int column) {
        state.fail(group.places[column].number, out_of_range(layout(), group.columns[column]));
      });
    });
  });
}

// The items, sweeps, are known only after the work: with data it is told without items, and then
// they are told without work.
void Physics::tell_adjustment(workload::Listener& listener, std::int64_t columns,
                              const Told& told) const {
  State& state = *state_;
  const parallel::KernelCard card = adjustment_card(setting());
  if (told.data == nullptr) {
    listener.kernel(card, expected_sweeps * static_cast<double>(columns), [] {});
    return;
  }
  const auto sweeps_of = [place = layout().results() + result::sweeps](const double* column) {
    return column[place];
  };
  listener.kernel(card, 0.0, [&] {
    const std::int64_t of_thread = std::min(columns / setting().threads, columns_of_adjustment);
    state.run(
        told, columns, std::max(setting().chunk, static_cast<int>(of_thread)),
        [&](ColumnKernels& on, const ColumnGroup& group) {
          on.adjust(group, [&](int column) {
            state.fail(group.places[column].number, "is still unstable after the most sweeps, " +
                                                        std::to_string(setting().most_sweeps));
          });
        },
        sweeps_of);
  });
  double sweeps = 0.0;
  for (std::int64_t at = 0; at < columns; ++at) sweeps += sweeps_of(told.data[at]);
  listener.kernel(card, sweeps, [] {});
}

double Physics::cost(bool lit) const {
  const PhysicsSetting& own = setting();
  const double moist = own.adjustment ? expected_sweeps * adjustment_card(own).flops : 0.0;
  const double sunny = lit ? short_wave_card(own).flops : 0.0;
  return long_wave_card(own).flops + sunny + moist + surface_card(own).flops;
}

void Physics::initial(double sine, std::int64_t number, std::uint64_t seed, double* values) const {
  constexpr double most = 0.5;  // K
  const ColumnLayout own = layout();
  const Vertical& vertical = state_->tables.vertical;
  const double sine_squared = sine * sine;
  const auto key = [&](int word) { return static_cast<std::uint32_t>(seed >> (32 * word)); };
  for (int level = 0; level < own.levels; ++level) {
    const auto words = numerics::philox(
        {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
         static_cast<std::uint32_t>(level), 0},
        key(0), key(1));
    const double disturbance = most * (words.w0 * 0x1p-31 - 1.0);
    const double temperature =
        disturbance + reference_temperature<double>(sine_squared, vertical.sigma_kappa[level],
                                                    vertical.log_sigma[level]);
    const double saturated =
        saturation<double>(temperature, vertical.inverse_pressure[level]).humidity;
    values[own.temperature() + level] = temperature;
    values[own.vapour() + level] = state_->tables.surface.humidity[level] * saturated;
    values[own.cloud() + level] = 0.0;
  }
  values[own.surface_temperature()] = reference_temperature<double>(sine_squared, 1.0, 0.0);
}

}  // namespace phasewise::atmosphere

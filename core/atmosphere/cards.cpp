// Flops, as counted by a type of number that counts them: a choice of one of two values with its
// comparison is one, a fused product and sum two.
#include <string_view>

#include "atmosphere/physics.hpp"

namespace phasewise::atmosphere {
namespace {

constexpr double long_wave_flops = 45.0, long_wave_flops_once = 11.0;  // of a level in a band
constexpr double short_wave_flops = 176.0, short_wave_flops_once = 3.0;
constexpr double sweep_flops = 86.0, surface_flops = 79.0;  // of a level

struct Work {
  double flops, values;  // values of 8 B to and from memory
  double loops;          // over the columns of a chunk
};

// Vectors lie across the columns of a chunk. A group's values stay in the first-level cache.
parallel::KernelCard vector_card(std::string_view name, const Work& work, double chunk) {
  return {.name = name,
          .flops = work.flops,
          .bytes = 8.0 * work.values,
          .vectorised = true,
          .item_by_item = true,
          .trip = chunk,
          .loops = work.loops / chunk};
}

parallel::KernelCard card_of(const PhysicsSetting& setting, std::string_view fast,
                             std::string_view plain, const Work& work) {
  if (setting.fast) return vector_card(fast, work, setting.chunk);
  return {.name = plain,
          .flops = work.flops,
          .bytes = 8.0 * work.values,
          .vectorised = false,
          .item_by_item = true};
}

}  // namespace

parallel::KernelCard long_wave_card(const PhysicsSetting& setting) {
  const double levels = setting.levels, bands = setting.long_wave_bands;
  const double results = Physics::results();
  return card_of(setting, "long_wave", "long_wave_plain",
                 {.flops = levels * (bands * long_wave_flops + long_wave_flops_once),
                  .values = 4.0 * levels + 1.0 + results,
                  .loops = levels * (2.0 * bands + 3.0)});
}

parallel::KernelCard short_wave_card(const PhysicsSetting& setting) {
  const double levels = setting.levels, bands = setting.short_wave_bands;
  return card_of(setting, "short_wave", "short_wave_plain",
                 {.flops = levels * (bands * short_wave_flops + short_wave_flops_once),
                  .values = 4.0 * levels + 2.0,
                  .loops = levels * (2.0 * bands + 2.0)});
}

// The values of a column go to and from memory once for all of its sweeps.
parallel::KernelCard adjustment_card(const PhysicsSetting& setting) {
  const double levels = setting.levels;
  return card_of(setting, "adjustment", "adjustment_plain",
                 {.flops = levels * sweep_flops,
                  .values = (6.0 * levels + 1.0) / expected_sweeps,
                  .loops = 3.0 * levels});
}

parallel::KernelCard surface_card(const PhysicsSetting& setting) {
  const double levels = setting.levels, results = Physics::results();
  return card_of(setting, "surface", "surface_plain",
                 {.flops = levels * surface_flops,
                  .values = 2.0 * (3.0 * levels + 1.0 + results),
                  .loops = 3.0 * levels});
}

}  // namespace phasewise::atmosphere

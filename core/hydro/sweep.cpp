#include "hydro/sweep.hpp"

#include <tuple>
#include <utility>

#include "hydro/batch_sweep.hpp"

namespace phasewise::hydro {

void Tally::add(const Tally& other) {
  density_floors += other.density_floors;
  pressure_floors += other.pressure_floors;
  interfaces += other.interfaces;
  newton_steps += other.newton_steps;
  if (other.collapsed > 0) collapse(other.collapsed_zone);
  collapsed += other.collapsed - (other.collapsed > 0 ? 1 : 0);
}

void Tally::collapse(const Zone& zone) {
  const auto place = [](const Zone& of) { return std::tuple(of.at[2], of.at[1], of.at[0]); };
  if (collapsed++ == 0 || place(zone) < place(collapsed_zone)) collapsed_zone = zone;
}

Sweep::Sweep(const SweepSetting& setting, int direction)
    : batch_(setting.kernel == Kernel::fast ? fast_sweep(setting, direction)
                                            : plain_sweep(setting, direction)) {}
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;
Sweep::~Sweep() = default;

void Sweep::operator()(const Pencils& pencils, double timestep, Tally& tally) {
  (*batch_)(pencils, timestep, tally);
}

}  // namespace phasewise::hydro

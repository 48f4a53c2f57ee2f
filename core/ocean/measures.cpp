#include "ocean/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ocean/phases.hpp"
#include "parallel/loops.hpp"

namespace phasewise::ocean {
namespace {

using numerics::LongAccumulator;

// The larger of two values; a NaN stays.
template <class V>
PHASEWISE_HD V larger(V known, V found) {
  return (known > found) | (known != known) ? known : found;  // NOLINT(misc-redundant-expression)
}

}  // namespace

Measures::Measures(const Domain& domain, const Terms& terms, const std::vector<int>& nodes,
                   const exchange::TeamPointer& team, int threads)
    : domain_(domain),
      terms_(terms),
      team_(team),
      threads_(threads),
      sum_({.phase = phases::measures}, team, nodes, sums),
      parts_(threads) {}

// A column is added up before it is added to others: no rank has a part of one.
void Measures::add_row(const Fields& fields, const RowPlace& row, Part& part) const {
  const std::int64_t plane = domain_.plane(), pitch = domain_.pitch(), field = domain_.field();
  const Grid::Row& here = domain_.grid().row(row.y);
  const double* const flow = fields.flow() + row.at;
  const double* const tracers = domain_.baroclinic() ? fields.tracers() + row.at : nullptr;
  const double* const height = fields.surface() + row.at;
  const double* const levels = domain_.cell_levels() + row.at;
  const double* const depth = domain_.cell_depth() + row.at;
  double* const terms = part.terms.data();
  const double along_x = terms_.timestep / here.dx_corner, along_y = terms_.timestep / here.dy;
  const double energy_scale = 0.5 * sea_density * here.area_corner();
  for (int k = 0; k < row.levels; ++k)
    for_vectors(
        {0, row.nx}, [&]<class V>(int i) __attribute__((always_inline)) {
          const std::int64_t at = k * plane + i;
          const auto add = [&](int which, V term) __attribute__((always_inline)) {
            double* const to = terms + which * pitch + i;
            stored(to, k == 0 ? term : loaded<V>(to) + term);
          };
          const auto widen = [&](int which, V value) __attribute__((always_inline)) {
            double* const to = terms + (sums + which) * pitch + i;
            stored(to, k == 0 ? value : larger(value, loaded<V>(to)));
          };
          const V u = loaded<V>(flow + at), v = loaded<V>(flow + field + at);
          const V squares = u * u + v * v;
          add(energy, energy_scale * (loaded<V>(domain_.thickness(k, row) + i) * squares));
          widen(speed, squares);
          widen(courant, along_x * magnitude(u) + along_y * magnitude(v));
          if (k == 0) {
            const V sea = loaded<V>(levels + i);
            const V above = where_sea(sea, 0.0, loaded<V>(height + i));
            add(volume, here.area_cell * (loaded<V>(depth + i) + above));
            widen(surface, magnitude(above));
          }
          if (tracers == nullptr) return;
          V cell = here.area_cell * all_of<V>(domain_.grid().thickness(k));
          if (k == 0) cell += here.area_cell * loaded<V>(height + i);
          add(heat, cell * loaded<V>(tracers + at));
          add(salt, cell * loaded<V>(tracers + field + at));
        });
  const auto length = static_cast<std::size_t>(row.nx);
  for (int which = 0; which < sums; ++which)
    if (tracers != nullptr || (which != heat && which != salt))
      part.sum[which].add({terms + which * pitch, length});
  for (int which = 0; which < extremes; ++which)
    for (int i = 0; i < row.nx; ++i) {
      const double found = terms[(sums + which) * pitch + i];
      // A NaN stays.
      if (found > part.extreme[which] || std::isnan(found)) part.extreme[which] = found;
    }
}

void Measures::measure(workload::Listener& listener, const CardShape& shape, const Fields& fields) {
  listener.kernel(measure_card(shape), domain_.cells(), [&] {
    for (Part& part : parts_) {
      part.sum = {};
      part.extreme = {};
      if (part.terms.size() == 0) part.terms = zeros((sums + extremes) * domain_.pitch());
    }
    parallel::for_tasks(
        static_cast<int>(domain_.rows().size()), threads_,
        [&](int task, int thread) { add_row(fields, domain_.rows()[task], parts_[thread]); });
  });
  std::array<LongAccumulator, sums> mine;
  std::array<double, extremes> largest{};
  for (const Part& part : parts_) {
    for (int which = 0; which < sums; ++which) mine[which].add(part.sum[which]);
    for (int which = 0; which < extremes; ++which) {
      // A maximum of the library may ignore what is no number.
      const double found = std::isnan(part.extreme[which]) ? std::numeric_limits<double>::infinity()
                                                           : part.extreme[which];
      largest[which] = std::max(largest[which], found);
    }
  }
  std::array<double, sums> all{};
  sum_.run(listener, mine, all);
  listener.max(phases::extremes, largest, team_);
  measured_ = {.volume = all[volume],
               .heat = all[heat] / all[volume],
               .salt = all[salt] / all[volume],
               .kinetic_energy = all[energy],
               .speed = std::sqrt(largest[speed]),
               .surface = largest[surface],
               .courant = largest[courant]};
}

std::vector<workload::Value> Measures::record() const {
  std::vector<workload::Value> values{{"volume", {}, {measured_.volume}},
                                      {"kinetic_energy", {}, {measured_.kinetic_energy}},
                                      {"largest_speed", {}, {measured_.speed}},
                                      {"largest_surface", {}, {measured_.surface}},
                                      {"courant", {}, {measured_.courant}}};
  if (!domain_.baroclinic()) return values;
  values.push_back({"mean_temperature", {}, {measured_.heat}});
  values.push_back({"mean_salinity", {}, {measured_.salt}});
  return values;
}

}  // namespace phasewise::ocean

#include "hydro/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "workload/row_order.hpp"

namespace phasewise::hydro {
namespace {

constexpr const char* time_column = "time";
constexpr const char* floor_columns[2] = {"density_floors", "pressure_floors"};

// Calls f(id, place in the box's arrays) for each zone.
template <class F>
void for_zones(const Grid& grid, const Box& box, F&& f) {
  std::int64_t place = 0;
  for (int k = box.along[2].first; k < box.along[2].second; ++k)
    for (int j = box.along[1].first; j < box.along[1].second; ++j)
      for (int i = box.along[0].first; i < box.along[0].second; ++i)
        f(grid.number_of({{i, j, k}}), place++);
}

}  // namespace

Run::Run(const std::shared_ptr<const Hydro>& study, std::unique_ptr<workload::Session> owned)
    : workload::Run(study, std::move(owned)),
      description_(study->description()),
      turn_(description_, study->nodes(),
            exchange::team_of_all(session().world.size(), session().world.rank(), study->nodes()),
            session().skeleton ? workload::Contents::none : workload::Contents::real,
            session().threads),
      live_(session()) {
  session().executor->prepare(turn_.exchanges());
}

void Run::tell(std::string_view piece) {
  turn_.tell({.name = piece}, live_);
  ++counts_[std::string(piece)];
}

void Run::run_turn() {
  const bool backwards = description_.alternates && turn() % 2 != 0;
  if (!session().skeleton && turn_.whole_axis() != turn_.whole_at(turn())) tell(pieces::resumed);
  if (turn_.fastest_is_missing()) tell(pieces::start);
  if (description_.alternates)
    tell(backwards ? pieces::backwards : pieces::forwards);
  else
    tell(pieces::sweeps);
  tell(pieces::measure);
  if (!description_.solution) return;
  const std::int64_t every = description_.norms_every, done = turn() + 1;
  if ((every > 0 && done % every == 0) || done == description_.timesteps || finished())
    tell(pieces::norms);
}

std::vector<workload::Value> Run::record() const {
  std::vector<workload::Value> values{{"time", {}, {turn_.time()}}, {"dt", {}, {turn_.timestep()}}};
  for (workload::Value& value : turn_.measures().record()) values.push_back(std::move(value));
  return values;
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  const Measured& measured = turn_.measures().measured();
  return {{"time", turn_.time()},
          {"mass", measured.integrals[RowKernels::mass]},
          {"energy", measured.integrals[RowKernels::energy]}};
}

std::vector<std::pair<std::string, double>> Run::piece_counts() const {
  std::vector<std::pair<std::string, double>> result;
  for (const workload::Piece& piece : pieces_of(description_)) {
    if (piece.kind != workload::Piece::Kind::data_dependent) continue;
    const auto found = counts_.find(std::string(piece.name));
    result.emplace_back(piece.name, found == counts_.end() ? 0.0 : found->second);
  }
  return result;
}

// The zones stay where they are: how they are divided is for a whole run.
void Run::exchange_as(const workload::Parameters& parameters) {
  Manner manner = read_manner(parameters);
  parameters.check_all_used();
  manner.decomposition = description_.manner.decomposition;
  manner.process_grid = description_.manner.process_grid;
  turn_.exchange_as(manner);
  session().executor->prepare(turn_.exchanges());
}

std::vector<std::int64_t> Run::own_rows(const std::string& set) const {
  if (set != row_sets().front()) return workload::Run::own_rows(set);
  std::vector<std::int64_t> ids;
  for_zones(description_.grid, turn_.zones().box,
            [&](std::int64_t id, std::int64_t) { ids.push_back(id); });
  return ids;
}

workload::Rows Run::rows(const std::string& set) const {
  if (set != row_sets().front()) return workload::Run::rows(set);
  workload::Rows rows{own_rows(set), {}};
  const Zones zones = turn_.zones();
  const std::int64_t count = zones.values != nullptr ? zones.box.zones() : 0;
  for (int f = 0; f < field::count; ++f) {
    const double* values = zones.values + f * count;
    rows.columns.emplace_back(field::names[f], std::vector<double>(values, values + count));
  }
  const auto add = [&](const char* name, double value) {
    rows.columns.emplace_back(name, std::vector<double>(rows.id.size(), value));
  };
  add(time_column, turn_.time());
  for (int f = 0; f < 2; ++f)
    add(floor_columns[f], static_cast<double>(turn_.measures().measured().floors[f]));
  return rows;
}

void Run::replace_rows(const std::string& set, const workload::Rows& rows) {
  if (set != row_sets().front()) {
    workload::Run::replace_rows(set, rows);
    return;
  }
  const std::vector<std::size_t> order = workload::order_of(rows, own_rows(set), set);
  const Zones zones = turn_.zones();
  std::array<const std::vector<double>*, field::count> columns{};
  for (int f = 0; f < field::count; ++f)
    columns[f] = &workload::column_of(rows, field::names[f], set);
  const double time = workload::column_of(rows, time_column, set).front();
  std::array<std::int64_t, 2> floors{};
  for (int f = 0; f < 2; ++f)
    floors[f] = static_cast<std::int64_t>(workload::column_of(rows, floor_columns[f], set).front());
  for (int f = 0; f < field::count; ++f)
    for (std::size_t n = 0; n < order.size(); ++n)
      zones.values[f * zones.box.zones() + static_cast<std::int64_t>(n)] = (*columns[f])[order[n]];
  turn_.measures().set_floors(floors);
  turn_.resume_at(time);
}

}  // namespace phasewise::hydro

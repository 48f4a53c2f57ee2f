#include "atmosphere/run.hpp"

#include <algorithm>
#include <stdexcept>

#include "workload/row_order.hpp"

namespace phasewise::atmosphere {
namespace {

constexpr const char *column_rows = "columns", *level_rows = "levels";
// A run goes forwards, and looks at one timestep at a time.
constexpr std::size_t kept_schedules = 2;

}  // namespace

Run::Run(const std::shared_ptr<const Atmosphere>& study, std::unique_ptr<workload::Session> owned)
    : workload::Run(study, std::move(owned)),
      planet_(study->planet()),
      schedules_(planet_, kept_schedules),
      turn_(schedules_,
            exchange::team_of_all(session().world.size(), session().world.rank(), study->nodes()),
            session().skeleton ? workload::Contents::none : workload::Contents::real,
            session().threads),
      live_(session()) {}

void Run::run_turn() {
  if (turn_.prepare(turn())) session().executor->prepare(turn_.exchanges());
  turn_.step(turn(), live_);
  ++done_;
}

std::vector<workload::Value> Run::record() const {
  const Schedule& schedule = turn_.schedule();
  const ColumnBytes& bytes = planet_.bytes();
  const auto moved = static_cast<double>(schedule.moved());
  std::vector<workload::Value> values{
      {"time", {}, {static_cast<double>(turn()) * planet_.description().timestep}},
      {"load_before", {}, {schedule.load_before()}},
      {"load_after", {}, {schedule.load_after()}},
      {"moved", {}, {moved}},
      {"bytes", {}, {moved * static_cast<double>(bytes.out + bytes.back)}}};
  if (!planet_.by_sun()) {
    const auto columns = static_cast<double>(planet_.geometry().columns());
    values.push_back({"cost", {}, {schedule.total_cost() / columns}});
    return values;
  }
  values.push_back({"lit", {}, {static_cast<double>(schedule.lit_columns())}});
  for (workload::Value& value : turn_.measures().record()) values.push_back(std::move(value));
  return values;
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  std::vector<std::pair<std::string, double>> values{
      {"load_before", turn_.schedule().load_before()},
      {"load_after", turn_.schedule().load_after()}};
  if (planet_.by_sun()) values.emplace_back("temperature", turn_.measures().temperature());
  return values;
}

std::vector<std::pair<std::string, double>> Run::piece_counts() const {
  const auto planned = static_cast<double>(planned_timesteps(planet_.description()));
  return {{std::string(pieces::sun), static_cast<double>(done_) / planned}};
}

void Run::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters);
  parameters.check_all_used();
  turn_.exchange_as(manner);
}

std::vector<std::string> Run::row_sets() const {
  if (!planet_.by_sun()) return {column_rows};
  return {column_rows, level_rows};
}

bool Run::known(const std::string& set) const {
  const std::vector<std::string> sets = row_sets();
  return std::ranges::find(sets, set) != sets.end();
}

std::vector<Run::Field> Run::fields(const std::string& set) const {
  if (!planet_.by_sun()) return {};
  const ColumnLayout layout{levels()};
  if (set == level_rows)
    return {{"temperature", layout.temperature()},
            {"vapour", layout.vapour()},
            {"cloud", layout.cloud()}};
  std::vector<Field> found{{"surface_temperature", layout.surface_temperature()}};
  for (int which = 0; which < result::count; ++which)
    found.push_back({std::string(result::names[which]), layout.results() + which});
  found.push_back({"cost", planet_.bytes().cost});
  return found;
}

template <class F>
void Run::for_rows(const std::string& set, F&& f) const {
  const int count = set == level_rows ? levels() : 1;
  std::int64_t place = 0;
  for (const std::int64_t column : planet_.layout().columns(session().world.rank())) {
    for (int level = 0; level < count; ++level) f(column * count + level, place, level);
    ++place;
  }
}

std::vector<std::int64_t> Run::own_rows(const std::string& set) const {
  if (!known(set)) return workload::Run::own_rows(set);
  std::vector<std::int64_t> ids;
  for_rows(set, [&](std::int64_t id, std::int64_t, int) { ids.push_back(id); });
  return ids;
}

workload::Rows Run::rows(const std::string& set) const {
  if (!known(set)) return workload::Run::rows(set);
  workload::Rows rows{own_rows(set), {}};
  for (const Field& field : fields(set)) {
    std::vector<double> values;
    for_rows(set, [&](std::int64_t, std::int64_t place, int level) {
      const double* const column = turn_.column(place);
      values.push_back(column == nullptr ? 0.0 : column[field.at + level]);
    });
    rows.columns.emplace_back(field.name, std::move(values));
  }
  if (planet_.by_sun()) return rows;
  std::vector<double> costs;
  for_rows(set,
           [&](std::int64_t, std::int64_t place, int) { costs.push_back(turn_.seconds(place)); });
  rows.columns.emplace_back("cost", std::move(costs));
  return rows;
}

void Run::replace_rows(const std::string& set, const workload::Rows& rows) {
  if (!known(set)) return workload::Run::replace_rows(set, rows);
  const std::vector<std::size_t> order = workload::order_of(rows, own_rows(set), set);
  for (const Field& field : fields(set)) {
    const std::vector<double>& values = workload::column_of(rows, field.name, set);
    std::size_t next = 0;
    for_rows(set, [&](std::int64_t, std::int64_t place, int level) {
      const double value = values[order[next++]];
      if (double* const column = turn_.column(place)) column[field.at + level] = value;
    });
  }
}

}  // namespace phasewise::atmosphere

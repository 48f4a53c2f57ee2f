#include "sphere/run.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace phasewise::sphere {
namespace {

constexpr const char* fields[state::fields] = {"vorticity", "divergence", "geopotential"};

// The names of the columns of a state, in the order of its numbers.
std::vector<std::string> names_of(const std::string& state, int levels) {
  std::vector<std::string> names;
  for (const char* field : fields)
    for (const char* part : {"re", "im"})
      for (int level = 0; level < levels; ++level)
        names.push_back(state + "_" + field + "_" + part + "_" + std::to_string(level));
  return names;
}

std::string mean_name(int level) { return "mean_geopotential_" + std::to_string(level); }

}  // namespace

Run::Run(const std::shared_ptr<const Sphere>& study, std::unique_ptr<workload::Session> owned)
    : workload::Run(study, std::move(owned)),
      description_(study->description()),
      turn_(description_, study->nodes(),
            exchange::team_of_all(session().world.size(), session().world.rank(), study->nodes()),
            session().skeleton ? workload::Contents::none : workload::Contents::real,
            session().threads),
      live_(session()) {
  session().executor->prepare(turn_.exchanges());
}

void Run::set_turn(std::int64_t turn) {
  workload::Run::set_turn(turn);
  turn_.resume_at(turn);
}

void Run::run_turn() {
  turn_.settle();
  if (turn() == 0) {
    turn_.tell({.name = pieces::start}, live_);
    ++starts_;
  } else if (turn_.grid_is_missing()) {
    turn_.tell({.name = pieces::restored}, live_);
    ++restorations_;
  }
  turn_.tell({.name = pieces::step}, live_);
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  const Measured& measured = turn_.invariants().measured();
  return {{"mass[m]", measured.mass.front()}, {"energy[m^3/s^2]", measured.energy.front()}};
}

std::vector<std::pair<std::string, double>> Run::piece_counts() const {
  return {{std::string(pieces::start), static_cast<double>(starts_)},
          {std::string(pieces::restored), static_cast<double>(restorations_)}};
}

void Run::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters);
  parameters.check_all_used();
  Description changed = description_;
  changed.manner = manner;
  check_manner(changed, session().world.size());
  turn_.exchange_as(manner);
  session().executor->prepare(turn_.exchanges());
}

template <class F>
void Run::for_coefficients(F&& f) const {
  const int top = description_.truncation;
  const Division& division = turn_.transforms().division();
  const auto [first, last] = turn_.transforms().places();
  std::int64_t index = 0;
  for (int place = first; place < last; ++place) {
    const std::int64_t m = division.order()[place];
    // Those of lower orders come before: top + 1, top, …
    const std::int64_t before = m * (top + 1) - m * (m - 1) / 2;
    for (std::int64_t l = m; l <= top; ++l) f(before + l - m, index++);
  }
}

std::vector<std::int64_t> Run::own_rows(const std::string& /*set*/) const {
  std::vector<std::int64_t> ids;
  for_coefficients([&](std::int64_t id, std::int64_t) { ids.push_back(id); });
  return ids;
}

workload::Rows Run::rows(const std::string& set) const {
  workload::Rows rows{own_rows(set), {}};
  const std::int64_t width = state_width(description_.levels);
  const auto add = [&](const std::string& name, const State& state) {
    const std::vector<std::string> names = names_of(name, description_.levels);
    for (std::int64_t column = 0; column < width; ++column) {
      auto& values = rows.columns.emplace_back(names[column], std::vector<double>{}).second;
      for (std::size_t row = 0; row < rows.id.size(); ++row)
        values.push_back(state[static_cast<std::int64_t>(row) * width + column]);
    }
  };
  add("old", turn_.old_state());
  add("new", turn_.new_state());
  for (int level = 0; level < description_.levels; ++level)
    rows.columns.emplace_back(
        mean_name(level), std::vector<double>(rows.id.size(), turn_.mean_geopotential()[level]));
  return rows;
}

void Run::replace_rows(const std::string& set, const workload::Rows& rows) {
  std::unordered_map<std::int64_t, std::size_t> row_of;
  for (std::size_t row = 0; row < rows.id.size(); ++row) row_of[rows.id[row]] = row;
  const std::vector<std::int64_t> own = own_rows(set);
  const bool complete = row_of.size() == own.size() && rows.id.size() == own.size() &&
                        std::ranges::all_of(own, [&](auto id) { return row_of.contains(id); });
  if (!complete)
    throw std::invalid_argument("the rows of the coefficients are not those of this rank");
  const auto column_of = [&](const std::string& name) -> const std::vector<double>& {
    for (const auto& [given, values] : rows.columns)
      if (given == name) return values;
    throw std::invalid_argument("the rows of the coefficients lack the column " + name);
  };
  const std::int64_t width = state_width(description_.levels);
  const auto set_state = [&](const std::string& name, State& state) {
    const std::vector<std::string> names = names_of(name, description_.levels);
    for (std::int64_t column = 0; column < width; ++column) {
      const std::vector<double>& values = column_of(names[column]);
      for_coefficients([&](std::int64_t id, std::int64_t index) {
        state[index * width + column] = values[row_of[id]];
      });
    }
  };
  set_state("old", turn_.old_state());
  set_state("new", turn_.new_state());
  for (int level = 0; level < description_.levels; ++level)
    turn_.mean_geopotential()[level] = column_of(mean_name(level)).front();
  turn_.resume_at(turn());
}

}  // namespace phasewise::sphere

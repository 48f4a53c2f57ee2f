#include "ocean/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ocean/phases.hpp"
#include "workload/row_order.hpp"

namespace phasewise::ocean {
namespace {

constexpr const char *cell_rows = "cells", *column_rows = "columns";

}  // namespace

Run::Run(const std::shared_ptr<const Ocean>& study, std::unique_ptr<workload::Session> owned)
    : workload::Run(study, std::move(owned)),
      description_(study->description()),
      grid_(study->grid()),
      turn_(study->sea(),
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
  turn_.begin(turn());
  if (!set_up_) tell(pieces::setup);
  set_up_ = true;
  tell(pieces::baroclinic);
  if (session().skeleton) {
    solve_as_planned();
  } else {
    while (!turn_.solver().done()) {
      tell(pieces::iteration);
      if (turn_.solver().wants_check()) tell(pieces::check);
    }
  }
  tell(pieces::finish);
}

// Without contents nobody knows when a solve has converged.
void Run::solve_as_planned() {
  const SolveCounts counts = turn_.counts();
  double checked = 0.0;
  for (double done = 1.0; done <= counts.pieces; ++done) {
    tell(pieces::iteration);
    for (; checked < std::floor(done * counts.checks / counts.pieces); ++checked)
      tell(pieces::check);
  }
}

std::vector<workload::Value> Run::record() const {
  const Solved& solved = turn_.solver().solved();
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool known = solved.bounds[1] > 0.0;
  std::vector<double> at(solved.at.begin(), solved.at.end());
  std::vector<workload::Value> values = turn_.measures().record();
  values.push_back({"time", {}, {static_cast<double>(turn()) * description_.terms.timestep}});
  values.push_back({"iterations", {}, {static_cast<double>(solved.iterations)}});
  values.push_back({"residual", {}, {solved.residual}});
  values.push_back({"converged", {}, {turn_.solver().converged() ? 1.0 : 0.0}});
  values.push_back(
      {"bounds", {2}, {known ? solved.bounds[0] : none, known ? solved.bounds[1] : none}});
  values.push_back({"condition", {}, {known ? solved.condition : none}});
  values.push_back({"residuals", {solved.residuals.size()}, solved.residuals});
  values.push_back({"residuals_at", {at.size()}, std::move(at)});
  return values;
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  return {{"volume", turn_.measures().measured().volume},
          {"iterations", static_cast<double>(turn_.solver().solved().iterations)},
          {"residual", turn_.solver().solved().residual}};
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

void Run::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters);
  parameters.check_all_used();
  turn_.exchange_as(manner);
  session().executor->prepare(turn_.exchanges());
}

std::vector<Run::Place> Run::places(const std::string& set) const {
  const Domain& domain = turn_.domain();
  const int levels = set == cell_rows ? domain.levels() : 1;
  std::vector<Place> found;
  for (const RowPlace& row : domain.rows()) {
    const int x = domain.planes().parts()[row.part].x;
    for (int i = 0; i < row.nx; ++i) {
      const int sea = std::min(domain.floor().levels(x + i, row.y), levels);
      for (int k = 0; k < sea; ++k)
        found.push_back({x + i + grid_.nx() * (row.y + std::int64_t{grid_.ny()} * k),
                         k * domain.plane() + row.at + i});
    }
  }
  std::ranges::sort(found, {}, &Place::id);
  return found;
}

std::vector<std::int64_t> Run::ids_of(const std::vector<Place>& places) {
  std::vector<std::int64_t> ids;
  ids.reserve(places.size());
  for (const Place& place : places) ids.push_back(place.id);
  return ids;
}

std::vector<std::pair<std::string, double*>> Run::arrays(const std::string& set) {
  Fields& fields = turn_.fields();
  const std::int64_t field = turn_.domain().field();
  if (set == column_rows)
    return {{"surface", fields.surface()}, {"surface_before", fields.surface_before()}};
  std::vector<std::pair<std::string, double*>> found{{"u", fields.flow()},
                                                     {"v", fields.flow() + field},
                                                     {"u_tendency", fields.tendency()},
                                                     {"v_tendency", fields.tendency() + field}};
  if (!description_.baroclinic) return found;
  found.emplace_back("temperature", fields.tracers());
  found.emplace_back("salinity", fields.tracers() + field);
  found.emplace_back("temperature_before", fields.tracers_before());
  found.emplace_back("salinity_before", fields.tracers_before() + field);
  return found;
}

std::vector<std::int64_t> Run::own_rows(const std::string& set) const {
  if (set != cell_rows && set != column_rows) return workload::Run::own_rows(set);
  return ids_of(places(set));
}

workload::Rows Run::rows(const std::string& set) const {
  if (set != cell_rows && set != column_rows) return workload::Run::rows(set);
  const std::vector<Place> found = places(set);
  workload::Rows rows{ids_of(found), {}};
  for (const auto& [name, values] : const_cast<Run*>(this)->arrays(set)) {
    std::vector<double> column;
    column.reserve(found.size());
    for (const Place& place : found) column.push_back(values != nullptr ? values[place.at] : 0.0);
    rows.columns.emplace_back(name, std::move(column));
  }
  return rows;
}

void Run::replace_rows(const std::string& set, const workload::Rows& rows) {
  if (set != cell_rows && set != column_rows) {
    workload::Run::replace_rows(set, rows);
    return;
  }
  const std::vector<Place> own = places(set);
  const std::vector<std::size_t> order = workload::order_of(rows, ids_of(own), set);
  for (const auto& [name, values] : arrays(set)) {
    const std::vector<double>& column = workload::column_of(rows, name, "the ocean");
    for (std::size_t n = 0; n < own.size(); ++n) values[own[n].at] = column[order[n]];
  }
  set_up_ = false;
}

}  // namespace phasewise::ocean

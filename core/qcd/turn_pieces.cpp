#include "qcd/turn_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <string>

#include "qcd/update/integrator.hpp"
#include "qcd/update/terms.hpp"

namespace phasewise::qcd {
namespace {

using workload::Piece;

// If a study gives a tolerance.
constexpr double expected_iterations = 100.0;
// One update for each digit and a third.
constexpr double expected_updates = 10.0;
// Solves of a trajectory have an action and its force beside those of the pseudofermions.
constexpr int solves_of_actions = 2;

// The same name for as long as the program runs, since pieces do not own theirs.
std::string_view kept(const std::string& name) {
  static std::mutex guard;
  static std::set<std::string, std::less<>> names;
  const std::lock_guard<std::mutex> lock(guard);
  return *names.insert(name).first;
}

double updates_of(const Description& description, double iterations) {
  return description.precision == Precision::mixed
             ? std::ceil(expected_updates * iterations / expected_iterations)
             : 0.0;
}

Piece dependent(std::string_view name, std::string_view per, double expected, double first) {
  return {.name = name,
          .kind = Piece::Kind::data_dependent,
          .per = per,
          .expected = expected,
          .first = first};
}

// Each right-hand side is begun, iterated, with updates in mixed precision, and solved. The first
// solve has as many iterations and updates as any other.
void add_solves(const Description& description, std::vector<Piece>& pieces) {
  const double sides = description.right_sides();
  for (int i = 0; i < description.right_sides(); ++i)
    pieces.push_back({.name = pieces::source, .kind = Piece::Kind::series, .index = i});
  const double iterations = sides * planned_iterations(description);
  pieces.push_back(dependent(pieces::iteration, "iteration", iterations, iterations));
  const double updates = sides * planned_updates(description);
  if (description.precision == Precision::mixed)
    pieces.push_back(dependent(pieces::update, "update", updates, updates));
  for (int i = 0; i < description.right_sides(); ++i)
    pieces.push_back({.name = pieces::solution, .kind = Piece::Kind::series, .index = i});
}

void add_monomials(const Description& description, std::vector<Piece>& pieces) {
  const UpdateSetting& update = description.update;
  const std::vector<std::int64_t> forces =
      force_counts(schedule_of(update.integrator, update.length, update.steps), levels_of(update));
  const SolveControl each = planned_solves(description);
  for (const Term& term : terms_of(update)) {
    if (!term.solves) continue;
    const double solves = static_cast<double>(forces[static_cast<std::size_t>(term.level)]) +
                          solves_of_actions + term.solves_of_refresh;
    const double iterations = solves * each.iterations, updates = solves * each.updates;
    pieces.push_back(dependent(iteration_of(term.name), kept("iteration of " + term.name),
                               iterations, iterations));
    if (description.precision == Precision::mixed)
      pieces.push_back(
          dependent(update_of(term.name), kept("update of " + term.name), updates, updates));
  }
}

// What is measured on some configurations only.
void add_measurement(const Description& description, std::vector<Piece>& pieces) {
  const auto repeated = [&](std::string_view name, std::string_view per, double each) {
    const double first = measured(description.update, 0) ? each : 0.0;
    pieces.push_back(dependent(name, per, each / description.update.every, first));
  };
  if (description.flow.steps > 0 || description.has_solver())
    repeated(pieces::measurement, "measurement", 1.0);
  if (!description.has_solver()) return;
  const double sides = description.right_sides();
  repeated(pieces::source, "right-hand side", sides);
  repeated(pieces::iteration, "iteration", sides * planned_iterations(description));
  if (description.precision == Precision::mixed)
    repeated(pieces::update, "update", sides * planned_updates(description));
  repeated(pieces::solution, "right-hand side", sides);
}

}  // namespace

double planned_iterations(const Description& description) {
  return description.tolerance > 0.0 ? expected_iterations
                                     : static_cast<double>(description.iterations);
}

double planned_updates(const Description& description) {
  return updates_of(description, planned_iterations(description));
}

SolveControl planned_solves(const Description& description) {
  const double iterations =
      std::min(expected_iterations, static_cast<double>(description.iterations));
  return {.until = SolveControl::Until::planned,
          .iterations = iterations,
          .updates = updates_of(description, iterations)};
}

std::string_view iteration_of(std::string_view monomial) {
  return kept(std::string(pieces::iteration) + "_" + std::string(monomial));
}

std::string_view update_of(std::string_view monomial) {
  return kept(std::string(pieces::update) + "_" + std::string(monomial));
}

// New links come once per run, or with each solve of an ensemble; an update makes its own.
std::vector<Piece> pieces_of(const Description& description) {
  std::vector<Piece> found;
  found.push_back(
      dependent(pieces::links, "configuration", description.files > 1 ? 1.0 : 0.0, 1.0));
  if (!description.update.updates()) {
    if (description.has_solver()) add_solves(description, found);
    return found;
  }
  const bool hmc = description.update.method == UpdateMethod::hmc;
  found.push_back({.name = hmc ? pieces::trajectory : pieces::sweeps, .kind = Piece::Kind::series});
  if (hmc) add_monomials(description, found);
  add_measurement(description, found);
  return found;
}

}  // namespace phasewise::qcd

#include "collision/exchange/build_settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace phasewise::collision {
namespace {

using exchange::Algorithm;
using exchange::LibraryForm;
using exchange::PhaseSetting;
using exchange::Schedule;
using exchange::Transpose;

// The names stand in the order of Layout.
const std::vector<std::string> layouts = {"random", "row-first", "column-first", "file"};
const std::string prefix = "communication.";
constexpr int max_ranks = 1'000'000;  // per beam

std::size_t choice_or(const workload::Parameters& parameters, const std::string& key,
                      const std::vector<std::string>& accepted, std::size_t fallback) {
  return parameters.has(key) ? parameters.choice(key, accepted) : fallback;
}

bool flag_or(const workload::Parameters& parameters, const std::string& key, bool fallback) {
  return parameters.has(key) ? parameters.integer(key) != 0 : fallback;
}

Schedule schedule_or(const workload::Parameters& parameters, const std::string& key,
                     Schedule fallback) {
  return static_cast<Schedule>(
      choice_or(parameters, key, {"ring", "pairwise"}, static_cast<std::size_t>(fallback)));
}

// The algorithms that reduce and broadcast accept, with their names in a study.
struct NamedAlgorithm {
  const char* name;
  Algorithm algorithm;
  LibraryForm form = LibraryForm::scattered;
  bool at_once = false;  // over all ranks of a beam
};
const std::vector<NamedAlgorithm> algorithms = {
    {"direct", Algorithm::direct, LibraryForm::scattered, true},
    {"mesh", Algorithm::direct},
    {"hypercube", Algorithm::hypercube},
    {"node-aware", Algorithm::node_aware, LibraryForm::scattered, true},
    {"mpi", Algorithm::library},
    {"mpi-allreduce", Algorithm::library, LibraryForm::all_reduced},
    {"mpi-gatherv", Algorithm::library, LibraryForm::gathered},
};
constexpr std::size_t hypercube = 2;

std::vector<std::string> names(bool reduces) {
  std::vector<std::string> result;
  for (const NamedAlgorithm& each : algorithms)
    if (!reduces || each.form != LibraryForm::gathered) result.emplace_back(each.name);
  return result;
}

// Returns `setting`, changed by what the study sets for this phase alone.
PhaseSetting phase_setting(const workload::Parameters& parameters, const std::string& phase,
                           PhaseSetting setting, bool reduces) {
  const std::string at = prefix + "phase." + phase + ".";
  if (parameters.has(at + "algorithm")) {
    const NamedAlgorithm& chosen = algorithms[parameters.choice(at + "algorithm", names(reduces))];
    setting.algorithm = chosen.algorithm;
    setting.form = chosen.form;
  }
  setting.schedule = schedule_or(parameters, at + "schedule", setting.schedule);
  setting.aggregate = flag_or(parameters, at + "aggregate", setting.aggregate);
  return setting;
}

Transpose transpose_or(const workload::Parameters& parameters, const std::string& key,
                       Transpose fallback) {
  return static_cast<Transpose>(choice_or(parameters, key,
                                          {"pairwise", "ring", "bruck", "alltoallw"},
                                          static_cast<std::size_t>(fallback)));
}

void read_phases(const workload::Parameters& parameters, Settings& settings) {
  const bool aggregate = flag_or(parameters, prefix + "aggregate", true);
  const Schedule schedule = schedule_or(parameters, prefix + "schedule", Schedule::ring);
  const NamedAlgorithm& reduce =
      algorithms[choice_or(parameters, prefix + "reduce", names(true), hypercube)];
  const NamedAlgorithm& broadcast =
      algorithms[choice_or(parameters, prefix + "broadcast", names(false), hypercube)];
  const PhaseSetting reduces{reduce.algorithm, reduce.form, schedule, aggregate};
  const PhaseSetting shares{broadcast.algorithm, broadcast.form, schedule, aggregate};
  // Along the rows all slices of a process go into one message, as in the source paper.
  PhaseSetting row_reduces = reduces, row_shares = shares;
  row_reduces.aggregate = row_shares.aggregate = true;
  settings.reduce_at_once = reduce.at_once;
  settings.broadcast_at_once = broadcast.at_once;
  settings.reduce = phase_setting(parameters, "reduce", reduces, true);
  settings.reduce_column = phase_setting(parameters, "reduce_column", reduces, true);
  settings.reduce_row = phase_setting(parameters, "reduce_row", row_reduces, true);
  settings.broadcast = phase_setting(parameters, "broadcast", shares, false);
  settings.broadcast_row = phase_setting(parameters, "broadcast_row", row_shares, false);
  settings.broadcast_column = phase_setting(parameters, "broadcast_column", shares, false);
  const Transpose transpose = transpose_or(parameters, prefix + "transpose", Transpose::pairwise);
  settings.green = transpose_or(parameters, prefix + "phase.green.algorithm", transpose);
  settings.solve = transpose_or(parameters, prefix + "phase.solve.algorithm", transpose);
  settings.aggregate_solve = flag_or(parameters, prefix + "phase.solve.aggregate", aggregate);
}

bool is_count(double n) { return n >= 0.0 && n <= max_ranks && n == std::floor(n); }

std::array<Shape, 2> read_shapes(const workload::Parameters& parameters, const std::string& key) {
  const auto numbers = parameters.numbers(key, 4);
  std::array<Shape, 2> shapes;
  bool automatic = true;
  for (const double n : numbers) {
    if (!is_count(n))
      parameters.fail(key, "give Prow and Pcol of beam 1, then of beam 2, as whole numbers");
    automatic = automatic && n == 0.0;
  }
  for (int b = 0; b < 2; ++b) {
    const double ranks = numbers[2 * b] * numbers[2 * b + 1];
    if (ranks > max_ranks || (ranks == 0.0 && !automatic))
      parameters.fail(key, "1 to " + std::to_string(max_ranks) +
                               " ranks of each beam are accepted, or four zeros");
    shapes[b] = {static_cast<int>(numbers[2 * b]), static_cast<int>(numbers[2 * b + 1])};
  }
  return shapes;
}

std::vector<Place> places_from(const workload::Parameters& parameters, const std::string& key) {
  const auto numbers = parameters.list(key);
  if (numbers.size() % 3 != 0 || !std::all_of(numbers.begin(), numbers.end(), is_count))
    parameters.fail(key, "give beam, column and row of each rank");
  std::vector<Place> places;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    places.push_back({static_cast<int>(numbers[i]) - 1, static_cast<int>(numbers[i + 1]),
                      static_cast<int>(numbers[i + 2])});
  return places;
}

void read_places(const workload::Parameters& parameters, Settings& settings) {
  if (parameters.has(prefix + "process_grid"))
    settings.shapes = read_shapes(parameters, prefix + "process_grid");
  settings.layout = static_cast<Layout>(choice_or(parameters, prefix + "layout", layouts,
                                                  static_cast<std::size_t>(Layout::column_first)));
  if (settings.layout == Layout::file) settings.places = places_from(parameters, prefix + "places");
}

}  // namespace

Settings build_settings(const workload::Parameters& parameters) {
  Settings settings;
  read_phases(parameters, settings);
  settings.crossing_in_row = choice_or(parameters, prefix + "crossing", {"4a", "4b"}, 0) == 0;
  settings.overlap = flag_or(parameters, prefix + "overlap", false);
  settings.padded = flag_or(parameters, prefix + "padded", false);
  read_places(parameters, settings);
  return settings;
}

std::string layout_name(Layout layout) { return layouts[static_cast<std::size_t>(layout)]; }

ProcessGrid build_process_grid(const Settings& settings, int ranks, const Slices& slices,
                               std::uint64_t seed, std::vector<int> nodes) {
  std::array<Shape, 2> shapes = settings.shapes;
  if (shapes[0].ranks() == 0) {
    const auto of_beams = ranks_of_beams(ranks);
    for (int b = 0; b < 2; ++b) shapes[b] = default_shape(of_beams[b], slices[b]);
  }
  if (ranks == 1) return {{Shape{1, 1}, Shape{1, 1}}, {Place{}}, nodes};
  if (shapes[0].ranks() + shapes[1].ranks() != ranks)
    throw std::invalid_argument("communication.process_grid = " + std::to_string(shapes[0].prow) +
                                "x" + std::to_string(shapes[0].pcol) + " and " +
                                std::to_string(shapes[1].prow) + "x" +
                                std::to_string(shapes[1].pcol) + " needs " +
                                std::to_string(shapes[0].ranks() + shapes[1].ranks()) +
                                " ranks, not " + std::to_string(ranks));
  return {
      shapes,
      settings.layout == Layout::file ? settings.places : lay_out(settings.layout, shapes, seed),
      std::move(nodes)};
}

}  // namespace phasewise::collision

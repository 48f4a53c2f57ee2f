#include "qcd/description.hpp"

#include <cmath>
#include <stdexcept>

#include "numerics/normal.hpp"
#include "qcd/random_streams.hpp"
#include "qcd/update/terms.hpp"
#include "workload/protocols.hpp"

namespace phasewise::qcd {
namespace {

using workload::Parameters;

constexpr int longest = 4096;  // extent
constexpr std::int64_t most_iterations = 1'000'000;
constexpr int most_smearing = 10'000, most_stout = 1000;
constexpr std::int64_t most_flow_steps = 1'000'000;
constexpr std::int64_t most_steps = 10'000, most_sweeps = 10'000;
constexpr double most_inner_steps = 100'000.0;  // of the last level in a trajectory

template <std::size_t n>
std::vector<std::string> words(const std::array<std::string_view, n>& names) {
  return {names.begin(), names.end()};
}

Extents read_extents(const Parameters& parameters, const std::string& key, int least, int most) {
  Extents found;
  const std::vector<double> given = parameters.numbers(key, axes);
  for (int axis = 0; axis < axes; ++axis) {
    if (!(given[axis] >= least && given[axis] <= most) || given[axis] != std::floor(given[axis]))
      parameters.fail(key, "give four whole numbers from " + std::to_string(least) + " to " +
                               std::to_string(most));
    found[axis] = static_cast<int>(given[axis]);
  }
  return found;
}

std::string text_of(const Extents& extents) {
  std::string text;
  for (const int extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

// The points of the solves in turn; none: each solve has one of its own.
std::vector<Extents> read_sources(const Parameters& parameters, const Extents& size) {
  const std::string key = "measure.source";
  if (parameters.words(key).front() == "random") return {};
  const std::vector<double> given = parameters.list(key);
  if (given.size() % axes != 0) parameters.fail(key, "give four numbers a point");
  std::vector<Extents> found(given.size() / axes);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!(given[i] >= 0 && given[i] < size[i % axes]) || given[i] != std::floor(given[i]))
      parameters.fail(key, "it lies beyond the lattice");
    found[i / axes][i % axes] = static_cast<int>(given[i]);
  }
  return found;
}

QuarkAction read_action(const Parameters& parameters) {
  return {.mass = 0.5 / parameters.positive("quarks.kappa") - 4.0,
          .anisotropy = parameters.positive("quarks.anisotropy"),
          .velocity = parameters.positive("quarks.velocity"),
          .clover_spatial = parameters.number("quarks.clover_spatial"),
          .clover_temporal = parameters.number("quarks.clover_temporal"),
          .twisted_mass = parameters.number("quarks.twisted_mass")};
}

FlowSetting read_flow(const Parameters& parameters) {
  return {.step = parameters.not_negative("measure.flow_step"),
          .steps = static_cast<int>(
              parameters.integer_within("measure.flow_steps", 0, most_flow_steps))};
}

void read_quarks(const Parameters& parameters, Description& into) {
  into.action = read_action(parameters);
  into.stout = {parameters.not_negative("quarks.stout_weight"),
                static_cast<int>(parameters.integer_within("quarks.stout_steps", 0, most_stout))};
  const std::vector<double> given = parameters.numbers("quarks.phases", axes);
  for (int axis = 0; axis < axes; ++axis) into.phases[axis] = given[axis];
}

std::vector<int> read_steps(const Parameters& parameters, int levels) {
  const std::string key = "update.steps";
  const std::vector<double> given = parameters.list(key);
  if (static_cast<int>(given.size()) != levels)
    parameters.fail(key, "give " + std::to_string(levels) + " numbers, one for each level");
  std::vector<int> steps;
  double all = 1.0;
  for (const double number : given) {
    if (!(number >= 1 && number <= most_steps) || number != std::floor(number))
      parameters.fail(key, "give whole numbers from 1 to " + std::to_string(most_steps));
    steps.push_back(static_cast<int>(number));
    all *= number;
  }
  if (all > most_inner_steps) parameters.fail(key, "their product is at most 100000");
  return steps;
}

void read_hmc(const Parameters& parameters, UpdateSetting& into) {
  into.length = parameters.positive("update.length");
  into.integrator = static_cast<Integrator>(
      parameters.choice("update.integrator", {"leapfrog", "omelyan-2", "omelyan-4"}));
  if (parameters.has("update.hasenbusch")) into.hasenbusch = parameters.list("update.hasenbusch");
  for (std::size_t i = 0; i < into.hasenbusch.size(); ++i)
    if (!(into.hasenbusch[i] > (i == 0 ? 0.0 : into.hasenbusch[i - 1])))
      parameters.fail("update.hasenbusch", "give masses above zero, each above the one before");
  into.force_tolerance = parameters.positive("update.force_tolerance");
  into.action_tolerance = parameters.positive("update.action_tolerance");
  into.steps = read_steps(parameters, levels_of(into));
}

UpdateSetting read_update(const Parameters& parameters, bool quarks) {
  UpdateSetting setting;
  if (!parameters.has("update.method")) return setting;
  setting.method =
      static_cast<UpdateMethod>(parameters.choice("update.method", {"none", "hmc", "heat-bath"}));
  if (!setting.updates()) return setting;
  setting.quarks = quarks;
  setting.every = static_cast<int>(parameters.integer_within("measure.every", 1, 1'000'000'000));
  setting.gauge = {parameters.positive("gauge.beta"), parameters.number("gauge.rectangles")};
  if (setting.method == UpdateMethod::hmc) {
    read_hmc(parameters, setting);
    return setting;
  }
  setting.over_relaxation =
      static_cast<int>(parameters.integer_within("update.over_relaxation", 0, most_sweeps));
  if (setting.gauge.rectangles != 0.0)
    parameters.fail("update.method", "heat-bath needs gauge.rectangles = 0");
  return setting;
}

// The force of quarks knows neither stout links nor anisotropy.
void check_force(const Parameters& parameters, const Description& description) {
  const QuarkAction& action = description.action;
  if (description.stout.steps > 0) parameters.fail("quarks.stout_steps", "an update has none");
  if (action.anisotropy != 1.0 || action.velocity != 1.0 ||
      action.clover_spatial != action.clover_temporal)
    parameters.fail("quarks.anisotropy", "an update has isotropic quarks");
}

}  // namespace

Manner read_manner(const Parameters& parameters) {
  Manner manner;
  manner.halo = workload::protocol_in(parameters, "communication.halo");
  manner.spinors =
      static_cast<Spinors>(parameters.choice("communication.spinors", {"half", "full"}));
  manner.blocks =
      static_cast<Blocks>(parameters.choice("communication.blocks", {"packed", "runs", "derived"}));
  manner.overlap =
      static_cast<Overlap>(parameters.choice("communication.overlap", {"0", "1", "thread"}));
  manner.sums =
      static_cast<Sums>(parameters.choice("communication.sums", {"order-free", "library"}));
  manner.kernel = static_cast<Kernel>(parameters.choice("communication.kernel", {"fast", "plain"}));
  const std::int64_t link_reals = parameters.integer("communication.link_reals");
  if (link_reals != 18 && link_reals != 12)
    parameters.fail("communication.link_reals", "give 18 or 12");
  manner.two_rows = link_reals == 12;
  if (manner.two_rows && manner.kernel != Kernel::fast)
    parameters.fail("communication.link_reals", "12 needs kernel = fast");
  if (manner.blocks == Blocks::derived && !manner.from_field())
    parameters.fail("communication.blocks", "derived needs spinors = full and kernel = plain");
  return manner;
}

Description::Description(const Parameters& parameters) {
  seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  size = read_extents(parameters, "lattice.size", 2, longest);
  for (const int extent : size)
    if (extent % 2 != 0) parameters.fail("lattice.size", "give even extents");
  start = static_cast<Start>(parameters.choice("gauge.start", {"cold", "hot", "file"}));
  quarks = !parameters.has("quarks.present") || parameters.integer("quarks.present") != 0;
  files = parameters.has("gauge.files") ? parameters.integer("gauge.files") : 1;
  if (quarks) read_quarks(parameters, *this);
  method = static_cast<Method>(parameters.choice("solver.method", {"cg", "bicgstab"}));
  precision =
      static_cast<Precision>(parameters.choice("solver.precision", {"double", "single", "mixed"}));
  tolerance = parameters.not_negative("solver.tolerance");
  iterations = parameters.integer_within("solver.iterations", 1, most_iterations);
  pion = parameters.integer("measure.pion") != 0;
  smearing = {parameters.not_negative("measure.width"),
              static_cast<int>(parameters.integer_within("measure.iterations", 0, most_smearing))};
  rectangles = parameters.integer("measure.rectangles") != 0;
  flow = read_flow(parameters);
  update = read_update(parameters, quarks);
  if (update.has_quarks()) check_force(parameters, *this);
  sources = read_sources(parameters, size);
  if (sources.size() != 1 && smearing.iterations > 0)
    parameters.fail("measure.source", "a smeared source has one place");
  grid = read_extents(parameters, "communication.process_grid", 0, longest);
  layout = static_cast<Layout>(parameters.choice("communication.layout", words(layout_names)));
  if (layout == Layout::file) places = parameters.list("communication.places");
  manner = read_manner(parameters);
  for (const double phase : phases)
    if (manner.two_rows && phase != std::floor(phase))
      parameters.fail("communication.link_reals", "12 needs quarks.phases of whole numbers");
}

Extents Description::source(std::int64_t solve) const {
  if (!sources.empty()) return sources[static_cast<std::size_t>(solve) % sources.size()];
  Extents place;
  std::array<double, axes> share;
  for (std::uint32_t pair = 0; pair < 2; ++pair)
    numerics::uniform_pair(seed, pair, static_cast<std::uint64_t>(solve), streams::source, 0,
                           share[2 * pair], share[2 * pair + 1]);
  for (int axis = 0; axis < axes; ++axis) place[axis] = static_cast<int>(share[axis] * size[axis]);
  return place;
}

Extents grid_for(const Description& description, int ranks) {
  const Extents& grid = description.grid;
  if (grid[0] == 0) return least_surface(description.size, ranks);
  if (volume_of(grid) != ranks)
    throw std::invalid_argument("communication.process_grid = " + text_of(grid) + " needs " +
                                std::to_string(volume_of(grid)) + " ranks, not " +
                                std::to_string(ranks));
  for (int axis = 0; axis < axes; ++axis)
    if (description.size[axis] % (2 * grid[axis]) != 0)
      throw std::invalid_argument("communication.process_grid = " + text_of(grid) +
                                  " does not divide lattice.size = " + text_of(description.size) +
                                  " into parts of even extents");
  return grid;
}

}  // namespace phasewise::qcd

// What a run does where a study makes configurations.
#include <algorithm>
#include <stdexcept>

#include "qcd/phases.hpp"
#include "qcd/run.hpp"
#include "qcd/turn_pieces.hpp"

namespace phasewise::qcd {

void Run::run_update() {
  const UpdateSetting& setting = description_.update;
  const bool hmc = setting.method == UpdateMethod::hmc;
  turn_of_rank_.set_number(turn());
  turn_of_rank_.tell({.name = hmc ? pieces::trajectory : pieces::sweeps}, live_);
  count_solves();
  measured_ = measured(setting, turn());
  const bool something = description_.flow.steps > 0 || description_.has_solver();
  if (!measured_ || !something) return;
  turn_of_rank_.tell({.name = pieces::measurement}, live_);
  ++measurements_;
  if (!description_.has_solver()) return;
  run_solves();
  right_sides_ += description_.right_sides();
}

void Run::count_solves() {
  const std::vector<SolveCounts>& solves = turn_of_rank_.update()->values().solves;
  for (std::size_t i = 0; i < solves.size(); ++i) {
    of_monomials_[i].iterations += solves[i].iterations;
    of_monomials_[i].updates += solves[i].updates;
  }
}

void Run::add_update(std::vector<workload::Value>& values) const {
  const TrajectoryValues& found = turn_of_rank_.update()->values();
  const auto add = [&](const std::string& name, double value) {
    values.push_back({name, {}, {value}});
  };
  add("measured", measured_ ? 1.0 : 0.0);
  add("reunitarised", static_cast<double>(found.reunitarised));
  if (description_.update.method != UpdateMethod::hmc) return;
  add("delta_h", found.delta_h);
  add("accepted", found.accepted ? 1.0 : 0.0);
  add("kinetic", found.kinetic);
  if (description_.update.has_quarks()) add("unconverged", static_cast<double>(found.unconverged));
  const std::vector<Term>& terms = turn_of_rank_.update()->terms();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    add("action_" + terms[i].name, found.actions[i]);
    add("force_" + terms[i].name, found.force[i]);
    add("force_max_" + terms[i].name, found.force_max[i]);
    if (terms[i].solves)
      add("iterations_" + terms[i].name, static_cast<double>(found.solves[i].iterations));
  }
  // The gauge field is the last term here, and the first one in records.
  const int last = static_cast<int>(terms.size()) - 1;
  add("trouble", found.trouble < 0 ? -1.0 : (found.trouble == last ? 0.0 : found.trouble + 1.0));
  add("trouble_step", static_cast<double>(found.trouble_step));
}

Update& Run::update() {
  Update* found = turn_of_rank_.update();
  if (found == nullptr || description_.update.method != UpdateMethod::hmc)
    throw std::invalid_argument("this study has no trajectories");
  return *found;
}

std::vector<std::string> Run::monomials() {
  std::vector<std::string> names;
  for (const Term& term : update().terms()) names.push_back(term.name);
  return names;
}

void Run::refresh(std::int64_t number) {
  take_links();
  update().trajectory().start(number, live_);
}

double Run::action_of(const std::string& monomial) {
  take_links();
  return update().monomial(monomial).action(live_);
}

std::vector<Matrix> Run::force_of(const std::string& monomial) {
  take_links();
  UpdateFields& fields = update().fields();
  std::fill_n(fields.momenta.data(), fields.momenta.size(), Matrix{});
  update().monomial(monomial).force(-1.0, live_);
  return {fields.momenta.data(), fields.momenta.data() + fields.momenta.size()};
}

std::array<double, 2> Run::there_and_back(std::int64_t number) {
  take_links();
  Trajectory& trajectory = update().trajectory();
  const auto change = [](const std::vector<double>& from, const std::vector<double>& to) {
    double sum = 0.0;
    for (std::size_t i = 0; i < from.size(); ++i) sum += to[i] - from[i];
    return sum;
  };
  trajectory.start(number, live_);
  const std::vector<double> start = trajectory.energies(live_);
  trajectory.integrate(live_);
  const std::vector<double> there = trajectory.energies(live_);
  Momenta& momenta = update().fields().momenta;
  for (std::int64_t link = 0; link < momenta.size(); ++link)
    for (auto& row : momenta[link].e)
      for (Complex& element : row) element = -1.0 * element;
  trajectory.integrate(live_);
  return {change(start, there), change(start, trajectory.energies(live_))};
}

}  // namespace phasewise::qcd

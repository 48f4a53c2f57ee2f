#include "qcd/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "qcd/solver/plain_fields.hpp"
#include "qcd/turn_pieces.hpp"

namespace phasewise::qcd {
namespace {

constexpr int site_reals = axes * 18;
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

// Series along the flow, none without one; NaN where it was not measured.
std::vector<workload::Value> of_flow(const std::vector<FlowValues>& flow, bool measured) {
  constexpr std::array<std::pair<const char*, double FlowValues::*>, 4> names{
      {{"flow_energy_space", &FlowValues::energy_space},
       {"flow_energy_time", &FlowValues::energy_time},
       {"flow_charge", &FlowValues::charge},
       {"flow_plaquette", &FlowValues::plaquette}}};
  std::vector<workload::Value> found;
  if (flow.empty()) return found;
  for (const auto& [name, member] : names) {
    std::vector<double> series;
    series.reserve(flow.size());
    for (const FlowValues& values : flow)
      series.push_back(measured ? values.*member : not_measured);
    found.push_back({name, {series.size()}, std::move(series)});
  }
  return found;
}

}  // namespace

Run::Run(const std::shared_ptr<const Qcd>& study, std::unique_ptr<workload::Session> owned)
    : workload::Run(study, std::move(owned)),
      description_(study->description()),
      turn_of_rank_(description_, study->places(), study->nodes(), session().world.rank(),
                    session().threads, !session().skeleton),
      live_(session()) {
  session().executor->prepare(turn_of_rank_.exchanges());
  SolveControl control = planned_solves(description_);
  if (!session().skeleton) control.until = SolveControl::Until::converged;
  if (Update* update = turn_of_rank_.update()) {
    update->set_control(control);
    of_monomials_.resize(update->terms().size());
  }
  if (session().skeleton) {
    has_links_ = true;
    return;
  }
  if (description_.start == Start::cold) turn_of_rank_.links().set_cold();
  if (description_.start == Start::hot) turn_of_rank_.links().set_random(description_.seed);
  has_links_ = description_.start != Start::file;
}

void Run::set_links(const Matrix* links) {
  std::int64_t site = 0;
  for_each_site(domain().extents(), [&](const Extents& at) {
    for (int mu = 0; mu < axes; ++mu) turn_of_rank_.links().at(at, mu) = links[axes * site + mu];
    ++site;
  });
  has_links_ = links_are_new_ = true;
}

std::vector<Matrix> Run::own_links() {
  std::vector<Matrix> found;
  for_each_site(domain().extents(), [&](const Extents& at) {
    for (int mu = 0; mu < axes; ++mu) found.push_back(turn_of_rank_.links().at(at, mu));
  });
  return found;
}

std::vector<std::string> Run::row_sets() const {
  if (description_.start != Start::file && !description_.update.updates()) return {};
  return {"links"};
}

std::vector<std::int64_t> Run::own_rows(const std::string& /*set*/) const {
  std::vector<std::int64_t> ids;
  for_each_site(domain().extents(), [&](const Extents& at) {
    ids.push_back(site_of(description_.size, domain().global(at)));
  });
  return ids;
}

// One column for each real of a site's four links.
workload::Rows Run::rows(const std::string& set) const {
  workload::Rows rows{own_rows(set), {}};
  for (int real = 0; real < site_reals; ++real)
    rows.columns.emplace_back("u" + std::to_string(real), std::vector<double>{});
  for_each_site(domain().extents(), [&](const Extents& at) {
    const auto* reals = reinterpret_cast<const double*>(&turn_of_rank_.links().at(at, 0));
    for (int real = 0; real < site_reals; ++real) rows.columns[real].second.push_back(reals[real]);
  });
  return rows;
}

void Run::replace_rows(const std::string& set, const workload::Rows& rows) {
  const std::vector<std::int64_t> own = own_rows(set);
  std::unordered_map<std::int64_t, std::size_t> row_of;
  for (std::size_t row = 0; row < rows.id.size(); ++row) row_of[rows.id[row]] = row;
  if (row_of.size() != own.size() || rows.id.size() != own.size() ||
      rows.columns.size() != static_cast<std::size_t>(site_reals))
    throw std::invalid_argument("the rows of the links are not those of this rank's sites");
  std::size_t site = 0;
  for_each_site(domain().extents(), [&](const Extents& at) {
    const auto found = row_of.find(own[site++]);
    if (found == row_of.end())
      throw std::invalid_argument("the links of a site are missing from the rows");
    auto* reals = reinterpret_cast<double*>(&turn_of_rank_.links().at(at, 0));
    for (int real = 0; real < site_reals; ++real)
      reals[real] = rows.columns[real].second[found->second];
  });
  has_links_ = links_are_new_ = true;
}

void Run::take_links() {
  if (!has_links_) throw std::invalid_argument("gauge.start = file, but no links were handed over");
  if (!links_are_new_) return;
  turn_of_rank_.tell({.name = pieces::links}, live_);
  links_are_new_ = false;
  ++configurations_;
}

std::vector<double> Run::dirac(const double* psi, bool dagger) {
  take_links();
  return applied(turn_of_rank_.solver().matrix(), psi, dagger, live_);
}

std::vector<double> Run::solve_for(const std::vector<double>& b) {
  take_links();
  const double length = length_of(b, domain(), session().threads, live_);
  return solution_for(turn_of_rank_.solver(), b, length, live_);
}

void Run::run_turn() {
  take_links();
  if (turn_of_rank_.update() != nullptr) return run_update();
  if (description_.has_solver()) run_solves();
}

void Run::run_solves() {
  // Sources follow one another in the measurements, whatever lies between.
  turn_of_rank_.set_source(turn() / description_.update.every);
  turn_of_rank_.clear_pion();
  last_iterations_ = 0;
  residual_ = 0.0;
  converged_ = true;
  for (int component = 0; component < description_.right_sides(); ++component) solve(component);
}

// Without contents a solve takes as many iterations and updates as a plan expects.
void Run::solve(int component) {
  const Solver& solver = turn_of_rank_.solver();
  turn_of_rank_.tell({.name = pieces::source, .index = component}, live_);
  const auto planned = static_cast<std::int64_t>(planned_iterations(description_));
  const auto goes_on = [&](std::int64_t done) {
    return session().skeleton ? done < planned : !solver.done();
  };
  std::int64_t done = 0;
  const auto updates = planned_updates(description_);
  const auto updates_by = [&](std::int64_t iteration) {
    return std::floor(updates * static_cast<double>(iteration) / static_cast<double>(planned));
  };
  for (; goes_on(done); ++done) {
    turn_of_rank_.tell({.name = pieces::iteration}, live_);
    const bool update =
        session().skeleton ? updates_by(done + 1) > updates_by(done) : solver.wants_update();
    if (!update) continue;
    turn_of_rank_.tell({.name = pieces::update}, live_);
    ++updates_;
  }
  turn_of_rank_.tell({.name = pieces::solution, .index = component}, live_);
  iterations_ += done;
  last_iterations_ += done;
  // Once it is NaN, it stays so.
  const double residual = solver.solved().residual;
  if (!std::isnan(residual_) && !(residual <= residual_)) residual_ = residual;
  converged_ = converged_ && (description_.tolerance == 0.0 || solver.converged());
  if (component == 0) residuals_ = solver.solved().residuals;
}

void Run::add_solves(std::vector<workload::Value>& values) const {
  const double iterations = measured_ ? static_cast<double>(last_iterations_) : 0.0;
  const std::vector<double> none;
  const std::vector<double>& residuals = measured_ ? residuals_ : none;
  values.push_back({"iterations", {}, {iterations}});
  values.push_back({"residual", {}, {measured_ ? residual_ : not_measured}});
  values.push_back({"converged", {}, {converged_ || !measured_ ? 1.0 : 0.0}});
  values.push_back({"residuals", {residuals.size()}, residuals});
}

std::vector<workload::Value> Run::record() const {
  const GaugeValues& gauge = turn_of_rank_.gauge();
  std::vector<double> loops;
  for (const Complex& loop : gauge.polyakov) {
    loops.push_back(loop.re);
    loops.push_back(loop.im);
  }
  std::vector<workload::Value> values;
  if (description_.has_solver()) add_solves(values);
  values.push_back({"plaquette_space", {}, {gauge.plaquette_space}});
  values.push_back({"plaquette_time", {}, {gauge.plaquette_time}});
  values.push_back({"link_trace", {}, {gauge.link_trace}});
  values.push_back({"polyakov", {axes, 2}, loops});
  if (description_.rectangles) values.push_back({"rectangle", {}, {gauge.rectangle}});
  for (workload::Value& value : of_flow(turn_of_rank_.flow(), measured_))
    values.push_back(std::move(value));
  if (description_.pion) {
    std::vector<double> pion = turn_of_rank_.pion();
    if (!measured_) std::fill(pion.begin(), pion.end(), not_measured);
    values.push_back({"pion", {pion.size()}, std::move(pion)});
  }
  if (turn_of_rank_.update() != nullptr) add_update(values);
  return values;
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  if (!turn_of_rank_.update() && description_.has_solver())
    return {{"iterations", static_cast<double>(last_iterations_)}, {"residual", residual_}};
  std::vector<std::pair<std::string, double>> found{
      {"plaquette", turn_of_rank_.gauge().plaquette()}};
  if (description_.update.method == UpdateMethod::hmc) {
    const TrajectoryValues& values = turn_of_rank_.update()->values();
    found.emplace_back("delta_h", values.delta_h);
    found.emplace_back("accepted", values.accepted ? 1.0 : 0.0);
  }
  return found;
}

std::vector<std::pair<std::string, double>> Run::piece_counts() const {
  std::vector<std::pair<std::string, double>> counts;
  const auto count = [&](std::string_view piece, std::int64_t times) {
    counts.emplace_back(piece, static_cast<double>(times));
  };
  const bool mixed = description_.precision == Precision::mixed;
  count(pieces::links, configurations_);
  if (const Update* update = turn_of_rank_.update()) {
    for (std::size_t i = 0; i < update->terms().size(); ++i) {
      const Term& term = update->terms()[i];
      if (!term.solves) continue;
      count(iteration_of(term.name), of_monomials_[i].iterations);
      if (mixed) count(update_of(term.name), of_monomials_[i].updates);
    }
    count(pieces::measurement, measurements_);
    if (description_.has_solver()) {
      count(pieces::source, right_sides_);
      count(pieces::solution, right_sides_);
    }
  }
  if (!description_.has_solver()) return counts;
  count(pieces::iteration, iterations_);
  if (mixed) count(pieces::update, updates_);
  return counts;
}

void Run::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters);
  parameters.check_all_used();
  turn_of_rank_.set_manner(manner);
  session().executor->prepare(turn_of_rank_.exchanges());
}

}  // namespace phasewise::qcd

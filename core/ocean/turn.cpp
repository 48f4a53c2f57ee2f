#include "ocean/turn.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ocean/initial.hpp"
#include "ocean/phases.hpp"
#include "parallel/loops.hpp"

namespace phasewise::ocean {
namespace {

constexpr double extrapolated = 0.5;  // weight of a change since the timestep before
// The pipelined method replaces its recurrences when the residual has fallen by five digits.
constexpr double checks_of_pipelined = 2.0;

// Levels of these rows, with columns beyond their ends.
double items_of(const std::vector<RowPlace>& rows, int beyond, int levels) {
  double items = 0.0;
  for (const RowPlace& row : rows) items += (row.nx + beyond) * static_cast<double>(levels);
  return items;
}

}  // namespace

SolveCounts counts_of(const Description& description, const Manner& manner) {
  const SolverSetting setting = description.solver_setting(manner);
  const double iterations = description.expected_iterations;
  switch (setting.method) {
    case Method::pcsi:
      return {.pieces = std::ceil(iterations / setting.iterations_per_exchange),
              .checks = std::ceil(iterations / setting.check_every)};
    case Method::pipelined:
      return {.pieces = iterations, .checks = checks_of_pipelined};
    default:
      return {.pieces = iterations, .checks = 0.0};
  }
}

std::vector<workload::Piece> pieces_of(const Description& description) {
  using workload::Piece;
  const SolveCounts counts = counts_of(description, description.manner);
  const auto within = [](std::string_view name, double count) {
    return Piece{.name = name,
                 .kind = Piece::Kind::data_dependent,
                 .per = name,
                 .expected = count,
                 .first = count};
  };
  std::vector<Piece> found{
      {.name = pieces::setup, .kind = Piece::Kind::data_dependent, .per = "start", .first = 1.0},
      {.name = pieces::baroclinic},
      within(pieces::iteration, counts.pieces)};
  if (counts.checks > 0.0) found.push_back(within(pieces::check, counts.checks));
  found.push_back({.name = pieces::finish});
  return found;
}

Turn::Turn(const Sea& sea, const exchange::TeamPointer& team, workload::Contents contents,
           int threads)
    : sea_(sea),
      team_(team),
      threads_(threads),
      manner_(sea.description.manner),
      planes_(sea.layout, team->me),
      domain_(sea.grid, sea.floor, planes_, sea.description.baroclinic, contents),
      fields_(domain_, contents),
      momentum_(domain_, sea.description.terms),
      barotropic_(domain_, sea.description.terms),
      tracers_(domain_, sea.description.terms),
      solver_(sea.description.solver_setting(manner_), sea.layout, planes_, sea.nodes, team,
              threads, contents),
      measures_(domain_, sea.description.terms, sea.nodes, team, threads),
      rows_from_south_(domain_.rows_with(1, 0)),
      rows_with_ghosts_(domain_.rows_with(ghosts, ghosts)) {
  make_halos();
  if (contents == workload::Contents::none) return;
  fill_initial(domain_, sea.description.initial, fields_);
  constexpr int arrays = std::max(Momentum::scratch_fields, Tracers::scratch_fields);
  for (int thread = 0; thread < threads; ++thread) scratch_.emplace_back(domain_, arrays);
}

std::unique_ptr<Halo> Turn::halo_of(std::string_view phase, int planes) const {
  return std::make_unique<Halo>(sea_.layout, planes_, sea_.nodes, team_->me,
                                HaloSetting{.phase = phase,
                                            .protocol = manner_.boundary,
                                            .items = planes,
                                            .aggregate = manner_.aggregate});
}

void Turn::make_halos() {
  of_flow_ = halo_of(phases::baroclinic_boundary, 2 * domain_.levels());
  of_solution_ = halo_of(phases::barotropic_boundary, 1);
  of_surface_ = halo_of(phases::barotropic_boundary, 3);
  if (domain_.baroclinic()) of_tracers_ = halo_of(phases::tracer_boundary, 2 * domain_.levels());
}

void Turn::exchange_as(const Manner& manner) {
  const LayoutSetting layout = manner_.layout;
  manner_ = manner;
  manner_.layout = layout;
  make_halos();
  solver_.exchange_as(sea_.description.solver_setting(manner));
}

exchange::Exchanges Turn::exchanges() const {
  exchange::Exchanges all = solver_.exchanges();
  for (const Halo* halo :
       {of_flow_.get(), of_tracers_.get(), of_solution_.get(), of_surface_.get()})
    if (halo != nullptr) std::ranges::copy(halo->exchanges(), std::back_inserter(all));
  std::ranges::copy(measures_.exchanges(), std::back_inserter(all));
  return all;
}

template <class F>
void Turn::on_rows(Listener& listener, const parallel::KernelCard& card, double items,
                   const std::vector<RowPlace>& rows, F&& f) {
  listener.kernel(card, items, [&] {
    parallel::for_tasks(static_cast<int>(rows.size()), threads_,
                        [&](int task, int thread) { f(rows[task], thread); });
  });
}

void Turn::tell(const workload::Piece& piece, Listener& listener) {
  if (piece.name == pieces::setup) return set_up(listener);
  if (piece.name == pieces::iteration) return solver_.iterate(listener);
  if (piece.name == pieces::check) return solver_.check(listener);
  if (piece.name == pieces::finish) return finish(listener);
  predict(listener);
  begin_solve(listener);
}

// The state came from the start or from rows, without ghosts.
void Turn::set_up(Listener& listener) {
  of_flow_->run(listener, fields_.flow());
  if (domain_.baroclinic()) {
    of_tracers_->run(listener, fields_.tracers());
    of_tracers_->run(listener, fields_.tracers_before());
  }
  of_solution_->run(listener, fields_.surface());
  of_solution_->run(listener, fields_.surface_before());
  Coefficients coefficients{};
  listener.kernel(operator_card(), domain_.columns(),
                  [&] { coefficients = barotropic_.fill_operator(); });
  solver_.set_operator(coefficients, listener);
}

void Turn::predict(Listener& listener) {
  const double weight = first_ ? 0.0 : extrapolated;
  const Kernel kernel = manner_.kernel;
  if (domain_.baroclinic())
    on_rows(listener, extrapolate_card(shape()),
            items_of(rows_with_ghosts_, 2 * ghosts, domain_.levels()), rows_with_ghosts_,
            [&](const RowPlace& row, int) { tracers_.extrapolate(kernel, fields_, row, weight); });
  on_rows(listener, momentum_card(shape()), domain_.corners(), domain_.rows(),
          [&](const RowPlace& row, int thread) {
            momentum_.predict(kernel, fields_, row, weight, scratch_[thread]);
          });
  on_rows(listener, friction_card(shape()), domain_.corners(), domain_.rows(),
          [&](const RowPlace& row, int thread) {
            momentum_.mix(kernel, fields_, row, scratch_[thread]);
          });
  of_flow_->run(listener, fields_.next_flow());
}

void Turn::begin_solve(Listener& listener) {
  const Kernel kernel = manner_.kernel;
  on_rows(listener, integrate_card(shape()), items_of(rows_from_south_, 1, domain_.levels()),
          rows_from_south_,
          [&](const RowPlace& row, int) { barotropic_.integrate(kernel, fields_, row); });
  listener.kernel(right_side_card(shape()), domain_.columns(), [&] {
    parallel::for_tasks(static_cast<int>(domain_.rows().size()), threads_, [&](int task, int) {
      barotropic_.right_side(fields_, domain_.rows()[task], solver_.right());
    });
    barotropic_.guess(fields_, first_ ? 0.0 : 1.0, solver_.solution());
  });
  solver_.begin(listener);
}

void Turn::finish(Listener& listener) {
  solver_.end(listener);
  of_solution_->run(listener, solver_.solution());
  listener.kernel(surface_card(shape()), domain_.columns(), [&] {
    std::copy_n(fields_.surface(), domain_.plane(), fields_.surface_before());
    parallel::for_tasks(static_cast<int>(rows_from_south_.size()), threads_, [&](int task, int) {
      barotropic_.push(fields_, rows_from_south_[task], solver_.solution());
    });
    parallel::for_tasks(static_cast<int>(domain_.rows().size()), threads_,
                        [&](int task, int) { barotropic_.raise(fields_, domain_.rows()[task]); });
  });
  of_surface_->run(listener, fields_.surface());
  on_rows(listener, correct_card(shape()),
          items_of(rows_with_ghosts_, 2 * ghosts, domain_.levels()), rows_with_ghosts_,
          [&](const RowPlace& row, int) { barotropic_.correct(manner_.kernel, fields_, row); });
  if (domain_.baroclinic()) carry_tracers(listener);
  fields_.advance_flow();
  measures_.measure(listener, shape(), fields_);
}

void Turn::carry_tracers(Listener& listener) {
  const Kernel kernel = manner_.kernel;
  on_rows(listener, tracers_card(shape()), domain_.cells(), domain_.rows(),
          [&](const RowPlace& row, int thread) {
            tracers_.carry(kernel, fields_, row, scratch_[thread]);
          });
  on_rows(listener, mixing_card(shape()), domain_.cells(), domain_.rows(),
          [&](const RowPlace& row, int thread) {
            tracers_.mix(kernel, fields_, row, scratch_[thread]);
          });
  fields_.advance_tracers();
  of_tracers_->run(listener, fields_.tracers());
}

}  // namespace phasewise::ocean

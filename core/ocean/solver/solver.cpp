#include "ocean/solver/solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numerics/philox.hpp"
#include "ocean/solver/iteration.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::ocean {
namespace {

// Both read b, r and the weight.
constexpr parallel::KernelCard largest_card{
    .name = "largest_terms", .flops = 7.0, .bytes = 24.0, .vectorised = false};
constexpr parallel::KernelCard lengths_card{
    .name = "first_lengths", .flops = 4.0 + 3.0 * flops_of_sum, .bytes = 24.0, .vectorised = true};
constexpr parallel::KernelCard sample_card{
    .name = "sample", .flops = 10.0, .bytes = 16.0, .vectorised = false};

// Steps of Lanczos's method after which its least eigenvalue changes little, and the part of the
// change since this share of the steps by which the bound lies below it.
int lanczos_steps(Preconditioner preconditioner) {
  switch (preconditioner) {
    case Preconditioner::evp:
      return 80;
    case Preconditioner::diagonal:
      return 160;
    case Preconditioner::none:
      break;
  }
  return 320;
}
constexpr double earlier = 0.8, least_room = 0.97, most_room = 1.02;

std::unique_ptr<Iteration> made(Problem& problem, const std::array<double, 2>& bounds) {
  switch (problem.context.setting.method) {
    case Method::pcg:
      return make_pcg(problem);
    case Method::chrongear:
      return make_chron_gear(problem);
    case Method::pipelined:
      return make_pipelined(problem);
    case Method::pcsi:
      break;
  }
  return make_chebyshev(problem, bounds);
}

}  // namespace

class Solver::Work {
 public:
  explicit Work(Context given);
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  exchange::Exchanges exchanges() const;
  void exchange_as(const SolverSetting& setting);
  void set_operator(const Coefficients& coefficients, workload::Listener& listener);
  void begin(workload::Listener& listener);
  void iterate(workload::Listener& listener);
  void check(workload::Listener& listener);
  void end(workload::Listener& listener);
  void precondition(workload::Listener& listener);
  bool converged() const;
  bool done() const;
  bool wants_check() const { return iteration_->wants_check(); }

  double* right() { return data_of(problem_.b); }
  double* solution() { return data_of(x_); }
  const Solved& solved() const { return solved_; }

 private:
  void make_sums();
  void find_bounds(workload::Listener& listener);
  std::array<double, 3> lengths(workload::Listener& listener);
  std::array<double, 3> largest_terms();
  void note();

  Context context_;
  System system_;
  std::unique_ptr<Tiles> tiles_;
  Problem problem_;
  Field x_;
  std::array<double, 2> bounds_{};  // of the eigenvalues, for Chebyshev's iteration
  std::unique_ptr<Iteration> iteration_;
  std::unique_ptr<Iteration> lanczos_;  // null unless the method needs bounds
  std::optional<workload::BoundedSums<3>> lengths_;
  double right_squared_ = 0.0;  // |b|²
  Solved solved_;
};

Solver::Work::Work(Context given)
    : context_(std::move(given)),
      system_(context_),
      tiles_(context_.setting.preconditioner == Preconditioner::evp
                 ? std::make_unique<Tiles>(context_, system_)
                 : nullptr),
      problem_{context_,         system_,          tiles_.get(),
               context_.field(), context_.field(), context_.field()},
      x_(context_.field()),
      iteration_(made(problem_, bounds_)) {
  if (context_.setting.method == Method::pcsi) lanczos_ = make_pcg(problem_);
  make_sums();
}

void Solver::Work::make_sums() { lengths_.emplace(context_.sum(), context_.team, context_.nodes); }

exchange::Exchanges Solver::Work::exchanges() const {
  exchange::Exchanges all = system_.exchanges();
  append(all, iteration_->exchanges());
  if (lanczos_) append(all, lanczos_->exchanges());
  append(all, lengths_->exchanges());
  return all;
}

void Solver::Work::exchange_as(const SolverSetting& setting) {
  context_.setting.halo = setting.halo;
  context_.setting.sum = setting.sum;
  context_.setting.sum_protocol = setting.sum_protocol;
  context_.setting.iterations_per_exchange = setting.iterations_per_exchange;
  system_.make_exchanges();
  iteration_->make_exchanges();
  if (lanczos_) lanczos_->make_exchanges();
  make_sums();
}

void Solver::Work::set_operator(const Coefficients& coefficients, workload::Listener& listener) {
  system_.set(coefficients, listener);
  if (context_.real) context_.find_sea(system_.scale_of_cells());
  if (tiles_) tiles_->set(listener);
  if (lanczos_) find_bounds(listener);
}

// The eigenvalues of the matrix of Lanczos's method approach the extreme ones from within.
void Solver::Work::find_bounds(workload::Listener& listener) {
  listener.kernel(sample_card, context_.cells(), [&] {
    const double* sea = system_.scale_of_cells();
    for (const Planes::Part& part : context_.planes.parts())
      for (int j = 0; j < part.ny; ++j)
        for (int i = 0; i < part.nx; ++i) {
          const std::int64_t at = part.origin + j * context_.planes.pitch() + i;
          const auto number =
              static_cast<std::uint32_t>((part.y + j) * context_.layout.nx() + part.x + i);
          const numerics::PhiloxWords words = numerics::philox({number, 0, 0, 0}, 1, 0);
          problem_.r[at] = sea[at] > 0.0 ? 0x1p-31 * words.w0 - 1.0 : 0.0;
          problem_.b[at] = 0.0;
        }
  });
  const auto [nothing, squared, weighted] = lengths(listener);
  lanczos_->begin(squared, weighted, listener);
  const int steps = lanczos_steps(context_.setting.preconditioner);
  for (int step = 0; step < steps; ++step) lanczos_->iterate(listener);
  if (!context_.real) return;
  std::vector<Coefficient> found = lanczos_->steps();
  const auto [least, most] = extreme_eigenvalues(found);
  found.resize(static_cast<std::size_t>(earlier * steps));
  const double change = extreme_eigenvalues(found)[0] - least;
  bounds_ = {std::max(0.1 * least, least_room * least - change),
             std::min(most_room * most, problem_.largest())};
}

// The largest terms of |b|² of A, |r|² of the system, and |r|² of A.
std::array<double, 3> Solver::Work::largest_terms() {
  const double *b = problem_.b.data(), *r = problem_.r.data(), *w = system_.weight();
  std::array<double, 3> largest{};
  for_sea(context_, 0, [&](std::int64_t at, int n) {
    std::array<double, 3> here{};
    for (std::int64_t i = at; i < at + n; ++i) {
      const double weight = w == nullptr ? 1.0 : w[i];
      const double terms[] = {b[i] * b[i] * weight, r[i] * r[i], r[i] * r[i] * weight};
      for (int k = 0; k < 3; ++k) here[k] = terms[k] <= here[k] ? here[k] : terms[k];
    }
#pragma omp critical(ocean_largest_terms)
    for (int k = 0; k < 3; ++k)
      if (!(here[k] <= largest[k])) largest[k] = here[k];
  });
  return largest;
}

// The sums of these terms.
std::array<double, 3> Solver::Work::lengths(workload::Listener& listener) {
  std::array<double, 3> largest{};
  listener.kernel(largest_card, context_.sea_cells(), [&] { largest = largest_terms(); });
  listener.max(context_.setting.sum_phase, largest);
  return lengths_->run(
      lengths_card, context_.sea_cells(), largest, listener,
      [&](const workload::Bounds<3>& bounds) {
        const double *b = problem_.b.data(), *r = problem_.r.data(), *w = system_.weight();
        return sums_over_sea<3>(context_, bounds, [&](std::int64_t at, int n, RowSums<3>& sums) {
          for_vectors({0, n}, [&]<class V>(int i) {
            const V right = loaded<V>(b + at + i), left = loaded<V>(r + at + i);
            const V squared = left * left;
            if (w == nullptr) return sums.add<V>({right * right, squared, squared});
            const V weight = loaded<V>(w + at + i);
            sums.add<V>({right * right * weight, squared, squared * weight});
          });
        });
      });
}

void Solver::Work::begin(workload::Listener& listener) {
  solved_ = {};
  solved_.bounds = bounds_;
  system_.enter(problem_.b.data(), x_.data(), problem_.y.data(), listener);
  const parallel::KernelCard residual_card{.name = "first_residual",
                                           .flops = system_.flops() + 1.0,
                                           .bytes = word * (3.0 + system_.planes_read()),
                                           .vectorised = true};
  listener.kernel(residual_card, context_.sea_cells(), [&] {
    const StencilPlanes a = system_.stencil();
    const double *b = problem_.b.data(), *y = problem_.y.data();
    double* r = problem_.r.data();
    with_stencil(a, [&]<bool Centre, bool West>() {
      for_sea(context_, 0, [&](std::int64_t at, int n) {
        for_vectors({0, n}, [&]<class V>(int i) {
          stored(r + at + i, loaded<V>(b + at + i) - applied_at<V, Centre, West>(a, y, at + i));
        });
      });
    });
  });
  auto [right, squared, weighted] = lengths(listener);
  if (context_.real && !(std::isfinite(right) && std::isfinite(weighted)))
    throw std::runtime_error(
        "the right-hand side or the first guess has numbers that are not "
        "finite");
  right_squared_ = right;
  if (context_.real && right == 0.0) {
    // The solution is zero.
    for (Field* field : {&problem_.y, &problem_.r}) std::fill_n(field->data(), field->size(), 0.0);
    squared = weighted = 0.0;
  }
  const double tolerance = context_.setting.iterations > 0 ? 0.0 : context_.setting.tolerance;
  problem_.wanted = tolerance * tolerance * right_squared_;
  iteration_->begin(squared, weighted, listener);
  note();
}

// Adds the residual that is known now to the history.
void Solver::Work::note() {
  solved_.iterations = iteration_->iterations();
  const double weighted = iteration_->weighted();
  solved_.residual = right_squared_ > 0.0 ? std::sqrt(weighted / right_squared_) : 0.0;
  if (!solved_.at.empty() && solved_.at.back() == iteration_->known_at()) {
    solved_.residuals.back() = solved_.residual;
    return;
  }
  solved_.at.push_back(iteration_->known_at());
  solved_.residuals.push_back(solved_.residual);
}

void Solver::Work::iterate(workload::Listener& listener) {
  iteration_->iterate(listener);
  note();
}

void Solver::Work::check(workload::Listener& listener) {
  iteration_->check(listener);
  note();
  if (context_.real && !std::isfinite(iteration_->weighted()))
    throw std::runtime_error("the residual is not finite after " +
                             std::to_string(solved_.iterations) + " iterations");
}

bool Solver::Work::converged() const {
  const double tolerance = context_.setting.tolerance;
  return tolerance > 0.0 && iteration_->weighted() <= tolerance * tolerance * right_squared_;
}

bool Solver::Work::done() const {
  const int fixed = context_.setting.iterations;
  if (fixed > 0) return iteration_->iterations() >= fixed;
  return converged() || iteration_->iterations() >= context_.setting.most_iterations;
}

void Solver::Work::end(workload::Listener& listener) {
  system_.leave(problem_.y.data(), x_.data(), listener);
  if (context_.real && !lanczos_) solved_.bounds = extreme_eigenvalues(iteration_->steps());
  if (solved_.bounds[0] > 0.0) solved_.condition = solved_.bounds[1] / solved_.bounds[0];
}

void Solver::Work::precondition(workload::Listener& listener) {
  system_.enter(problem_.b.data(), x_.data(), problem_.y.data(), listener);
  if (!tiles_) return system_.leave(problem_.b.data(), x_.data(), listener);
  problem_.precondition(problem_.b.data(), problem_.y.data(), listener);
  system_.leave(problem_.y.data(), x_.data(), listener);
}

Solver::Solver(const SolverSetting& setting, const Layout& layout, const Planes& planes,
               const std::vector<int>& nodes, const exchange::TeamPointer& team, int threads,
               workload::Contents contents)
    : work_(std::make_unique<Work>(
          Context(setting, layout, planes, nodes, team, threads, contents))) {}
Solver::Solver(Solver&&) noexcept = default;
Solver::~Solver() = default;

exchange::Exchanges Solver::exchanges() const { return work_->exchanges(); }
void Solver::exchange_as(const SolverSetting& setting) { work_->exchange_as(setting); }
void Solver::set_operator(const Coefficients& coefficients, workload::Listener& listener) {
  work_->set_operator(coefficients, listener);
}
double* Solver::right() { return work_->right(); }
double* Solver::solution() { return work_->solution(); }
void Solver::begin(workload::Listener& listener) { work_->begin(listener); }
void Solver::iterate(workload::Listener& listener) { work_->iterate(listener); }
bool Solver::wants_check() const { return work_->wants_check(); }
void Solver::check(workload::Listener& listener) { work_->check(listener); }
bool Solver::done() const { return work_->done(); }
bool Solver::converged() const { return work_->converged(); }
void Solver::end(workload::Listener& listener) { work_->end(listener); }
void Solver::precondition(workload::Listener& listener) { work_->precondition(listener); }
const Solved& Solver::solved() const { return work_->solved(); }

}  // namespace phasewise::ocean

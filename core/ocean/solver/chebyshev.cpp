// Chebyshev's iteration with a preconditioner, as the solver P-CSI of ocean models (Stiefel,
// Comment. Math. Helv. 29 (1955) 157; Huang et al., Geosci. Model Dev. 9 (2016) 4209, algorithm 2).
// It has no sums but those of its checks. The residual is not kept: a step reads y and the y before
// it, and writes the next y in the place of the latter.
#include <utility>

#include "ocean/solver/iteration.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::ocean {
namespace {

class Chebyshev final : public Iteration {
 public:
  Chebyshev(Problem& problem, const std::array<double, 2>& bounds)
      : Iteration(problem), bounds_(bounds), before_(context_.field()) {
    Chebyshev::make_exchanges();
  }

  void make_exchanges() override {
    // Exchanges that are repeated in the same places cost less.
    for (std::optional<Halo>& halo : halos_) halo.emplace(context_.halo());
    right_.emplace(context_.halo());
    sum_.emplace(context_.sum(), context_.team, context_.nodes);
  }
  exchange::Exchanges exchanges() const override {
    exchange::Exchanges all = right_->exchanges();
    for (const std::optional<Halo>& halo : halos_) append(all, halo->exchanges());
    append(all, sum_->exchanges());
    return all;
  }

  void begin(double squared, double weighted, workload::Listener& listener) override;
  void iterate(workload::Listener& listener) override;
  bool wants_check() const override;
  void check(workload::Listener& listener) override;

 private:
  // What a step adds: factor M⁻¹ r + again (y - y before).
  struct Step {
    double factor, again;
  };
  Step next_step();
  void step(int ring, workload::Listener& listener);
  void step_with_tiles(const Step& step, workload::Listener& listener);

  const std::array<double, 2>& bounds_;
  Field before_;
  std::array<std::optional<Halo>, 2> halos_;  // of y and before_, which change their places
  std::optional<Halo> right_;
  std::optional<workload::BoundedSums<1>> sum_;
  double ratio_ = 0.0;   // T_k-1 over T_k
  double fallen_ = 1.0;  // 1/T_k, the factor by which errors have fallen
  double fallen_when_known_ = 1.0;
  double first_ = 0.0;  // a bound of |r|² of A at the beginning
  int swaps_ = 0;
};

// After the last iteration too, and once the residual has probably fallen far enough.
bool Chebyshev::wants_check() const {
  constexpr int most = 3;  // checks within check_every iterations
  const SolverSetting& setting = context_.setting;
  const int last = setting.iterations > 0 ? setting.iterations : setting.most_iterations;
  const int since = iterations_ - known_at();
  if (since == 0) return false;
  if (since >= setting.check_every || iterations_ >= last) return true;
  const double fallen = fallen_ / fallen_when_known_;
  return problem_.wanted > 0.0 && most * since >= setting.check_every &&
         weighted() * fallen * fallen <= problem_.wanted;
}

void Chebyshev::begin(double squared, double weighted, workload::Listener& listener) {
  restart(weighted);
  first_ = 4.0 * squared * problem_.largest_inverse() * problem_.over_energy();
  fallen_ = fallen_when_known_ = 1.0;
  if (problem_.tiles) {
    static constexpr parallel::KernelCard card{
        .name = "keep_right", .flops = 0.0, .bytes = 2.0 * word, .vectorised = false};
    listener.kernel(card, context_.sea_cells(),
                    [&] { problem_.tiles->keep_right(problem_.b.data()); });
  }
  if (context_.setting.iterations_per_exchange > 1) right_->run(listener, data_of(problem_.b));
}

// The recursion of T_k at the point of the interval's scale that belongs to zero (Saad, Iterative
// Methods for Sparse Linear Systems, algorithm 12.1).
Chebyshev::Step Chebyshev::next_step() {
  const double middle = 0.5 * (bounds_[1] + bounds_[0]);
  const double half = std::fmax(0.5 * (bounds_[1] - bounds_[0]), 1e-6 * middle);
  const bool begins = iterations_ == 0;
  const double before = ratio_;
  ratio_ = begins ? half / middle : 1.0 / (2.0 * middle / half - before);
  fallen_ *= ratio_;
  ++iterations_;
  if (begins) return {1.0 / middle, 0.0};
  return {2.0 * ratio_ / half, ratio_ * before};
}

void Chebyshev::step(int ring, workload::Listener& listener) {
  const Step step = next_step();
  if (problem_.tiles) {
    step_with_tiles(step, listener);
  } else {
    const parallel::KernelCard card{.name = "chebyshev_step",
                                    .flops = problem_.system.flops() + 6.0,
                                    .bytes = word * (4.0 + problem_.system.planes_read()),
                                    .vectorised = true};
    listener.kernel(card, context_.sea_cells(), [&] {
      const StencilPlanes a = problem_.system.stencil();
      const double *b = problem_.b.data(), *y = problem_.y.data();
      double* next = before_.data();
      with_stencil(a, [&]<bool Centre, bool West>() {
        for_sea(context_, ring, [&](std::int64_t at, int n) {
          for_vectors({0, n}, [&]<class V>(int i) {
            const std::int64_t here = at + i;
            const V r = loaded<V>(b + here) - applied_at<V, Centre, West>(a, y, here);
            const V now = loaded<V>(y + here);
            const V moved = now - loaded<V>(next + here);
            stored(next + here,
                   fused(all_of<V>(step.factor), r, fused(all_of<V>(step.again), moved, now)));
          });
        });
      });
    });
  }
  std::swap(problem_.y, before_);
  ++swaps_;
}

// The tiles compute the residual themselves.
void Chebyshev::step_with_tiles(const Step& step, workload::Listener& listener) {
  listener.kernel(
      problem_.tiles_card(problem_.system.flops() + 6.0, 4.0), context_.sea_cells(), [&] {
        const double* y = problem_.y.data();
        double* next = before_.data();
        problem_.tiles->solve_residual(
            y, next, [&](std::int64_t at, int n, const double* solution) {
              for_vectors({0, n}, [&]<class V>(int i) {
                const V now = loaded<V>(y + at + i);
                const V moved = now - loaded<V>(next + at + i);
                stored(next + at + i, fused(all_of<V>(step.factor), loaded<V>(solution + i),
                                            fused(all_of<V>(step.again), moved, now)));
              });
            });
      });
}

// Of iterations that share an exchange, all but the last one also compute the ghosts that the next
// ones need.
void Chebyshev::iterate(workload::Listener& listener) {
  for (int ring = context_.setting.iterations_per_exchange - 1; ring >= 0; --ring)
    step(ring, listener);
  halos_[swaps_ % 2]->run(listener, data_of(problem_.y));
}

void Chebyshev::check(workload::Listener& listener) {
  const StencilPlanes a = problem_.system.stencil();
  const double* w = problem_.system.weight();
  const parallel::KernelCard card{.name = "residual_length",
                                  .flops = problem_.system.flops() + 3.0 + flops_of_sum,
                                  .bytes = word * (3.0 + problem_.system.planes_read()),
                                  .vectorised = true};
  // Errors fall by Chebyshev's factor, if the bounds of the eigenvalues hold; if not, those of
  // the last check are a guide.
  const double bound = std::fmax(first_ * fallen_ * fallen_, 16.0 * weighted());
  const auto [found] = sum_->run(
      card, context_.sea_cells(), {bound}, listener, [&](const workload::Bounds<1>& bounds) {
        const double *b = problem_.b.data(), *y = problem_.y.data();
        return with_stencil(a, [&]<bool Centre, bool West>() {
          return sums_over_sea<1>(context_, bounds, [&](std::int64_t at, int n, RowSums<1>& sums) {
            for_vectors({0, n}, [&]<class V>(int i) {
              const V r = loaded<V>(b + at + i) - applied_at<V, Centre, West>(a, y, at + i);
              sums.add<V>({w == nullptr ? r * r : r * r * loaded<V>(w + at + i)});
            });
          });
        });
      });
  know(found, iterations_);
  fallen_when_known_ = fallen_;
}

}  // namespace

std::unique_ptr<Iteration> make_chebyshev(Problem& problem, const std::array<double, 2>& bounds) {
  return std::make_unique<Chebyshev>(problem, bounds);
}

}  // namespace phasewise::ocean

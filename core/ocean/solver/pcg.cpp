// Conjugate gradients with a preconditioner (Hestenes, Stiefel, J. Res. Nat. Bur. Standards 49
// (1952) 409). Two sums an iteration.
#include "ocean/solver/iteration.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::ocean {
namespace {

class Pcg final : public Iteration {
 public:
  explicit Pcg(Problem& problem)
      : Iteration(problem),
        p_(context_.field()),
        q_(context_.field()),
        z_(problem.tiles ? context_.field() : Field()) {
    Pcg::make_exchanges();
  }

  void make_exchanges() override {
    halo_.emplace(context_.halo());
    curvature_.emplace(context_.sum(), context_.team, context_.nodes);
    energy_.emplace(context_.sum(), context_.team, context_.nodes);
    if (problem_.tiles) first_.emplace(context_.sum(), context_.team, context_.nodes);
  }
  exchange::Exchanges exchanges() const override {
    exchange::Exchanges all = halo_->exchanges();
    append(all, curvature_->exchanges());
    append(all, energy_->exchanges());
    if (first_) append(all, first_->exchanges());
    return all;
  }

  void begin(double squared, double weighted, workload::Listener& listener) override;
  void iterate(workload::Listener& listener) override;

 private:
  const double* z() const { return problem_.tiles ? z_.data() : problem_.r.data(); }
  void turn(double beta, workload::Listener& listener);
  double curvature(workload::Listener& listener);
  void advance(double alpha, double bound, workload::Listener& listener);
  workload::PartialSums<2> advanced(double alpha, const workload::Bounds<2>& bounds);
  workload::PartialSums<1> preconditioned(const workload::Bounds<1>& bounds);

  parallel::KernelCard tiles_card() const { return problem_.tiles_card(1.0 + flops_of_sum, 2.0); }

  Field p_, q_, z_;
  std::optional<Halo> halo_;
  std::optional<workload::BoundedSums<1>> curvature_, first_;
  std::optional<workload::BoundedSums<2>> energy_;
  double before_ = 0.0, energy_now_ = 0.0;  // r'z
  double length_ = 0.0;                     // a bound of |p|
};

workload::PartialSums<1> Pcg::preconditioned(const workload::Bounds<1>& bounds) {
  const double* r = problem_.r.data();
  double* z = z_.data();
  return problem_.tiles->sums<1>(
      r, z, bounds, [&](std::int64_t at, int n, const double* solution, RowSums<1>& sums) {
        for_vectors({0, n}, [&]<class V>(int i) {
          const V value = loaded<V>(solution + i);
          stored(z + at + i, value);
          sums.add<V>({value * loaded<V>(r + at + i)});
        });
      });
}

void Pcg::begin(double squared, double weighted, workload::Listener& listener) {
  restart(weighted);
  before_ = length_ = 0.0;
  energy_now_ = squared;
  if (!problem_.tiles) return;
  const auto [energy] = first_->run(
      tiles_card(), context_.sea_cells(), {squared * problem_.largest_inverse()}, listener,
      [&](const workload::Bounds<1>& bounds) { return preconditioned(bounds); });
  energy_now_ = energy;
}

// p := z + β p.
void Pcg::turn(double beta, workload::Listener& listener) {
  static constexpr parallel::KernelCard card{
      .name = "turn_direction", .flops = 2.0, .bytes = 3.0 * word, .vectorised = true};
  listener.kernel(card, context_.sea_cells(), [&] {
    const double* from = z();
    double* p = p_.data();
    for_sea(context_, 0, [&](std::int64_t at, int n) {
      for_vectors({0, n}, [&]<class V>(int i) {
        stored(p + at + i, fused(all_of<V>(beta), loaded<V>(p + at + i), loaded<V>(from + at + i)));
      });
    });
  });
  length_ = std::sqrt(energy_now_ * problem_.largest_inverse()) + beta * length_;
}

// q := A p; returns p'q.
double Pcg::curvature(workload::Listener& listener) {
  const StencilPlanes stencil = problem_.system.stencil();
  const parallel::KernelCard card{.name = "apply_and_sum",
                                  .flops = problem_.system.flops() + 1.0 + flops_of_sum,
                                  .bytes = word * (2.0 + problem_.system.planes_read()),
                                  .vectorised = true};
  const auto [value] = curvature_->run(
      card, context_.sea_cells(), {problem_.largest_of_system() * length_ * length_}, listener,
      [&](const workload::Bounds<1>& bounds) {
        const double* p = p_.data();
        double* q = q_.data();
        return with_stencil(stencil, [&]<bool Centre, bool West>() {
          return sums_over_sea<1>(context_, bounds, [&](std::int64_t at, int n, RowSums<1>& sums) {
            for_vectors({0, n}, [&]<class V>(int i) {
              const V value = applied_at<V, Centre, West>(stencil, p, at + i);
              stored(q + at + i, value);
              sums.add<V>({value * loaded<V>(p + at + i)});
            });
          });
        });
      });
  return value;
}

// y += α p, r -= α q; the sums of r² of the system, and of A.
workload::PartialSums<2> Pcg::advanced(double alpha, const workload::Bounds<2>& bounds) {
  const double *p = p_.data(), *q = q_.data(), *w = problem_.system.weight();
  double *y = problem_.y.data(), *r = problem_.r.data();
  return sums_over_sea<2>(context_, bounds, [&](std::int64_t at, int n, RowSums<2>& sums) {
    for_vectors({0, n}, [&]<class V>(int i) {
      const std::int64_t here = at + i;
      const auto step = all_of<V>(alpha);
      stored(y + here, fused(step, loaded<V>(p + here), loaded<V>(y + here)));
      const V left = fused(-step, loaded<V>(q + here), loaded<V>(r + here));
      stored(r + here, left);
      const V squared = left * left;
      sums.add<V>({squared, w == nullptr ? squared : squared * loaded<V>(w + here)});
    });
  });
}

void Pcg::advance(double alpha, double bound, workload::Listener& listener) {
  static constexpr parallel::KernelCard card{.name = "advance_solution",
                                             .flops = 6.0 + 2.0 * flops_of_sum,
                                             .bytes = 7.0 * word,
                                             .vectorised = true};
  const double weight = problem_.over_energy();
  std::array<double, 2> found;
  if (!problem_.tiles) {
    found = energy_->run(card, context_.sea_cells(), {bound, bound * weight}, listener,
                         [&](const auto& bounds) { return advanced(alpha, bounds); });
  } else {
    // |r|² of the system is not needed, but is no work beside the passage over memory.
    workload::PartialSums<2> lengths{};
    listener.kernel(card, context_.sea_cells(), [&] {
      const double room = workload::bound_room * bound;
      lengths = advanced(alpha, {room * problem_.system.colours(true), room * weight});
    });
    found = energy_->run(
        tiles_card(), context_.sea_cells(), {bound * problem_.spread(), bound * weight}, listener,
        [&](const workload::Bounds<2>& bounds) {
          return workload::PartialSums<2>{preconditioned({bounds[0]})[0], lengths[1]};
        });
  }
  before_ = energy_now_;
  energy_now_ = found[0];
  know(found[1], iterations_);
}

void Pcg::iterate(workload::Listener& listener) {
  const double beta = before_ > 0.0 ? energy_now_ / before_ : 0.0;
  turn(beta, listener);
  halo_->run(listener, data_of(p_));
  const double curved = curvature(listener);
  const double alpha = step_length(energy_now_, curved);
  ++iterations_;
  steps_.push_back({alpha, beta});
  advance(alpha, next_energy(energy_now_, alpha, curved, problem_.largest()), listener);
}

}  // namespace

std::unique_ptr<Iteration> make_pcg(Problem& problem) { return std::make_unique<Pcg>(problem); }

}  // namespace phasewise::ocean

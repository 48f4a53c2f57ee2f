// Conjugate gradients whose two products are summed at once (D'Azevedo, Eijkhout, Romine, LAPACK
// Working Note 56 (1993)).
#include "ocean/solver/iteration.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::ocean {
namespace {

class ChronGear final : public Iteration {
 public:
  explicit ChronGear(Problem& problem)
      : Iteration(problem),
        p_(context_.field()),
        q_(context_.field()),
        s_(context_.field()),
        z_(problem.tiles ? context_.field() : Field()) {
    ChronGear::make_exchanges();
  }

  void make_exchanges() override {
    halo_.emplace(context_.halo());
    sums_.emplace(context_.sum(), context_.team, context_.nodes);
  }
  exchange::Exchanges exchanges() const override {
    exchange::Exchanges all = halo_->exchanges();
    append(all, sums_->exchanges());
    return all;
  }

  void begin(double squared, double weighted, workload::Listener& listener) override;
  void iterate(workload::Listener& listener) override;

 private:
  double* z() { return problem_.tiles ? data_of(z_) : data_of(problem_.r); }
  void advance(double alpha, double beta, workload::Listener& listener);
  void apply(double bound, workload::Listener& listener);

  Field p_, q_, s_, z_;
  std::optional<Halo> halo_;
  std::optional<workload::BoundedSums<3>> sums_;
  double before_ = 0.0, energy_ = 0.0, product_ = 0.0;  // r'z, now and a step before, and z'Az
  double curvature_ = 0.0;                              // p'Ap
};

void ChronGear::begin(double squared, double weighted, workload::Listener& listener) {
  restart(weighted);
  curvature_ = 0.0;
  apply(squared * problem_.largest_inverse(), listener);
}

// s := A z with z = M⁻¹ r, and the sums; `bound` is one of r'z.
void ChronGear::apply(double bound, workload::Listener& listener) {
  if (problem_.tiles) problem_.precondition(problem_.r.data(), z_.data(), listener);
  halo_->run(listener, z());
  const StencilPlanes stencil = problem_.system.stencil();
  const double *w = problem_.system.weight(), *r = problem_.r.data(), *from = z();
  double* to = s_.data();
  const parallel::KernelCard card{
      .name = "apply_and_sum",
      .flops = problem_.system.flops() + 4.0 + 3.0 * flops_of_sum,
      .bytes = word * (3.0 + problem_.system.planes_read() + (problem_.tiles ? 1.0 : 0.0)),
      .vectorised = true};
  const auto [energy, product, weighted] = sums_->run(
      card, context_.sea_cells(),
      {bound * problem_.spread(), bound * problem_.largest_of_system() * problem_.largest_inverse(),
       bound * problem_.over_energy()},
      listener, [&](const workload::Bounds<3>& bounds) {
        return with_stencil(stencil, [&]<bool Centre, bool West>() {
          return sums_over_sea<3>(context_, bounds, [&](std::int64_t at, int n, RowSums<3>& sums) {
            for_vectors({0, n}, [&]<class V>(int i) {
              const std::int64_t here = at + i;
              const V value = applied_at<V, Centre, West>(stencil, from, here);
              stored(to + here, value);
              const V left = loaded<V>(r + here), z = loaded<V>(from + here);
              const V squared = left * left;
              sums.add<V>(
                  {left * z, value * z, w == nullptr ? squared : squared * loaded<V>(w + here)});
            });
          });
        });
      });
  before_ = energy_;
  energy_ = energy;
  product_ = product;
  know(weighted, iterations_);
}

// p := z + β p, q := s + β q, y += α p, r -= α q.
void ChronGear::advance(double alpha, double beta, workload::Listener& listener) {
  const parallel::KernelCard card{.name = "advance_all",
                                  .flops = 8.0,
                                  .bytes = word * (problem_.tiles ? 10.0 : 9.0),
                                  .vectorised = true};
  listener.kernel(card, context_.sea_cells(), [&] {
    const double *from = z(), *s = s_.data();
    double *p = p_.data(), *q = q_.data(), *y = problem_.y.data(), *r = problem_.r.data();
    for_sea(context_, 0, [&](std::int64_t at, int n) {
      for_vectors({0, n}, [&]<class V>(int i) {
        const std::int64_t here = at + i;
        const auto step = all_of<V>(alpha), turn = all_of<V>(beta);
        const V along = fused(turn, loaded<V>(p + here), loaded<V>(from + here));
        const V image = fused(turn, loaded<V>(q + here), loaded<V>(s + here));
        stored(p + here, along);
        stored(q + here, image);
        stored(y + here, fused(step, along, loaded<V>(y + here)));
        stored(r + here, fused(-step, image, loaded<V>(r + here)));
      });
    });
  });
}

void ChronGear::iterate(workload::Listener& listener) {
  const double beta = curvature_ > 0.0 && before_ > 0.0 ? energy_ / before_ : 0.0;
  curvature_ = product_ - beta * beta * curvature_;
  const double alpha = step_length(energy_, curvature_);
  ++iterations_;
  steps_.push_back({alpha, beta});
  advance(alpha, beta, listener);
  apply(next_energy(energy_, alpha, curvature_, problem_.largest()), listener);
}

}  // namespace

std::unique_ptr<Iteration> make_chron_gear(Problem& problem) {
  return std::make_unique<ChronGear>(problem);
}

}  // namespace phasewise::ocean

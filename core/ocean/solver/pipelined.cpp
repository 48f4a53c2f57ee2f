// Conjugate gradients whose sums are under way while the preconditioner and the operator are
// applied (Ghysels, Vanroose, Parallel Comput. 40 (2014) 224, algorithm 4). The residual that it
// knows is that of the iteration before. Its vectors follow recurrences, and are computed anew once
// the residual has fallen by a factor (residual replacement: van der Vorst, Ye, SIAM J. Sci.
// Comput. 22 (2000) 835).
#include "ocean/solver/iteration.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::ocean {
namespace {

constexpr double fall = 1e-5;  // of the residual, until the next replacement
constexpr exchange::Channel channel_of_sums{2};

class Pipelined final : public Iteration {
 public:
  explicit Pipelined(Problem& problem) : Iteration(problem) {
    for (Field* field : {&p_, &s_, &z_, &w_, &n_}) *field = context_.field();
    if (problem.tiles)
      for (Field* field : {&u_, &q_, &m_}) *field = context_.field();
    Pipelined::make_exchanges();
  }

  void make_exchanges() override {
    halo_.emplace(context_.halo());
    workload::SumSetting setting = context_.sum();
    setting.channel = channel_of_sums;
    sums_.emplace(setting, context_.team, context_.nodes);
  }
  exchange::Exchanges exchanges() const override {
    exchange::Exchanges all = halo_->exchanges();
    append(all, sums_->exchanges());
    return all;
  }

  void begin(double squared, double weighted, workload::Listener& listener) override;
  void iterate(workload::Listener& listener) override;
  bool wants_check() const override { return weighted() <= fall * fall * replaced_; }
  void check(workload::Listener& listener) override;

 private:
  bool tiled() const { return problem_.tiles != nullptr; }
  // Without tiles M⁻¹ is 1.
  Field& u() { return tiled() ? u_ : problem_.r; }
  Field& q() { return tiled() ? q_ : s_; }
  Field& m() { return tiled() ? m_ : w_; }
  void precondition(Field& from, Field& to, workload::Listener& listener);
  void apply(Field& from, Field& to, workload::Listener& listener);
  void residual(workload::Listener& listener);
  workload::Bounds<3> bounds_for(double energy) const;
  workload::PartialSums<3> parts(const workload::Bounds<3>& bounds);
  workload::PartialSums<3> advanced(double alpha, double beta, const workload::Bounds<3>& bounds);
  void start_sums(double energy, workload::Listener& listener);

  Field p_, s_, z_, w_, n_, u_, q_, m_;
  std::optional<Halo> halo_;
  std::optional<workload::BoundedSums<3>> sums_;
  workload::PartialSums<3> parts_{};       // of the sums that the next iteration starts
  double energy_ = 0.0, curvature_ = 0.0;  // r'u, p'Ap
  double replaced_ = 0.0;                  // |r|² of A at the last replacement
};

void Pipelined::precondition(Field& from, Field& to, workload::Listener& listener) {
  if (tiled()) problem_.precondition(from.data(), to.data(), listener);
}

// to := A from.
void Pipelined::apply(Field& from, Field& to, workload::Listener& listener) {
  const StencilPlanes a = problem_.system.stencil();
  const parallel::KernelCard card{.name = "apply_operator",
                                  .flops = problem_.system.flops(),
                                  .bytes = word * (2.0 + problem_.system.planes_read()),
                                  .vectorised = true};
  listener.kernel(card, context_.sea_cells(), [&] {
    with_stencil(a, [&]<bool Centre, bool West>() {
      for_sea(context_, 0, [&](std::int64_t at, int n) {
        for_vectors({0, n}, [&]<class V>(int i) {
          stored(to.data() + at + i, applied_at<V, Centre, West>(a, from.data(), at + i));
        });
      });
    });
  });
}

void Pipelined::residual(workload::Listener& listener) {
  static constexpr parallel::KernelCard card{
      .name = "subtract", .flops = 1.0, .bytes = 3.0 * word, .vectorised = true};
  halo_->run(listener, data_of(problem_.y));
  apply(problem_.y, problem_.r, listener);
  listener.kernel(card, context_.sea_cells(), [&] {
    const double* b = problem_.b.data();
    double* r = problem_.r.data();
    for_sea(context_, 0, [&](std::int64_t at, int n) {
      for_vectors({0, n}, [&]<class V>(int i) {
        stored(r + at + i, loaded<V>(b + at + i) - loaded<V>(r + at + i));
      });
    });
  });
}

// The vectors that recurrences have followed, from y and p.
void Pipelined::check(workload::Listener& listener) {
  const auto image = [&](Field& from, Field& to) {
    halo_->run(listener, data_of(from));
    apply(from, to, listener);
  };
  residual(listener);
  precondition(problem_.r, u_, listener);
  image(u(), w_);
  image(p_, s_);
  precondition(s_, q_, listener);
  image(q(), z_);
  replaced_ = weighted();
  start_sums(4.0 * energy_, listener);
}

void Pipelined::begin(double squared, double weighted, workload::Listener& listener) {
  restart(weighted);
  replaced_ = weighted;
  energy_ = curvature_ = 0.0;
  precondition(problem_.r, u_, listener);
  halo_->run(listener, data_of(u()));
  apply(u(), w_, listener);
  start_sums(squared * problem_.largest_inverse(), listener);
}

// Bounds of the sums of r'u, w'u and |r|² of A, from one of r'u.
workload::Bounds<3> Pipelined::bounds_for(double energy) const {
  // Recurrences differ from what they stand for by less than this.
  constexpr double drift = 4.0;
  return {drift * energy * problem_.spread(),
          drift * energy * problem_.largest_of_system() * problem_.largest_inverse(),
          drift * energy * problem_.over_energy()};
}

workload::PartialSums<3> Pipelined::parts(const workload::Bounds<3>& bounds) {
  const double *r = problem_.r.data(), *from = u().data(), *image = w_.data();
  const double* weight = problem_.system.weight();
  return sums_over_sea<3>(context_, bounds, [&](std::int64_t at, int n, RowSums<3>& sums) {
    for_vectors({0, n}, [&]<class V>(int i) {
      const std::int64_t here = at + i;
      const V left = loaded<V>(r + here), along = loaded<V>(from + here);
      const V squared = left * left;
      sums.add<V>({left * along, loaded<V>(image + here) * along,
                   weight == nullptr ? squared : squared * loaded<V>(weight + here)});
    });
  });
}

void Pipelined::start_sums(double energy, workload::Listener& listener) {
  const parallel::KernelCard card{.name = "sum_products",
                                  .flops = 4.0 + 3.0 * flops_of_sum,
                                  .bytes = word * (tiled() ? 4.0 : 3.0),
                                  .vectorised = true};
  listener.kernel(card, context_.sea_cells(), [&] {
    workload::Bounds<3> bounds = bounds_for(energy);
    for (double& bound : bounds) bound *= workload::bound_room;
    parts_ = parts(bounds);
  });
}

// z := n + β z, q := m + β q, s := w + β s, p := u + β p, y += α p, r -= α s, u -= α q, w -= α z;
// the sums of the next iteration.
workload::PartialSums<3> Pipelined::advanced(double alpha, double beta,
                                             const workload::Bounds<3>& bounds) {
  const bool with_tiles = tiled();
  const double *n = n_.data(), *m = this->m().data(), *weight = problem_.system.weight();
  double *z = z_.data(), *q = this->q().data(), *s = s_.data(), *p = p_.data(), *w = w_.data();
  double *y = problem_.y.data(), *r = problem_.r.data(), *u = this->u().data();
  return sums_over_sea<3>(context_, bounds, [&](std::int64_t at, int cells, RowSums<3>& sums) {
    for_vectors({0, cells}, [&]<class V>(int i) {
      const std::int64_t here = at + i;
      const auto step = all_of<V>(alpha), turn = all_of<V>(beta);
      const auto turned = [&](const double* from, double* to) {
        const V value = fused(turn, loaded<V>(to + here), loaded<V>(from + here));
        stored(to + here, value);
        return value;
      };
      const V image_of_s = turned(n, z);
      const V s_now = turned(w, s);
      const V along = turned(u, p);
      stored(y + here, fused(step, along, loaded<V>(y + here)));
      const V left = fused(-step, s_now, loaded<V>(r + here));
      stored(r + here, left);
      V conditioned = left;
      if (with_tiles) {
        conditioned = fused(-step, turned(m, q), loaded<V>(u + here));
        stored(u + here, conditioned);
      }
      const V image = fused(-step, image_of_s, loaded<V>(w + here));
      stored(w + here, image);
      const V squared = left * left;
      sums.add<V>({left * conditioned, image * conditioned,
                   weight == nullptr ? squared : squared * loaded<V>(weight + here)});
    });
  });
}

void Pipelined::iterate(workload::Listener& listener) {
  const parallel::KernelCard card{.name = "advance_all",
                                  .flops = (tiled() ? 20.0 : 16.0) + 3.0 * flops_of_sum,
                                  .bytes = word * (tiled() ? 18.0 : 14.0),
                                  .vectorised = true};
  sums_->start(parts_, listener);
  precondition(w_, m_, listener);
  sums_->progress(listener);
  halo_->run(listener, data_of(m()));
  sums_->progress(listener);
  apply(m(), n_, listener);
  const auto [energy, product, weighted] = sums_->finish(listener);
  know(weighted, iterations_);
  const double beta = iterations_ > 0 && energy_ > 0.0 ? energy / energy_ : 0.0;
  energy_ = energy;
  curvature_ = product - beta * beta * curvature_;
  const double alpha = step_length(energy_, curvature_);
  steps_.push_back({alpha, beta});
  ++iterations_;
  listener.kernel(card, context_.sea_cells(), [&] {
    workload::Bounds<3> bounds =
        bounds_for(next_energy(energy_, alpha, curvature_, problem_.largest()));
    for (double& bound : bounds) bound *= workload::bound_room;
    parts_ = advanced(alpha, beta, bounds);
  });
}

}  // namespace

std::unique_ptr<Iteration> make_pipelined(Problem& problem) {
  return std::make_unique<Pipelined>(problem);
}

}  // namespace phasewise::ocean

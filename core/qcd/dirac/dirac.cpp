#include "qcd/dirac/dirac.hpp"

#include "parallel/loops.hpp"
#include "qcd/phases.hpp"
#include "qcd/solver/field_sums.hpp"

namespace phasewise::qcd {
namespace {

// One item is a site of one parity. A spinor has 24 reals; the two blocks of a clover site have 72.
template <class Real>
parallel::KernelCard local_card(const QuarkAction& action) {
  constexpr double reals = sizeof(Real);
  if (action.clover())
    return {.name = "clover", .flops = 504.0, .bytes = (72.0 + 72.0) * reals, .vectorised = true};
  return {.name = "local", .flops = 96.0, .bytes = 72.0 * reals, .vectorised = true};
}
template <class Real>
inline constexpr parallel::KernelCard half_card{
    .name = "combine", .flops = 48.0, .bytes = 72.0 * sizeof(Real), .vectorised = true};

}  // namespace

template <class Real>
Dirac<Real>::Dirac(const Position& position, const QuarkAction& action, const Manner& manner,
                   int threads, bool real)
    : action_(action),
      threads_(threads),
      hopping_(position, manner, threads, real),
      largest_inverse_(action.largest_inverse()),
      odd_(zeros<Real>(hopping_.reals())),
      other_(zeros<Real>(hopping_.reals())) {}

template <class Real>
void Dirac<Real>::make_clover(const Dirac<double>* precise) {
  if constexpr (sizeof(Real) == sizeof(double))
    clover_.make(action_, hopping_.domain(), hops_.in_lanes(hopping_.kernel().lanes()),
                 hopping_.kernel());
  else
    clover_.convert(precise->clover(), precise->hopping().kernel(), hopping_.kernel());
}

template <class Real>
void Dirac<Real>::set_links(const Hops& hops, workload::Listener& listener,
                            const Dirac<double>* precise) {
  hops_ = hops;
  hopping_.set_links(hops, listener);
  if (!action_.clover()) return;
  // The largest inverse, and a site without an inverse.
  std::array<double, 2> found{0.0, -1.0};
  const bool converts = sizeof(Real) < sizeof(double);
  listener.kernel(
      converts ? clover_convert_card() : clover_blocks_card(),
      static_cast<double>(hopping_.domain().volume()), [&] {
        make_clover(precise);
        found = {clover_.largest_inverse(), static_cast<double>(clover_.singular().value_or(-1))};
      });
  listener.max(phases::bound_clover, found);
  largest_inverse_ = found[0];
  singular_.reset();
  if (found[1] >= 0.0) singular_ = static_cast<std::int64_t>(found[1]);
}

// The order of the blocks is that of the kernel.
template <class Real>
void Dirac<Real>::set_manner(const Manner& manner, const Dirac<double>* precise) {
  hopping_.set_manner(manner);
  if (action_.clover() && hops_.links != nullptr && hopping_.reals() > 0) make_clover(precise);
}

template <class Real>
template <int Lanes>
void Dirac<Real>::local_lanes(const Local& what, const Real* from, double factor, const Real* add,
                              Real* result) const {
  using V = Vector<Real, Lanes>;
  const double mu = what.dagger ? -action_.twisted_mass : action_.twisted_mass;
  const double m = action_.diagonal(), square = m * m + mu * mu;
  const bool clover = action_.clover(), inverse = what.inverse;
  const V real = all_lanes<Real, Lanes>(static_cast<Real>(inverse ? m / square : m));
  const double imaginary = inverse && !clover ? -mu / square : (inverse ? -mu : mu);
  const V scale = all_lanes<Real, Lanes>(static_cast<Real>(factor));
  parallel::for_blocks(
      hopping_.reals() / spinor_reals / Lanes, threads_, [&](std::int64_t begin, int n, int) {
        for (std::int64_t site = begin; site < begin + n; ++site)
          for (int chirality = 0; chirality < 2; ++chirality) {
            const std::int64_t first = (site * 2 + chirality) * 12 * Lanes;
            const V twist =
                all_lanes<Real, Lanes>(static_cast<Real>(chirality == 0 ? imaginary : -imaginary));
            ComplexOf<V> v[6], w[6];
            for (int i = 0; i < 6; ++i)
              v[i] = {load_vector<Real, Lanes>(from + first + 2 * i * Lanes),
                      load_vector<Real, Lanes>(from + first + (2 * i + 1) * Lanes)};
            const auto block_of = [&](const Real* blocks) {
              const Real* block = blocks + (site * 2 + chirality) * block_reals * Lanes;
              return [block](int i) { return load_vector<Real, Lanes>(block + i * Lanes); };
            };
            if (!clover) {
              for (int i = 0; i < 6; ++i)
                w[i] = {fused(-twist, v[i].im, real * v[i].re),
                        fused(twist, v[i].re, real * v[i].im)};
            } else if (!inverse) {
              times_block(block_of(clover_.blocks(what.parity)), twist, v, w);
            } else if (mu == 0.0) {
              times_block(block_of(clover_.odd_inverse()), V{}, v, w);
            } else {
              // (A + iµ)⁻¹ = (A² + µ²)⁻¹ (A - iµ).
              ComplexOf<V> u[6];
              times_block(block_of(clover_.blocks(1)), twist, v, u);
              times_block(block_of(clover_.odd_inverse()), V{}, u, w);
            }
            for (int i = 0; i < 6; ++i) {
              const std::int64_t at = first + 2 * i * Lanes;
              if (add != nullptr) {
                w[i].re = fused(scale, load_vector<Real, Lanes>(add + at), w[i].re);
                w[i].im = fused(scale, load_vector<Real, Lanes>(add + at + Lanes), w[i].im);
              }
              store_vector<Real, Lanes>(result + at, w[i].re);
              store_vector<Real, Lanes>(result + at + Lanes, w[i].im);
            }
          }
      });
}

template <class Real>
void Dirac<Real>::local(const Local& what, const Field<Real>& from, double factor,
                        const Field<Real>* add, Field<Real>& result,
                        workload::Listener& listener) const {
  listener.kernel(local_card<Real>(action_), hopping_.half_volume(), [&] {
    parallel::with_lanes<Real>(hopping_.kernel().lanes(), [&]<int Lanes>() {
      local_lanes<Lanes>(what, from.data(), factor, add == nullptr ? nullptr : add->data(),
                         result.data());
    });
  });
}

template <class Real>
void Dirac<Real>::add_half(const Field<Real>& a, const Field<Real>& b, Field<Real>& result,
                           workload::Listener& listener) const {
  listener.kernel(half_card<Real>, hopping_.half_volume(), [&] {
    shape_of(hopping_, threads_).combine(a.data(), Real(0.5), b.data(), result.data());
  });
}

template <class Real>
void Dirac<Real>::odd_part(bool dagger, const Field<Real>& from, Field<Real>& odd,
                           workload::Listener& listener) {
  hopping_.apply(1, dagger, from, odd, listener);
  if (!action_.number()) local({1, true, dagger}, odd, 0.0, nullptr, odd, listener);
}

template <class Real>
void Dirac<Real>::apply(bool dagger, const Field<Real>& from, Field<Real>& odd, Field<Real>& result,
                        workload::Listener& listener) {
  odd_part(dagger, from, odd, listener);
  hopping_.apply(0, dagger, odd, result, listener);
  // If A_oo is a number, the result is divided by it here.
  local({0, false, dagger}, from, action_.number() ? -0.25 / action_.diagonal() : -0.25, &result,
        result, listener);
}

template <class Real>
void Dirac<Real>::apply(bool dagger, const Field<Real>& from, Field<Real>& result,
                        workload::Listener& listener) {
  apply(dagger, from, odd_, result, listener);
}

template <class Real>
void Dirac<Real>::full(int to, bool dagger, const Field<Real>& same, const Field<Real>& other,
                       Field<Real>& result, workload::Listener& listener) {
  hopping_.apply(to, dagger, other, result, listener);
  local({to, false, dagger}, same, -0.5, &result, result, listener);
}

template <class Real>
void Dirac<Real>::prepare(const Field<Real>& even, const Field<Real>& odd, Field<Real>& result,
                          workload::Listener& listener) {
  local({1, true, false}, odd, 0.0, nullptr, odd_, listener);
  hopping_.apply(0, false, odd_, result, listener);
  add_half(even, result, result, listener);
}

template <class Real>
void Dirac<Real>::reconstruct(const Field<Real>& odd, const Field<Real>& solution,
                              Field<Real>& result, workload::Listener& listener) {
  hopping_.apply(1, false, solution, other_, listener);
  add_half(odd, other_, other_, listener);
  local({1, true, false}, other_, 0.0, nullptr, result, listener);
}

template <class Real>
void Dirac<Real>::residual(const Field<Real>& even, const std::array<Field<Real>, 2>& solution,
                           Field<Real>& result, workload::Listener& listener) {
  hopping_.apply(0, false, solution[1], other_, listener);
  add_half(even, other_, other_, listener);
  local({0, false, false}, solution[0], -1.0, &other_, result, listener);
}

template class Dirac<double>;
template class Dirac<float>;

}  // namespace phasewise::qcd

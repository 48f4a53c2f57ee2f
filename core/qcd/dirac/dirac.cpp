#include "qcd/dirac/dirac.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "parallel/loops.hpp"
#include "qcd/gauge/field_strength.hpp"
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

std::string text_of_site(const Extents& at) {
  return std::to_string(at[0]) + " " + std::to_string(at[1]) + " " + std::to_string(at[2]) + " " +
         std::to_string(at[3]);
}

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
void Dirac<Real>::set_links(const Links& links, const Hops& hops, workload::Listener& listener) {
  if (hops.links != nullptr) hopping_.set_links(hops);
  if (!action_.clover()) return;
  const Domain& domain = hopping_.domain();
  // The largest inverse, and a site without an inverse.
  std::array<double, 2> found{0.0, -1.0};
  listener.kernel(local_card<Real>(action_), static_cast<double>(domain.volume()), [&] {
    make_blocks();
    for_each_site(domain.extents(), [&](const Extents& at) {
      if (!make_block(links, at))
        found[1] = static_cast<double>(site_of(domain.size, domain.global(at)));
    });
    found[0] = largest_inverse_;
  });
  listener.max(phases::bound_clover, found);
  largest_inverse_ = found[0];
  if (found[1] < 0.0) return;
  Extents at;
  auto site = static_cast<std::int64_t>(found[1]);
  for (int axis = 0; axis < axes; ++axis) {
    at[axis] = static_cast<int>(site % domain.size[axis]);
    site /= domain.size[axis];
  }
  throw std::invalid_argument("quarks: the clover term of the odd site " + text_of_site(at) +
                              " cannot be inverted; change quarks.kappa or quarks.clover a little");
}

template <class Real>
void Dirac<Real>::make_blocks() {
  for (parallel::Buffer<Real>* blocks : {&blocks_[0], &blocks_[1], &odd_inverse_})
    *blocks = zeros<Real>(hopping_.reals() / spinor_reals * site_block_reals);
  largest_inverse_ = 0.0;
}

// Returns false if the block cannot be inverted.
template <class Real>
bool Dirac<Real>::make_block(const Links& links, const Extents& at) {
  const int stride = hopping_.kernel().lanes();
  const double mu = action_.twisted_mass;
  // The first real of a spinor is at 24 lanes per vector, plus the lane.
  const std::int64_t place = hopping_.kernel().place(at), lane = place % stride;
  const std::int64_t first = (place - lane) / spinor_reals * site_block_reals + lane;
  const FieldStrength strength = field_strength(links, at);
  for (int chirality = 0; chirality < 2; ++chirality) {
    const std::int64_t to = first + std::int64_t{chirality} * block_reals * stride;
    const Block block =
        clover_block(chirality, action_.diagonal(),
                     reinterpret_cast<const double*>(strength.data()), action_.plane_weights());
    store_block(block, blocks_[parity_of(at)].data() + to, stride);
    if (parity_of(at) == 0) continue;
    const auto inverted = inverse(mu == 0.0 ? block : squared(block, mu));
    if (!inverted) return false;
    store_block(*inverted, odd_inverse_.data() + to, stride);
    // (A + iµ)⁻¹ = (A² + µ²)⁻¹ (A - iµ), whose norm squared is that of (A² + µ²)⁻¹.
    const double size = norm_bound(*inverted);
    largest_inverse_ = std::max(largest_inverse_, mu == 0.0 ? size : std::sqrt(size));
  }
  return true;
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
            const auto block_of = [&](const parallel::Buffer<Real>& blocks) {
              const Real* block = blocks.data() + (site * 2 + chirality) * block_reals * Lanes;
              return [block](int i) { return load_vector<Real, Lanes>(block + i * Lanes); };
            };
            if (!clover) {
              for (int i = 0; i < 6; ++i)
                w[i] = {fused(-twist, v[i].im, real * v[i].re),
                        fused(twist, v[i].re, real * v[i].im)};
            } else if (!inverse) {
              times_block(block_of(blocks_[what.parity]), twist, v, w);
            } else if (mu == 0.0) {
              times_block(block_of(odd_inverse_), V{}, v, w);
            } else {
              // (A + iµ)⁻¹ = (A² + µ²)⁻¹ (A - iµ).
              ComplexOf<V> u[6];
              times_block(block_of(blocks_[1]), twist, v, u);
              times_block(block_of(odd_inverse_), V{}, u, w);
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
void Dirac<Real>::apply(bool dagger, const Field<Real>& from, Field<Real>& result,
                        workload::Listener& listener) {
  // If A_oo is a number, the result is divided by it at the end.
  const bool number = action_.number();
  hopping_.apply(1, dagger, from, odd_, listener);
  if (!number) local({1, true, dagger}, odd_, 0.0, nullptr, odd_, listener);
  hopping_.apply(0, dagger, odd_, result, listener);
  local({0, false, dagger}, from, number ? -0.25 / action_.diagonal() : -0.25, &result, result,
        listener);
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

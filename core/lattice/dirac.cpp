#include "lattice/dirac.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "parallel/large_pages.hpp"
#include "parallel/loops.hpp"

namespace phasewise::lattice {
namespace {

template <class Real>
parallel::Buffer<Real> new_field(std::int64_t reals) {
  parallel::Buffer<Real> field(reals);
  parallel::prefer_large_pages(field.data(), static_cast<std::size_t>(reals) * sizeof(Real));
  return field;
}

}  // namespace

template <class Real>
Dirac<Real>::Dirac(Kernel kernel, const HoppingShape& shape, const QuarkAction& action,
                   const double* links, const double* before, const double* strength,
                   Outside& outside)
    : action_(action), outside_(outside), hopping_(Hopping<Real>::make(kernel, shape)) {
  hopping_->set_links(links, before);
  odd_ = new_field<Real>(reals());
  other_ = new_field<Real>(reals());
  if (action_.clover()) make_blocks(strength);
}

template <class Real>
void Dirac<Real>::make_blocks(const double* strength) {
  const Extents box = hopping_->shape().box;
  const int stride = lanes();
  const double mu = action_.twisted_mass;
  for (parallel::Buffer<Real>* blocks : {&blocks_[0], &blocks_[1], &odd_inverse_})
    *blocks = new_field<Real>(reals() / spinor_reals * site_block_reals);
  for_each_site(box, [&](const Extents& at) {
    // The place of a spinor's first real is 24 lanes a vector, plus the lane.
    const std::int64_t place = hopping_->place(at), lane = place % stride;
    const std::int64_t first = (place - lane) / spinor_reals * site_block_reals + lane;
    const double* of_site = strength + site_of(box, at) * planes * link_reals;
    for (int chirality = 0; chirality < 2; ++chirality) {
      const std::int64_t to = first + std::int64_t{chirality} * block_reals * stride;
      const Block block =
          clover_block(chirality, action_.diagonal(), of_site, action_.plane_weights());
      store_block(block, blocks_[parity_of(at)].data() + to, stride);
      if (parity_of(at) == 0) continue;
      const auto inverted = inverse(mu == 0.0 ? block : squared(block, mu));
      if (!inverted)
        throw std::domain_error("the clover term of the odd site " + std::to_string(at[0]) + " " +
                                std::to_string(at[1]) + " " + std::to_string(at[2]) + " " +
                                std::to_string(at[3]) + " cannot be inverted");
      store_block(*inverted, odd_inverse_.data() + to, stride);
    }
  });
}

template <class Real>
void Dirac<Real>::hop(int to, bool dagger, const Real* from, Real* result) {
  std::array<std::int64_t, axes> bytes{};
  bool split = false;
  for (int axis = 0; axis < axes; ++axis) {
    if (!hopping_->shape().split[axis]) continue;
    bytes[axis] = hopping_->face_bytes(axis);
    split = true;
  }
  if (split)
    outside_.start_faces(bytes, [&](int axis, int side, std::byte* face) {
      hopping_->pack(to, axis, side, dagger, from, face);
    });
  hopping_->interior(to, dagger, from, result);
  if (split) hopping_->boundary(to, dagger, from, outside_.finish_faces(), result);
}

template <class Real>
template <int Lanes>
void Dirac<Real>::local_lanes(int parity, bool inverse, bool dagger, const Real* from,
                              double factor, const Real* add, Real* result) const {
  using V = Vector<Real, Lanes>;
  const double mu = dagger ? -action_.twisted_mass : action_.twisted_mass;
  const double m = action_.diagonal(), square = m * m + mu * mu;
  const bool clover = action_.clover();
  const V real = all_lanes<Real, Lanes>(static_cast<Real>(inverse ? m / square : m));
  const double imaginary = inverse && !clover ? -mu / square : (inverse ? -mu : mu);
  const V scale = all_lanes<Real, Lanes>(static_cast<Real>(factor));
  parallel::for_blocks(
      reals() / spinor_reals / Lanes, threads(), [&](std::int64_t begin, int n, int) {
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
              times_block(block_of(blocks_[parity]), twist, v, w);
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
void Dirac<Real>::local(int parity, bool inverse, bool dagger, const Real* from, double factor,
                        const Real* add, Real* result) const {
  with_lanes<Real>(lanes(), [&]<int Lanes>() {
    local_lanes<Lanes>(parity, inverse, dagger, from, factor, add, result);
  });
}

template <class Real>
void Dirac<Real>::apply(bool dagger, const Real* from, Real* result) {
  // A number in place of A_oo is divided by at the end.
  const bool number = !action_.clover() && action_.twisted_mass == 0.0;
  hop(1, dagger, from, odd_.data());
  if (!number) local(1, true, dagger, odd_.data(), 0.0, nullptr, odd_.data());
  hop(0, dagger, odd_.data(), result);
  local(0, false, dagger, from, number ? -0.25 / action_.diagonal() : -0.25, result, result);
}

template <class Real>
void Dirac<Real>::full(int to, bool dagger, const Real* same, const Real* other, Real* result) {
  hop(to, dagger, other, result);
  local(to, false, dagger, same, -0.5, result, result);
}

template <class Real>
void Dirac<Real>::prepare(const Real* even, const Real* odd, Real* result) {
  local(1, true, false, odd, 0.0, nullptr, odd_.data());
  hop(0, false, odd_.data(), result);
  for (std::int64_t i = 0; i < reals(); ++i) result[i] = fused(Real(0.5), result[i], even[i]);
}

template <class Real>
void Dirac<Real>::reconstruct(const Real* odd, const Real* solution, Real* result) {
  hop(1, false, solution, other_.data());
  for (std::int64_t i = 0; i < reals(); ++i) other_[i] = fused(Real(0.5), other_[i], odd[i]);
  local(1, true, false, other_.data(), 0.0, nullptr, result);
}

template class Dirac<double>;
template class Dirac<float>;

}  // namespace phasewise::lattice

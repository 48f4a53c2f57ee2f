#include "qcd/update/quark/clover_tensor.hpp"

#include "qcd/dirac/lane_blocks.hpp"
#include "qcd/row_tasks.hpp"

namespace phasewise::qcd {
namespace {

// One item is a site. Four outer products of spins for each chirality, and their combinations; the
// determinant reads a block of each odd site.
constexpr parallel::KernelCard tensor_card{.name = "clover_tensor",
                                           .flops = 8.0 * 9.0 * 8.0 + 6.0 * (4.0 * 18.0 + 36.0),
                                           .bytes = 2.0 * 192.0 + 0.5 * 576.0 + 864.0,
                                           .vectorised = true};
// K between the spins of each chirality, [chirality][row][column].
template <class V>
using SpinMatrices = ColourMatrix<V>[2][2][2];

// t of a plane; the rows of γ_µ γ_ν have one element each.
template <class V>
ColourMatrix<V> traced(const SpinMatrices<V>& k, int mu, int nu) {
  ColourMatrix<V> sum{};
  for (int row = 0; row < spins; ++row) {
    const GammaRow gamma = gamma_product_row(mu, nu, row);
    const ColourMatrix<V>& part = k[row / 2][gamma.column % 2][row % 2];
    for (int i = 0; i < colours; ++i)
      for (int j = 0; j < colours; ++j) {
        const ComplexOf<V> turned = times_power_of_i<V>(gamma.power, part.re[i][j], part.im[i][j]);
        sum.re[i][j] += turned.re;
        sum.im[i][j] += turned.im;
      }
  }
  return sum;
}

template <class V>
ColourMatrix<V> antihermitian(double factor, const ColourMatrix<V>& a) {
  const double half = 0.5 * factor;
  ColourMatrix<V> m;
  for (int i = 0; i < colours; ++i)
    for (int j = 0; j < colours; ++j) {
      m.re[i][j] = half * (a.re[i][j] - a.re[j][i]);
      m.im[i][j] = half * (a.im[i][j] + a.im[j][i]);
    }
  return m;
}

// K = factor x y†.
template <int Lanes>
void set_products(double factor, const double* x, const double* y,
                  SpinMatrices<Vector<double, Lanes>>& k) {
  using V = Vector<double, Lanes>;
  const auto component = [](const double* spinor, int s, int c) {
    const double* from = spinor + (s * colours + c) * 2 * Lanes;
    return ComplexOf<V>{load_vector<double, Lanes>(from), load_vector<double, Lanes>(from + Lanes)};
  };
  for (int chirality = 0; chirality < 2; ++chirality)
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        for (int i = 0; i < colours; ++i)
          for (int j = 0; j < colours; ++j) {
            const ComplexOf<V> a = component(x, 2 * chirality + row, i);
            const ComplexOf<V> b = component(y, 2 * chirality + column, j);
            ColourMatrix<V>& to = k[chirality][row][column];
            to.re[i][j] = factor * fused(a.im, b.im, a.re * b.re);
            to.im[i][j] = factor * fused(a.im, b.re, -(a.re * b.im));
          }
}

// A block as CloverTerm stores it.
template <int Lanes>
LaneBlock<Vector<double, Lanes>> loaded_block(const double* from) {
  LaneBlock<Vector<double, Lanes>> block{};
  int next = 0;
  const auto take = [&] { return load_vector<double, Lanes>(from + Lanes * next++); };
  for (int i = 0; i < 6; ++i) block.re[i][i] = take();
  for (int i = 1; i < 6; ++i)
    for (int j = 0; j < i; ++j) {
      block.re[i][j] = block.re[j][i] = take();
      block.im[i][j] = take();
      block.im[j][i] = -block.im[i][j];
    }
  return block;
}

template <class V>
LaneBlock<V> product_of(const LaneBlock<V>& a, const LaneBlock<V>& b) {
  LaneBlock<V> m{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) {
        m.re[i][j] = fused(-a.im[i][k], b.im[k][j], fused(a.re[i][k], b.re[k][j], m.re[i][j]));
        m.im[i][j] = fused(a.im[i][k], b.re[k][j], fused(a.re[i][k], b.im[k][j], m.im[i][j]));
      }
  return m;
}

// Adds K = A (A² + µ²)⁻¹ of an odd vector, which is A⁻¹ without a twisted mass.
template <int Lanes>
void add_inverses(const CloverTerm<double>& clover, std::int64_t vector, bool twisted,
                  SpinMatrices<Vector<double, Lanes>>& k) {
  using V = Vector<double, Lanes>;
  for (int chirality = 0; chirality < 2; ++chirality) {
    const std::int64_t at = (2 * vector + chirality) * block_reals * Lanes;
    LaneBlock<V> block = loaded_block<Lanes>(clover.odd_inverse() + at);
    if (twisted) block = product_of<V>(loaded_block<Lanes>(clover.blocks(1) + at), block);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        for (int i = 0; i < colours; ++i)
          for (int j = 0; j < colours; ++j) {
            k[chirality][row][column].re[i][j] += block.re[colours * row + i][colours * column + j];
            k[chirality][row][column].im[i][j] += block.im[colours * row + i][colours * column + j];
          }
  }
}

}  // namespace

CloverTensor::CloverTensor(const UpdateFields& fields, const HaloBox& box,
                           const QuarkAction& action)
    : fields_(fields), action_(action) {
  if (!fields.real) return;
  places_.reserve(static_cast<std::size_t>(fields.volume()));
  for_each_site(box.domain().extents(),
                [&](const Extents& at) { places_.push_back(planes * box.index(at)); });
}

// spin_matrices(parity, vector, k) gives K.
template <int Lanes, class F>
void CloverTensor::for_vectors(const SpinorSites& sites, Matrix* tensor, F&& spin_matrices) const {
  using V = Vector<double, Lanes>;
  const std::array<double, planes> weights = action_.plane_weights();
  for_rows(static_cast<int>(sites.vectors()), fields_.threads, {}, [&](std::int64_t vector) {
    for (int parity = 0; parity < 2; ++parity) {
      SpinMatrices<V> k{};
      spin_matrices(parity, vector, k);
      const std::int32_t* own = sites.sites(parity, vector);
      int plane = 0;
      for (int mu = 0; mu < axes; ++mu)
        for (int nu = mu + 1; nu < axes; ++nu, ++plane) {
          const ColourMatrix<V> found = antihermitian(weights[plane], traced<V>(k, mu, nu));
          Matrix* to[Lanes];
          for (int lane = 0; lane < Lanes; ++lane)
            to[lane] = tensor + places_[static_cast<std::size_t>(own[lane])] + plane;
          store_links<Lanes>(found, to);
        }
    }
  });
}

void CloverTensor::set(const SpinorSites& sites, const SpinorPair& x, const SpinorPair& y,
                       double factor, double odd_factor, const CloverTerm<double>* determinant,
                       Matrix* tensor, workload::Listener& listener) const {
  const bool twisted = action_.twisted_mass != 0.0;
  listener.kernel(tensor_card, static_cast<double>(fields_.volume()), [&] {
    parallel::with_lanes<double>(sites.lanes(), [&]<int Lanes>() {
      for_vectors<Lanes>(sites, tensor, [&](int parity, std::int64_t vector, auto& k) {
        const std::int64_t at = vector * spinor_reals * Lanes;
        set_products<Lanes>(parity == 0 ? factor : factor * odd_factor, x.data(parity) + at,
                            y.data(parity) + at, k);
        if (parity == 1 && determinant != nullptr)
          add_inverses<Lanes>(*determinant, vector, twisted, k);
      });
    });
  });
}

}  // namespace phasewise::qcd

#include "linear/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "linear/small_eigen.hpp"

namespace phasewise::linear {
namespace {

// The polynomial is about exp(growth) / 2 at the smallest eigenvalue.
constexpr double growth = 6.0;
// The largest number of steps to find the cut.
constexpr int most_moments = 1 << 14;

// The polynomial T_degree of A, mapped so that [cut, most] becomes [-1, 1].
struct Filter {
  double cut = 0.0, most = 0.0;
  int degree = 2;  // even: positive below the cut

  double centre() const { return 0.5 * (cut + most); }
  double half() const { return 0.5 * (most - cut); }
  // The eigenvalue of A, below the cut, at which the polynomial has this value, above 1.
  double eigenvalue(double value) const {
    return centre() - half() * std::cosh(std::acosh(value) / degree);
  }
  // dT/dλ| at that eigenvalue.
  double slope(double value) const {
    const double angle = std::acosh(value) / degree;
    return degree * std::sinh(degree * angle) / (half() * std::sinh(angle));
  }
  void fit_degree(double smallest, double exponent) {
    const double angle = std::acosh(std::max((centre() - smallest) / half(), 1.0 + 1e-15));
    degree = 2 * static_cast<int>(std::clamp(std::round(0.5 * exponent / angle), 1.0, 5000.0));
  }
};

// How many eigenvalues lie below an angle, which is 0 at the least eigenvalue, from the moments of
// T_k.
class Count {
 public:
  explicit Count(const std::vector<double>& moments) : terms_(moments) {
    const double n = static_cast<double>(terms_.size()), step = std::numbers::pi / (n + 1.0);
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const double x = step * static_cast<double>(k);
      terms_[k] *= ((n - k + 1.0) * std::cos(x) + std::sin(x) / std::tan(step)) / (n + 1.0);
    }
  }
  double below(double angle) const {
    double sum = terms_[0] * angle;
    for (std::size_t k = 1; k < terms_.size(); ++k) {
      const double sign = k % 2 == 0 ? 1.0 : -1.0;
      sum += sign * 2.0 * terms_[k] * std::sin(k * angle) / static_cast<double>(k);
    }
    return sum / std::numbers::pi;
  }

 private:
  std::vector<double> terms_;
};

class Solver {
 public:
  Solver(const Csr& a, const EigenSettings& settings);
  Eigenpairs solve();

 private:
  double& h(int i, int j) { return h_[i * block_vectors * (most_ + 1) + j]; }
  double ritz_value(int i) const { return -ritz_.values[i]; }

  void begin();    // from the block work_[0]
  void step();     // adds a block to the basis
  void examine();  // finds the filter's eigenvalues in the basis
  void find_cut();
  void restart();  // with only the Ritz vectors
  bool seem_converged() const;
  bool take();  // whether the pairs are as good as wanted
  std::vector<Square> factors_of(int group) const;

  const Csr& a_;
  EigenSettings settings_;
  std::mt19937_64 random_;
  int kept_, most_;  // blocks of the basis: after a restart, and at most
  double norm_ = 0.0, least_ = 0.0, strictness_ = 0.5;
  Filter filter_;
  std::vector<Block> basis_;  // blocks_ of them, and the next block
  std::vector<Block> spare_;  // kept_ of them
  Block work_[2];
  int blocks_ = 0;
  std::vector<double> h_;  // the filter in the basis
  Square coupling_{};      // of the newest block with the next one
  SmallEigen ritz_;        // of -h, so that the largest eigenvalues come first
  std::vector<double> residuals_;
  Eigenpairs found_;
};

Solver::Solver(const Csr& a, const EigenSettings& settings)
    : a_(a), settings_(settings), random_(settings.seed) {
  kept_ = (settings.wanted + settings.wanted / 2) / block_vectors + 1;
  most_ = 3 * kept_ + 1;
  const std::int64_t size = a.rows() * block_vectors;
  for (int j = 0; j <= most_; ++j) basis_.emplace_back(size);
  for (int j = 0; j < kept_; ++j) spare_.emplace_back(size);
  for (Block& block : work_) block = Block(size);
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    double centre = 0.0, radius = 0.0;  // of Gershgorin's circle
    for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k)
      (a.column[k] == row ? centre : radius) +=
          a.column[k] == row ? a.value[k] : std::fabs(a.value[k]);
    filter_.most = row == 0 ? centre + radius : std::max(filter_.most, centre + radius);
    least_ = row == 0 ? centre - radius : std::min(least_, centre - radius);
    norm_ = std::max(norm_, std::fabs(centre) + radius);
  }
}

void Solver::begin() {
  orthonormalise(work_[0]);
  std::swap(basis_[0], work_[0]);
  blocks_ = 0;
  h_.assign(static_cast<std::size_t>(block_vectors * (most_ + 1)) * block_vectors * (most_ + 1),
            0.0);
}

void Solver::step() {
  const double c = filter_.centre(), e = filter_.half();
  std::copy_n(basis_[blocks_].data(), work_[1].size(), work_[1].data());
  advance(a_, 1.0 / e, -c / e, 0.0, work_[1], work_[0]);
  for (int k = 1; k < filter_.degree; ++k) {
    advance(a_, 2.0 / e, -2.0 * c / e, -1.0, work_[0], work_[1]);
    std::swap(work_[0], work_[1]);
  }
  ++blocks_;
  // Two passes are enough (Giraud et al., Numer. Math. 101 (2005) 87); the second one begins where
  // the first one ends.
  std::vector<Square> first, second;
  project(basis_, blocks_, work_[0], first);
  subtract_and_project(basis_, blocks_, first, work_[0], second);
  subtract(basis_, blocks_, second, work_[0]);
  coupling_ = orthonormalise(work_[0]);
  const int column = block_vectors * (blocks_ - 1);
  for (int j = 0; j < blocks_; ++j)
    for (int i = 0; i < block_vectors * block_vectors; ++i) {
      const int p = block_vectors * j + i / block_vectors, q = column + i % block_vectors;
      h(p, q) = h(q, p) = first[j][i] + second[j][i];
    }
  std::swap(basis_[blocks_], work_[0]);

  const double rows = static_cast<double>(a_.rows()), entries = static_cast<double>(a_.entries());
  found_.products += static_cast<std::int64_t>(block_vectors) * filter_.degree;
  found_.flops += block_vectors * filter_.degree * (2.0 * entries + 5.0 * rows) +
                  8.0 * block_vectors * block_vectors * rows * blocks_ +
                  8.0 * block_vectors * block_vectors * rows;
}

void Solver::examine() {
  const int n = block_vectors * blocks_;
  std::vector<double> negative(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) negative[i * n + j] = -0.5 * (h(i, j) + h(j, i));
  ritz_ = small_eigen(std::move(negative), n);
  residuals_.assign(n, 0.0);
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < block_vectors; ++p) {
      double part = 0.0;
      for (int q = 0; q < block_vectors; ++q)
        part += coupling_[p * block_vectors + q] * ritz_.vectors[i * n + n - block_vectors + q];
      residuals_[i] = std::hypot(residuals_[i], part);
    }
}

// The factors by which the Ritz vectors block_vectors * group … combine the basis, block by block.
std::vector<Square> Solver::factors_of(int group) const {
  const int n = block_vectors * blocks_;
  std::vector<Square> factors(blocks_);
  for (int j = 0; j < blocks_; ++j)
    for (int i = 0; i < block_vectors * block_vectors; ++i)
      factors[j][i] = ritz_.vectors[(block_vectors * group + i % block_vectors) * n +
                                    block_vectors * j + i / block_vectors];
  return factors;
}

// Finds the cut below which there are about as many eigenvalues as the basis keeps. Their number
// below any value follows from zᵀ T_k(A) z for random vectors z, smoothed with Jackson's factors
// (Weisse et al., Rev. Mod. Phys. 78 (2006) 275); polynomials are added until they resolve that few
// eigenvalues.
void Solver::find_cut() {
  const double c = 0.5 * (least_ + filter_.most), e = 0.5 * (filter_.most - least_);
  Block start(work_[0].size());
  std::normal_distribution<double> normal;
  for (double& value : start.span()) value = normal(random_);
  std::copy_n(start.data(), start.size(), work_[1].data());
  advance(a_, 1.0 / e, -c / e, 0.0, work_[1], work_[0]);
  const auto trace = [](const Block& x, const Block& y) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum / block_vectors;
  };
  // T_2k = 2 T_k² - 1, T_2k+1 = 2 T_k+1 T_k - T_1.
  std::vector<double> moments = {trace(start, start), trace(start, work_[0])};
  const double wanted = block_vectors * kept_;
  for (int k = 1;; ++k) {
    moments.push_back(2.0 * trace(work_[0], work_[0]) - moments[0]);
    advance(a_, 2.0 / e, -2.0 * c / e, -1.0, work_[0], work_[1]);
    moments.push_back(2.0 * trace(work_[0], work_[1]) - moments[1]);
    std::swap(work_[0], work_[1]);
    found_.products += block_vectors;
    if ((k & (k - 1)) != 0 || k < 16) continue;
    const Count count(moments);
    const double sharp = 2.0 * std::numbers::pi / static_cast<double>(moments.size());
    if (count.below(sharp) > wanted && k < most_moments) continue;
    double angle = sharp;
    while (count.below(angle) < wanted && angle < 0.5 * std::numbers::pi) angle *= 1.02;
    filter_.cut = c - e * std::cos(angle);
    filter_.fit_degree(least_, growth);
    return;
  }
}

void Solver::restart() {
  for (int group = 0; group < kept_; ++group)
    combine(basis_, blocks_, factors_of(group), spare_[group]);
  for (int group = 0; group < kept_; ++group) std::swap(basis_[group], spare_[group]);
  std::swap(basis_[kept_], basis_[blocks_]);
  blocks_ = kept_;
  std::fill(h_.begin(), h_.end(), 0.0);
  for (int i = 0; i < block_vectors * kept_; ++i) h(i, i) = ritz_value(i);
  ++found_.restarts;
}

bool Solver::seem_converged() const {
  for (int i = 0; i < settings_.wanted; ++i) {
    const double value = ritz_value(i);
    if (!(value > 1.0)) return false;
    const double accepted = strictness_ * settings_.tolerance * norm_ * filter_.slope(value);
    if (residuals_[i] > accepted) return false;
  }
  return true;
}

// Computes the eigenvalues of A among the Ritz vectors, and the residuals A x - λ x.
bool Solver::take() {
  const int groups = (settings_.wanted + block_vectors - 1) / block_vectors,
            n = block_vectors * groups;
  const std::int64_t rows = a_.rows();
  std::vector<Block> images;
  std::vector<double> projected(static_cast<std::size_t>(n) * n);
  for (int group = 0; group < groups; ++group) {
    combine(basis_, blocks_, factors_of(group), spare_[group]);
    images.emplace_back(rows * block_vectors);
    advance(a_, 1.0, 0.0, 0.0, spare_[group], images.back());
  }
  for (int group = 0; group < groups; ++group) {
    std::vector<Square> products;
    project(spare_, groups, images[group], products);
    for (int j = 0; j < groups; ++j)
      for (int i = 0; i < block_vectors * block_vectors; ++i)
        projected[(block_vectors * j + i / block_vectors) * n + block_vectors * group +
                  i % block_vectors] = products[j][i];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) projected[i * n + j] = projected[j * n + i];
  const SmallEigen pairs = small_eigen(std::move(projected), n);
  found_.values.assign(pairs.values.begin(), pairs.values.begin() + settings_.wanted);
  found_.residuals.assign(settings_.wanted, 0.0);
  found_.vectors.assign(static_cast<std::size_t>(rows) * settings_.wanted, 0.0);
  for (int i = 0; i < settings_.wanted; ++i) {
    double* vector = &found_.vectors[static_cast<std::size_t>(rows) * i];
    double sum = 0.0;
    for (std::int64_t row = 0; row < rows; ++row) {
      double image = 0.0;
      for (int j = 0; j < n; ++j) {
        const double factor = pairs.vectors[i * n + j];
        vector[row] += factor * spare_[j / block_vectors][row * block_vectors + j % block_vectors];
        image += factor * images[j / block_vectors][row * block_vectors + j % block_vectors];
      }
      const double left = image - pairs.values[i] * vector[row];
      sum += left * left;
    }
    found_.residuals[i] = std::sqrt(sum);
  }
  found_.products += n;
  return *std::max_element(found_.residuals.begin(), found_.residuals.end()) <=
         settings_.tolerance * norm_;
}

Eigenpairs Solver::solve() {
  find_cut();
  std::normal_distribution<double> normal;
  for (double& value : work_[0].span()) value = normal(random_);
  begin();
  while (found_.products < settings_.most_products) {
    step();
    if (blocks_ < kept_) continue;
    examine();
    if (seem_converged()) {
      found_.converged = take();
      if (found_.converged) return std::move(found_);
      strictness_ *= 0.5;
    }
    if (blocks_ == most_) restart();
  }
  take();
  return std::move(found_);
}

}  // namespace

Eigenpairs smallest_eigenpairs(const Csr& a, const EigenSettings& settings) {
  const std::int64_t least = std::max<std::int64_t>(128, 12 * settings.wanted);
  if (settings.wanted < 1 || a.rows() < least)
    throw std::invalid_argument("the smallest " + std::to_string(settings.wanted) +
                                " eigenvalues need a matrix of at least " + std::to_string(least) +
                                " rows, not " + std::to_string(a.rows()));
  return Solver(a, settings).solve();
}

}  // namespace phasewise::linear

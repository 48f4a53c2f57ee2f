// Sparse kernels: products with the Laplacian, and its smallest eigenvalues.
#include "linear/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/cases.hpp"
#include "linear/lanczos.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::kernels {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr double largest_row = 8.0;  // the largest sum of a row of the Laplacian

class SparseProduct : public Case {
 public:
  explicit SparseProduct(const Description& d)
      : n_(d.n), sliced_(d.kernel == Kernel::sell), x_(n_ * n_), y_(n_ * n_) {
    if (sliced_)
      sell_ = linear::sell_of(linear::laplacian(n_), 1);
    else
      csr_ = linear::laplacian(n_);
    for (std::int64_t i = 0; i < x_.size(); ++i) x_[i] = std::sin(static_cast<double>(i));
    std::fill_n(y_.data(), y_.size(), 0.0);
  }

  void run() override {
    if (sliced_)
      linear::multiply(sell_, x_.data(), y_.data());
    else
      linear::multiply(csr_, x_.data(), y_.data());
  }

  // Compares the product with the stencil applied to x.
  double residual() override {
    double most = 0.0;
    const auto at = [&](std::int64_t x, std::int64_t y) {
      return x < 0 || y < 0 || x == n_ || y == n_ ? 0.0 : x_[y * n_ + x];
    };
    for (std::int64_t y = 0; y < n_; ++y)
      for (std::int64_t x = 0; x < n_; ++x) {
        const double neighbours = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
        most = std::max(most, std::fabs(y_[y * n_ + x] - (4.0 * at(x, y) - neighbours)));
      }
    return most / (rounding * largest_row);
  }

 private:
  std::int64_t n_;
  bool sliced_;
  linear::Csr csr_;
  linear::Sell sell_;
  parallel::Buffer<double> x_, y_;
};

class Lanczos : public Case {
 public:
  explicit Lanczos(const Description& d) : n_(d.n), a_(linear::laplacian(n_)) {}

  void run() override { found_ = linear::smallest_eigenpairs(a_, {.wanted = wanted}); }

  double residual() override {
    std::vector<double> exact;
    const std::int64_t side = std::min<std::int64_t>(n_, wanted);
    const auto part = [&](std::int64_t i) {
      // 2 - 2 cos x, without subtracting nearly equal numbers.
      const double half = std::sin(0.5 * std::numbers::pi * static_cast<double>(i) / (n_ + 1.0));
      return 4.0 * half * half;
    };
    for (std::int64_t i = 1; i <= side; ++i)
      for (std::int64_t j = 1; j <= side; ++j) exact.push_back(part(i) + part(j));
    std::sort(exact.begin(), exact.end());
    double most = 0.0;
    for (int i = 0; i < wanted; ++i) most = std::max(most, std::fabs(found_.values[i] - exact[i]));
    return found_.converged ? most / (rounding * largest_row) : INFINITY;
  }
  std::vector<double> eigenvalues() const override { return found_.values; }

 private:
  std::int64_t n_;
  linear::Csr a_;
  linear::Eigenpairs found_;
};

}  // namespace

std::unique_ptr<Case> make_sparse_case(const Description& description) {
  if (description.kernel == Kernel::lanczos) return std::make_unique<Lanczos>(description);
  return std::make_unique<SparseProduct>(description);
}

std::unique_ptr<Case> make_case(const Description& description) {
  const bool dense = description.kernel <= Kernel::dgeev;
  return dense ? make_dense_case(description) : make_sparse_case(description);
}

}  // namespace phasewise::kernels

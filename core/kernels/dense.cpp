// Dense kernels: products and eigenproblems, and LAPACK's tests of them (Anderson et al., LAPACK
// Working Note 41, 2012: DSYT21, DGET22).
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cases.hpp"
#include "kernels/library.hpp"
#include "linear/multiply.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::kernels {
namespace {

using linear::ConstMatrix;
using linear::Into;
using linear::Matrix;
using Values = parallel::Buffer<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Matrices are stored by columns, as in Fortran.
ConstMatrix fortran(const Values& values, std::int64_t n) { return {values.data(), n, n, 1, n}; }
Matrix fortran(Values& values, std::int64_t n) { return {values.data(), n, n, 1, n}; }

// Numbers between -1/2 and 1/2, always the same ones (Steele et al., OOPSLA 2014: SplitMix).
Values some_matrix(std::int64_t n, std::uint64_t state, bool symmetric = false) {
  Values values(n * n);
  for (double& value : values.span()) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    value = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
  }
  const Matrix a = fortran(values, n);
  for (std::int64_t i = 0; symmetric && i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) a(i, j) = a(j, i);
  return values;
}

// The largest sum of a column's absolute values.
double norm(const ConstMatrix& a) {
  double most = 0.0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < a.rows; ++i) sum += std::fabs(a(i, j));
    most = std::max(most, sum);
  }
  return most;
}

class Product : public Case {
 public:
  explicit Product(const Description& d)
      : n_(d.n),
        plain_(d.library == plain),
        a_(some_matrix(n_, 1)),
        b_(some_matrix(n_, 2)),
        c_(n_ * n_) {
    if (d.of_library()) library_ = &Library::load(d.library);
  }

  void run() override {
    if (library_ != nullptr) return library_->dgemm(n_, a_.data(), b_.data(), c_.data());
    const ConstMatrix a = fortran(std::as_const(a_), n_), b = fortran(std::as_const(b_), n_);
    if (plain_) return linear::plain_multiply(a, b, fortran(c_, n_), Into::set);
    linear::multiply(a, b, fortran(c_, n_), Into::set, panels_);
  }

  // |C x - A (B x)| for a vector x, over n ε |A| |B| |x|.
  double residual() override {
    const Values x = some_matrix(n_, 3);
    const auto image = [&](const Values& matrix, const double* from) {
      Values to(n_);
      linear::plain_multiply(fortran(matrix, n_), {from, n_, 1, 1, n_}, {to.data(), n_, 1, 1, n_},
                             Into::set);
      return to;
    };
    const Values one = image(c_, x.data()), other = image(a_, image(b_, x.data()).data());
    double left = 0.0, length = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      left += std::fabs(one[i] - other[i]);
      length += std::fabs(x[i]);
    }
    const double norms =
        norm(fortran(std::as_const(a_), n_)) * norm(fortran(std::as_const(b_), n_));
    return left / (static_cast<double>(n_) * epsilon * norms * length);
  }

 private:
  std::int64_t n_;
  bool plain_;
  const Library* library_ = nullptr;
  Values a_, b_, c_;
  linear::Panels panels_;
};

class Eigenproblem : public Case {
 public:
  explicit Eigenproblem(const Description& d)
      : n_(d.n),
        symmetric_(d.kernel == Kernel::dsyevd),
        with_vectors_(d.vectors),
        library_(Library::load(d.library)),
        a_(some_matrix(n_, 4, symmetric_)),
        work_(n_ * n_),
        vectors_(d.vectors && !symmetric_ ? n_ * n_ : 1),
        real_(n_),
        imaginary_(n_) {
    std::fill_n(imaginary_.data(), n_, 0.0);
  }

  void run() override {
    std::copy_n(a_.data(), a_.size(), work_.data());
    if (symmetric_)
      library_.dsyevd(with_vectors_, n_, work_.data(), real_.data());
    else
      library_.dgeev(with_vectors_, n_, work_.data(), real_.data(), imaginary_.data(),
                     vectors_.data());
  }

  double residual() override {
    const double found = invariants();
    if (!with_vectors_) return found;
    const ConstMatrix v = fortran(std::as_const(symmetric_ ? work_ : vectors_), n_);
    return std::max({found, equations(v), symmetric_ ? orthogonality(v) : lengths(v)});
  }

 private:
  double scale() const { return static_cast<double>(n_) * epsilon; }

  // Compares the traces of A and A² with the sums of the eigenvalues and of their squares.
  double invariants() const {
    const ConstMatrix a = fortran(a_, n_);
    double trace = 0.0, squares = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      trace += a(i, i) - real_[i];
      squares -= real_[i] * real_[i] - imaginary_[i] * imaginary_[i];
      for (std::int64_t j = 0; j < n_; ++j) squares += a(i, j) * a(j, i);
    }
    const double size = norm(a);
    return std::max(std::fabs(trace) / size, std::fabs(squares) / (size * size)) / scale();
  }

  // |A V - V Λ| over n ε |A| |V|.
  double equations(const ConstMatrix& v) const {
    Values image(n_ * n_);
    linear::Panels panels;
    const Matrix left = fortran(image, n_);
    linear::multiply(fortran(a_, n_), v, left, Into::set, panels);
    for (std::int64_t j = 0; j < n_; ++j) {
      // The first eigenvalue of a complex pair has the positive imaginary part; the pair's two
      // columns hold the real and the imaginary part of its vectors.
      const std::int64_t partner = imaginary_[j] > 0.0 ? j + 1 : imaginary_[j] < 0.0 ? j - 1 : j;
      for (std::int64_t i = 0; i < n_; ++i)
        left(i, j) -= real_[j] * v(i, j) - imaginary_[j] * v(i, partner);
    }
    return norm(linear::constant(left)) / (scale() * norm(fortran(a_, n_)) * norm(v));
  }

  double orthogonality(const ConstMatrix& v) const {
    Values products(n_ * n_);
    linear::Panels panels;
    const Matrix left = fortran(products, n_);
    linear::multiply(v.transposed(), v, left, Into::set, panels);
    for (std::int64_t i = 0; i < n_; ++i) left(i, i) -= 1.0;
    return norm(linear::constant(left)) / scale();
  }

  // The largest deviation of a vector's length from 1, over n ε.
  double lengths(const ConstMatrix& v) const {
    double most = 0.0;
    for (std::int64_t j = 0; j < n_; ++j) {
      if (imaginary_[j] < 0.0) continue;
      double sum = 0.0;
      for (std::int64_t i = 0; i < n_; ++i) {
        const double other = imaginary_[j] > 0.0 ? v(i, j + 1) : 0.0;
        sum += v(i, j) * v(i, j) + other * other;
      }
      most = std::max(most, std::fabs(std::sqrt(sum) - 1.0));
    }
    return most / scale();
  }

  std::int64_t n_;
  bool symmetric_, with_vectors_;
  const Library& library_;
  Values a_, work_, vectors_, real_, imaginary_;
};

}  // namespace

std::unique_ptr<Case> make_dense_case(const Description& description) {
  if (description.kernel == Kernel::dgemm) return std::make_unique<Product>(description);
  return std::make_unique<Eigenproblem>(description);
}

}  // namespace phasewise::kernels

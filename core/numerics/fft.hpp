// One-dimensional transforms, row by row. FFTW's results may differ with the number of rows in a
// batch and with alignment. Every row, on any rank, is therefore transformed alone, from aligned
// memory, by an ESTIMATE plan.
#pragma once

#include <complex>
#include <memory>

namespace phasewise::numerics {

using Complex = std::complex<double>;
inline constexpr double complex_bytes = 16.0;
inline constexpr int complex_per_line = 4;  // of the cache

// The smallest even size of the form 2^a 3^b 5^c 7^d that is at least n.
int fast_even_size(int n);

// The operations of a complex transform of n values, as FFTW counts them: 5 n log2 n.
double transform_flops(double n);

// Transforms rows of n real values to n/2 + 1 complex ones and back (unnormalised). Safe to call
// from several threads.
class RealRowTransform {
 public:
  explicit RealRowTransform(int n);
  ~RealRowTransform();
  RealRowTransform(RealRowTransform&&) noexcept;
  int size() const { return n_; }
  // Rows must be 64-byte aligned; `backward` overwrites its input.
  void forward(double* in, Complex* out) const;
  void backward(Complex* in, double* out) const;

 private:
  struct Plans;
  int n_;
  std::unique_ptr<Plans> plans_;
};

// Transforms rows of n complex values in place (unnormalised). Safe to call from several threads.
class ComplexRowTransform {
 public:
  explicit ComplexRowTransform(int n);
  ~ComplexRowTransform();
  ComplexRowTransform(ComplexRowTransform&&) noexcept;
  int size() const { return n_; }
  void forward(Complex* row) const;
  void backward(Complex* row) const;

 private:
  struct Plans;
  int n_;
  std::unique_ptr<Plans> plans_;
};

}  // namespace phasewise::numerics

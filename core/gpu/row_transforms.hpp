// Transforms of many rows, by cuFFT on a GPU and by FFTW in an emulated device. cuFFT may choose
// its algorithm by the number of rows in a plan. Each plan therefore has one fixed number of rows,
// and longer calls are divided into batches of it: a row's bits do not depend on the rows beside
// it.
#pragma once

#include <complex>
#include <cstdint>

#include "gpu/graph.hpp"

#if defined(__CUDACC__)
#include <cufft.h>
#else
#include "numerics/fft.hpp"
#endif

namespace phasewise::gpu::PHASEWISE_PLATFORM {

using Complex = std::complex<double>;

#if defined(__CUDACC__)

inline void check_transform(cufftResult status) {
  if (status == CUFFT_ALLOC_FAILED) fail_for_memory(memory(), "transforms need more");
  if (status != CUFFT_SUCCESS)
    throw std::runtime_error("cuFFT failed with status " + std::to_string(status));
}

class Plan {
 public:
  // Rows of n values; successive rows are `in` and `out` values apart.
  Plan(cufftType type, int n, std::int64_t in, std::int64_t out, int rows) {
    int size[] = {n};
    int in_size[] = {static_cast<int>(in)}, out_size[] = {static_cast<int>(out)};
    check_transform(cufftPlanMany(&plan_, 1, size, in_size, 1, static_cast<int>(in), out_size, 1,
                                  static_cast<int>(out), type, rows));
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { cufftDestroy(plan_); }
  // The plan's work goes to the present queue.
  cufftHandle get() const {
    check_transform(cufftSetStream(plan_, queue()));
    last_kernel() = "transform";
    return plan_;
  }

 private:
  cufftHandle plan_ = 0;
};

#endif

// Transforms rows of n real values, `line` apart, to n/2 + 1 complex ones, `spectrum` apart, and
// back (unnormalised). The data are whole batches of `batch` rows.
class RealRows {
 public:
  RealRows(int n, std::int64_t line, std::int64_t spectrum, int batch)
      : line_(line),
        spectrum_(spectrum),
        batch_(batch),
#if defined(__CUDACC__)
        forward_(CUFFT_D2Z, n, line, spectrum, batch),
        backward_(CUFFT_Z2D, n, spectrum, line, batch) {
  }
#else
        rows_(n) {
  }
#endif

  // Both transform this many batches. `backward` overwrites its input.
  void forward(double* lines, Complex* spectra, int batches) const {
    for (int b = 0; b < batches; ++b)
      forward_batch(lines + b * batch_ * line_, spectra + b * batch_ * spectrum_);
  }
  void backward(Complex* spectra, double* lines, int batches) const {
    for (int b = 0; b < batches; ++b)
      backward_batch(spectra + b * batch_ * spectrum_, lines + b * batch_ * line_);
  }
  std::int64_t batch() const { return batch_; }

 private:
  void forward_batch(double* lines, Complex* spectra) const {
#if defined(__CUDACC__)
    ++operations();
    check_transform(
        cufftExecD2Z(forward_.get(), lines, reinterpret_cast<cufftDoubleComplex*>(spectra)));
#else
    perform([=, this] {
      for (int i = 0; i < batch_; ++i) rows_.forward(lines + i * line_, spectra + i * spectrum_);
    });
#endif
  }
  void backward_batch(Complex* spectra, double* lines) const {
#if defined(__CUDACC__)
    ++operations();
    check_transform(
        cufftExecZ2D(backward_.get(), reinterpret_cast<cufftDoubleComplex*>(spectra), lines));
#else
    perform([=, this] {
      for (int i = 0; i < batch_; ++i) rows_.backward(spectra + i * spectrum_, lines + i * line_);
    });
#endif
  }

  std::int64_t line_, spectrum_, batch_;
#if defined(__CUDACC__)
  Plan forward_, backward_;
#else
  numerics::RealRowTransform rows_;
#endif
};

// Transforms rows of n complex values, `stride` apart, in place.
class ComplexRows {
 public:
  ComplexRows(int n, std::int64_t stride, int batch)
      : stride_(stride),
        batch_(batch),
#if defined(__CUDACC__)
        plan_(CUFFT_Z2Z, n, stride, stride, batch) {
  }
#else
        rows_(n) {
  }
#endif

  // Both transform this many batches.
  void forward(Complex* rows, int batches) const {
    for (int b = 0; b < batches; ++b) run(rows + b * batch_ * stride_, true);
  }
  void backward(Complex* rows, int batches) const {
    for (int b = 0; b < batches; ++b) run(rows + b * batch_ * stride_, false);
  }
  std::int64_t batch() const { return batch_; }

 private:
  void run(Complex* rows, bool forward) const {
#if defined(__CUDACC__)
    ++operations();
    auto* data = reinterpret_cast<cufftDoubleComplex*>(rows);
    check_transform(cufftExecZ2Z(plan_.get(), data, data, forward ? CUFFT_FORWARD : CUFFT_INVERSE));
#else
    perform([=, this] {
      for (int i = 0; i < batch_; ++i) {
        if (forward)
          rows_.forward(rows + i * stride_);
        else
          rows_.backward(rows + i * stride_);
      }
    });
#endif
  }

  std::int64_t stride_, batch_;
#if defined(__CUDACC__)
  Plan plan_;
#else
  numerics::ComplexRowTransform rows_;
#endif
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM

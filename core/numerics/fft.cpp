#include "numerics/fft.hpp"

#include <fftw3.h>

#include <cmath>
#include <mutex>

#include "parallel/buffer.hpp"

namespace phasewise::numerics {
namespace {

std::mutex planner_mutex;  // FFTW plans one at a time; execution needs no lock

fftw_complex* fftw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

struct PlanDeleter {
  void operator()(fftw_plan_s* plan) const {
    const std::lock_guard lock(planner_mutex);
    fftw_destroy_plan(plan);
  }
};
using FftwPlan = std::unique_ptr<fftw_plan_s, PlanDeleter>;

}  // namespace

int fast_even_size(int n) {
  for (int size = n + n % 2;; size += 2) {
    int rest = size;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return size;
  }
}

double transform_flops(double n) { return 5.0 * n * std::log2(n); }

struct RealRowTransform::Plans {
  FftwPlan forward, backward;
};

RealRowTransform::RealRowTransform(int n) : n_(n), plans_(std::make_unique<Plans>()) {
  parallel::Buffer<double> real(n);
  parallel::Buffer<Complex> spectrum(n / 2 + 1);
  const std::lock_guard lock(planner_mutex);
  plans_->forward.reset(fftw_plan_dft_r2c_1d(n, real.data(), fftw(spectrum.data()), FFTW_ESTIMATE));
  plans_->backward.reset(
      fftw_plan_dft_c2r_1d(n, fftw(spectrum.data()), real.data(), FFTW_ESTIMATE));
}

RealRowTransform::~RealRowTransform() = default;
RealRowTransform::RealRowTransform(RealRowTransform&&) noexcept = default;

void RealRowTransform::forward(double* in, Complex* out) const {
  fftw_execute_dft_r2c(plans_->forward.get(), in, fftw(out));
}

void RealRowTransform::backward(Complex* in, double* out) const {
  fftw_execute_dft_c2r(plans_->backward.get(), fftw(in), out);
}

struct ComplexRowTransform::Plans {
  FftwPlan forward, backward;
};

ComplexRowTransform::ComplexRowTransform(int n) : n_(n), plans_(std::make_unique<Plans>()) {
  parallel::Buffer<Complex> row(n);
  fftw_complex* data = fftw(row.data());
  const std::lock_guard lock(planner_mutex);
  plans_->forward.reset(fftw_plan_dft_1d(n, data, data, FFTW_FORWARD, FFTW_ESTIMATE));
  plans_->backward.reset(fftw_plan_dft_1d(n, data, data, FFTW_BACKWARD, FFTW_ESTIMATE));
}

ComplexRowTransform::~ComplexRowTransform() = default;
ComplexRowTransform::ComplexRowTransform(ComplexRowTransform&&) noexcept = default;

void ComplexRowTransform::forward(Complex* row) const {
  fftw_execute_dft(plans_->forward.get(), fftw(row), fftw(row));
}

void ComplexRowTransform::backward(Complex* row) const {
  fftw_execute_dft(plans_->backward.get(), fftw(row), fftw(row));
}

}  // namespace phasewise::numerics
